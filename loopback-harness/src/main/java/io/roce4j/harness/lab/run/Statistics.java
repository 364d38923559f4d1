// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import java.util.Arrays;

/** Figures over the flows of a run. */
public final class Statistics {
  private Statistics() {}

  /**
   * Jain's fairness index: 1 when all are equal, 1/n when one has everything.
   *
   * @param values rates, 0 or more
   * @return the index; NaN without values or when all are 0
   */
  public static double jain(double[] values) {
    double sum = 0;
    double squares = 0;
    for (double value : values) {
      sum += value;
      squares += value * value;
    }
    return sum * sum / (values.length * squares);
  }

  /**
   * A percentile by nearest rank.
   *
   * @param values any order
   * @param percent above 0 to 100
   * @return the smallest value that at least so many percent do not exceed; NaN without values
   */
  public static double percentile(double[] values, double percent) {
    if (values.length == 0) {
      return Double.NaN;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int rank = (int) Math.ceil(percent / 100 * sorted.length);
    return sorted[Math.max(rank, 1) - 1];
  }

  /**
   * The mean.
   *
   * @param values any
   * @return NaN without values
   */
  public static double mean(double[] values) {
    return Arrays.stream(values).average().orElse(Double.NaN);
  }

  /**
   * The least.
   *
   * @param values any
   * @return NaN without values
   */
  public static double min(double[] values) {
    return Arrays.stream(values).min().orElse(Double.NaN);
  }

  /**
   * The greatest.
   *
   * @param values any
   * @return NaN without values
   */
  public static double max(double[] values) {
    return Arrays.stream(values).max().orElse(Double.NaN);
  }
}
