// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import java.util.Arrays;

/**
 * Days of equal length, and which events fall on each: those of the days to come, within one turn
 * of the wheel. Within a day there is no order. Single-threaded; allocates to grow only.
 */
final class EventWheel {
  /** Days of a turn. */
  static final int DAYS = 1 << 14;

  static final int NONE = -1;

  private static final int WORD_SHIFT = 6;
  private static final int WORDS = DAYS >> WORD_SHIFT;

  private final int[] firstOfDay = new int[DAYS];
  private final long[] occupied = new long[WORDS];
  private int[] nextOfDay = new int[1 << 10];
  private int size;

  EventWheel() {
    Arrays.fill(firstOfDay, NONE);
  }

  int size() {
    return size;
  }

  void add(long day, int event) {
    if (event >= nextOfDay.length) {
      nextOfDay = Arrays.copyOf(nextOfDay, Math.max(event + 1, 2 * nextOfDay.length));
    }
    int place = (int) day & (DAYS - 1);
    nextOfDay[event] = firstOfDay[place];
    firstOfDay[place] = event;
    occupied[place >> WORD_SHIFT] |= 1L << place;
    size++;
  }

  /** The first day with events from a day on; there must be one, within a turn. */
  long firstDay(long from) {
    int place = (int) from & (DAYS - 1);
    int word = place >> WORD_SHIFT;
    long bits = occupied[word] & (-1L << place);
    while (bits == 0) {
      word = (word + 1) & (WORDS - 1);
      bits = occupied[word];
    }
    int found = (word << WORD_SHIFT) + Long.numberOfTrailingZeros(bits);
    return from + ((found - place) & (DAYS - 1));
  }

  /** Takes an event of a day out, or {@link #NONE} when there is none left. */
  int poll(long day) {
    int place = (int) day & (DAYS - 1);
    int event = firstOfDay[place];
    if (event == NONE) {
      occupied[place >> WORD_SHIFT] &= ~(1L << place);
      return NONE;
    }
    firstOfDay[place] = nextOfDay[event];
    size--;
    return event;
  }
}
