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

  private long[] times = new long[INITIAL_CAPACITY];
  private long[] sequences = new long[INITIAL_CAPACITY];
  private long[] arguments = new long[INITIAL_CAPACITY];
  private int[] kinds = new int[INITIAL_CAPACITY];
  private Occurrence[] targets = new Occurrence[INITIAL_CAPACITY];
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
  public Timeline() {}

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
    return size == 0 ? NEVER : times[0];
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
    if (size == times.length) {
      grow();
    }
    int hole = size++;
    long sequence = nextSequence++;
    while (hole > 0) {
      int parent = (hole - 1) / ARITY;
      // A new event has the highest sequence, so at equal times it stays below.
      if (times[parent] <= atPs) {
        break;
      }
      move(parent, hole);
      hole = parent;
    }
    put(hole, atPs, sequence, target, kind, argument);
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
    nowPs = times[0];
    Occurrence target = targets[0];
    int kind = kinds[0];
    long argument = arguments[0];
    removeFirst();
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
    while (size > 0 && times[0] <= untilPs) {
      step();
    }
    nowPs = Math.max(nowPs, untilPs);
  }

  private void removeFirst() {
    int last = --size;
    long time = times[last];
    long sequence = sequences[last];
    int hole = 0;
    while (true) {
      int child = firstOfChildren(hole, last);
      if (child < 0 || !isBefore(child, time, sequence)) {
        break;
      }
      move(child, hole);
      hole = child;
    }
    put(hole, time, sequence, targets[last], kinds[last], arguments[last]);
    targets[last] = null;
  }

  private int firstOfChildren(int node, int end) {
    int from = node * ARITY + 1;
    if (from >= end) {
      return -1;
    }
    int first = from;
    int to = Math.min(from + ARITY, end);
    for (int child = from + 1; child < to; child++) {
      if (isBefore(child, times[first], sequences[first])) {
        first = child;
      }
    }
    return first;
  }

  private boolean isBefore(int index, long time, long sequence) {
    return times[index] < time || (times[index] == time && sequences[index] < sequence);
  }

  private void move(int from, int to) {
    put(to, times[from], sequences[from], targets[from], kinds[from], arguments[from]);
  }

  private void put(
      int index, long time, long sequence, Occurrence target, int kind, long argument) {
    times[index] = time;
    sequences[index] = sequence;
    targets[index] = target;
    kinds[index] = kind;
    arguments[index] = argument;
  }

  private void grow() {
    int capacity = times.length * 2;
    times = Arrays.copyOf(times, capacity);
    sequences = Arrays.copyOf(sequences, capacity);
    arguments = Arrays.copyOf(arguments, capacity);
    kinds = Arrays.copyOf(kinds, capacity);
    targets = Arrays.copyOf(targets, capacity);
  }
}
