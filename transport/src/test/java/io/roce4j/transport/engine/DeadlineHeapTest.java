// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlineHeapTest {

  @Test
  void emptyHeapHasNoDeadline() {
    DeadlineHeap heap = new DeadlineHeap();
    heap.reserve(4);
    assertEquals(DeadlineHeap.NEVER, heap.earliestNs());
    assertEquals(-1, heap.pollDue(Long.MAX_VALUE - 1));
  }

  @Test
  void equalDeadlinesComeInTheOrderOfTheirOwners() {
    DeadlineHeap heap = new DeadlineHeap();
    heap.reserve(8);
    for (int owner = 7; owner >= 0; owner--) {
      heap.set(owner, 100);
    }
    for (int owner = 0; owner < 8; owner++) {
      assertEquals(owner, heap.pollDue(100));
    }
  }

  @Test
  void nothingIsDueBeforeItsTime() {
    DeadlineHeap heap = new DeadlineHeap();
    heap.reserve(2);
    heap.set(1, 50);
    assertEquals(-1, heap.pollDue(49));
    assertEquals(50, heap.earliestNs());
    heap.set(1, DeadlineHeap.NEVER);
    assertEquals(-1, heap.pollDue(51));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void agreesWithALinearSearch(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int owners = 1 + random.nextInt(60);
    long[] oracle = new long[owners];
    java.util.Arrays.fill(oracle, DeadlineHeap.NEVER);
    DeadlineHeap heap = new DeadlineHeap();
    heap.reserve(owners);
    for (int step = 0; step < 5000; step++) {
      int owner = random.nextInt(owners);
      if (random.nextInt(4) != 0) {
        long deadline = random.nextInt(5) == 0 ? DeadlineHeap.NEVER : random.nextLong(-50, 50);
        oracle[owner] = deadline;
        heap.set(owner, deadline);
      } else {
        long now = random.nextLong(-60, 60);
        int earliest = -1;
        for (int i = 0; i < owners; i++) {
          if (oracle[i] != DeadlineHeap.NEVER && (earliest < 0 || oracle[i] < oracle[earliest])) {
            earliest = i;
          }
        }
        int expected = earliest >= 0 && oracle[earliest] <= now ? earliest : -1;
        assertEquals(expected, heap.pollDue(now), "seed " + seed + " step " + step);
        if (expected >= 0) {
          oracle[expected] = DeadlineHeap.NEVER;
        }
      }
    }
  }
}
