// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Weighted max-min fair division: the largest level at which {@code sum of min(weight * level,
 * demand)} fits a capacity. Owns its scratch memory; allocates nothing while dividing.
 */
final class WaterFill {

  private final boolean[] satisfied;

  /**
   * A divider.
   *
   * @param members greatest member number plus one
   */
  WaterFill(int members) {
    satisfied = new boolean[members];
  }

  /**
   * Divides a capacity.
   *
   * @param capacity what there is, 0 or more
   * @param items member numbers
   * @param count how many of them
   * @param weight weight of each member, by member number; whole numbers, 1 or more
   * @param demand most each member can use, by member number; may be infinite
   * @param share result, by member number
   */
  void divide(
      double capacity, int[] items, int count, double[] weight, double[] demand, double[] share) {
    double left = Math.max(0, capacity);
    double weightLeft = 0;
    for (int i = 0; i < count; i++) {
      satisfied[items[i]] = false;
      weightLeft += weight[items[i]];
    }
    // Each pass only satisfies more members, so there are at most as many passes as members.
    boolean changed = true;
    while (changed && weightLeft > 0) {
      changed = false;
      double level = left / weightLeft;
      for (int i = 0; i < count; i++) {
        int member = items[i];
        if (!satisfied[member] && demand[member] <= weight[member] * level) {
          satisfied[member] = true;
          share[member] = demand[member];
          left -= demand[member];
          weightLeft -= weight[member];
          changed = true;
        }
      }
    }
    double level = weightLeft > 0 ? Math.max(0, left) / weightLeft : 0;
    for (int i = 0; i < count; i++) {
      if (!satisfied[items[i]]) {
        share[items[i]] = weight[items[i]] * level;
      }
    }
  }
}
