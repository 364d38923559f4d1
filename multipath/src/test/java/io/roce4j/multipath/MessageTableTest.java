// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class MessageTableTest {
  private static final long SEED = 0x4e55_0001L;

  @Test
  void behavesAsAMapWhateverComesAndGoes() {
    SplittableRandom random = new SplittableRandom(SEED);
    int capacity = 64;
    MessageTable table =
        new MessageTable(new UnsafeBuffer(new byte[MessageTable.bytes(capacity)]), 0, capacity);
    Map<Integer, int[]> oracle = new HashMap<>();
    for (int round = 0; round < 200_000; round++) {
      int stream = random.nextInt(3);
      int msn = random.nextInt(40);
      int key = stream * 1000 + msn;
      int at = table.find(stream, msn);
      assertEquals(oracle.containsKey(key), at != MessageTable.NONE, "seed " + SEED);
      if (at == MessageTable.NONE) {
        if (!table.isFull() && random.nextBoolean()) {
          int length = random.nextInt();
          at = table.create(stream, msn, length & 0xFFFF_FFFFL, MessageTable.SEND);
          table.rqMsn(at, msn + 5);
          table.immediateOrKey(at, round);
          oracle.put(key, new int[] {length, round, 0});
        }
        continue;
      }
      int[] expected = oracle.get(key);
      assertEquals(expected[0] & 0xFFFF_FFFFL, table.length(at));
      assertEquals(expected[1], table.immediateOrKey(at));
      assertEquals(msn + 5, table.rqMsn(at));
      assertTrue(table.has(at, MessageTable.SEND));
      assertEquals(expected[2], table.bytes(at, 0));
      if (random.nextInt(3) == 0) {
        table.remove(at);
        oracle.remove(key);
      } else {
        expected[2] += 3;
        table.bytes(at, 3);
      }
      if (random.nextInt(2000) == 0) {
        table.removeStream(1);
        oracle.keySet().removeIf(k -> k / 1000 == 1);
      }
      assertEquals(oracle.size(), table.size());
    }
  }
}
