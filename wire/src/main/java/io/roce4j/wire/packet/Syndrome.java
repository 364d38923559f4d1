// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

/**
 * Coding of the AETH syndrome byte (IBA 1.4, 9.7.5.2.8 and 9.7.7.2; table 45 for the RNR timer).
 *
 * <pre>
 * bits 7..5  000 ACK, bits 4..0 credit code, 31 = no credit limit
 *            001 RNR NAK, bits 4..0 timer code
 *            011 NAK, bits 4..0 reason
 *            others reserved: ignored on receive, never sent
 * </pre>
 *
 * <p>[rc 4-1..5] Stateless; any thread.
 */
public final class Syndrome {
  /** NAK: PSN sequence error. */
  public static final int NAK_PSN_SEQUENCE_ERROR = 0x60;

  /** NAK: invalid request. */
  public static final int NAK_INVALID_REQUEST = 0x61;

  /** NAK: remote access error. */
  public static final int NAK_REMOTE_ACCESS_ERROR = 0x62;

  /** NAK: remote operational error. */
  public static final int NAK_REMOTE_OPERATIONAL_ERROR = 0x63;

  /** NAK: invalid RD request; never sent on RoCE. */
  public static final int NAK_INVALID_RD_REQUEST = 0x64;

  /** ACK that sets no credit limit. */
  public static final int UNLIMITED_CREDITS = 0x1F;

  /** What {@link #credits} returns for {@link #UNLIMITED_CREDITS}. */
  public static final int NO_CREDIT_LIMIT = Integer.MAX_VALUE;

  private static final int RNR_NAK = 0x20;
  private static final int VALUE_MASK = 0x1F;
  // [rc 5-1] [rc 5-2]
  private static final int[] CREDITS = {
    0,
    1,
    2,
    3,
    4,
    6,
    8,
    12,
    16,
    24,
    32,
    48,
    64,
    96,
    128,
    192,
    256,
    384,
    512,
    768,
    1024,
    1536,
    2048,
    3072,
    4096,
    6144,
    8192,
    12288,
    16384,
    24576,
    32768,
    NO_CREDIT_LIMIT
  };

  // [rc 6-1..8] [rc 24-18] Code 0 is the longest wait, not none [FC-16].
  private static final int[] RNR_TIMER_US = {
    655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1_280, 1_920, 2_560, 3_840,
    5_120, 7_680, 10_240, 15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840, 245_760,
    327_680, 491_520
  };

  private Syndrome() {}

  /**
   * Whether the byte is an ACK.
   *
   * @param syndrome 0..0xFF
   * @return true for 0x00..0x1F
   */
  public static boolean isAck(int syndrome) {
    return (syndrome & 0xE0) == 0;
  }

  /**
   * Whether the byte is a receiver-not-ready NAK.
   *
   * @param syndrome 0..0xFF
   * @return true for 0x20..0x3F
   */
  public static boolean isRnrNak(int syndrome) {
    return (syndrome & 0xE0) == RNR_NAK;
  }

  /**
   * Whether the byte is a NAK with a defined reason (RNR is not one of them).
   *
   * @param syndrome 0..0xFF
   * @return true for 0x60..0x63
   */
  public static boolean isNak(int syndrome) {
    return syndrome >= NAK_PSN_SEQUENCE_ERROR && syndrome <= NAK_REMOTE_OPERATIONAL_ERROR;
  }

  /**
   * Whether the value is reserved: to be ignored on receive, never sent.
   *
   * @param syndrome 0..0xFF
   * @return true when it is neither ACK, RNR NAK nor a NAK with a defined reason
   */
  public static boolean isReserved(int syndrome) {
    return !isAck(syndrome) && !isRnrNak(syndrome) && !isNak(syndrome);
  }

  /**
   * Makes an ACK with a credit code.
   *
   * @param creditCode 0..31
   * @return the syndrome byte
   */
  public static int ack(int creditCode) {
    return creditCode & VALUE_MASK;
  }

  /**
   * Makes an RNR NAK.
   *
   * @param timerCode 0..31
   * @return the syndrome byte
   */
  public static int rnrNak(int timerCode) {
    return RNR_NAK | (timerCode & VALUE_MASK);
  }

  /**
   * The low five bits: credit code, RNR timer code or NAK reason.
   *
   * @param syndrome 0..0xFF
   * @return 0..31
   */
  public static int value(int syndrome) {
    return syndrome & VALUE_MASK;
  }

  /**
   * Credits a code stands for.
   *
   * @param creditCode 0..31
   * @return 0..32768, or {@link #NO_CREDIT_LIMIT} for code 31
   */
  public static int credits(int creditCode) {
    return CREDITS[creditCode & VALUE_MASK];
  }

  /**
   * [rc 5-3] The code of the largest table value not above a number of free receive work requests.
   *
   * @param credits 0 or more
   * @return 0..30
   */
  public static int creditCode(int credits) {
    int low = 0;
    int high = UNLIMITED_CREDITS - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (CREDITS[middle] <= credits) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /**
   * How long the sender of an RNR NAK wants to be left alone.
   *
   * @param timerCode 0..31
   * @return 10,000 ns (code 1) to 655,360,000 ns (code 0)
   */
  public static long rnrTimerNs(int timerCode) {
    return RNR_TIMER_US[timerCode & VALUE_MASK] * 1_000L;
  }

  /**
   * The code of the shortest RNR wait not below a duration.
   *
   * @param waitNs wanted wait; more than 655.36 ms gives code 0, the longest there is
   * @return 0..31
   */
  public static int rnrTimerCode(long waitNs) {
    for (int code = 1; code < RNR_TIMER_US.length; code++) {
      if (rnrTimerNs(code) >= waitNs) {
        return code;
      }
    }
    return 0;
  }

  /**
   * Names the kind and value for people.
   *
   * @param syndrome 0..0xFF
   * @return for example {@code ACK}, {@code RNR NAK 0.64 ms}, {@code NAK PSN sequence error}
   */
  public static String describe(int syndrome) {
    if (isAck(syndrome)) {
      return syndrome == UNLIMITED_CREDITS ? "ACK" : "ACK credits " + credits(syndrome);
    }
    if (isRnrNak(syndrome)) {
      int us = RNR_TIMER_US[value(syndrome)];
      return "RNR NAK "
          + us / 1000
          + "."
          + String.valueOf(100 + us % 1000 / 10).substring(1)
          + " ms";
    }
    return switch (syndrome) {
      case NAK_PSN_SEQUENCE_ERROR -> "NAK PSN sequence error";
      case NAK_INVALID_REQUEST -> "NAK invalid request";
      case NAK_REMOTE_ACCESS_ERROR -> "NAK remote access error";
      case NAK_REMOTE_OPERATIONAL_ERROR -> "NAK remote operational error";
      default -> "reserved syndrome";
    };
  }
}
