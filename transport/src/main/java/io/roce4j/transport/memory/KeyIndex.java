// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.memory;

/**
 * Open-addressing map from a key's 24-bit index to the table slot that holds it.
 *
 * <p>Written by the agent thread. A posting thread may look up inline sources at the same time: an
 * entry is one {@code long} written once, a removal leaves a tombstone and growth replaces the
 * whole array, so that a reader never misses an entry that stands. Lookups allocate nothing.
 */
final class KeyIndex {
  /** No such index. */
  static final int MISSING = -1;

  private static final long EMPTY = 0;
  private static final long TOMBSTONE = -1;

  private long[] buckets = new long[64];
  private int live;
  private int used;

  int slotOf(int index) {
    long[] table = buckets;
    int mask = table.length - 1;
    int at = hash(index) & mask;
    long entry = table[at];
    while (entry != EMPTY) {
      if ((int) (entry >>> 32) == index) {
        return (int) entry - 1;
      }
      at = (at + 1) & mask;
      entry = table[at];
    }
    return MISSING;
  }

  /** Adds an index that is not there. */
  void put(int index, int slot) {
    if ((used + 1) * 4 > buckets.length * 3) {
      rebuild();
    }
    if (insert(buckets, entry(index, slot)) == EMPTY) {
      used++;
    }
    live++;
  }

  /** Removes an index that is there. */
  void remove(int index) {
    int mask = buckets.length - 1;
    int at = hash(index) & mask;
    while (buckets[at] != EMPTY) {
      if ((int) (buckets[at] >>> 32) == index) {
        buckets[at] = TOMBSTONE;
        live--;
        return;
      }
      at = (at + 1) & mask;
    }
  }

  private void rebuild() {
    int capacity = buckets.length;
    while (live * 2 >= capacity) {
      capacity <<= 1;
    }
    long[] grown = new long[capacity];
    for (long entry : buckets) {
      if (entry != EMPTY && entry != TOMBSTONE) {
        insert(grown, entry);
      }
    }
    used = live;
    buckets = grown;
  }

  /** Returns what stood in the bucket that was taken: EMPTY or TOMBSTONE. */
  private static long insert(long[] table, long entry) {
    int mask = table.length - 1;
    int at = hash((int) (entry >>> 32)) & mask;
    while (table[at] != EMPTY && table[at] != TOMBSTONE) {
      at = (at + 1) & mask;
    }
    long before = table[at];
    table[at] = entry;
    return before;
  }

  private static long entry(int index, int slot) {
    return ((long) index << 32) | (slot + 1);
  }

  private static int hash(int index) {
    int h = index * 0x9E37_79B1;
    return h ^ (h >>> 15);
  }
}
