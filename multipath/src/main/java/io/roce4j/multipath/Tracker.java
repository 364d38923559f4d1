// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receive window of CPSNs: which fragments of one half are in, each exactly once. State is one bit
 * a fragment over {@code window} numbers behind the cumulative one, whatever arrives.
 */
final class Tracker {
  private final UnsafeBuffer buffer;
  private final int offset;
  private final int bits;
  private final int window;
  private int cumulative;

  /**
   * An empty window.
   *
   * @param buffer memory of the tracker, zeroed
   * @param offset first byte, 8-byte aligned
   * @param window numbers it can hold beyond the cumulative one, 1..32768
   * @param first first CPSN expected
   */
  Tracker(UnsafeBuffer buffer, int offset, int window, int first) {
    this.buffer = buffer;
    this.offset = offset;
    this.window = window;
    this.bits = bits(window);
    this.cumulative = Psn.add(first, -1);
  }

  private static int bits(int window) {
    return Math.max(64, Integer.highestOneBit(Math.max(1, window - 1)) << 1);
  }

  /** Bytes of memory for a window. */
  static int bytes(int window) {
    return SackVector.bytes(bits(window));
  }

  /** Highest CPSN for which it and all before it are in. */
  int cumulative() {
    return cumulative;
  }

  /** First CPSN that cannot be taken: the limit granted to the sender. */
  int limit() {
    return Psn.add(cumulative, 1 + window);
  }

  /** Whether a CPSN lies beyond what can be tracked [FC-42]. */
  boolean isBeyond(int cpsn) {
    return Psn.distance(cumulative, cpsn) > window;
  }

  /** Whether a CPSN that is not beyond is in already. */
  boolean contains(int cpsn) {
    return Psn.distance(cumulative, cpsn) <= 0 || SackVector.get(buffer, offset, bits, cpsn);
  }

  /** Takes a CPSN that is neither beyond nor contained. */
  void accept(int cpsn) {
    SackVector.set(buffer, offset, bits, cpsn);
    int next = Psn.next(cumulative);
    if (cpsn != next) {
      return;
    }
    int run = SackVector.stepsToClear(buffer, offset, bits, next, bits);
    SackVector.clearRange(buffer, offset, bits, next, run);
    cumulative = Psn.add(cumulative, run);
  }
}
