// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * A rate as 16 bits, for hints on the wire: an unsigned float with the exponent e in the top 5 bits
 * and the mantissa m in the low 11, in units of 1 kbit/s.
 *
 * <pre>
 *    15       11 10                    0
 *   +-----------+-----------------------+
 *   |     e     |           m           |    e = 0: m        e &gt; 0: (2048 + m) * 2^(e-1)
 *   +-----------+-----------------------+
 * </pre>
 *
 * <p>The relative step is below 0.049%; the largest finite value is about 4.4e15 bit/s. Encoding
 * rounds down, so a decoded hint never promises more than was meant, but never below 1 kbit/s.
 */
public final class HintCode {

  /** No hint. */
  public static final int NONE = 0x0000;

  /** No bound. */
  public static final int UNLIMITED = 0xffff;

  private static final int MANTISSA_BITS = 11;
  private static final int IMPLICIT_ONE = 1 << MANTISSA_BITS;
  private static final long UNIT = 1000;
  private static final int LARGEST_EXPONENT = 31;
  private static final int LARGEST_FINITE = UNLIMITED - 1;

  private HintCode() {}

  /**
   * Encodes a rate.
   *
   * @param bitsPerSecond the rate; {@link CongestionController#UNLIMITED} becomes {@link
   *     #UNLIMITED}, anything below 1 kbit/s becomes 1 kbit/s
   * @return the code, 1 to 0xffff
   */
  public static int encode(long bitsPerSecond) {
    if (bitsPerSecond == CongestionController.UNLIMITED) {
      return UNLIMITED;
    }
    long units = Math.max(1, bitsPerSecond / UNIT);
    if (units < IMPLICIT_ONE) {
      return (int) units;
    }
    int exponent = Long.SIZE - Long.numberOfLeadingZeros(units) - MANTISSA_BITS;
    int mantissa = (int) (units >>> (exponent - 1)) - IMPLICIT_ONE;
    if (exponent > LARGEST_EXPONENT) {
      return LARGEST_FINITE;
    }
    return Math.min((exponent << MANTISSA_BITS) | mantissa, LARGEST_FINITE);
  }

  /**
   * Decodes a hint.
   *
   * @param code the code, of which the low 16 bits count
   * @return bit/s; 0 for {@link #NONE}, {@link CongestionController#UNLIMITED} for {@link
   *     #UNLIMITED}
   */
  public static long decode(int code) {
    int bits = code & 0xffff;
    if (bits == UNLIMITED) {
      return CongestionController.UNLIMITED;
    }
    int exponent = bits >>> MANTISSA_BITS;
    long mantissa = bits & (IMPLICIT_ONE - 1);
    return UNIT * (exponent == 0 ? mantissa : (IMPLICIT_ONE + mantissa) << (exponent - 1));
  }
}
