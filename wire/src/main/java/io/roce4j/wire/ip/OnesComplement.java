// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;

/** The Internet checksum (RFC 1071) in two steps, so that parts can be added up. */
final class OnesComplement {
  private OnesComplement() {}

  /**
   * Sum of big-endian words, to be folded; an odd last byte counts as the high half of a word.
   * Words of 32 bits give the same folded sum as words of 16.
   */
  static long sum(DirectBuffer buffer, int offset, int length) {
    long sum = 0;
    int whole = length & ~3;
    for (int i = 0; i < whole; i += Integer.BYTES) {
      sum += buffer.getInt(offset + i, BIG_ENDIAN) & 0xFFFF_FFFFL;
    }
    for (int i = whole; i < length; i++) {
      int octet = buffer.getByte(offset + i) & 0xFF;
      sum += (i & 1) == 0 ? octet << 8 : octet;
    }
    return sum;
  }

  /** Folds the carries and inverts. */
  static int finish(long sum) {
    long folded = sum;
    while (folded >>> 16 != 0) {
      folded = (folded & 0xFFFF) + (folded >>> 16);
    }
    return (int) ~folded & 0xFFFF;
  }
}
