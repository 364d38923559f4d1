// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The send queue of one queue pair: work requests in posting order, in place until the engine
 * releases them.
 *
 * <p>Two threads: one poster ({@link #claim}, the {@code set} methods, {@link #publish}) and the
 * agent (everything under "Engine"). Index n is the n-th request ever posted; indices never go
 * back, and a slot is reused only after {@link #release} passed it. Nothing here allocates after
 * construction.
 */
public final class SendQueue implements AutoCloseable {
  /** Result of {@link #claim} when no slot is free. */
  public static final int FULL = -1;

  private final NativeRegion memory;
  private final UnsafeBuffer ring;
  private final int capacity;
  private final int mask;
  private final int stride;
  private final int sgeMax;
  private final int inlineMax;

  // Poster's own.
  private long claimed;
  private long headSeen;

  // Agent's own: what it last wrote as head.
  private long released;

  /**
   * An empty queue.
   *
   * @param capacity most requests outstanding, 1..2^20
   * @param sgeMax most scatter-gather entries a request, 0 or more
   * @param inlineMax most inline bytes a request, 0 or more
   */
  public SendQueue(int capacity, int sgeMax, int inlineMax) {
    this(capacity, sgeMax, inlineMax, 0);
  }

  SendQueue(int capacity, int sgeMax, int inlineMax, long startIndex) {
    int slots = RingLayout.slots(capacity);
    this.capacity = capacity;
    this.mask = slots - 1;
    this.stride = SendSlotLayout.stride(sgeMax, inlineMax);
    this.sgeMax = sgeMax;
    this.inlineMax = inlineMax;
    int bytes = RingLayout.bytes(slots, stride);
    this.memory = NativeRegion.allocate("send-queue", bytes, RingLayout.ALIGNMENT);
    this.ring = new UnsafeBuffer(memory.address(), bytes);
    SgeList.open(ring);
    this.claimed = startIndex;
    this.headSeen = startIndex;
    this.released = startIndex;
    ring.putLongRelease(RingLayout.TAIL_OFFSET, startIndex);
    ring.putLongRelease(RingLayout.HEAD_OFFSET, startIndex);
  }

  /**
   * Bytes of the ring of such a queue.
   *
   * @param capacity most requests outstanding, 1..2^20
   * @param sgeMax most scatter-gather entries a request, 0 or more
   * @param inlineMax most inline bytes a request, 0 or more
   * @return off-heap memory it takes
   */
  public static long bytes(int capacity, int sgeMax, int inlineMax) {
    return RingLayout.wantedBytes(
        RingLayout.slots(capacity), SendSlotLayout.stride(sgeMax, inlineMax));
  }

  /**
   * Most requests outstanding.
   *
   * @return as asked for
   */
  public int capacity() {
    return capacity;
  }

  /**
   * Most scatter-gather entries a request.
   *
   * @return as asked for
   */
  public int sgeMax() {
    return sgeMax;
  }

  /**
   * Most inline bytes a request.
   *
   * @return as asked for
   */
  public int inlineMax() {
    return inlineMax;
  }

  // ---- Poster ----

  /**
   * Takes the next slot. What is written into it is invisible until {@link #publish}; several slots
   * may be claimed first. Poster only.
   *
   * @return offset of the slot, or {@link #FULL}
   */
  public int claim() {
    if (claimed - headSeen >= capacity) {
      headSeen = ring.getLongAcquire(RingLayout.HEAD_OFFSET);
      if (claimed - headSeen >= capacity) {
        return FULL;
      }
    }
    int slot = slot(claimed);
    claimed++;
    ring.putInt(slot + SendSlotLayout.INLINE, 0);
    ring.putInt(slot + SendSlotLayout.SGE_COUNT, 0);
    ring.putLong(slot + SendSlotLayout.TOTAL_LENGTH, 0);
    return slot;
  }

  /** Shows all claimed slots to the engine, in one step. Poster only. */
  public void publish() {
    ring.putLongRelease(RingLayout.TAIL_OFFSET, claimed);
  }

  /**
   * Sets what every request has. Poster only.
   *
   * @param slot from {@link #claim}
   * @param wrId the application's number
   * @param opcode libibverbs' work request opcode
   * @param flags libibverbs' send flags, SIGNALED included where the queue pair signals all
   */
  public void setRequest(int slot, long wrId, int opcode, int flags) {
    ring.putLong(slot + SendSlotLayout.WR_ID, wrId);
    ring.putInt(slot + SendSlotLayout.OPCODE, opcode);
    ring.putInt(slot + SendSlotLayout.FLAGS, flags);
  }

  /**
   * Sets the peer's memory of WRITE, READ and atomics. Poster only.
   *
   * @param slot from {@link #claim}
   * @param remoteVa peer's address, unsigned
   * @param rkey peer's key
   */
  public void setRemote(int slot, long remoteVa, int rkey) {
    ring.putLong(slot + SendSlotLayout.REMOTE_VA, remoteVa);
    ring.putInt(slot + SendSlotLayout.RKEY, rkey);
  }

  /**
   * Sets the operands of an atomic. Poster only.
   *
   * @param slot from {@link #claim}
   * @param compareAdd value to compare with, or to add
   * @param swap value to store; unused by fetch and add
   */
  public void setAtomic(int slot, long compareAdd, long swap) {
    ring.putLong(slot + SendSlotLayout.COMPARE_ADD, compareAdd);
    ring.putLong(slot + SendSlotLayout.SWAP, swap);
  }

  /**
   * Sets immediate data and the key to invalidate. Poster only.
   *
   * @param slot from {@link #claim}
   * @param immediate as on the wire
   * @param invalidateRkey key at the peer (SEND_WITH_INV) or here (LOCAL_INV)
   */
  public void setImmediate(int slot, int immediate, int invalidateRkey) {
    ring.putInt(slot + SendSlotLayout.IMMEDIATE, immediate);
    ring.putInt(slot + SendSlotLayout.INVALIDATE_RKEY, invalidateRkey);
  }

  /**
   * Sets where a datagram goes. Poster only.
   *
   * @param slot from {@link #claim}
   * @param addressHandle number of the address handle
   * @param remoteQpn 0..0xFFFFFF
   * @param remoteQkey Q_Key
   */
  public void setDatagram(int slot, int addressHandle, int remoteQpn, int remoteQkey) {
    ring.putInt(slot + SendSlotLayout.ADDRESS_HANDLE, addressHandle);
    ring.putInt(slot + SendSlotLayout.REMOTE_QPN, remoteQpn);
    ring.putInt(slot + SendSlotLayout.REMOTE_QKEY, remoteQkey);
  }

  /**
   * Sets the operands of a window bind. Poster only.
   *
   * @param slot from {@link #claim}
   * @param windowKind MemoryTable's WINDOW_TYPE_1 or WINDOW_TYPE_2
   * @param newKey the window's key from the bind on
   * @param regionKey key of the region
   * @param address first byte, in the region's addresses
   * @param length bytes, 0 to unbind a type 1 window
   * @param access access flags of the window
   */
  public void setBind(
      int slot, int windowKind, int newKey, int regionKey, long address, long length, int access) {
    ring.putInt(slot + SendSlotLayout.REMOTE_QPN, windowKind);
    setRemote(slot, address, newKey);
    setAtomic(slot, length, 0);
    setImmediate(slot, access, regionKey);
  }

  /**
   * Appends a scatter-gather entry. Poster only.
   *
   * @param slot from {@link #claim}
   * @param address first byte, in the addresses of its region
   * @param length bytes, unsigned, at most 2^31
   * @param lkey key of the region
   */
  public void addSge(int slot, long address, int length, int lkey) {
    int count = ring.getInt(slot + SendSlotLayout.SGE_COUNT);
    int entry = slot + SendSlotLayout.LIST + count * SgeList.ENTRY_LENGTH;
    ring.putLong(entry + SgeList.ADDRESS_OFFSET, address);
    ring.putInt(entry + SgeList.LENGTH_OFFSET, length);
    ring.putInt(entry + SgeList.LKEY_OFFSET, lkey);
    ring.putInt(slot + SendSlotLayout.SGE_COUNT, count + 1);
    ring.putLong(
        slot + SendSlotLayout.TOTAL_LENGTH,
        ring.getLong(slot + SendSlotLayout.TOTAL_LENGTH) + (length & 0xFFFF_FFFFL));
  }

  /**
   * Appends inline bytes from native memory; the source is free again at once. Poster only.
   *
   * @param slot from {@link #claim}
   * @param nativeAddress checked by the caller
   * @param length bytes; all pieces together at most {@link #inlineMax}
   */
  public void addInline(int slot, long nativeAddress, int length) {
    int at = (int) ring.getLong(slot + SendSlotLayout.TOTAL_LENGTH);
    NativeMemory.copyToBuffer(nativeAddress, ring, slot + SendSlotLayout.LIST + at, length);
    markInline(slot, at + length);
  }

  /**
   * Appends inline bytes from a buffer. Poster only.
   *
   * @param slot from {@link #claim}
   * @param source any buffer
   * @param offset first byte
   * @param length bytes; all pieces together at most {@link #inlineMax}
   */
  public void addInline(int slot, DirectBuffer source, int offset, int length) {
    int at = (int) ring.getLong(slot + SendSlotLayout.TOTAL_LENGTH);
    ring.putBytes(slot + SendSlotLayout.LIST + at, source, offset, length);
    markInline(slot, at + length);
  }

  private void markInline(int slot, int total) {
    ring.putInt(slot + SendSlotLayout.INLINE, 1);
    ring.putLong(slot + SendSlotLayout.TOTAL_LENGTH, total);
  }

  // ---- Engine ----

  /**
   * Index behind the last published request. Agent thread.
   *
   * @return the producer's index
   */
  public long publishedTail() {
    return ring.getLongAcquire(RingLayout.TAIL_OFFSET);
  }

  /**
   * Index of the oldest request not released. Agent thread.
   *
   * @return the consumer's index
   */
  public long head() {
    return released;
  }

  /**
   * Gives slots back to the poster. Called when a completion was written, for its request and all
   * before it: slots of unsignaled requests become free with the next completion only [rc 12-5].
   * Agent thread.
   *
   * @param newHead index behind the last request released, head..tail
   */
  public void release(long newHead) {
    released = newHead;
    ring.putLongRelease(RingLayout.HEAD_OFFSET, newHead);
  }

  /**
   * Reads a word of each cache line that starting and finishing a request needs, so that they are
   * fetched together. Agent thread.
   *
   * @param index the request that is next
   * @return anything
   */
  public long touch(long index) {
    int slot = slot(index);
    return ring.getLong(RingLayout.TAIL_OFFSET)
        + ring.getLong(RingLayout.HEAD_OFFSET)
        + ring.getLong(slot)
        + ring.getLong(slot + SendSlotLayout.ENGINE_WORDS)
        + released;
  }

  /** Drops everything published, for a reset: no completions. Agent thread. */
  public void discardAll() {
    release(publishedTail());
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
   * Reads the the application's number of the work request. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return any
   */
  public long wrId(int slot) {
    return ring.getLong(slot + SendSlotLayout.WR_ID);
  }

  /**
   * Reads the peer's address of WRITE, READ, atomics; window address of a bind. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return any, unsigned
   */
  public long remoteVa(int slot) {
    return ring.getLong(slot + SendSlotLayout.REMOTE_VA);
  }

  /**
   * Reads the compare or add operand of an atomic; window length of a bind. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return any
   */
  public long compareAdd(int slot) {
    return ring.getLong(slot + SendSlotLayout.COMPARE_ADD);
  }

  /**
   * Reads the swap operand of compare and swap. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return any
   */
  public long swap(int slot) {
    return ring.getLong(slot + SendSlotLayout.SWAP);
  }

  /**
   * Reads the work request opcode. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return libibverbs' number
   */
  public int opcode(int slot) {
    return ring.getInt(slot + SendSlotLayout.OPCODE);
  }

  /**
   * Reads the send flags, SIGNALED included where the queue pair signals all. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return libibverbs' bits
   */
  public int flags(int slot) {
    return ring.getInt(slot + SendSlotLayout.FLAGS);
  }

  /**
   * Reads the peer's key; new window key of a bind. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return any
   */
  public int rkey(int slot) {
    return ring.getInt(slot + SendSlotLayout.RKEY);
  }

  /**
   * Reads the immediate data as on the wire; access flags of a bind. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return any
   */
  public int immediate(int slot) {
    return ring.getInt(slot + SendSlotLayout.IMMEDIATE);
  }

  /**
   * Reads the key to invalidate at the peer or here; region key of a bind. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return any
   */
  public int invalidateRkey(int slot) {
    return ring.getInt(slot + SendSlotLayout.INVALIDATE_RKEY);
  }

  /**
   * Reads the destination queue pair of a datagram; window kind of a bind. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return 0..0xFFFFFF
   */
  public int remoteQpn(int slot) {
    return ring.getInt(slot + SendSlotLayout.REMOTE_QPN);
  }

  /**
   * Reads the Q_Key of a datagram. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return any
   */
  public int remoteQkey(int slot) {
    return ring.getInt(slot + SendSlotLayout.REMOTE_QKEY);
  }

  /**
   * Reads the number of the address handle of a datagram. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return 0 or more
   */
  public int addressHandle(int slot) {
    return ring.getInt(slot + SendSlotLayout.ADDRESS_HANDLE);
  }

  /**
   * Number of scatter-gather entries. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return 0..sgeMax; 0 for an inline request
   */
  public int sgeCount(int slot) {
    return ring.getInt(slot + SendSlotLayout.SGE_COUNT);
  }

  /**
   * Whether the bytes are in the slot itself. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return true for inline data
   */
  public boolean isInline(int slot) {
    return ring.getInt(slot + SendSlotLayout.INLINE) != 0;
  }

  /**
   * Message length: the sum of the list or the inline bytes. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return 0..2^31
   */
  public long totalLength(int slot) {
    return ring.getLong(slot + SendSlotLayout.TOTAL_LENGTH);
  }

  /**
   * Reads the first packet sequence number of the request. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return as last set; undefined before
   */
  public int firstPsn(int slot) {
    return ring.getInt(slot + SendSlotLayout.FIRST_PSN);
  }

  /**
   * Sets the first packet sequence number of the request. Agent thread.
   *
   * @param slot from {@link #slot}
   * @param value any
   */
  public void firstPsn(int slot, int value) {
    ring.putInt(slot + SendSlotLayout.FIRST_PSN, value);
  }

  /**
   * Reads the last packet sequence number of the request. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return as last set; undefined before
   */
  public int lastPsn(int slot) {
    return ring.getInt(slot + SendSlotLayout.LAST_PSN);
  }

  /**
   * Sets the last packet sequence number of the request. Agent thread.
   *
   * @param slot from {@link #slot}
   * @param value any
   */
  public void lastPsn(int slot, int value) {
    ring.putInt(slot + SendSlotLayout.LAST_PSN, value);
  }

  /**
   * Reads the progress mark, meaning is the engine's. Agent thread.
   *
   * @param slot from {@link #slot}
   * @return as last set; undefined before
   */
  public int engineState(int slot) {
    return ring.getInt(slot + SendSlotLayout.ENGINE_STATE);
  }

  /**
   * Sets the progress mark, meaning is the engine's. Agent thread.
   *
   * @param slot from {@link #slot}
   * @param value any
   */
  public void engineState(int slot, int value) {
    ring.putInt(slot + SendSlotLayout.ENGINE_STATE, value);
  }

  /**
   * Reads one of the engine's own words. Agent thread.
   *
   * @param slot from {@link #slot}
   * @param word 0..3
   * @return as last set; undefined before
   */
  public long engineWord(int slot, int word) {
    return ring.getLong(slot + SendSlotLayout.ENGINE_WORDS + (word << 3));
  }

  /**
   * Sets one of the engine's own words. Agent thread.
   *
   * @param slot from {@link #slot}
   * @param word 0..3
   * @param value any
   */
  public void engineWord(int slot, int word, long value) {
    ring.putLong(slot + SendSlotLayout.ENGINE_WORDS + (word << 3), value);
  }

  /**
   * Copies message bytes into a packet. Cheap for increasing offsets, right for any. Agent thread.
   *
   * @param index the request
   * @param messageOffset first byte in the message, 0..totalLength
   * @param destination packet buffer
   * @param destinationOffset where
   * @param length bytes, 0 or more
   * @param table for the local keys
   * @param pdId protection domain of the queue pair
   * @return a {@link SlotResult}; after an error some bytes may have been copied
   */
  public int gather(
      long index,
      long messageOffset,
      UnsafeBuffer destination,
      int destinationOffset,
      int length,
      MemoryTable table,
      int pdId) {
    int slot = slot(index);
    if (isInline(slot)) {
      if (messageOffset + length > totalLength(slot)) {
        return SlotResult.LENGTH_ERROR;
      }
      ring.getBytes(
          slot + SendSlotLayout.LIST + (int) messageOffset, destination, destinationOffset, length);
      return SlotResult.OK;
    }
    return SgeList.gather(
        ring,
        index,
        slot + SendSlotLayout.LIST,
        sgeCount(slot),
        messageOffset,
        destination,
        destinationOffset,
        length,
        table,
        pdId);
  }

  /**
   * Copies bytes of a READ or atomic response into the memory of the request. Agent thread.
   *
   * @param index the request
   * @param messageOffset first byte in the message, 0..totalLength
   * @param source packet buffer
   * @param sourceOffset where
   * @param length bytes, 0 or more
   * @param table for the local keys, which need LOCAL_WRITE [rc Q22]
   * @param pdId protection domain of the queue pair
   * @return a {@link SlotResult}
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
        slot + SendSlotLayout.LIST,
        sgeCount(slot),
        messageOffset,
        source,
        sourceOffset,
        length,
        table,
        pdId);
  }

  // ---- Doorbell flag, used by DoorbellRing ----

  /** Raises the flag. Returns true when it was down, and fences: the tail was published before. */
  boolean raiseDoorbell() {
    return ring.getAndSetInt(RingLayout.SIGNAL_OFFSET, 1) == 0;
  }

  /** Lowers the flag before the tail is read, so that a later post rings again. */
  void lowerDoorbell() {
    ring.getAndSetInt(RingLayout.SIGNAL_OFFSET, 0);
  }

  /** Frees the ring. Nobody may post or read any more. */
  @Override
  public void close() {
    // An empty view makes a late access an exception instead of a crash.
    ring.wrap(new byte[0]);
    memory.close();
  }
}
