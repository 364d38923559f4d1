// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import java.util.Arrays;

/**
 * Numbers of events ordered by (time, order of scheduling). Single-threaded; allocates to grow
 * only.
 */
final class EventHeap {
  private static final int INITIAL_CAPACITY = 1 << 6;

  // Four children per node: half the depth of a binary heap, and siblings share a line.
  private static final int ARITY = 4;

  // Time and sequence of each node side by side, and the event it stands for.
  private long[] keys = new long[2 * INITIAL_CAPACITY];
  private int[] events = new int[INITIAL_CAPACITY];
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  /** When the first event is; there must be one. */
  long firstPs() {
    return keys[0];
  }

  /** The first event; there must be one. */
  int first() {
    return events[0];
  }

  void add(long atPs, long sequence, int event) {
    if (size == events.length) {
      keys = Arrays.copyOf(keys, 4 * size);
      events = Arrays.copyOf(events, 2 * size);
    }
    int hole = size++;
    while (hole > 0) {
      int parent = (hole - 1) / ARITY;
      if (isBefore(parent, atPs, sequence)) {
        break;
      }
      move(parent, hole);
      hole = parent;
    }
    put(hole, atPs, sequence, event);
  }

  void removeFirst() {
    int last = --size;
    if (last == 0) {
      return;
    }
    long time = keys[2 * last];
    long sequence = keys[2 * last + 1];
    int event = events[last];
    int hole = 0;
    while (true) {
      int child = firstOfChildren(hole, last);
      if (child < 0 || !isBefore(child, time, sequence)) {
        break;
      }
      move(child, hole);
      hole = child;
    }
    put(hole, time, sequence, event);
  }

  private int firstOfChildren(int node, int end) {
    int from = node * ARITY + 1;
    if (from >= end) {
      return -1;
    }
    int first = from;
    long time = keys[2 * from];
    int to = Math.min(from + ARITY, end);
    for (int child = from + 1; child < to; child++) {
      long other = keys[2 * child];
      if (other < time || (other == time && keys[2 * child + 1] < keys[2 * first + 1])) {
        first = child;
        time = other;
      }
    }
    return first;
  }

  private boolean isBefore(int index, long time, long sequence) {
    long own = keys[2 * index];
    return own < time || (own == time && keys[2 * index + 1] < sequence);
  }

  private void move(int from, int to) {
    keys[2 * to] = keys[2 * from];
    keys[2 * to + 1] = keys[2 * from + 1];
    events[to] = events[from];
  }

  private void put(int index, long time, long sequence, int event) {
    keys[2 * index] = time;
    keys[2 * index + 1] = sequence;
    events[index] = event;
  }
}
