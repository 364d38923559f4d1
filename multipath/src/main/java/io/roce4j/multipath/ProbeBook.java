// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * The last probes of one path: what an answer that names one of them may conclude. Four are
 * remembered; an answer to an older or never sent one is not believed.
 */
final class ProbeBook {
  private static final int DEPTH = 4;

  private final int[] ids = new int[DEPTH];
  private final int[] stamps = new int[DEPTH];
  private final int[] lastPseqs = new int[DEPTH];
  private final int[] flags = new int[DEPTH];
  private int count;

  /** Remembers a probe; its id is the number of probes before it. */
  int sent(int stamp, int pflags, int lastPseq) {
    int at = count % DEPTH;
    ids[at] = count;
    stamps[at] = stamp;
    flags[at] = pflags;
    lastPseqs[at] = lastPseq;
    return count++;
  }

  /** Where a probe is remembered, -1 when it is not. */
  int find(int id, int stamp) {
    for (int i = 0; i < DEPTH && i < count; i++) {
      if (ids[i] == id && stamps[i] == stamp) {
        return i;
      }
    }
    return -1;
  }

  int flags(int at) {
    return flags[at];
  }

  int lastPseq(int at) {
    return lastPseqs[at];
  }

  /** Forgets the probes sent so far, because the route changed. */
  void forget() {
    for (int i = 0; i < DEPTH; i++) {
      ids[i] = -1;
    }
  }
}
