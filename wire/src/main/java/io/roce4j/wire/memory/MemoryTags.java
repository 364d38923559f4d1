// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.memory;

import java.util.Map;
import java.util.TreeMap;

/** Live bytes per tag. Control path only; every method takes the one lock. */
final class MemoryTags {
  private static final class Tally {
    private long bytes;

    @Override
    public String toString() {
      return Long.toString(bytes);
    }
  }

  private final Map<String, Tally> live = new TreeMap<>();

  synchronized void add(String tag, long bytes) {
    live.computeIfAbsent(tag, unseen -> new Tally()).bytes += bytes;
  }

  synchronized void remove(String tag, long bytes) {
    long left = of(tag) - bytes;
    if (left < 0) {
      throw new IllegalStateException(
          "memory tag " + tag + " would fall below zero by releasing " + bytes + " bytes");
    }
    if (left == 0) {
      live.remove(tag);
    } else {
      live.get(tag).bytes = left;
    }
  }

  synchronized long of(String tag) {
    Tally tally = live.get(tag);
    return tally == null ? 0 : tally.bytes;
  }

  synchronized long total() {
    long sum = 0;
    for (Tally tally : live.values()) {
      sum += tally.bytes;
    }
    return sum;
  }

  synchronized String report() {
    return live.toString();
  }
}
