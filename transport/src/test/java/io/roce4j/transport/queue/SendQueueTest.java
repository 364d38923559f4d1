// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SendQueueTest {
  private static final int PD = 1;
  private static final long REGION_LENGTH = 1 << 16;
  private static final long START = 0x1_0000;

  private final MemoryTable table = new MemoryTable(16, 1);
  private final UnsafeBuffer packet = new UnsafeBuffer(new byte[8192]);
  private NativeRegion region;
  private int lkey;

  @BeforeEach
  void oneRegionWhoseBytesTellTheirPlace() {
    region = NativeRegion.allocate("test", REGION_LENGTH);
    for (int i = 0; i < REGION_LENGTH; i++) {
      NativeMemory.putByte(region.address() + i, placeByte(i));
    }
    lkey =
        table.key(
            table.register(
                region.address(),
                START,
                REGION_LENGTH,
                AccessFlags.LOCAL_WRITE,
                PD,
                MemoryTable.NO_KEY_WISH));
  }

  @AfterEach
  void everythingIsFreed() {
    region.close();
    assertEquals(0, NativeMemory.liveBytes("send-queue"));
    assertEquals(0, NativeMemory.liveBytes("test"));
  }

  private static byte placeByte(long place) {
    return (byte) (place * 31 + (place >>> 8));
  }

  @ParameterizedTest(name = "[FC-23] indices from {0}, seed {1}")
  @CsvSource({
    "0, 1",
    "0xFFFFFFF0, 2",
    "0xFFFFFFFF, 3",
    "0x7FFFFFF0, 4",
    "0xFFFFF0, 5",
    "0x7FFFFFFFFFFFFFF0, 6",
  })
  void keepsOrderAndContentsWhereIndicesWrap(String start, long seed) {
    long first = Long.decode(start);
    SplittableRandom random = new SplittableRandom(seed);
    try (SendQueue queue = new SendQueue(5, 2, 0, first)) {
      Deque<Long> model = new ArrayDeque<>();
      long nextWrId = 0;
      for (int i = 0; i < 5_000; i++) {
        if (random.nextBoolean()) {
          int slot = queue.claim();
          assertEquals(model.size() == 5, slot == SendQueue.FULL);
          if (slot != SendQueue.FULL) {
            queue.setRequest(slot, nextWrId, 2, 4);
            queue.publish();
            model.add(nextWrId++);
          }
        } else if (!model.isEmpty()) {
          assertEquals(model.poll(), queue.wrId(queue.slot(queue.head())));
          queue.release(queue.head() + 1);
        }
        assertEquals(model.size(), queue.publishedTail() - queue.head());
      }
    }
  }

  @Test
  void claimedSlotsAreInvisibleUntilPublishedTogether() {
    try (SendQueue queue = new SendQueue(4, 1, 0)) {
      queue.setRequest(queue.claim(), 1, 2, 0);
      queue.setRequest(queue.claim(), 2, 2, 0);
      assertEquals(0, queue.publishedTail());
      queue.publish();
      assertEquals(2, queue.publishedTail());
    }
  }

  @Test
  void fullQueueTakesNothingUntilReleased() {
    try (SendQueue queue = new SendQueue(3, 1, 0)) {
      for (int i = 0; i < 3; i++) {
        queue.setRequest(queue.claim(), i, 2, 0);
      }
      queue.publish();
      // The ring has four slots; the limit asked for holds all the same.
      assertEquals(SendQueue.FULL, queue.claim());
      queue.release(1);
      assertEquals(queue.slot(3), queue.claim());
      assertEquals(SendQueue.FULL, queue.claim());
    }
  }

  @Test
  void everyFieldComesBackAsWritten() {
    try (SendQueue queue = new SendQueue(2, 2, 16)) {
      int slot = queue.claim();
      queue.setRequest(slot, -1L, 6, 7);
      queue.setRemote(slot, 0xFFFF_0000_1111_2222L, 0x8000_0001);
      queue.setAtomic(slot, -5, 6);
      queue.setImmediate(slot, 0xCAFE_BABE, 0xDEAD_BEEF);
      queue.setDatagram(slot, 3, 0xFF_FFFF, 0x8001_0000);
      queue.firstPsn(slot, 0xFF_FFFE);
      queue.lastPsn(slot, 3);
      queue.engineState(slot, 9);
      for (int word = 0; word < 4; word++) {
        queue.engineWord(slot, word, -100L - word);
      }
      queue.addSge(slot, START, 10, lkey);
      queue.addSge(slot, START + 100, 20, lkey + 1);
      assertEquals(-1L, queue.wrId(slot));
      assertEquals(6, queue.opcode(slot));
      assertEquals(7, queue.flags(slot));
      assertEquals(0xFFFF_0000_1111_2222L, queue.remoteVa(slot));
      assertEquals(0x8000_0001, queue.rkey(slot));
      assertEquals(-5, queue.compareAdd(slot));
      assertEquals(6, queue.swap(slot));
      assertEquals(0xCAFE_BABE, queue.immediate(slot));
      assertEquals(0xDEAD_BEEF, queue.invalidateRkey(slot));
      assertEquals(3, queue.addressHandle(slot));
      assertEquals(0xFF_FFFF, queue.remoteQpn(slot));
      assertEquals(0x8001_0000, queue.remoteQkey(slot));
      assertEquals(0xFF_FFFE, queue.firstPsn(slot));
      assertEquals(3, queue.lastPsn(slot));
      assertEquals(9, queue.engineState(slot));
      for (int word = 0; word < 4; word++) {
        assertEquals(-100L - word, queue.engineWord(slot, word));
      }
      assertEquals(2, queue.sgeCount(slot));
      assertEquals(30, queue.totalLength(slot));
      assertEquals(false, queue.isInline(slot));
    }
  }

  @Test
  void bindOperandsShareTheirDocumentedWords() {
    try (SendQueue queue = new SendQueue(1, 1, 0)) {
      int slot = queue.claim();
      queue.setBind(slot, MemoryTable.WINDOW_TYPE_2, 0x501, 0x207, -4096, 1L << 33, 3);
      assertEquals(MemoryTable.WINDOW_TYPE_2, queue.remoteQpn(slot));
      assertEquals(0x501, queue.rkey(slot));
      assertEquals(0x207, queue.invalidateRkey(slot));
      assertEquals(-4096, queue.remoteVa(slot));
      assertEquals(1L << 33, queue.compareAdd(slot));
      assertEquals(3, queue.immediate(slot));
    }
  }

  @Test
  void messageOfTwoGibibytesKeepsItsLength() {
    try (SendQueue queue = new SendQueue(1, 2, 0)) {
      int slot = queue.claim();
      queue.addSge(slot, START, 1 << 31, lkey);
      assertEquals(1L << 31, queue.totalLength(slot));
      queue.addSge(slot, START, -1, lkey);
      assertEquals((1L << 31) + 0xFFFF_FFFFL, queue.totalLength(slot));
    }
  }

  // [rc 17-2]
  @ParameterizedTest(name = "[rc 17] seed {0}")
  @ValueSource(longs = {21, 22, 23, 24})
  void gatherAndScatterAgreeWithTheFlattenedList(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 200; round++) {
      try (SendQueue queue = new SendQueue(2, 8, 0)) {
        int slot = queue.claim();
        int entries = random.nextInt(0, 9);
        long[] places = new long[4096];
        int total = 0;
        for (int i = 0; i < entries; i++) {
          int length = random.nextInt(4) == 0 ? 0 : random.nextInt(1, 300);
          // Entries do not overlap, so that a scatter can be checked byte by byte.
          long place = 4096L * i + random.nextInt(3000);
          queue.addSge(slot, START + place, length, lkey);
          for (int k = 0; k < length; k++) {
            places[total++] = place + k;
          }
        }
        queue.publish();
        for (int draw = 0; draw < 20; draw++) {
          int offset = random.nextInt(total + 1);
          int length = random.nextInt(total - offset + 1);
          assertGathers(queue, places, offset, length);
          assertScatters(queue, places, offset, length, (byte) random.nextInt());
        }
        assertEquals(SlotResult.LENGTH_ERROR, queue.gather(0, total, packet, 0, 1, table, PD));
      }
    }
  }

  private void assertGathers(SendQueue queue, long[] places, int offset, int length) {
    packet.setMemory(0, length + 2, (byte) 0x55);
    assertEquals(SlotResult.OK, queue.gather(0, offset, packet, 1, length, table, PD));
    assertEquals(0x55, packet.getByte(0));
    for (int k = 0; k < length; k++) {
      assertEquals(
          NativeMemory.getByte(region.address() + places[offset + k]), packet.getByte(1 + k));
    }
    assertEquals(0x55, packet.getByte(length + 1));
  }

  private void assertScatters(SendQueue queue, long[] places, int offset, int length, byte salt) {
    for (int k = 0; k < length; k++) {
      packet.putByte(3 + k, (byte) (salt + k));
    }
    assertEquals(SlotResult.OK, queue.scatter(0, offset, packet, 3, length, table, PD));
    for (int k = 0; k < length; k++) {
      assertEquals((byte) (salt + k), NativeMemory.getByte(region.address() + places[offset + k]));
    }
  }

  @Test
  void badLocalKeyIsFoundWhereItIsReached() {
    try (SendQueue queue = new SendQueue(1, 3, 0)) {
      int slot = queue.claim();
      queue.addSge(slot, START, 100, lkey);
      queue.addSge(slot, START, 0, 0xBAD);
      queue.addSge(slot, START + REGION_LENGTH - 50, 51, lkey);
      queue.publish();
      assertEquals(SlotResult.OK, queue.gather(0, 0, packet, 0, 150, table, PD));
      assertEquals(SlotResult.PROTECTION_ERROR, queue.gather(0, 0, packet, 0, 151, table, PD));
      assertEquals(SlotResult.PROTECTION_ERROR, queue.gather(0, 0, packet, 0, 1, table, PD + 1));
    }
  }

  @Test
  void scatterNeedsTheLocalWriteRight() {
    int readOnly =
        table.key(table.register(region.address(), 0x90_0000, 64, 0, PD, MemoryTable.NO_KEY_WISH));
    try (SendQueue queue = new SendQueue(1, 1, 0)) {
      int slot = queue.claim();
      queue.addSge(slot, 0x90_0000, 64, readOnly);
      queue.publish();
      assertEquals(SlotResult.OK, queue.gather(0, 0, packet, 0, 64, table, PD));
      assertEquals(SlotResult.PROTECTION_ERROR, queue.scatter(0, 0, packet, 0, 1, table, PD));
    }
  }

  @Test
  void inlineBytesAreCopiedWhenPosted() {
    try (SendQueue queue = new SendQueue(2, 1, 64)) {
      int slot = queue.claim();
      UnsafeBuffer source = new UnsafeBuffer(new byte[16]);
      source.setMemory(0, 16, (byte) 7);
      queue.addInline(slot, source, 4, 8);
      queue.addInline(slot, region.address() + 200, 24);
      queue.publish();
      source.setMemory(0, 16, (byte) 0);
      assertEquals(true, queue.isInline(slot));
      assertEquals(0, queue.sgeCount(slot));
      assertEquals(32, queue.totalLength(slot));
      // No key is looked up: the domain does not matter.
      assertEquals(SlotResult.OK, queue.gather(0, 4, packet, 0, 28, table, 99));
      assertEquals(7, packet.getByte(3));
      assertEquals(placeByte(200), packet.getByte(4));
      assertEquals(placeByte(223), packet.getByte(27));
      assertEquals(SlotResult.LENGTH_ERROR, queue.gather(0, 4, packet, 0, 29, table, 99));
    }
  }

  @Test
  void usedSlotStartsEmptyAgain() {
    try (SendQueue queue = new SendQueue(1, 1, 64)) {
      int slot = queue.claim();
      queue.addInline(slot, region.address(), 24);
      queue.publish();
      queue.release(1);
      slot = queue.claim();
      assertEquals(false, queue.isInline(slot));
      assertEquals(0, queue.totalLength(slot));
      queue.addSge(slot, START + 5, 3, lkey);
      queue.publish();
      assertEquals(SlotResult.OK, queue.gather(1, 0, packet, 0, 3, table, PD));
      assertEquals(placeByte(5), packet.getByte(0));
    }
  }

  @Test
  void discardEmptiesTheQueueWithoutGoingBack() {
    try (SendQueue queue = new SendQueue(4, 1, 0)) {
      queue.claim();
      queue.claim();
      queue.publish();
      queue.discardAll();
      assertEquals(2, queue.head());
      assertEquals(2, queue.publishedTail());
    }
  }
}
