// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import java.util.Arrays;

/**
 * Deadlines of numbered owners with the earliest in O(1): an indexed binary heap. A wheel would be
 * cheaper to change but has no answer to "when is the next one?", which idle agents and virtual
 * time both ask.
 *
 * <p>Bounded by the number of owners, one deadline each; equal deadlines come in the order of the
 * owners' numbers, so that a run can be repeated. One thread; nothing is allocated after {@link
 * #reserve}.
 */
public final class DeadlineHeap {

  /** No deadline. */
  public static final long NEVER = Long.MAX_VALUE;

  private static final int ABSENT = -1;

  private long[] deadlines = new long[0];
  private int[] positions = new int[0];
  private int[] heap = new int[0];
  private int size;

  /** Makes an empty heap without owners. */
  public DeadlineHeap() {}

  /**
   * Makes room for more owners. Control path: allocates.
   *
   * @param owners owners are numbered 0 to owners - 1; a smaller number than before changes
   *     nothing.
   */
  public void reserve(int owners) {
    int before = positions.length;
    if (owners <= before) {
      return;
    }
    int capacity = Math.max(owners, before * 2);
    deadlines = Arrays.copyOf(deadlines, capacity);
    positions = Arrays.copyOf(positions, capacity);
    heap = Arrays.copyOf(heap, capacity);
    Arrays.fill(positions, before, capacity, ABSENT);
  }

  /**
   * Sets, moves or removes an owner's deadline.
   *
   * @param owner number of the owner.
   * @param deadlineNs its time, or {@link #NEVER} to remove it.
   */
  public void set(int owner, long deadlineNs) {
    int position = positions[owner];
    if (position == ABSENT) {
      if (deadlineNs != NEVER) {
        deadlines[owner] = deadlineNs;
        heap[size] = owner;
        positions[owner] = size;
        siftUp(size++);
      }
      return;
    }
    long before = deadlines[owner];
    if (deadlineNs == NEVER) {
      removeAt(position);
    } else if (deadlineNs != before) {
      deadlines[owner] = deadlineNs;
      if (deadlineNs < before) {
        siftUp(position);
      } else {
        siftDown(position);
      }
    }
  }

  /**
   * When the earliest deadline is.
   *
   * @return the time, or {@link #NEVER}.
   */
  public long earliestNs() {
    return size == 0 ? NEVER : deadlines[heap[0]];
  }

  /**
   * Takes the earliest owner whose time has come.
   *
   * @param nowNs the present.
   * @return the owner, without a deadline now, or -1 when none is due.
   */
  public int pollDue(long nowNs) {
    if (size == 0 || deadlines[heap[0]] > nowNs) {
      return ABSENT;
    }
    int owner = heap[0];
    removeAt(0);
    return owner;
  }

  /**
   * How many owners have a deadline.
   *
   * @return 0 or more.
   */
  public int size() {
    return size;
  }

  private void removeAt(int position) {
    positions[heap[position]] = ABSENT;
    size--;
    if (position == size) {
      return;
    }
    int moved = heap[size];
    heap[position] = moved;
    positions[moved] = position;
    siftUp(position);
    siftDown(positions[moved]);
  }

  private void siftUp(int from) {
    int owner = heap[from];
    int position = from;
    while (position > 0) {
      int parent = (position - 1) >>> 1;
      if (!isEarlier(owner, heap[parent])) {
        break;
      }
      place(heap[parent], position);
      position = parent;
    }
    place(owner, position);
  }

  private void siftDown(int from) {
    int owner = heap[from];
    int position = from;
    int half = size >>> 1;
    while (position < half) {
      int child = 2 * position + 1;
      if (child + 1 < size && isEarlier(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isEarlier(heap[child], owner)) {
        break;
      }
      place(heap[child], position);
      position = child;
    }
    place(owner, position);
  }

  private void place(int owner, int position) {
    heap[position] = owner;
    positions[owner] = position;
  }

  private boolean isEarlier(int a, int b) {
    return deadlines[a] != deadlines[b] ? deadlines[a] < deadlines[b] : a < b;
  }
}
