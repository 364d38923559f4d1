// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.memory;

import java.util.Map;
import java.util.TreeMap;

/** Live bytes per tag. Control path only; every method takes the one lock. */
final class MemoryTags {
  private final Map<String, Long> liveBytes = new TreeMap<>();

  synchronized void add(String tag, long bytes) {
    liveBytes.merge(tag, bytes, Long::sum);
  }

  synchronized void remove(String tag, long bytes) {
    long left = liveBytes.getOrDefault(tag, 0L) - bytes;
    if (left < 0) {
      throw new IllegalStateException(
          "memory tag " + tag + " would fall below zero by releasing " + bytes + " bytes");
    }
    if (left == 0) {
      liveBytes.remove(tag);
    } else {
      liveBytes.put(tag, left);
    }
  }

  synchronized long of(String tag) {
    return liveBytes.getOrDefault(tag, 0L);
  }

  synchronized long total() {
    long sum = 0;
    for (long bytes : liveBytes.values()) {
      sum += bytes;
    }
    return sum;
  }

  synchronized String report() {
    return liveBytes.toString();
  }
}
