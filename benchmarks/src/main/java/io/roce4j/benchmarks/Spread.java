// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import java.util.Arrays;

/**
 * Median and ends of what several rounds measured.
 *
 * @param median the middle value, or the mean of the middle two
 * @param min the least
 * @param max the greatest
 */
public record Spread(double median, double min, double max) {
  /**
   * Sums up some values.
   *
   * @param values at least one
   * @return their spread
   * @throws IllegalArgumentException when there are none
   */
  public static Spread of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }
}
