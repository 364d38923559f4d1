// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * A small deterministic generator for choices between paths: the numbers follow from the seed
 * alone, so that a run repeats. SplitMix64.
 */
final class PathDice {
  private long state;

  PathDice(long seed) {
    this.state = seed;
  }

  /** A number below a bound of 1 or more. */
  int below(int bound) {
    state += 0x9E3779B97F4A7C15L;
    long bits = EntropyPool.mix(state) >>> 33;
    return (int) ((bits * bound) >>> 31);
  }
}
