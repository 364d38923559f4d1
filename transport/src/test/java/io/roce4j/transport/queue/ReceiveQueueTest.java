// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReceiveQueueTest {
  @ParameterizedTest(name = "[FC-23] indices from {0}, seed {1}")
  @CsvSource({"0, 1", "0xFFFFFFF0, 2", "0x7FFFFFF0, 3", "0x7FFFFFFFFFFFFFF0, 4"})
  void keepsOrderAndContentsWhereIndicesWrap(String start, long seed) {
    long first = Long.decode(start);
    SplittableRandom random = new SplittableRandom(seed);
    try (ReceiveQueue queue = new ReceiveQueue(7, 2, first)) {
      Deque<Long> model = new ArrayDeque<>();
      long nextWrId = 0;
      for (int i = 0; i < 5_000; i++) {
        if (random.nextBoolean()) {
          int slot = queue.claim(nextWrId);
          assertEquals(model.size() == 7, slot == ReceiveQueue.FULL);
          if (slot != ReceiveQueue.FULL) {
            queue.publish();
            model.add(nextWrId++);
          }
        } else if (!model.isEmpty()) {
          assertEquals(model.poll(), queue.wrId(queue.slot(queue.head())));
          queue.release(queue.head() + 1);
        }
        assertEquals(model.size(), queue.available());
      }
    }
  }

  @Test
  void entriesCanBeUsedInAnyOrderByIndex() {
    MemoryTable table = new MemoryTable(4, 1);
    UnsafeBuffer packet = new UnsafeBuffer(new byte[64]);
    try (NativeRegion region = NativeRegion.allocate("test", 4096);
        ReceiveQueue queue = new ReceiveQueue(4, 2)) {
      int lkey =
          table.key(
              table.register(
                  region.address(), 0, 4096, AccessFlags.LOCAL_WRITE, 1, MemoryTable.NO_KEY_WISH));
      for (int i = 0; i < 3; i++) {
        int slot = queue.claim(i);
        queue.addSge(slot, 100L * i, 10, lkey);
        queue.addSge(slot, 100L * i + 50, 10, lkey);
      }
      queue.publish();
      assertEquals(20, queue.room(queue.slot(2)));
      packet.setMemory(0, 64, (byte) 9);
      assertEquals(SlotResult.OK, queue.scatter(2, 5, packet, 0, 10, table, 1));
      assertEquals(SlotResult.OK, queue.scatter(0, 0, packet, 0, 1, table, 1));
      assertEquals(SlotResult.OK, queue.scatter(2, 15, packet, 0, 5, table, 1));
      assertEquals(SlotResult.LENGTH_ERROR, queue.scatter(1, 15, packet, 0, 6, table, 1));
      assertEquals(0, NativeMemory.getByte(region.address() + 204));
      assertEquals(9, NativeMemory.getByte(region.address() + 205));
      assertEquals(9, NativeMemory.getByte(region.address() + 209));
      // The unused tail between and behind the entries is untouched [rc 17].
      assertEquals(0, NativeMemory.getByte(region.address() + 210));
      assertEquals(9, NativeMemory.getByte(region.address() + 259));
      assertEquals(0, NativeMemory.getByte(region.address() + 260));
      assertEquals(9, NativeMemory.getByte(region.address()));
      assertEquals(0, NativeMemory.getByte(region.address() + 1));
    }
  }

  @Test
  void takenReceiveMovesWithItsListAndLeavesTheSharedRing() {
    try (ReceiveQueue shared = new ReceiveQueue(4, 3);
        ReceiveQueue held = new ReceiveQueue(2, 3, 0xFFFF_FFFFL)) {
      for (int i = 0; i < 3; i++) {
        int slot = shared.claim(70 + i);
        shared.addSge(slot, i, 11, 5);
        shared.addSge(slot, i, 22, 6);
      }
      shared.publish();
      assertTrue(held.take(shared));
      assertTrue(held.take(shared));
      assertFalse(held.take(shared), "full");
      assertEquals(1, shared.available());
      int slot = held.slot(0x1_0000_0000L);
      assertEquals(71, held.wrId(slot));
      assertEquals(33, held.room(slot));
      assertEquals(2, held.sgeCount(slot));
      held.release(held.head() + 2);
      assertTrue(held.take(shared));
      assertFalse(held.take(shared), "empty");
    }
  }

  @Test
  void queueOfNoEntriesIsAlwaysFull() {
    try (ReceiveQueue queue = new ReceiveQueue(0, 1)) {
      assertEquals(ReceiveQueue.FULL, queue.claim(1));
    }
  }
}
