// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.live;

/** Slot numbers in order, bounded by the number of slots there are. */
final class SlotFifo {
  private final int[] slots;
  private int head;
  private int count;

  SlotFifo(int capacity) {
    slots = new int[capacity];
  }

  void add(int slot) {
    int tail = head + count;
    slots[tail < slots.length ? tail : tail - slots.length] = slot;
    count++;
  }

  int peek() {
    return slots[head];
  }

  int poll() {
    int slot = slots[head];
    head = head + 1 == slots.length ? 0 : head + 1;
    count--;
    return slot;
  }

  int size() {
    return count;
  }
}
