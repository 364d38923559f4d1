// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import io.roce4j.wire.sequence.Psn;

/** Follows the PSNs of requests in one direction: in order, ahead (a gap) or behind (a repeat). */
final class PsnTrack {
  private boolean started;
  private boolean uncertain;
  private int base;
  private int next;

  /**
   * Takes the next request in capture order.
   *
   * @param psn its PSN
   * @param psns how many PSNs it takes up; 0 when not known
   * @return 0 in order, above 0 the PSNs missing in front of it, below 0 how far behind it is
   */
  int observe(int psn, int psns) {
    int distance = started ? Psn.distance(next, psn) : 0;
    if (!started) {
      started = true;
      base = psn;
    }
    if (uncertain && distance > 0) {
      distance = 0;
    }
    if (distance >= 0) {
      uncertain = psns == 0;
      next = Psn.add(psn, Math.max(psns, 1));
    }
    return distance;
  }

  boolean isStarted() {
    return started;
  }

  /** The PSN after the last one taken up. */
  int next() {
    return next;
  }

  /** A PSN counted from the first one seen. */
  int relative(int psn) {
    return Psn.distance(base, psn);
  }
}
