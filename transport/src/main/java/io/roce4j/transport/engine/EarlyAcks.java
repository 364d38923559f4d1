// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * Acknowledgements settled before the burst was over, oldest first: the one that stands in front of
 * a NAK, and those of a queue pair that acknowledges every few packets.
 *
 * <p>Bounded: when it is full the newest one moves on, since an acknowledgement covers all before
 * it.
 */
final class EarlyAcks {
  /** PSN in the upper half, MSN in the lower. */
  private final long[] acks;

  private int head;
  private int count;

  EarlyAcks(int capacity) {
    acks = new long[capacity];
  }

  void add(int psn, int msn) {
    boolean full = count == acks.length;
    int at = (head + count - (full ? 1 : 0)) % acks.length;
    acks[at] = (long) psn << 32 | msn;
    count += full ? 0 : 1;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** PSN of the oldest. */
  int psn() {
    return (int) (acks[head] >>> 32);
  }

  /** MSN of the oldest. */
  int msn() {
    return (int) acks[head];
  }

  void removeOldest() {
    head = (head + 1) % acks.length;
    count--;
  }

  void clear() {
    count = 0;
  }
}
