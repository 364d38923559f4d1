// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Least one-way delay of each path of each sender over the last 1000 round trips: the base against
 * which a queue shows. Clocks of sender and receiver need not agree, since only differences count.
 * The base is kept per path: with one base for all, paths of different length would look like
 * queues.
 */
final class DelayBase {

  private static final int WINDOW_ROUND_TRIPS = 1000;
  private static final long NONE = Long.MAX_VALUE;

  private final int paths;
  private final long halfWindowNs;
  private final long[] older;
  private final long[] younger;
  private final long[] youngerSinceNs;

  DelayBase(int senders, int paths, long baseRttNs) {
    this.paths = paths;
    this.halfWindowNs = WINDOW_ROUND_TRIPS / 2 * baseRttNs;
    older = new long[senders * paths];
    younger = new long[senders * paths];
    youngerSinceNs = new long[senders * paths];
    java.util.Arrays.fill(older, NONE);
    java.util.Arrays.fill(younger, NONE);
  }

  /** Takes a sample; returns how far it is above the base, 0 or more. */
  long excessNs(long nowNs, int sender, int path, long delayNs) {
    int i = sender * paths + path;
    if (younger[i] == NONE && older[i] == NONE) {
      youngerSinceNs[i] = nowNs;
    }
    long agedNs = nowNs - youngerSinceNs[i];
    if (agedNs >= halfWindowNs) {
      older[i] = agedNs >= 2 * halfWindowNs ? NONE : younger[i];
      younger[i] = NONE;
      youngerSinceNs[i] = nowNs;
    }
    younger[i] = Math.min(younger[i], delayNs);
    return delayNs - Math.min(older[i], younger[i]);
  }

  /** The path of a sender took another route. */
  void forget(int sender, int path) {
    older[sender * paths + path] = NONE;
    younger[sender * paths + path] = NONE;
  }

  /** A sender is gone. */
  void forgetAll(int sender) {
    for (int path = 0; path < paths; path++) {
      forget(sender, path);
    }
  }
}
