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
  private final int[] psns;
  private final int[] msns;
  private int head;
  private int count;

  EarlyAcks(int capacity) {
    psns = new int[capacity];
    msns = new int[capacity];
  }

  void add(int psn, int msn) {
    boolean full = count == psns.length;
    int at = (head + count - (full ? 1 : 0)) % psns.length;
    psns[at] = psn;
    msns[at] = msn;
    count += full ? 0 : 1;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** PSN of the oldest. */
  int psn() {
    return psns[head];
  }

  /** MSN of the oldest. */
  int msn() {
    return msns[head];
  }

  void removeOldest() {
    head = (head + 1) % psns.length;
    count--;
  }

  void clear() {
    count = 0;
  }
}
