// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

/**
 * How large a lab is run.
 *
 * @param seeds runs of each case, 1 or more
 * @param firstSeed seed of the first run; each next one is one more
 * @param scale 1 for the size the bounds are meant for, less for a quick look
 */
public record LabSize(int seeds, long firstSeed, double scale) {
  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public LabSize {
    if (seeds < 1) {
      throw new IllegalArgumentException("seeds " + seeds + ": must be at least 1");
    }
    if (!(scale > 0) || scale > 1) {
      throw new IllegalArgumentException("scale " + scale + ": must be above 0 and at most 1");
    }
  }

  /**
   * The size the bounds are meant for.
   *
   * @param firstSeed seed of the first of five runs
   * @return five seeds, scale 1
   */
  public static LabSize full(long firstSeed) {
    return new LabSize(5, firstSeed, 1);
  }

  /** A count at this size, at least {@code least}. */
  int scaled(int full, int least) {
    return Math.max(least, (int) Math.round(full * scale));
  }
}
