// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

/**
 * Packets held back so that later ones of the same path overtake them: each waits until its gap of
 * others has passed, or until its deadline.
 *
 * <p>Holds at most a fixed number of packets and allocates nothing after construction. Packets are
 * the caller's slot numbers; times are in whatever unit the caller uses. One thread.
 */
public final class HoldQueue {
  /** No packet is due. */
  public static final int NONE = -1;

  private final int[] slots;
  private final int[] paths;
  private final int[] gapsLeft;
  private final boolean[] followed;
  private final long[] deadlines;
  private int size;
  private boolean lastWasFollowed;

  /**
   * Makes an empty queue.
   *
   * @param capacity packets held at once, 1 or more
   */
  public HoldQueue(int capacity) {
    slots = new int[capacity];
    paths = new int[capacity];
    gapsLeft = new int[capacity];
    followed = new boolean[capacity];
    deadlines = new long[capacity];
  }

  /**
   * Holds a packet back.
   *
   * @param slot the caller's number of the packet, 0 or more
   * @param path packets of the same path count as overtaking
   * @param gap how many of them release it, 1 or more
   * @param deadline when it goes without them
   * @return false when the queue is full: the packet was not taken
   */
  public boolean offer(int slot, int path, int gap, long deadline) {
    if (size == slots.length) {
      return false;
    }
    slots[size] = slot;
    paths[size] = path;
    gapsLeft[size] = gap;
    followed[size] = false;
    deadlines[size] = deadline;
    size++;
    return true;
  }

  /**
   * Tells that a packet has passed, which brings those held on its path nearer to release.
   *
   * @param path the path of the packet that passed
   */
  public void onPassed(int path) {
    for (int i = 0; i < size; i++) {
      if (paths[i] == path) {
        gapsLeft[i]--;
        followed[i] = true;
      }
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
   * Whether a later packet of its path passed the one that {@link #poll} gave last.
   *
   * @return false when it only waited, and nothing could overtake it
   */
  public boolean lastWasFollowed() {
    return lastWasFollowed;
  }

  private int remove(int index) {
    int slot = slots[index];
    lastWasFollowed = followed[index];
    size--;
    // Keep the order of arrival: the oldest is released first.
    int moved = size - index;
    System.arraycopy(slots, index + 1, slots, index, moved);
    System.arraycopy(paths, index + 1, paths, index, moved);
    System.arraycopy(gapsLeft, index + 1, gapsLeft, index, moved);
    System.arraycopy(followed, index + 1, followed, index, moved);
    System.arraycopy(deadlines, index + 1, deadlines, index, moved);
    return slot;
  }
}
