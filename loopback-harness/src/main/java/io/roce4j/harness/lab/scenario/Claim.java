// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

/**
 * Something a lab must show: a metric of a scheme, as the mean over the seeds, against a number or
 * against the same metric of another scheme.
 *
 * @param scheme whose metric
 * @param metric which
 * @param bound at least or at most
 * @param value the number, or the factor when {@code than} is given
 * @param than another scheme, whose metric times {@code value} is the bound; null for a plain
 *     number
 */
public record Claim(String scheme, Metric metric, Bound bound, double value, String than) {
  /** On which side of the number the metric must be. */
  public enum Bound {
    /** The metric is the number or more. */
    AT_LEAST,

    /** The metric is the number or less. */
    AT_MOST
  }

  /**
   * Whether a metric keeps the bound.
   *
   * @param measured the metric
   * @param limit the number it is held against
   * @return false also when the metric is not a number
   */
  public boolean holds(double measured, double limit) {
    return bound == Bound.AT_LEAST ? measured >= limit : measured <= limit;
  }

  @Override
  public String toString() {
    String side = bound == Bound.AT_LEAST ? " at least " : " at most ";
    return scheme
        + ": "
        + metric.label()
        + side
        + Metric.number(value)
        + (than == null ? "" : " times that of " + than);
  }
}
