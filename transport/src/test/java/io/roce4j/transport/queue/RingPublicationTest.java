// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;

/**
 * Two threads on one ring: whoever sees the index sees the entry [FC-53]. In place of jcstress: its
 * actors start anew for every sample, while what may go wrong here (an entry written behind its
 * index, or read before it) shows itself in a ring that runs, wraps and fills up; half a million
 * entries of several words are each compared as a whole. Processors that reorder stores are where
 * it tells most.
 */
class RingPublicationTest {
  private static final int ENTRIES = 500_000;
  private static final Duration LIMIT = Duration.ofMinutes(1);

  // [FC-53]
  @Test
  void sendEntriesAreCompleteWhenTheirIndexIsSeen() throws InterruptedException {
    try (SendQueue queue = new SendQueue(32, 1, 0, 0xFFFF_FFF0L)) {
      Thread poster = new Thread(() -> postSends(queue));
      poster.start();
      assertTimeoutPreemptively(LIMIT, () -> readSends(queue));
      poster.join();
    }
  }

  private static void postSends(SendQueue queue) {
    for (int i = 0; i < ENTRIES; ) {
      int slot = queue.claim();
      if (slot == SendQueue.FULL) {
        YieldingIdleStrategy.INSTANCE.idle();
        continue;
      }
      queue.setRequest(slot, i, i + 1, i + 2);
      queue.setRemote(slot, i + 3L, i + 4);
      queue.setAtomic(slot, i + 5L, i + 6L);
      queue.setImmediate(slot, i + 7, i + 8);
      queue.addSge(slot, i, i, i);
      queue.publish();
      i++;
    }
  }

  private static void readSends(SendQueue queue) {
    int seen = 0;
    while (seen < ENTRIES) {
      long tail = queue.publishedTail();
      if (queue.head() == tail) {
        YieldingIdleStrategy.INSTANCE.idle();
      }
      for (long index = queue.head(); index < tail; index++) {
        int slot = queue.slot(index);
        assertEquals(seen, queue.wrId(slot));
        assertEquals(seen + 1, queue.opcode(slot));
        assertEquals(seen + 2, queue.flags(slot));
        assertEquals(seen + 3L, queue.remoteVa(slot));
        assertEquals(seen + 4, queue.rkey(slot));
        assertEquals(seen + 5L, queue.compareAdd(slot));
        assertEquals(seen + 6L, queue.swap(slot));
        assertEquals(seen + 7, queue.immediate(slot));
        assertEquals(seen + 8, queue.invalidateRkey(slot));
        assertEquals(seen, queue.totalLength(slot));
        seen++;
        queue.release(index + 1);
      }
    }
  }

  // [FC-53]
  @Test
  void receiveEntriesAreCompleteWhenTheirIndexIsSeen() throws InterruptedException {
    try (ReceiveQueue queue = new ReceiveQueue(32, 2, 0xFFFF_FFF0L)) {
      Thread poster = new Thread(() -> postReceives(queue));
      poster.start();
      assertTimeoutPreemptively(LIMIT, () -> readReceives(queue));
      poster.join();
    }
  }

  private static void postReceives(ReceiveQueue queue) {
    for (int i = 0; i < ENTRIES; ) {
      int slot = queue.claim(i);
      if (slot == ReceiveQueue.FULL) {
        YieldingIdleStrategy.INSTANCE.idle();
        continue;
      }
      queue.addSge(slot, i, i, 1);
      queue.addSge(slot, i, 1, 2);
      queue.publish();
      i++;
    }
  }

  private static void readReceives(ReceiveQueue queue) {
    int seen = 0;
    while (seen < ENTRIES) {
      long tail = queue.publishedTail();
      if (queue.head() == tail) {
        YieldingIdleStrategy.INSTANCE.idle();
      }
      for (long index = queue.head(); index < tail; index++) {
        int slot = queue.slot(index);
        assertEquals(seen, queue.wrId(slot));
        assertEquals(seen + 1L, queue.room(slot));
        assertEquals(2, queue.sgeCount(slot));
        seen++;
        queue.release(index + 1);
      }
    }
  }
}
