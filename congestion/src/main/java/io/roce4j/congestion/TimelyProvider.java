// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.Set;

/**
 * Provider of {@code timely}: TIMELY as published. The presets: {@code paper} (Mittal et al.,
 * SIGCOMM 2015, with the weight of Zhu et al., CoNEXT 2016), {@code erpc} (as eRPC runs it), {@code
 * scaled} (the paper's times in base round trips of 20 us, for slow emulated links). Rates scale
 * with the link.
 */
public final class TimelyProvider implements CongestionControllerProvider {

  private static final String PAPER = "TIMELY (SIGCOMM 2015), section 4";
  private static final String ERPC = "eRPC, src/cc/timely.h";

  /** Set of defaults. */
  public static final CongestionParameter PRESET =
      CongestionParameter.choice(
          "preset", List.of("paper", "erpc", "scaled"), "set of defaults", PAPER);

  /** Which published form. */
  public static final CongestionParameter VARIANT =
      CongestionParameter.choice(
          "variant",
          List.of("alg1", "authors"),
          "alg1: algorithm 1 of the paper; authors: the published snippet, which counts raw"
              + " differences, weighs updates closer than minRtt and never halves more than once a"
              + " step",
          PAPER);

  /** Weight of a new difference. */
  public static final CongestionParameter ALPHA =
      TimelyParameters.alpha(
          s -> is(s, "erpc") ? 0.46 : 0.875,
          "Zhu et al. (CoNEXT 2016): 0.875; the authors' snippet recommends 0.02; " + ERPC);

  /** Decrease factor. */
  public static final CongestionParameter BETA =
      CongestionParameter.scaled(
          "beta",
          ParameterUnit.RATIO,
          1e-6,
          1,
          s -> is(s, "erpc") ? 0.26 : 0.8,
          "multiplicative decrease factor",
          PAPER + "; " + ERPC);

  /** Lower threshold. */
  public static final CongestionParameter TLOW =
      TimelyParameters.lowThreshold(s -> is(s, "scaled") ? 2.5 * s.baseRttNs() : 50_000, PAPER);

  /** Upper threshold. */
  public static final CongestionParameter THIGH =
      TimelyParameters.highThreshold(
          s -> is(s, "scaled") ? 25.0 * s.baseRttNs() : is(s, "erpc") ? 1e6 : 500_000,
          PAPER + " (the authors' snippet: 1 ms); " + ERPC);

  /** Normalisation of the gradient. */
  public static final CongestionParameter MIN_RTT = TimelyParameters.minRtt(PRESET, PAPER);

  /** Additive step. */
  public static final CongestionParameter DELTA =
      TimelyParameters.additiveStep(
          s -> ParameterSupport.ofLink(s, 1e-3),
          PAPER
              + ": 10 Mbit/s at 10 Gbit/s; "
              + ERPC
              + ": 40 Mbit/s, taken as of a 40 Gbit/s link");

  /** Events before hyper active increase. */
  public static final CongestionParameter N =
      CongestionParameter.of(
          "N",
          ParameterUnit.COUNT,
          1,
          1000,
          5,
          "from the N-th falling completion on the increase is N*delta",
          PAPER);

  /** Least rate. */
  public static final CongestionParameter RMIN =
      TimelyParameters.leastRate(
          s -> ParameterSupport.ofLink(s, 1e-3), "not in the paper; one additive step");

  /** Start rate. */
  public static final CongestionParameter START = TimelyParameters.start(PAPER + ": C/(N+1)");

  /** When a completion event occurs. */
  public static final CongestionParameter UPDATE =
      TimelyParameters.update(List.of("segment", "spaced", "rtt"), PAPER);

  /** Segment. */
  public static final CongestionParameter SEGMENT =
      TimelyParameters.segment(PAPER + ": 16 to 64 KB");

  /** Window beside the rate. */
  public static final CongestionParameter WINDOW = ParameterSupport.window();

  /** For {@link java.util.ServiceLoader}. */
  public TimelyProvider() {}

  private static boolean is(CongestionSettings settings, String preset) {
    return settings.choice(PRESET).equals(preset);
  }

  @Override
  public String name() {
    return "timely";
  }

  @Override
  public String description() {
    return "TIMELY as published (SIGCOMM 2015): rate from the RTT gradient";
  }

  @Override
  public List<CongestionParameter> parameters() {
    return List.of(
        PRESET, VARIANT, ALPHA, BETA, TLOW, THIGH, MIN_RTT, DELTA, N, RMIN, START, UPDATE, SEGMENT,
        WINDOW);
  }

  @Override
  public Set<CongestionSignal> needs() {
    return Set.of(CongestionSignal.RTT);
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    return new Timely(settings);
  }
}
