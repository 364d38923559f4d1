// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** A receive work request: a reusable bag that a post copies completely. Not thread-safe. */
public final class ReceiveRequest {
  final long[] sgeAddress;
  final int[] sgeLength;
  final int[] sgeLkey;
  long wrId;
  int sgeCount;
  boolean overfull;
  boolean tooLong;

  /** An empty request with room for {@link SendRequest#DEFAULT_SGE_CAPACITY} entries. */
  public ReceiveRequest() {
    this(SendRequest.DEFAULT_SGE_CAPACITY);
  }

  /**
   * An empty request.
   *
   * @param sgeCapacity most scatter entries it can hold, 0 or more
   */
  public ReceiveRequest(int sgeCapacity) {
    sgeAddress = new long[sgeCapacity];
    sgeLength = new int[sgeCapacity];
    sgeLkey = new int[sgeCapacity];
  }

  /**
   * Back to empty.
   *
   * @return this
   */
  public ReceiveRequest clear() {
    wrId = 0;
    sgeCount = 0;
    overfull = false;
    tooLong = false;
    return this;
  }

  /**
   * Sets the number that the completion will carry.
   *
   * @param value any
   * @return this
   */
  public ReceiveRequest wrId(long value) {
    wrId = value;
    return this;
  }

  /**
   * Appends a scatter entry.
   *
   * @param address first byte, in the addresses of its region
   * @param length 0..2^31 bytes
   * @param lkey key of the region, which needs LOCAL_WRITE
   * @return this
   */
  public ReceiveRequest sge(long address, long length, int lkey) {
    if (sgeCount == sgeAddress.length) {
      overfull = true;
      return this;
    }
    tooLong |= length < 0 || length > SendRequest.MESSAGE_LENGTH_MAX;
    sgeAddress[sgeCount] = address;
    sgeLength[sgeCount] = (int) length;
    sgeLkey[sgeCount] = lkey;
    sgeCount++;
    return this;
  }
}
