// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.queue.RingLayout;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The ring of asynchronous events: the agent writes, one thread polls. A full ring loses the new
 * event and counts it; the engine never waits.
 */
public final class AsyncEvents implements AutoCloseable {
  private static final int STRIDE = 8;

  private final UnsafeBuffer ring;
  private final int capacity;
  private final int mask;
  private long tail;
  private long lost;

  AsyncEvents(int capacity) {
    int slots = RingLayout.slots(capacity);
    this.capacity = capacity;
    this.mask = slots - 1;
    this.ring =
        NativeMemory.allocate(
            "async-events", RingLayout.bytes(slots, STRIDE), RingLayout.ALIGNMENT);
  }

  /**
   * Raises an event. Agent thread.
   *
   * @param type {@link AsyncEventType}
   * @param number of the object it happened to, 0 for the endpoint
   */
  public void raise(int type, int number) {
    if (tail - ring.getLongAcquire(RingLayout.HEAD_OFFSET) >= capacity) {
      lost++;
      return;
    }
    int slot = RingLayout.SLOTS_OFFSET + ((int) tail & mask) * STRIDE;
    ring.putInt(slot, type);
    ring.putInt(slot + 4, number);
    tail++;
    ring.putLongRelease(RingLayout.TAIL_OFFSET, tail);
  }

  /**
   * Events lost to a full ring. Agent thread.
   *
   * @return count since the context was opened
   */
  public long lost() {
    return lost;
  }

  boolean poll(AsyncEvent out) {
    long head = ring.getLong(RingLayout.HEAD_OFFSET);
    if (head == ring.getLongAcquire(RingLayout.TAIL_OFFSET)) {
      return false;
    }
    int slot = RingLayout.SLOTS_OFFSET + ((int) head & mask) * STRIDE;
    out.type = ring.getInt(slot);
    out.number = ring.getInt(slot + 4);
    ring.putLongRelease(RingLayout.HEAD_OFFSET, head + 1);
    return true;
  }

  @Override
  public void close() {
    NativeMemory.release(ring);
  }
}
