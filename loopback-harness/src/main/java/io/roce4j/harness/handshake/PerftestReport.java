// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.handshake;

/**
 * What a perftest client tells its server at the end of a bandwidth test [oob 4.2].
 *
 * @param sizeBytes message size
 * @param iterations messages
 * @param peak best bandwidth, in the unit that both sides print
 * @param average bandwidth over all messages, in the same unit
 * @param millionMessages messages per microsecond
 */
public record PerftestReport(
    long sizeBytes, long iterations, double peak, double average, double millionMessages) {
  /** Fields, each an exchange of its own. */
  static final int FIELDS = 5;

  /** What a side says that has nothing to say. */
  public static final PerftestReport NOTHING = new PerftestReport(0, 0, 0, 0, 0);

  static PerftestReport of(long[] fields) {
    return new PerftestReport(
        fields[0],
        fields[1],
        Double.longBitsToDouble(fields[2]),
        Double.longBitsToDouble(fields[3]),
        Double.longBitsToDouble(fields[4]));
  }

  long[] fields() {
    return new long[] {
      sizeBytes,
      iterations,
      Double.doubleToRawLongBits(peak),
      Double.doubleToRawLongBits(average),
      Double.doubleToRawLongBits(millionMessages)
    };
  }

  /** Whether the numbers can be printed: a passive peer answers with whatever its memory holds. */
  boolean isSane() {
    return sizeBytes >= 0
        && iterations >= 0
        && isRate(peak)
        && isRate(average)
        && isRate(millionMessages);
  }

  private static boolean isRate(double value) {
    return value >= 0 && value < 1e12;
  }
}
