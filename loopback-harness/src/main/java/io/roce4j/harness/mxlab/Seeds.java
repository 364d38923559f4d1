// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import java.util.function.LongToDoubleFunction;

/** Means over the seeds of a lab. */
final class Seeds {
  private Seeds() {}

  /** Mean of a number over all seeds. */
  static double mean(LabSize size, LongToDoubleFunction run) {
    double sum = 0;
    for (int i = 0; i < size.seeds(); i++) {
      sum += run.applyAsDouble(size.firstSeed() + i);
    }
    return sum / size.seeds();
  }
}
