// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

/** Packets that have arrived at a port, first in, first out, bounded. */
final class ReceiveQueue {
  static final int EMPTY = -1;

  private final int[] slots;
  private int head;
  private int count;

  ReceiveQueue(int capacity) {
    slots = new int[capacity];
  }

  boolean offer(int slot) {
    if (count == slots.length) {
      return false;
    }
    int tail = head + count;
    slots[tail < slots.length ? tail : tail - slots.length] = slot;
    count++;
    return true;
  }

  int peek() {
    return count == 0 ? EMPTY : slots[head];
  }

  int poll() {
    int slot = slots[head];
    head = head + 1 == slots.length ? 0 : head + 1;
    count--;
    return slot;
  }

  boolean isEmpty() {
    return count == 0;
  }
}
