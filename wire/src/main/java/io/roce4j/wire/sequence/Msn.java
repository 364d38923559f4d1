// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.sequence;

/**
 * Arithmetic on 24-bit message sequence numbers: the only place where they are added, subtracted or
 * compared.
 *
 * <p>Values wrap from 0xFFFFFF to 0 and are compared serially: the 24-bit difference, read as a
 * signed number, decides (IBA 1.4, 9.7.1 and 9.7.5.1.1). Every window the stack keeps is below half
 * the number space, 2^23, so the sign is never ambiguous. Stateless; any thread.
 */
public final class Msn {
  /** All 24 bits set: the largest msn. */
  public static final int MASK = 0xFF_FFFF;

  /** Half the number space, 2^23: no two live values may be this far apart. */
  public static final int HALF_SPACE = 1 << 23;

  private static final int UNUSED_BITS = 8;

  private Msn() {}

  /**
   * The value after {@code msn}.
   *
   * @param msn 0..0xFFFFFF
   * @return the successor, 0 after 0xFFFFFF
   */
  public static int next(int msn) {
    return (msn + 1) & MASK;
  }

  /**
   * The value {@code delta} steps after {@code msn}.
   *
   * @param msn 0..0xFFFFFF
   * @param delta any int, negative to go back
   * @return 0..0xFFFFFF
   */
  public static int add(int msn, int delta) {
    return (msn + delta) & MASK;
  }

  /**
   * How many steps lead from {@code from} to {@code to}.
   *
   * @param from 0..0xFFFFFF
   * @param to 0..0xFFFFFF
   * @return {@code to - from} read as a signed 24-bit number, -2^23..2^23-1
   */
  public static int distance(int from, int to) {
    return ((to - from) << UNUSED_BITS) >> UNUSED_BITS;
  }

  /**
   * Whether {@code a} lies before {@code b}.
   *
   * @param a 0..0xFFFFFF
   * @param b 0..0xFFFFFF
   * @return true when the signed distance from b to a is negative
   */
  public static boolean isBefore(int a, int b) {
    return (a - b) << UNUSED_BITS < 0;
  }

  /**
   * Whether {@code a} lies after {@code b}.
   *
   * @param a 0..0xFFFFFF
   * @param b 0..0xFFFFFF
   * @return true when the signed distance from b to a is positive
   */
  public static boolean isAfter(int a, int b) {
    return (a - b) << UNUSED_BITS > 0;
  }

  /**
   * Whether a caller's number fits the field [FC-10].
   *
   * @param msn any int
   * @return true for 0..0xFFFFFF
   */
  public static boolean isValid(int msn) {
    return (msn & ~MASK) == 0;
  }
}
