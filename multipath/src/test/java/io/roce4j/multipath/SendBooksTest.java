// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.sequence.Psn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class SendBooksTest {
  private static final long SEED = 0xb00c_0001L;

  @Test
  void ringKeepsItsBooksAcrossTheWrapOfPseq() {
    SplittableRandom random = new SplittableRandom(SEED);
    int capacity = 256;
    UnsafeBuffer memory = new UnsafeBuffer(new byte[PathRing.bytes(capacity)]);
    PathRing ring = new PathRing(memory, 0, capacity);
    ring.startAt(0xFFFF_FF80);
    List<int[]> live = new ArrayList<>();
    long bytes = 0;
    for (int round = 0; round < 50_000; round++) {
      int age = live.isEmpty() ? 0 : ring.next() - live.get(0)[0];
      if (random.nextInt(2) == 0 && age < capacity - 1) {
        int cpsn = random.nextInt(1 << 24);
        int size = 16 + random.nextInt(60_000);
        int[] entry = {
          0, cpsn, random.nextInt(256), random.nextInt(), size, random.nextInt(65_536)
        };
        entry[0] = ring.record(cpsn, entry[2], entry[3], size, entry[5]);
        live.add(entry);
        bytes += size;
      } else if (!live.isEmpty()) {
        int at = random.nextInt(3) == 0 ? 0 : random.nextInt(live.size());
        int[] entry = live.remove(/* index */ at);
        assertTrue(ring.remembers(entry[0]) && ring.isLive(entry[0]));
        assertEquals(entry[1], ring.cpsn(entry[0]));
        assertEquals(entry[2], ring.epoch(entry[0]));
        assertEquals(entry[3], ring.stamp(entry[0]));
        assertEquals(entry[4], ring.bytesOf(entry[0]));
        assertEquals(entry[5], ring.train(entry[0]));
        boolean lost = random.nextBoolean();
        ring.retire(entry[0], lost);
        assertEquals(lost, ring.isLost(entry[0]));
        assertFalse(ring.isLive(entry[0]));
        bytes -= entry[4];
      }
      assertEquals(bytes, ring.liveBytes(), "seed " + SEED);
      assertEquals(live.size(), ring.liveCount());
      assertEquals(live.isEmpty() ? ring.next() : live.get(0)[0], ring.oldestLive());
    }
    assertFalse(ring.remembers(ring.next()));
    assertFalse(ring.remembers(ring.next() - capacity - 1));
  }

  @Test
  void windowsShowNothingTheRingNoLongerHolds() {
    PathRing ring = new PathRing(new UnsafeBuffer(new byte[PathRing.bytes(64)]), 0, 64);
    for (int i = 0; i < 70; i++) {
      int pseq = ring.record(i, 0, 0, 10, 0);
      if (i < 10) {
        ring.retire(pseq, false);
      }
    }
    assertEquals(-1L << 4, ring.liveWindow(69) & -1L << 4);
    assertEquals(0, ring.liveWindow(5), "numbers 0 to 5 share their bits with 64 to 69");
  }

  @Test
  void fragmentsReturnWhatWasNotedAndNeighboursStay() {
    SplittableRandom random = new SplittableRandom(SEED);
    FragmentTable table =
        new FragmentTable(new UnsafeBuffer(new byte[FragmentTable.bytes(64)]), 0, 64);
    int first = 0xFFFFE0;
    int[][] expected = new int[64][];
    for (int i = 0; i < 64; i++) {
      int at = table.at(Psn.add(first, i));
      int[] e = {
        random.nextInt(7),
        random.nextInt(1024),
        random.nextInt(),
        random.nextInt(1 << 24),
        random.nextInt(),
        random.nextInt(65_536)
      };
      table.begin(at, e[0], e[1], e[2], e[3], e[4], e[5]);
      expected[i] = e;
    }
    for (int i = 0; i < 64; i++) {
      int at = table.at(Psn.add(first, i));
      int[] e = expected[i];
      assertEquals(e[0], table.kind(at));
      assertEquals(e[1], table.stream(at));
      assertEquals(e[2], table.source(at));
      assertEquals(e[3], table.msn(at));
      assertEquals(e[4] & 0xFFFF_FFFFL, table.messageOffset(at));
      assertEquals(e[5], table.payloadLength(at));
      assertEquals(0, table.tries(at) + table.liveCount(at));
      assertEquals(at, table.atIndex(table.index(at)));
      table.addLive(at, 7, 100 + i);
      table.addLive(at, 254, 200 + i);
      assertEquals(2, table.liveCount(at));
      assertEquals(254, table.lastPath(at));
      table.removeLive(at, 7, 999);
      assertEquals(2, table.liveCount(at), "another transmission of that path is not forgotten");
      table.removeLive(at, 7, 100 + i);
      assertEquals(254, table.livePath(at));
      assertEquals(200 + i, table.livePseq(at));
      assertEquals(2, table.tries(at));
    }
  }

  @Test
  void queueOfFragmentsBehavesAsADeque() {
    SplittableRandom random = new SplittableRandom(SEED);
    FragmentTable table =
        new FragmentTable(new UnsafeBuffer(new byte[FragmentTable.bytes(64)]), 0, 64);
    FragmentQueue queue = new FragmentQueue(table);
    ArrayDeque<Integer> oracle = new ArrayDeque<>();
    List<Integer> out = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      table.begin(table.at(i), 0, 0, 0, 0, 0, i);
      out.add(table.at(i));
    }
    for (int round = 0; round < 20_000; round++) {
      if (random.nextBoolean() && !out.isEmpty()) {
        int at = out.remove(/* index */ random.nextInt(out.size()));
        if (random.nextBoolean()) {
          queue.addFirst(at);
          oracle.addFirst(at);
        } else {
          queue.addLast(at);
          oracle.addLast(at);
        }
      } else if (!oracle.isEmpty()) {
        int at = random.nextInt(3) > 0 ? oracle.peekFirst() : oracle.peekLast();
        queue.remove(at);
        oracle.remove(at);
        out.add(at);
      }
      assertEquals(oracle.size(), queue.size());
      assertEquals(oracle.isEmpty(), queue.isEmpty());
      long bytes = 0;
      int at = queue.isEmpty() ? -1 : queue.first();
      for (int expected : oracle) {
        assertEquals(expected, at, "seed " + SEED);
        bytes += table.payloadLength(at);
        at = queue.after(at);
      }
      assertEquals(-1, at);
      assertEquals(bytes, queue.payloadBytes());
    }
  }
}
