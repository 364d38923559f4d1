// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import java.util.Arrays;

/**
 * The packets that wait for or are on a link's wire, as departure times and bytes: enough to know
 * the queue's length at any time without an event for each departure.
 */
final class DepartureQueue {
  private long[] times = new long[64];
  private int[] sizes = new int[64];
  private int head;
  private int count;
  private long bytes;

  void add(long departurePs, int wireBytes) {
    if (count == times.length) {
      grow();
    }
    int tail = (head + count) & (times.length - 1);
    times[tail] = departurePs;
    sizes[tail] = wireBytes;
    count++;
    bytes += wireBytes;
  }

  void drain(long nowPs) {
    while (count > 0 && times[head] <= nowPs) {
      bytes -= sizes[head];
      head = (head + 1) & (times.length - 1);
      count--;
    }
  }

  void clear() {
    head = 0;
    count = 0;
    bytes = 0;
  }

  boolean fits(int wireBytes, long limitBytes) {
    return bytes == 0 || bytes + wireBytes <= limitBytes;
  }

  long nextPs() {
    return count == 0 ? Timeline.NEVER : times[head];
  }

  private void grow() {
    int capacity = times.length;
    long[] newTimes = Arrays.copyOf(times, capacity * 2);
    int[] newSizes = Arrays.copyOf(sizes, capacity * 2);
    int wrapped = capacity - head;
    System.arraycopy(times, head, newTimes, 0, wrapped);
    System.arraycopy(times, 0, newTimes, wrapped, head);
    System.arraycopy(sizes, head, newSizes, 0, wrapped);
    System.arraycopy(sizes, 0, newSizes, wrapped, head);
    times = newTimes;
    sizes = newSizes;
    head = 0;
  }
}
