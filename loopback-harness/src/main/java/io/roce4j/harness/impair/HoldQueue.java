// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

/**
 * Packets of a link held back so that later ones overtake them, of whatever path: each waits until
 * its gap of others has passed, or until its deadline. A packet that nothing passed was not
 * overtaken, only late; the queue remembers that a reordering is still owed.
 *
 * <p>Holds at most a fixed number of packets and allocates nothing after construction. Packets are
 * the caller's slot numbers; times are in whatever unit the caller uses. One thread.
 */
public final class HoldQueue {
  /** No packet is due. */
  public static final int NONE = -1;

  private final int[] slots;
  private final int[] gapsLeft;
  private final boolean[] overtaken;
  private final long[] deadlines;
  private int size;
  private long owed;

  /**
   * Makes an empty queue.
   *
   * @param capacity packets held at once, 1 or more
   */
  public HoldQueue(int capacity) {
    slots = new int[capacity];
    gapsLeft = new int[capacity];
    overtaken = new boolean[capacity];
    deadlines = new long[capacity];
  }

  /**
   * Holds a packet back.
   *
   * @param slot the caller's number of the packet, 0 or more
   * @param gap how many later packets release it, 1 or more
   * @param deadline when it goes without them
   * @return false when the queue is full: the packet was not taken
   */
  public boolean offer(int slot, int gap, long deadline) {
    if (size == slots.length) {
      return false;
    }
    slots[size] = slot;
    gapsLeft[size] = gap;
    overtaken[size] = false;
    deadlines[size] = deadline;
    size++;
    return true;
  }

  /** Tells that a packet has passed, which brings all that are held nearer to release. */
  public void onPassed() {
    for (int i = 0; i < size; i++) {
      gapsLeft[i]--;
      overtaken[i] = true;
    }
  }

  /**
   * Takes the oldest packet whose gap has passed or whose deadline has come.
   *
   * @param now the present time
   * @return its slot, or {@link #NONE}
   */
  public int poll(long now) {
    for (int i = 0; i < size; i++) {
      if (gapsLeft[i] <= 0 || deadlines[i] <= now) {
        return remove(i);
      }
    }
    return NONE;
  }

  /**
   * When the first packet goes whatever passes.
   *
   * @return the earliest deadline, or {@link Long#MAX_VALUE} when nothing is held
   */
  public long nextDeadline() {
    long next = Long.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      next = Math.min(next, deadlines[i]);
    }
    return next;
  }

  /**
   * Packets held now.
   *
   * @return 0 to the capacity
   */
  public int size() {
    return size;
  }

  /**
   * Takes one of the reorderings that are owed: a packet was held, and its time came before any
   * other passed. Whoever holds another packet in its place keeps to the rate that was drawn.
   *
   * @return true when one was owed
   */
  public boolean takeOwed() {
    if (owed == 0) {
      return false;
    }
    owed--;
    return true;
  }

  private int remove(int index) {
    int slot = slots[index];
    owed += overtaken[index] ? 0 : 1;
    size--;
    // Keep the order of arrival: the oldest is released first.
    int moved = size - index;
    System.arraycopy(slots, index + 1, slots, index, moved);
    System.arraycopy(gapsLeft, index + 1, gapsLeft, index, moved);
    System.arraycopy(overtaken, index + 1, overtaken, index, moved);
    System.arraycopy(deadlines, index + 1, deadlines, index, moved);
    return slot;
  }
}
