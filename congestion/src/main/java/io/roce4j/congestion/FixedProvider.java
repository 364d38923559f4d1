// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;

/**
 * Provider of {@code fixed}: a constant window and a constant rate, the baseline of comparisons.
 */
public final class FixedProvider implements CongestionControllerProvider {

  /** Bytes in flight. */
  public static final CongestionParameter WINDOW =
      CongestionParameter.of(
          "window",
          ParameterUnit.BYTES,
          1,
          ParameterUnit.UNLIMITED,
          ParameterUnit.UNLIMITED,
          "bytes in flight",
          "no window unless asked");

  /** Pacing rate. */
  public static final CongestionParameter RATE =
      CongestionParameter.scaled(
          "rate",
          ParameterUnit.BITS_PER_SECOND,
          1,
          ParameterUnit.UNLIMITED,
          CongestionSettings::linkBitsPerSecond,
          "pacing rate; unlimited sends unpaced",
          "the link rate");

  /** For {@link java.util.ServiceLoader}. */
  public FixedProvider() {}

  @Override
  public String name() {
    return "fixed";
  }

  @Override
  public String description() {
    return "constant window and pacing rate";
  }

  @Override
  public List<CongestionParameter> parameters() {
    return List.of(WINDOW, RATE);
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    long rate = settings.longValue(RATE);
    if (rate != CongestionController.UNLIMITED && rate > settings.linkBitsPerSecond()) {
      throw new IllegalArgumentException(
          "rate="
              + RATE.format((double) rate)
              + ": must be from 1bit to the link rate "
              + RATE.format((double) settings.linkBitsPerSecond())
              + ", or unlimited");
    }
    return new FixedController(settings.longValue(WINDOW), rate);
  }
}
