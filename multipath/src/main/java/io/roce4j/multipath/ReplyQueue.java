// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * Answers that wait for their turn to be written: negative acknowledgements and replies to probes.
 * A ring of fixed size; when it is full the answer is not given, which costs its asker time and
 * nothing else.
 */
final class ReplyQueue {
  private static final int FIELDS = 7;

  private final int[] fields;
  private final long[] arrivals;
  private final int mask;
  private int head;
  private int tail;

  /** An empty queue for a power of two of answers. */
  ReplyQueue(int capacity) {
    this.fields = new int[capacity * FIELDS];
    this.arrivals = new long[capacity];
    this.mask = capacity - 1;
  }

  boolean isEmpty() {
    return head == tail;
  }

  /** Queues an answer; false when there is no room. */
  boolean offer(int a, int b, int c, int d, int e, int f, int g, long arrivalNs) {
    if (tail - head > mask) {
      return false;
    }
    int at = (tail & mask) * FIELDS;
    fields[at] = a;
    fields[at + 1] = b;
    fields[at + 2] = c;
    fields[at + 3] = d;
    fields[at + 4] = e;
    fields[at + 5] = f;
    fields[at + 6] = g;
    arrivals[tail & mask] = arrivalNs;
    tail++;
    return true;
  }

  /** Field of the oldest answer; only when not empty. */
  int field(int index) {
    return fields[(head & mask) * FIELDS + index];
  }

  /** When the oldest answer was asked for. */
  long arrivalNs() {
    return arrivals[head & mask];
  }

  /** Drops the oldest answer. */
  void pop() {
    head++;
  }

  void clear() {
    head = tail;
  }
}
