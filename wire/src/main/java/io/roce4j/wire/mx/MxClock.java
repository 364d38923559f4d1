// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

/**
 * The clock of MX headers: 32 bits of 8 ns, wrapping every 34.4 s. Two stamps may be compared when
 * they are less than 17 s apart. Stateless; any thread.
 */
public final class MxClock {
  /** Nanoseconds in one unit. */
  public static final int UNIT_NS = 8;

  private static final int UNIT_SHIFT = 3;

  private MxClock() {}

  /**
   * The stamp of a time.
   *
   * @param nowNs nanoseconds of any origin
   * @return the low 32 bits of the time in 8 ns units
   */
  public static int stamp(long nowNs) {
    return (int) (nowNs >> UNIT_SHIFT);
  }

  /**
   * Time from one stamp to another.
   *
   * @param from a stamp
   * @param to a stamp
   * @return nanoseconds, negative when {@code to} is the earlier one
   */
  public static long elapsedNs(int from, int to) {
    return (long) (to - from) << UNIT_SHIFT;
  }

  /**
   * A duration in units.
   *
   * @param durationNs nanoseconds; negative counts as 0
   * @return 0..0xFFFFFFFF units, the largest when it does not fit
   */
  public static long units(long durationNs) {
    return Math.clamp(durationNs >> UNIT_SHIFT, 0L, 0xFFFF_FFFFL);
  }
}
