// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import java.util.Arrays;

/**
 * Virtual time: the present in picoseconds and the events to come, ordered by (time, order of
 * scheduling). Equal times therefore happen in the order in which they were scheduled, never by
 * hash or heap chance.
 *
 * <p>A {@code long} of picoseconds lasts 106 days. Single-threaded; after the arrays have grown to
 * their working size nothing is allocated.
 */
public final class Timeline {
  /** No event is scheduled. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Picoseconds in a nanosecond. */
  public static final long PS_PER_NS = 1_000;

  private static final int INITIAL_CAPACITY = 1 << 10;

  // A heap of four children per node: half the depth of a binary one, and siblings share a line.
  private static final int ARITY = 4;

  // The heap: time and sequence of each node side by side, and the event it stands for. What an
  // event does lies still in arrays of its own while the heap moves.
  private long[] keys = new long[2 * INITIAL_CAPACITY];
  private int[] events = new int[INITIAL_CAPACITY];
  private long[] arguments = new long[INITIAL_CAPACITY];
  private int[] kinds = new int[INITIAL_CAPACITY];
  private Occurrence[] targets = new Occurrence[INITIAL_CAPACITY];
  private int[] free = new int[INITIAL_CAPACITY];
  private int freeCount;
  private int size;
  private long nextSequence;
  private long nowPs;
  private long eventCount;

  /** Something that a moment in time can happen to. */
  @FunctionalInterface
  public interface Occurrence {
    /**
     * Called when the scheduled time has come; {@link Timeline#nowPs()} is that time.
     *
     * @param kind as scheduled
     * @param argument as scheduled
     */
    void happen(int kind, long argument);
  }

  /** Makes a timeline at time 0 without events. */
  public Timeline() {
    release(0);
  }

  /**
   * The present.
   *
   * @return picoseconds since the start, never less than before
   */
  public long nowPs() {
    return nowPs;
  }

  /**
   * The present as the endpoints see it.
   *
   * @return whole nanoseconds since the start, rounded down
   */
  public long nowNs() {
    return nowPs / PS_PER_NS;
  }

  /**
   * Events run so far.
   *
   * @return 0 or more
   */
  public long eventCount() {
    return eventCount;
  }

  /**
   * Events still to come.
   *
   * @return 0 or more
   */
  public int pending() {
    return size;
  }

  /**
   * When the next event comes.
   *
   * @return its time in picoseconds, or {@link #NEVER}
   */
  public long nextPs() {
    return size == 0 ? NEVER : keys[0];
  }

  /**
   * Schedules an event. There is no way to cancel one: a target ignores what no longer matters.
   *
   * @param atPs when, not before the present
   * @param target whom it happens to
   * @param kind handed to the target
   * @param argument handed to the target
   * @throws IllegalArgumentException when the time has passed
   */
  public void schedule(long atPs, Occurrence target, int kind, long argument) {
    if (atPs < nowPs) {
      throw new IllegalArgumentException(
          "event at " + atPs + " ps: the present is " + nowPs + " ps already");
    }
    if (freeCount == 0) {
      grow();
    }
    int event = free[--freeCount];
    targets[event] = target;
    kinds[event] = kind;
    arguments[event] = argument;
    int hole = size++;
    while (hole > 0) {
      int parent = (hole - 1) / ARITY;
      // A new event has the highest sequence, so at equal times it stays below.
      if (keys[2 * parent] <= atPs) {
        break;
      }
      move(parent, hole);
      hole = parent;
    }
    put(hole, atPs, nextSequence++, event);
  }

  /**
   * Goes to the next event and lets it happen.
   *
   * @return false when there is none; the present stays
   */
  public boolean step() {
    if (size == 0) {
      return false;
    }
    nowPs = keys[0];
    int event = events[0];
    Occurrence target = targets[event];
    int kind = kinds[event];
    long argument = arguments[event];
    removeFirst();
    free[freeCount++] = event;
    eventCount++;
    target.happen(kind, argument);
    return true;
  }

  /**
   * Lets everything happen up to and including a time, and makes that the present.
   *
   * @param untilPs not before the present
   */
  public void runUntil(long untilPs) {
    while (size > 0 && keys[0] <= untilPs) {
      step();
    }
    nowPs = Math.max(nowPs, untilPs);
  }

  private void removeFirst() {
    int last = --size;
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

  /** Makes the events from a number on free. */
  private void release(int first) {
    for (int event = targets.length - 1; event >= first; event--) {
      free[freeCount++] = event;
    }
  }

  private void grow() {
    int before = targets.length;
    int capacity = before * 2;
    keys = Arrays.copyOf(keys, 2 * capacity);
    events = Arrays.copyOf(events, capacity);
    arguments = Arrays.copyOf(arguments, capacity);
    kinds = Arrays.copyOf(kinds, capacity);
    targets = Arrays.copyOf(targets, capacity);
    free = Arrays.copyOf(free, capacity);
    release(before);
  }
}
