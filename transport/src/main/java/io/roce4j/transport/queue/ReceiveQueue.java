// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.wire.memory.NativeRegion;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receive work requests in posting order, in place until released; any of them can be reached by
 * index.
 *
 * <p>It serves three roles: the receive queue of a queue pair (one poster, the agent consumes), the
 * ring of a shared receive queue (posters behind a lock, the agent takes), and the small ring of
 * receives a queue pair took from a shared queue (the agent alone, filled by {@link #take}).
 *
 * <pre>
 *   slot:  0 wrId (8)   8 room (8)   16 sgeCount (4)   20 engineState (4)   24 engineWord (8)
 *         32 scatter-gather list
 * </pre>
 */
public final class ReceiveQueue implements AutoCloseable {
  /** Result of {@link #claim} when no slot is free. */
  public static final int FULL = -1;

  private static final int WR_ID = 0;
  private static final int ROOM = 8;
  private static final int SGE_COUNT = 16;
  private static final int ENGINE_STATE = 20;
  private static final int ENGINE_WORD = 24;
  private static final int LIST = 32;
  private static final int STRIDE_ALIGNMENT = 16;

  private final NativeRegion memory;
  private final UnsafeBuffer ring;
  private final int capacity;
  private final int mask;
  private final int stride;
  private final int sgeMax;

  // Poster's own.
  private long claimed;
  private long headSeen;

  // Agent's own: what it last wrote as head.
  private long released;

  /**
   * An empty queue.
   *
   * @param capacity most receives outstanding, 0..2^20
   * @param sgeMax most scatter entries a receive, 0 or more
   */
  public ReceiveQueue(int capacity, int sgeMax) {
    this(capacity, sgeMax, 0);
  }

  ReceiveQueue(int capacity, int sgeMax, long startIndex) {
    int slots = RingLayout.slots(Math.max(capacity, 1));
    this.capacity = capacity;
    this.mask = slots - 1;
    this.stride = stride(sgeMax);
    this.sgeMax = sgeMax;
    int bytes = RingLayout.bytes(slots, stride);
    this.memory = NativeRegion.allocate("receive-queue", bytes, RingLayout.ALIGNMENT);
    this.ring = new UnsafeBuffer(memory.address(), bytes);
    SgeList.open(ring);
    this.claimed = startIndex;
    this.headSeen = startIndex;
    this.released = startIndex;
    ring.putLongRelease(RingLayout.TAIL_OFFSET, startIndex);
    ring.putLongRelease(RingLayout.HEAD_OFFSET, startIndex);
  }

  private static int stride(int sgeMax) {
    return (LIST + sgeMax * SgeList.ENTRY_LENGTH + STRIDE_ALIGNMENT - 1) & -STRIDE_ALIGNMENT;
  }

  /**
   * Bytes of the ring of such a queue.
   *
   * @param capacity most receives outstanding, 0..2^20
   * @param sgeMax most scatter entries a receive, 0 or more
   * @return off-heap memory it takes
   */
  public static long bytes(int capacity, int sgeMax) {
    return RingLayout.wantedBytes(RingLayout.slots(Math.max(capacity, 1)), stride(sgeMax));
  }

  /**
   * Most receives outstanding.
   *
   * @return as asked for
   */
  public int capacity() {
    return capacity;
  }

  /**
   * Most scatter entries a receive.
   *
   * @return as asked for
   */
  public int sgeMax() {
    return sgeMax;
  }

  // ---- Poster ----

  /**
   * Takes the next slot; invisible until {@link #publish}. Poster only.
   *
   * @param wrId the application's number
   * @return offset of the slot, or {@link #FULL}
   */
  public int claim(long wrId) {
    if (claimed - headSeen >= capacity) {
      headSeen = ring.getLongAcquire(RingLayout.HEAD_OFFSET);
      if (claimed - headSeen >= capacity) {
        return FULL;
      }
    }
    int slot = slot(claimed);
    claimed++;
    ring.putLong(slot + WR_ID, wrId);
    ring.putLong(slot + ROOM, 0);
    ring.putInt(slot + SGE_COUNT, 0);
    ring.putInt(slot + ENGINE_STATE, 0);
    ring.putLong(slot + ENGINE_WORD, 0);
    return slot;
  }

  /**
   * Appends a scatter entry. Poster only.
   *
   * @param slot from {@link #claim}
   * @param address first byte, in the addresses of its region
   * @param length bytes, unsigned, at most 2^31
   * @param lkey key of the region
   */
  public void addSge(int slot, long address, int length, int lkey) {
    int count = ring.getInt(slot + SGE_COUNT);
    int entry = slot + LIST + count * SgeList.ENTRY_LENGTH;
    ring.putLong(entry + SgeList.ADDRESS_OFFSET, address);
    ring.putInt(entry + SgeList.LENGTH_OFFSET, length);
    ring.putInt(entry + SgeList.LKEY_OFFSET, lkey);
    ring.putInt(slot + SGE_COUNT, count + 1);
    ring.putLong(slot + ROOM, ring.getLong(slot + ROOM) + (length & 0xFFFF_FFFFL));
  }

  /** Shows all claimed slots to the engine. Poster only. */
  public void publish() {
    ring.putLongRelease(RingLayout.TAIL_OFFSET, claimed);
  }

  // ---- Engine ----

  /**
   * Index behind the last published receive. Agent thread.
   *
   * @return the producer's index
   */
  public long publishedTail() {
    return ring.getLongAcquire(RingLayout.TAIL_OFFSET);
  }

  /**
   * Index of the oldest receive not released. Agent thread.
   *
   * @return the consumer's index
   */
  public long head() {
    return released;
  }

  /**
   * Receives posted and not released: what credits are made of [rc 5-3]. Agent thread.
   *
   * @return 0..capacity
   */
  public int available() {
    return (int) (publishedTail() - head());
  }

  /**
   * Gives slots back to the poster, after their completions were written. Agent thread.
   *
   * @param newHead index behind the last receive released, head..tail
   */
  public void release(long newHead) {
    released = newHead;
    ring.putLongRelease(RingLayout.HEAD_OFFSET, newHead);
  }

  /** Drops everything published, for a reset: no completions. Agent thread. */
  public void discardAll() {
    release(publishedTail());
  }

  /**
   * Moves the oldest receive of another queue to the end of this one, which the agent alone uses.
   * Agent thread.
   *
   * @param shared the ring of a shared receive queue, with no more scatter entries than this one
   * @return false when the other is empty or this one full
   */
  public boolean take(ReceiveQueue shared) {
    long index = shared.head();
    if (index == shared.publishedTail() || claimed - head() >= capacity) {
      return false;
    }
    int from = shared.slot(index);
    int to = slot(claimed);
    int bytes = LIST + shared.sgeCount(from) * SgeList.ENTRY_LENGTH;
    ring.putBytes(to, shared.ring, from, bytes);
    claimed++;
    publish();
    shared.release(index + 1);
    return true;
  }

  /**
   * Offset of the slot of an index.
   *
   * @param index head..tail-1
   * @return the offset to give to the getters
   */
  public int slot(long index) {
    return RingLayout.SLOTS_OFFSET + ((int) index & mask) * stride;
  }

  /**
   * The application's number of the receive. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return as posted
   */
  public long wrId(int slot) {
    return ring.getLong(slot + WR_ID);
  }

  /**
   * Bytes the receive can hold. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return sum of the scatter list, 0 or more
   */
  public long room(int slot) {
    return ring.getLong(slot + ROOM);
  }

  /**
   * Number of scatter entries. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return 0..sgeMax
   */
  public int sgeCount(int slot) {
    return ring.getInt(slot + SGE_COUNT);
  }

  /**
   * The engine's mark. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return 0 after posting
   */
  public int engineState(int slot) {
    return ring.getInt(slot + ENGINE_STATE);
  }

  /**
   * Sets the engine's mark. Agent thread.
   *
   * @param slot from {@link #slot}
   * @param value any
   */
  public void engineState(int slot, int value) {
    ring.putInt(slot + ENGINE_STATE, value);
  }

  /**
   * The engine's word. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return 0 after posting
   */
  public long engineWord(int slot) {
    return ring.getLong(slot + ENGINE_WORD);
  }

  /**
   * Sets the engine's word. Agent thread.
   *
   * @param slot from {@link #slot}
   * @param value any
   */
  public void engineWord(int slot, long value) {
    ring.putLong(slot + ENGINE_WORD, value);
  }

  /**
   * Copies packet bytes into the memory of a receive. Cheap for increasing offsets, right for any.
   * Agent thread.
   *
   * @param index the receive
   * @param messageOffset first byte in the message, 0..room
   * @param source packet buffer
   * @param sourceOffset where
   * @param length bytes, 0 or more
   * @param table for the local keys, which need LOCAL_WRITE
   * @param pdId protection domain of the queue pair, or of the shared receive queue
   * @return a {@link SlotResult}; LENGTH_ERROR when the message is longer than the room
   */
  public int scatter(
      long index,
      long messageOffset,
      UnsafeBuffer source,
      int sourceOffset,
      int length,
      MemoryTable table,
      int pdId) {
    int slot = slot(index);
    return SgeList.scatter(
        ring,
        index,
        slot + LIST,
        sgeCount(slot),
        messageOffset,
        source,
        sourceOffset,
        length,
        table,
        pdId);
  }

  /** Frees the ring. Nobody may post or read any more. */
  @Override
  public void close() {
    // An empty view makes a late access an exception instead of a crash.
    ring.wrap(new byte[0]);
    memory.close();
  }
}
