// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.sequence.Msn;

/**
 * READs and atomics of a stream that are not answered yet: MSN to work request. A ring in the order
 * of MSNs with holes, searched by halving; bounded by max_rd_atomic.
 */
final class ReadIndex {
  private static final long REMOVED = -1;

  private final int[] msns;
  private final long[] indices;
  private final int mask;
  private int head;
  private int tail;
  private int live;

  /** An empty index for a power of two of requests. */
  ReadIndex(int capacity) {
    this.msns = new int[capacity * 2];
    this.indices = new long[capacity * 2];
    this.mask = capacity * 2 - 1;
  }

  int capacity() {
    return (mask + 1) / 2;
  }

  /** Requests not answered. */
  int size() {
    // Answers out of order leave holes; the ring has twice the room, so size counts those, too.
    return Math.max(live, tail - head - capacity());
  }

  /** Whether any request is not answered. */
  boolean isWaiting() {
    return live > 0;
  }

  /** Adds a request with a later MSN than all before. */
  void add(int msn, long index) {
    msns[tail & mask] = msn;
    indices[tail & mask] = index;
    tail++;
    live++;
  }

  /** Work request of an MSN, or -1. */
  long find(int msn) {
    int at = search(msn);
    return at < 0 ? -1 : indices[at & mask];
  }

  private int search(int msn) {
    int low = head;
    int high = tail - 1;
    while (low - high <= 0) {
      int middle = low + (high - low) / 2;
      int distance = Msn.distance(msns[middle & mask], msn);
      if (distance == 0) {
        return middle;
      }
      if (distance > 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  /** Removes an answered request. */
  void remove(int msn) {
    int at = search(msn);
    if (at < 0 || indices[at & mask] == REMOVED) {
      return;
    }
    indices[at & mask] = REMOVED;
    live--;
    while (head != tail && indices[head & mask] == REMOVED) {
      head++;
    }
  }

  /** Removes all requests from an MSN on. */
  void removeFrom(int msn) {
    while (head != tail && Msn.distance(msn, msns[tail - 1 & mask]) >= 0) {
      tail--;
      if (indices[tail & mask] != REMOVED) {
        live--;
      }
    }
    while (head != tail && indices[head & mask] == REMOVED) {
      head++;
    }
  }

  void clear() {
    head = tail;
    live = 0;
  }
}
