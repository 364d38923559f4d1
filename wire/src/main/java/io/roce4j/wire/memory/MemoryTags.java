// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.memory;

import java.util.Map;
import java.util.TreeMap;

/** Live bytes per tag. Control path only; every method takes the one lock. */
final class MemoryTags {
  private final Map<String, Tag> tags = new TreeMap<>();

  /** One tag's count. */
  private static final class Tag {
    private long bytes;

    @Override
    public String toString() {
      return Long.toString(bytes);
    }
  }

  synchronized void add(String name, long bytes) {
    tags.computeIfAbsent(name, _ -> new Tag()).bytes += bytes;
  }

  synchronized void remove(String name, long bytes) {
    Tag tag = tags.get(name);
    if (tag == null || tag.bytes < bytes) {
      throw new IllegalStateException(
          "memory tag " + name + " would fall below zero by releasing " + bytes + " bytes");
    }
    tag.bytes -= bytes;
    if (tag.bytes == 0) {
      tags.remove(name);
    }
  }

  synchronized long of(String name) {
    Tag tag = tags.get(name);
    return tag == null ? 0 : tag.bytes;
  }

  synchronized long total() {
    long sum = 0;
    for (Tag tag : tags.values()) {
      sum += tag.bytes;
    }
    return sum;
  }

  synchronized String report() {
    return tags.toString();
  }
}
