// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * What the rounds say of one comparison.
 *
 * @param comparison what was compared
 * @param subjectNs time of the benchmark, nanoseconds an operation
 * @param yardstickNs time of the yardstick
 * @param ratio the benchmark's time over the yardstick's, each taken within one round
 * @param allocatedBytes greatest heap bytes an operation of the benchmark in any round
 */
public record ComparisonResult(
    Comparison comparison,
    Spread subjectNs,
    Spread yardstickNs,
    Spread ratio,
    double allocatedBytes) {

  /**
   * JMH divides what its own bookkeeping allocates among the operations: less than this is none.
   */
  public static final double NO_ALLOCATION_BYTES = 0.1;

  /**
   * Pairs benchmark and yardstick round by round.
   *
   * @param comparison what to compare
   * @param measurements of all rounds
   * @return the result
   * @throws IllegalArgumentException when a round lacks one of the two
   */
  public static ComparisonResult of(Comparison comparison, List<Measurement> measurements) {
    List<Measurement> subjects = select(measurements, comparison.subject(), comparison);
    List<Measurement> yardsticks = select(measurements, comparison.yardstick(), comparison);
    if (subjects.isEmpty() || subjects.size() != yardsticks.size()) {
      throw new IllegalArgumentException(
          comparison.what()
              + ": "
              + subjects.size()
              + " rounds of the benchmark and "
              + yardsticks.size()
              + " of its yardstick");
    }
    int rounds = subjects.size();
    double[] ratios = new double[rounds];
    double[] subjectNs = new double[rounds];
    double[] yardstickNs = new double[rounds];
    double allocated = 0;
    for (int i = 0; i < rounds; i++) {
      subjectNs[i] = subjects.get(i).timeNs();
      yardstickNs[i] = yardsticks.get(i).timeNs();
      ratios[i] = subjectNs[i] / yardstickNs[i];
      allocated = Math.max(allocated, subjects.get(i).allocatedBytes());
    }
    return new ComparisonResult(
        comparison, Spread.of(subjectNs), Spread.of(yardstickNs), Spread.of(ratios), allocated);
  }

  private static List<Measurement> select(
      List<Measurement> measurements, String benchmark, Comparison comparison) {
    List<Measurement> selected = new ArrayList<>();
    for (Measurement measurement : measurements) {
      if (measurement.benchmark().equals(benchmark)
          && measurement.parameters().equals(comparison.parameters())) {
        selected.add(measurement);
      }
    }
    selected.sort((a, b) -> Integer.compare(a.round(), b.round()));
    return selected;
  }

  /**
   * Whether the median ratio keeps its limit.
   *
   * @return true also when there is none
   */
  public boolean withinLimit() {
    return ratio.median() <= comparison.limit();
  }

  /**
   * Whether the benchmark allocates nothing.
   *
   * @return true below {@link #NO_ALLOCATION_BYTES} an operation
   */
  public boolean allocatesNothing() {
    return allocatedBytes < NO_ALLOCATION_BYTES;
  }
}
