// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * A double-ended queue of fragments chained through the {@link FragmentTable} itself: no entry is
 * allocated, none can leak, and a fragment is in at most one queue [FC-43].
 */
final class FragmentQueue {
  private static final int NONE = 0xFFFF;

  private final FragmentTable table;
  private int first = NONE;
  private int last = NONE;
  private int size;
  private long payloadBytes;

  FragmentQueue(FragmentTable table) {
    this.table = table;
  }

  boolean isEmpty() {
    return first == NONE;
  }

  int size() {
    return size;
  }

  /** Payload of all fragments queued. */
  long payloadBytes() {
    return payloadBytes;
  }

  /** Handle of the first fragment; only when not empty. */
  int first() {
    return table.atIndex(first);
  }

  /** Handle of the fragment behind another of this queue, or -1. */
  int after(int at) {
    int next = table.next(at);
    return next == NONE ? -1 : table.atIndex(next);
  }

  /** Handle of the last fragment; only when not empty. */
  int last() {
    return table.atIndex(last);
  }

  /** Handle of the fragment in front of another of this queue, or -1. */
  int before(int at) {
    int previous = table.previous(at);
    return previous == NONE ? -1 : table.atIndex(previous);
  }

  void addFirst(int at) {
    link(at, NONE, first);
  }

  void addLast(int at) {
    link(at, last, NONE);
  }

  /** Inserts a fragment behind another of this queue. */
  void addAfter(int at, int predecessor) {
    link(at, table.index(predecessor), table.next(predecessor));
  }

  private void link(int at, int before, int behind) {
    int index = table.index(at);
    table.previous(at, before);
    table.next(at, behind);
    if (before == NONE) {
      first = index;
    } else {
      table.next(table.atIndex(before), index);
    }
    if (behind == NONE) {
      last = index;
    } else {
      table.previous(table.atIndex(behind), index);
    }
    size++;
    payloadBytes += table.payloadLength(at);
  }

  /** Takes a fragment of this queue out. */
  void remove(int at) {
    int before = table.previous(at);
    int behind = table.next(at);
    if (before == NONE) {
      first = behind;
    } else {
      table.next(table.atIndex(before), behind);
    }
    if (behind == NONE) {
      last = before;
    } else {
      table.previous(table.atIndex(behind), before);
    }
    size--;
    payloadBytes -= table.payloadLength(at);
  }
}
