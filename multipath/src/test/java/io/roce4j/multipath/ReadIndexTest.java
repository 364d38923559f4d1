// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.sequence.Msn;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReadIndexTest {
  private static final long SEED = 0x4ead_0001L;

  @Test
  void findsWhatIsNotAnsweredInWhateverOrderAnswersCome() {
    SplittableRandom random = new SplittableRandom(SEED);
    ReadIndex index = new ReadIndex(16);
    TreeMap<Long, Long> oracle = new TreeMap<>();
    long next = 0xFFFFF0;
    for (int round = 0; round < 100_000; round++) {
      if (random.nextBoolean() && index.size() < 16) {
        next += 1 + random.nextInt(3);
        index.add((int) next & Msn.MASK, next * 10);
        oracle.put(next, next * 10);
      } else if (!oracle.isEmpty()) {
        Object[] keys = oracle.keySet().toArray();
        long key = (Long) keys[random.nextInt(keys.length)];
        assertEquals(oracle.get(key), index.find((int) key & Msn.MASK), "seed " + SEED);
        index.remove((int) key & Msn.MASK);
        oracle.remove(key);
        assertEquals(-1, index.find((int) key & Msn.MASK));
      }
      if (random.nextInt(500) == 0 && !oracle.isEmpty()) {
        long from = oracle.firstKey() + random.nextInt(10);
        index.removeFrom((int) from & Msn.MASK);
        oracle.tailMap(from, true).clear();
      }
      assertEquals(!oracle.isEmpty(), index.isWaiting());
      assertTrue(index.size() >= oracle.size() || oracle.isEmpty());
    }
    index.clear();
    assertFalse(index.isWaiting());
  }
}
