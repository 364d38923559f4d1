// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.measure;

/**
 * Rates from counts and times. All arithmetic is in doubles, and times are differences (end -
 * start), so that neither a run of days nor a clock that started near its end gives a negative rate
 * [FC-57]. Units are decimal [FC-58].
 */
public final class Throughput {
  private static final double NS_PER_SECOND = 1e9;

  private Throughput() {}

  /**
   * Bits per second.
   *
   * @param bytes payload bytes, 0 or more
   * @param elapsedNs end minus start; 0 or less gives 0
   * @return bit/s, never negative, never NaN
   */
  public static double bitsPerSecond(long bytes, long elapsedNs) {
    return perSecond(bytes, elapsedNs) * Byte.SIZE;
  }

  /**
   * Events per second.
   *
   * @param count 0 or more
   * @param elapsedNs end minus start; 0 or less gives 0
   * @return 1/s, never negative, never NaN
   */
  public static double perSecond(long count, long elapsedNs) {
    return elapsedNs <= 0 || count <= 0 ? 0 : count * NS_PER_SECOND / elapsedNs;
  }

  /**
   * One rate as a fraction of another.
   *
   * @param part the rate
   * @param whole what it is compared with; 0 gives 0
   * @return part / whole, never NaN
   */
  public static double fraction(double part, double whole) {
    return whole <= 0 ? 0 : part / whole;
  }

  /**
   * A mean from a sum.
   *
   * @param sum of all, 0 or more
   * @param count of all; 0 gives 0
   * @return sum / count, never NaN
   */
  public static double mean(long sum, long count) {
    return fraction((double) sum, (double) count);
  }
}
