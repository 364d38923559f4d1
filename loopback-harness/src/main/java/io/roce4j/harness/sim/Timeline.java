// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import java.util.Arrays;

/**
 * Virtual time: the present in picoseconds and the events to come, ordered by (time, order of
 * scheduling). Equal times therefore happen in the order in which they were scheduled, never by
 * hash or heap chance.
 *
 * <p>Time is cut into days of a few events each: only the events of today are kept in order, those
 * of the next days wait unordered, and the rest, such as timers, in a heap of their own. The length
 * of a day follows how dense events are; it decides what a run costs and nothing else.
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
  private static final int INITIAL_SHIFT = 12;
  private static final int LEAST_SHIFT = 4;
  private static final int MOST_SHIFT = 40;
  private static final int REVIEW_EVENTS = 1 << 14;

  // What is known of an event: its time, sequence, kind and argument side by side, and its target.
  private static final int FACTS = 4;
  private static final int TIME = 0;
  private static final int SEQUENCE = 1;
  private static final int KIND = 2;
  private static final int ARGUMENT = 3;

  private final EventHeap today = new EventHeap();
  private final EventWheel wheel = new EventWheel();
  private final EventHeap later = new EventHeap();
  private long[] facts = new long[FACTS * INITIAL_CAPACITY];
  private Occurrence[] targets = new Occurrence[INITIAL_CAPACITY];
  private int[] free = new int[INITIAL_CAPACITY];
  // A day is 2^shift ps.
  private int shift = INITIAL_SHIFT;
  private long day;
  private long dayEndPs;
  private long turnEndPs;
  private long reviewedPs;
  private long nextReview = REVIEW_EVENTS;
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
    beginDay(0);
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
    return findNext() ? today.firstPs() : NEVER;
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
    int at = FACTS * event;
    facts[at + TIME] = atPs;
    facts[at + SEQUENCE] = nextSequence++;
    facts[at + KIND] = kind;
    facts[at + ARGUMENT] = argument;
    targets[event] = target;
    size++;
    place(event, atPs);
  }

  private void place(int event, long atPs) {
    if (atPs < dayEndPs) {
      today.add(atPs, facts[FACTS * event + SEQUENCE], event);
    } else if (atPs < turnEndPs) {
      wheel.add(atPs >> shift, event);
    } else {
      later.add(atPs, facts[FACTS * event + SEQUENCE], event);
    }
  }

  /**
   * Goes to the next event and lets it happen.
   *
   * @return false when there is none; the present stays
   */
  public boolean step() {
    if (!findNext()) {
      return false;
    }
    int event = today.first();
    nowPs = today.firstPs();
    today.removeFirst();
    Occurrence target = targets[event];
    int kind = (int) facts[FACTS * event + KIND];
    long argument = facts[FACTS * event + ARGUMENT];
    free[freeCount++] = event;
    size--;
    eventCount++;
    target.happen(kind, argument);
    return true;
  }

  /** Makes the day of the next event today; false when there is no event. */
  private boolean findNext() {
    if (!today.isEmpty()) {
      return true;
    }
    if (size == 0) {
      return false;
    }
    if (eventCount >= nextReview) {
      review();
      if (!today.isEmpty()) {
        return true;
      }
    }
    if (wheel.size() > 0) {
      beginDay(wheel.firstDay(day + 1));
      for (int event = wheel.poll(day); event != EventWheel.NONE; event = wheel.poll(day)) {
        today.add(facts[FACTS * event + TIME], facts[FACTS * event + SEQUENCE], event);
      }
    } else {
      beginDay(later.firstPs() >> shift);
      int event = later.first();
      later.removeFirst();
      today.add(facts[FACTS * event + TIME], facts[FACTS * event + SEQUENCE], event);
    }
    takeFromLater();
    return true;
  }

  private void takeFromLater() {
    while (!later.isEmpty() && later.firstPs() < turnEndPs) {
      int event = later.first();
      later.removeFirst();
      place(event, facts[FACTS * event + TIME]);
    }
  }

  private void beginDay(long number) {
    day = number;
    dayEndPs = startOf(number + 1);
    turnEndPs = startOf(number + EventWheel.DAYS);
  }

  /** When a day begins; beyond the end of time, never. */
  private long startOf(long number) {
    return number > NEVER >> shift ? NEVER : number << shift;
  }

  /** Fits the length of a day to the events since the last time. Nothing is left of today. */
  private void review() {
    long gapPs = (nowPs - reviewedPs) / REVIEW_EVENTS;
    reviewedPs = nowPs;
    nextReview = eventCount + REVIEW_EVENTS;
    int wanted = Long.SIZE - Long.numberOfLeadingZeros(gapPs);
    wanted = Math.max(LEAST_SHIFT, Math.min(wanted, MOST_SHIFT));
    if (Math.abs(wanted - shift) < 2) {
      return;
    }
    while (wheel.size() > 0) {
      long first = wheel.firstDay(day + 1);
      for (int event = wheel.poll(first); event != EventWheel.NONE; event = wheel.poll(first)) {
        later.add(facts[FACTS * event + TIME], facts[FACTS * event + SEQUENCE], event);
      }
    }
    shift = wanted;
    beginDay(nowPs >> shift);
    takeFromLater();
  }

  /**
   * Lets everything happen up to and including a time, and makes that the present.
   *
   * @param untilPs not before the present
   */
  public void runUntil(long untilPs) {
    while (findNext() && today.firstPs() <= untilPs) {
      step();
    }
    nowPs = Math.max(nowPs, untilPs);
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
    facts = Arrays.copyOf(facts, FACTS * capacity);
    targets = Arrays.copyOf(targets, capacity);
    free = Arrays.copyOf(free, capacity);
    release(before);
  }
}
