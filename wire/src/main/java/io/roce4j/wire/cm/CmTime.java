// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/**
 * The 5-bit time codes of CM: 4.096 us times 2^code (IBA 1.4, 12.7.20 and others). Stateless; any
 * thread.
 */
public final class CmTime {
  /** Largest code. */
  public static final int MAX_CODE = 31;

  private static final long UNIT_NS = 4_096;
  private static final long MS_NS = 1_000_000L;
  private static final int MS_CODE = 8;

  private CmTime() {}

  /**
   * The time a code stands for.
   *
   * @param code 0..31
   * @return 4,096 ns to 8,796 s
   */
  public static long toNs(int code) {
    return UNIT_NS << (code & MAX_CODE);
  }

  /**
   * The time as Linux takes it in its CM: whole milliseconds, 2^(code - 8), at least one.
   *
   * @param code 0..31
   * @return nanoseconds
   */
  public static long toLinuxNs(int code) {
    return MS_NS << Math.max((code & MAX_CODE) - MS_CODE, 0);
  }

  /**
   * The smallest code whose time is not below a duration.
   *
   * @param ns 0 or more
   * @return 0..31; 31 when the duration is longer than any
   */
  public static int code(long ns) {
    int code = 0;
    while (code < MAX_CODE && toNs(code) < ns) {
      code++;
    }
    return code;
  }
}
