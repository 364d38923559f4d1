// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

/**
 * When the messages of a run were posted and completed, for its best stretch: the least time a
 * message over all stretches from one posting to a later completion, which is what perftest calls
 * the peak.
 */
final class PeakTimes {
  private final long[] postedNs;
  private final long[] completedNs;
  private int posted;
  private int completed;

  private PeakTimes(int messages) {
    postedNs = new long[messages];
    completedNs = new long[messages];
  }

  /** For a run of so many messages; 0 keeps nothing. */
  static PeakTimes of(long messages) {
    return new PeakTimes((int) messages);
  }

  void onPosted(long nowNs) {
    if (posted < postedNs.length) {
      postedNs[posted++] = nowNs;
    }
  }

  void onCompleted(int count, long nowNs) {
    for (int i = 0; i < count && completed < completedNs.length; i++) {
      completedNs[completed++] = nowNs;
    }
  }

  /** Nanoseconds a message of the best stretch, 0 when nothing is known. */
  double bestNsPerMessage() {
    double best = Double.MAX_VALUE;
    for (int first = 0; first < completed; first++) {
      for (int last = first; last < completed; last++) {
        best = Math.min(best, (double) (completedNs[last] - postedNs[first]) / (last - first + 1));
      }
    }
    return completed == 0 ? 0 : best;
  }
}
