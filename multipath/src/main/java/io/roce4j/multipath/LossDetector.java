// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * The one rule by which a transmission counts as lost: a path is ordered, so a transmission that is
 * missing behind a later one is gone. Pure: what one acknowledgement of one path says, nothing
 * else.
 */
final class LossDetector {
  private LossDetector() {}

  /**
   * Which of 64 transmissions may be declared lost, epoch aside.
   *
   * @param live transmissions under way: bit 63 is number hi - 64 * word, bit 0 is 63 before it
   * @param accepted the vector of the acknowledgement for the same numbers
   * @param word which 64 numbers: 0 those ending at the highest received
   * @param reorderTolerance how far behind the highest a transmission must be, 0 or more
   * @return those that are live, not accepted and more than the tolerance behind
   */
  static long lost(long live, long accepted, int word, int reorderTolerance) {
    return live & ~accepted & olderThan(reorderTolerance - 64 * word);
  }

  /**
   * Which of 64 transmissions a tail check declares lost: everything it was sent behind.
   *
   * @param live as above
   * @param accepted as above
   * @param latest number in bit 63
   * @param lastPseq last transmission before the check
   * @return those that are live, not accepted and not after {@code lastPseq}
   */
  static long lostBehindCheck(long live, long accepted, int latest, int lastPseq) {
    return live & ~accepted & olderThan(Serial.distance32(lastPseq, latest) - 1);
  }

  /** Mask of the positions more than {@code tolerance} behind bit 63. */
  private static long olderThan(int tolerance) {
    if (tolerance < 0) {
      return -1L;
    }
    return tolerance >= 63 ? 0 : -1L >>> (tolerance + 1);
  }
}
