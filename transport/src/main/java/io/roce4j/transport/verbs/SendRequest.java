// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import org.agrona.DirectBuffer;

/**
 * A send work request: a reusable bag that a post copies completely, so that it may be changed or
 * used again at once [FC-54]. Not thread-safe.
 *
 * <p>Setters keep what they are given; {@link QueuePair#postSend} judges.
 */
public final class SendRequest {
  /** Longest message: 2^31 bytes. */
  public static final long MESSAGE_LENGTH_MAX = 1L << 31;

  /** Scatter-gather entries when nothing else is asked for. */
  public static final int DEFAULT_SGE_CAPACITY = 32;

  final long[] sgeAddress;
  final int[] sgeLength;
  final int[] sgeLkey;
  final long[] inlineSource;
  long wrId;
  int opcode;
  int flags;
  int sgeCount;
  long totalLength;
  boolean overfull;
  DirectBuffer inlineBuffer;
  int inlineOffset;
  int inlineLength;
  long remoteVa;
  int rkey;
  int immediate;
  int invalidateRkey;
  long compareAdd;
  long swap;
  AddressHandle addressHandle;
  int remoteQpn;
  int remoteQkey;
  MemoryWindow window;
  int windowNewKey;
  MemoryRegion windowRegion;
  long windowAddress;
  long windowLength;
  int windowAccess;

  /** An empty request with room for {@link #DEFAULT_SGE_CAPACITY} entries. */
  public SendRequest() {
    this(DEFAULT_SGE_CAPACITY);
  }

  /**
   * An empty request.
   *
   * @param sgeCapacity most scatter-gather entries it can hold, 0 or more
   */
  public SendRequest(int sgeCapacity) {
    sgeAddress = new long[sgeCapacity];
    sgeLength = new int[sgeCapacity];
    sgeLkey = new int[sgeCapacity];
    inlineSource = new long[sgeCapacity];
    clear();
  }

  /**
   * Back to empty: SEND, no flags, no bytes.
   *
   * @return this
   */
  public SendRequest clear() {
    wrId = 0;
    opcode = WorkRequestOpcode.SEND;
    flags = 0;
    sgeCount = 0;
    totalLength = 0;
    overfull = false;
    inlineBuffer = null;
    inlineOffset = 0;
    inlineLength = 0;
    remoteVa = 0;
    rkey = 0;
    immediate = 0;
    invalidateRkey = 0;
    compareAdd = 0;
    swap = 0;
    addressHandle = null;
    remoteQpn = 0;
    remoteQkey = 0;
    window = null;
    windowRegion = null;
    return this;
  }

  /**
   * Sets the number that the completion will carry.
   *
   * @param value any
   * @return this
   */
  public SendRequest wrId(long value) {
    wrId = value;
    return this;
  }

  /**
   * Sets what to do.
   *
   * @param value {@link WorkRequestOpcode}
   * @return this
   */
  public SendRequest opcode(int value) {
    opcode = value;
    return this;
  }

  /**
   * Sets all flags at once.
   *
   * @param value {@link SendFlags}
   * @return this
   */
  public SendRequest flags(int value) {
    flags = value;
    return this;
  }

  /**
   * Sets whether success makes a completion entry.
   *
   * @param value true for an entry
   * @return this
   */
  public SendRequest signaled(boolean value) {
    flags = value ? flags | SendFlags.SIGNALED : flags & ~SendFlags.SIGNALED;
    return this;
  }

  /**
   * Waits for all earlier READs and atomics.
   *
   * @return this
   */
  public SendRequest fence() {
    flags |= SendFlags.FENCE;
    return this;
  }

  /**
   * Asks the peer for a solicited event.
   *
   * @return this
   */
  public SendRequest solicited() {
    flags |= SendFlags.SOLICITED;
    return this;
  }

  /**
   * Copies the bytes of the scatter-gather list at post time; their keys are not checked.
   *
   * @return this
   */
  public SendRequest inline() {
    flags |= SendFlags.INLINE;
    return this;
  }

  /**
   * Sets inline bytes from any buffer, registered or not, instead of a list.
   *
   * @param buffer read at post time
   * @param offset first byte
   * @param length bytes, within the buffer
   * @return this
   */
  public SendRequest inline(DirectBuffer buffer, int offset, int length) {
    buffer.boundsCheck(offset, length);
    flags |= SendFlags.INLINE;
    inlineBuffer = buffer;
    inlineOffset = offset;
    inlineLength = length;
    return this;
  }

  /**
   * Appends a scatter-gather entry.
   *
   * @param address first byte, in the addresses of its region
   * @param length 0..2^31 bytes
   * @param lkey key of the region
   * @return this
   */
  public SendRequest sge(long address, long length, int lkey) {
    if (sgeCount == sgeAddress.length) {
      overfull = true;
      return this;
    }
    sgeAddress[sgeCount] = address;
    sgeLength[sgeCount] = (int) length;
    sgeLkey[sgeCount] = lkey;
    sgeCount++;
    // A length that is no 32-bit length, or a sum beyond the limit, stays visible as too long.
    totalLength =
        length < 0 || length > MESSAGE_LENGTH_MAX || totalLength > MESSAGE_LENGTH_MAX
            ? MESSAGE_LENGTH_MAX + 1
            : totalLength + length;
    return this;
  }

  /**
   * Forgets the bytes, list or inline, and keeps the rest.
   *
   * @return this
   */
  public SendRequest clearSges() {
    sgeCount = 0;
    totalLength = 0;
    overfull = false;
    inlineBuffer = null;
    inlineLength = 0;
    return this;
  }

  /**
   * Sets the peer's memory.
   *
   * @param va peer's address
   * @param key peer's rkey
   * @return this
   */
  public SendRequest remote(long va, int key) {
    remoteVa = va;
    rkey = key;
    return this;
  }

  /**
   * Sets the immediate data.
   *
   * @param value the 32 bits as on the wire, big-endian
   * @return this
   */
  public SendRequest immediate(int value) {
    immediate = value;
    return this;
  }

  /**
   * Sets the key to invalidate, at the peer (SEND_WITH_INV) or here (LOCAL_INV).
   *
   * @param key a type 2 window's key
   * @return this
   */
  public SendRequest invalidate(int key) {
    invalidateRkey = key;
    return this;
  }

  /**
   * Sets the operands of an atomic.
   *
   * @param compareOrAdd value to compare with, or to add
   * @param newValue value to store when equal; unused by fetch and add
   * @return this
   */
  public SendRequest atomic(long compareOrAdd, long newValue) {
    compareAdd = compareOrAdd;
    swap = newValue;
    return this;
  }

  /**
   * Sets where a datagram goes.
   *
   * @param handle address handle of the queue pair's protection domain
   * @param qpn destination queue pair, 0..0xFFFFFF
   * @param qkey Q_Key; with bit 31 set the queue pair's own is sent [rc D3]
   * @return this
   */
  public SendRequest datagram(AddressHandle handle, int qpn, int qkey) {
    addressHandle = handle;
    remoteQpn = qpn;
    remoteQkey = qkey;
    return this;
  }

  /**
   * Sets what a type 2 window is bound to.
   *
   * @param target the window
   * @param newKey index bits of the window, low byte the caller's choice
   * @param region memory region with MW_BIND
   * @param address first byte, in the region's addresses
   * @param length bytes, 1 or more
   * @param access REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, ZERO_BASED
   * @return this
   */
  public SendRequest bind(
      MemoryWindow target, int newKey, MemoryRegion region, long address, long length, int access) {
    opcode = WorkRequestOpcode.BIND_MW;
    window = target;
    windowNewKey = newKey;
    windowRegion = region;
    windowAddress = address;
    windowLength = length;
    windowAccess = access;
    return this;
  }
}
