// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** The parameters that TIMELY and its correction share; defaults and sources are each one's own. */
final class TimelyParameters {

  private TimelyParameters() {}

  /** Weight of a new difference. */
  static CongestionParameter alpha(
      ToDoubleFunction<CongestionSettings> defaultValue, String source) {
    return CongestionParameter.scaled(
        "alpha",
        ParameterUnit.RATIO,
        1e-6,
        1,
        defaultValue,
        "weight of the new RTT difference",
        source);
  }

  /** Lower threshold. */
  static CongestionParameter lowThreshold(
      ToDoubleFunction<CongestionSettings> defaultValue, String source) {
    return CongestionParameter.scaled(
        "Tlow",
        ParameterUnit.NANOSECONDS,
        1,
        10e9,
        defaultValue,
        "below it the rate always rises",
        source);
  }

  /** Upper threshold. */
  static CongestionParameter highThreshold(
      ToDoubleFunction<CongestionSettings> defaultValue, String source) {
    return CongestionParameter.scaled(
        "Thigh",
        ParameterUnit.NANOSECONDS,
        1,
        100e9,
        defaultValue,
        "above it the rate always falls",
        source);
  }

  /** Additive step. */
  static CongestionParameter additiveStep(
      ToDoubleFunction<CongestionSettings> defaultValue, String source) {
    return CongestionParameter.scaled(
        "delta",
        ParameterUnit.BITS_PER_SECOND,
        1,
        100e12,
        defaultValue,
        "additive increase",
        source);
  }

  /** Least rate. */
  static CongestionParameter leastRate(
      ToDoubleFunction<CongestionSettings> defaultValue, String source) {
    return CongestionParameter.scaled(
        "Rmin", ParameterUnit.BITS_PER_SECOND, 1, 100e12, defaultValue, "least rate", source);
  }

  /** Normalisation of the gradient: 20 us as published, the base round trip when scaled. */
  static CongestionParameter minRtt(CongestionParameter preset, String source) {
    return CongestionParameter.scaled(
        "minRtt",
        ParameterUnit.NANOSECONDS,
        1,
        10e9,
        s -> s.choice(preset).equals("scaled") ? (double) s.baseRttNs() : 20_000,
        "the gradient is in units of it",
        source);
  }

  /** Start rate. */
  static CongestionParameter start(String source) {
    return CongestionParameter.of(
        "start",
        ParameterUnit.RATIO,
        1e-6,
        1,
        1,
        "start rate as part of the link; with N flows known, C/(N+1)",
        source);
  }

  /** When a completion event occurs; the first word is the default. */
  static CongestionParameter update(List<String> choices, String source) {
    return CongestionParameter.choice(
        "update",
        choices,
        "one update per acknowledged segment; spaced: the same, at least minRtt apart; rtt: one per"
            + " round trip as in simulators",
        source);
  }

  /** Segment. */
  static CongestionParameter segment(String source) {
    return CongestionParameter.of(
        "segment",
        ParameterUnit.BYTES,
        1,
        1e9,
        16_384,
        "bytes acknowledged per completion event",
        source);
  }
}
