// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

/**
 * The 16-bit rate of a fair-share hint: an unsigned float with 5 bits of exponent and 11 of
 * mantissa in units of 1 kbit/s.
 *
 * <p>Exponent 0: the value is the mantissa. Exponent e above 0: (2048 + mantissa) * 2^(e-1). So
 * every rate up to 4.4e15 bit/s has a neighbour below it within 0.049%. 0 means no hint, 0xFFFF
 * unlimited. Stateless; any thread.
 */
public final class FairShareHint {
  /** Code: no hint. */
  public static final int NONE = 0;

  /** Code: no limit. */
  public static final int UNLIMITED = 0xFFFF;

  /** Largest code with a finite rate. */
  public static final int FINITE_MAX = 0xFFFE;

  private static final int MANTISSA_BITS = 11;
  private static final int HIDDEN_BIT = 1 << MANTISSA_BITS;
  private static final long UNIT_BITS_PER_SECOND = 1000;

  private FairShareHint() {}

  /**
   * Encodes a rate, rounding down but not below 1 kbit/s, so that shares never add up to more than
   * was meant.
   *
   * @param bitsPerSecond 0 and negative count as the smallest rate; {@link Long#MAX_VALUE} is
   *     unlimited
   * @return 1..0xFFFF
   */
  public static int encode(long bitsPerSecond) {
    if (bitsPerSecond == Long.MAX_VALUE) {
      return UNLIMITED;
    }
    long units = bitsPerSecond / UNIT_BITS_PER_SECOND;
    if (units < 1) {
      return 1;
    }
    if (units < HIDDEN_BIT) {
      return (int) units;
    }
    int shift = 63 - Long.numberOfLeadingZeros(units) - MANTISSA_BITS;
    int exponent = shift + 1;
    if (exponent > 31) {
      return FINITE_MAX;
    }
    int mantissa = (int) (units >> shift) - HIDDEN_BIT;
    return Math.min(exponent << MANTISSA_BITS | mantissa, FINITE_MAX);
  }

  /**
   * Decodes a hint.
   *
   * @param code 0..0xFFFF
   * @return bit/s; 0 for {@link #NONE}, {@link Long#MAX_VALUE} for {@link #UNLIMITED}
   */
  public static long decode(int code) {
    if (code == UNLIMITED) {
      return Long.MAX_VALUE;
    }
    int exponent = code >>> MANTISSA_BITS;
    long mantissa = code & (HIDDEN_BIT - 1);
    long units = exponent == 0 ? mantissa : (HIDDEN_BIT + mantissa) << (exponent - 1);
    return units * UNIT_BITS_PER_SECOND;
  }
}
