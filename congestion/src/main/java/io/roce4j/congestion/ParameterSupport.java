// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/** Checks and parameters that several controllers share. Control path. */
final class ParameterSupport {

  private ParameterSupport() {}

  /**
   * A window beside a rate-based algorithm.
   *
   * @return the parameter {@code window}
   */
  static CongestionParameter window() {
    return CongestionParameter.of(
        "window",
        ParameterUnit.BYTES,
        1,
        ParameterUnit.UNLIMITED,
        ParameterUnit.UNLIMITED,
        "bytes in flight beside the rate; a bound keeps queues short and PFC silent",
        "the papers control the rate alone");
  }

  /**
   * A part of the link rate, never below 1 bit/s.
   *
   * @param settings link
   * @param fraction 0 to 1
   * @return bit/s
   */
  static double ofLink(CongestionSettings settings, double fraction) {
    return Math.max(1, settings.linkBitsPerSecond() * fraction);
  }

  /**
   * Reads a rate that may not be above the link.
   *
   * @param settings link and parameters
   * @param parameter a rate
   * @return bit/s
   */
  static double rateWithinLink(CongestionSettings settings, CongestionParameter parameter) {
    double rate = settings.value(parameter);
    if (rate > settings.linkBitsPerSecond()) {
      throw new IllegalArgumentException(
          parameter.name()
              + "="
              + parameter.format(rate)
              + ": must not be above the link rate "
              + parameter.format((double) settings.linkBitsPerSecond()));
    }
    return rate;
  }

  /**
   * Checks that one value is below another.
   *
   * @param low parameter that must be smaller
   * @param high parameter that must be larger
   * @param settings parameters
   */
  static void requireBelow(
      CongestionParameter low, CongestionParameter high, CongestionSettings settings) {
    double lowValue = settings.value(low);
    double highValue = settings.value(high);
    if (!(lowValue < highValue)) {
      throw new IllegalArgumentException(
          low.name()
              + "="
              + low.format(lowValue)
              + ": must be below "
              + high.name()
              + "="
              + high.format(highValue));
    }
  }

  /**
   * A rate as an answer of a controller.
   *
   * @param rate bit/s
   * @param line link rate, bit/s
   * @return whole bit/s, 1 to the link rate
   */
  static long answerRate(double rate, long line) {
    return rate >= line ? line : Math.max(1, (long) rate);
  }
}
