// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * Serial arithmetic for the numbers of MX that are not 24 bits wide: the signed difference modulo
 * the width decides, and every window is below half the width. 24-bit numbers are {@code Psn}'s and
 * {@code Msn}'s.
 */
final class Serial {
  private Serial() {}

  /** Steps from one 32-bit number to another, -2^31..2^31-1. */
  static int distance32(int from, int to) {
    return to - from;
  }

  /** Whether 32-bit number a comes after b. */
  static boolean isAfter32(int a, int b) {
    return a - b > 0;
  }

  /** The later of two 32-bit numbers. */
  static int later32(int a, int b) {
    return a - b > 0 ? a : b;
  }

  /** Steps from one 16-bit number to another, -32768..32767. */
  static int distance16(int from, int to) {
    return (short) (to - from);
  }

  /** Steps from one 8-bit number to another, -128..127. */
  static int distance8(int from, int to) {
    return (byte) (to - from);
  }
}
