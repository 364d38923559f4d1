// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Turns a rate into departure times. A token bucket kept as the time at which it will be full again
 * (the virtual scheduling form of the generic cell rate algorithm, ITU-T I.371), with the fraction
 * of a nanosecond carried along exactly: at a constant rate no number of packets makes it drift
 * [FC-58].
 *
 * <p>Rates are decimal bit/s; the counted bytes are whatever the caller passes (the engines pass
 * what they also count against the window, and say so in their settings). Any rate from 1 bit/s
 * works, so a rate below one packet per round trip simply gives long gaps.
 *
 * <p>Two bounds are kept apart. {@code burstBytes} is what may leave back to back. {@code
 * catchUpNs} is how much lateness of the caller is made good: an agent that wakes 10 us late sends
 * the next bytes that much earlier instead of losing the time, so in any interval {@code t} at most
 * {@code max(burstBytes, largest packet) + rate * (t + catchUpNs)} leaves.
 *
 * <p>One thread; allocates nothing.
 */
public final class Pacer {

  /** Nanoseconds a byte takes at 1 bit/s. */
  private static final long BYTE_NS_AT_ONE_BIT = 8_000_000_000L;

  /** Largest byte count whose cost at 1 bit/s still fits a long, about 1.07 GiB. */
  private static final long MAX_BYTES = Long.MAX_VALUE / BYTE_NS_AT_ONE_BIT;

  /** Longest debt carried over a change of rate, 146 years. */
  private static final double LONGEST_DEBT_NS = 0x1p62;

  private final long burstBytes;
  private final long catchUpNs;

  /** What the controller asks for, what the user allows at most, and the smaller of the two. */
  private long asked;

  private long limit = CongestionController.UNLIMITED;
  private long rate;

  /** Time at which all bytes taken so far are paid for, whole nanoseconds. */
  private long paidNs;

  /** Fraction of a nanosecond of {@link #paidNs}, in units of 1/rate, 0 to rate - 1. */
  private long fraction;

  private boolean started;

  /**
   * A pacer that lets single packets pass and makes good lateness below one nanosecond only.
   *
   * @param rateBitsPerSecond bit/s, 1 or more, or {@link CongestionController#UNLIMITED}
   */
  public Pacer(long rateBitsPerSecond) {
    this(rateBitsPerSecond, 0, 0);
  }

  /**
   * A pacer.
   *
   * @param rateBitsPerSecond bit/s, 1 or more, or {@link CongestionController#UNLIMITED}
   * @param burstBytes bytes that may leave back to back; a packet larger than that leaves alone
   * @param catchUpNs lateness of the caller that is made good, ns
   * @throws IllegalArgumentException naming the value and the limit
   */
  public Pacer(long rateBitsPerSecond, long burstBytes, long catchUpNs) {
    if (rateBitsPerSecond < 1) {
      throw new IllegalArgumentException("rate " + rateBitsPerSecond + " bit/s: must be 1 or more");
    }
    if (burstBytes < 0 || burstBytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "burst " + burstBytes + " bytes: must be from 0 to " + MAX_BYTES);
    }
    if (catchUpNs < 0 || catchUpNs > 1_000_000_000L) {
      throw new IllegalArgumentException(
          "catch-up " + catchUpNs + " ns: must be from 0 to 1000000000");
    }
    this.asked = rateBitsPerSecond;
    this.rate = rateBitsPerSecond;
    this.burstBytes = burstBytes;
    this.catchUpNs = catchUpNs;
  }

  /**
   * Changes the rate. Bytes already sent but not yet paid for are paid at the new rate, so a raise
   * takes effect at once instead of after a gap computed from the old rate.
   *
   * @param nowNs time of the endpoint, ns
   * @param bitsPerSecond bit/s; below 1 counts as 1, {@link CongestionController#UNLIMITED} is no
   *     pacing
   */
  public void rate(long nowNs, long bitsPerSecond) {
    asked = Math.max(1, bitsPerSecond);
    reprice(nowNs, Math.min(asked, limit));
  }

  /**
   * Sets a rate limit by hand, as for a queue pair (ibv_modify_qp_rate_limit, there in kbit/s). The
   * smaller of it and the controller's rate counts.
   *
   * @param nowNs time of the endpoint, ns
   * @param bitsPerSecond bit/s; below 1 counts as 1, {@link CongestionController#UNLIMITED} removes
   *     the limit
   */
  public void limit(long nowNs, long bitsPerSecond) {
    limit = Math.max(1, bitsPerSecond);
    reprice(nowNs, Math.min(asked, limit));
  }

  private void reprice(long nowNs, long next) {
    if (next == rate) {
      return;
    }
    if (next == CongestionController.UNLIMITED || rate == CongestionController.UNLIMITED) {
      paidNs = nowNs;
      fraction = 0;
    } else if (started && paidNs > nowNs) {
      double debtNs = ((paidNs - nowNs) + (double) fraction / rate) * ((double) rate / next);
      long wholeNs = (long) Math.min(debtNs, LONGEST_DEBT_NS);
      paidNs = saturatedAdd(nowNs, wholeNs);
      fraction = Math.min(next - 1, (long) ((debtNs - wholeNs) * next));
    } else {
      fraction = Math.min(next - 1, (long) ((double) fraction / rate * next));
    }
    rate = next;
  }

  /**
   * The rate limit set by hand.
   *
   * @return bit/s, or {@link CongestionController#UNLIMITED}
   */
  public long limitBitsPerSecond() {
    return limit;
  }

  /**
   * The rate in force: the smaller of the controller's and the limit.
   *
   * @return bit/s, or {@link CongestionController#UNLIMITED}
   */
  public long rateBitsPerSecond() {
    return rate;
  }

  /**
   * When the given bytes may leave.
   *
   * @param nowNs time of the endpoint, ns
   * @param bytes bytes to send in one go, 1 or more
   * @return {@code nowNs} when they may leave now, else the first whole nanosecond at which they
   *     may
   */
  public long earliestNs(long nowNs, long bytes) {
    if (rate == CongestionController.UNLIMITED || !started) {
      return nowNs;
    }
    long spare = burstBytes - bytes;
    long readyNs = fraction > 0 ? saturatedAdd(paidNs, 1) : paidNs;
    if (spare > 0) {
      readyNs -= costNs(spare);
    }
    return Math.max(nowNs, readyNs);
  }

  /**
   * Takes the bytes if they may leave now.
   *
   * @param nowNs time of the endpoint, ns
   * @param bytes bytes to send in one go, 1 or more
   * @return false when it is too early; nothing is taken then
   */
  public boolean tryTake(long nowNs, long bytes) {
    if (earliestNs(nowNs, bytes) > nowNs) {
      return false;
    }
    take(nowNs, bytes);
    return true;
  }

  /**
   * Charges bytes that left, whether or not it was time: retransmissions that may not wait, or a
   * train that was cut after it was asked for.
   *
   * @param nowNs time of the endpoint, ns
   * @param bytes bytes sent, 0 or more
   */
  public void take(long nowNs, long bytes) {
    if (rate == CongestionController.UNLIMITED) {
      return;
    }
    if (!started) {
      started = true;
      paidNs = nowNs;
      fraction = 0;
    } else if (paidNs < nowNs - catchUpNs - 1) {
      // Up to one nanosecond of lateness is earliestNs rounding up, never idleness.
      paidNs = nowNs - catchUpNs;
      fraction = 0;
    }
    long cost = Math.min(bytes, MAX_BYTES) * BYTE_NS_AT_ONE_BIT;
    long whole = cost / rate;
    long rest = cost % rate + fraction;
    if (rest < 0 || rest >= rate) {
      rest -= rate;
      whole++;
    }
    paidNs = saturatedAdd(paidNs, whole);
    fraction = rest;
  }

  /**
   * Bytes that may leave now in one go.
   *
   * @param nowNs time of the endpoint, ns
   * @param packetBytes size of a full packet, 1 or more
   * @return 0 when not even one full packet may leave; else at least {@code packetBytes} and at
   *     most the burst; {@link CongestionController#UNLIMITED} without pacing
   */
  public long roomBytes(long nowNs, long packetBytes) {
    if (rate == CongestionController.UNLIMITED) {
      return CongestionController.UNLIMITED;
    }
    long full = Math.max(burstBytes, packetBytes);
    long readyNs = fraction > 0 ? saturatedAdd(paidNs, 1) : paidNs;
    if (!started || nowNs >= readyNs) {
      return full;
    }
    double owedBytes = (double) (readyNs - nowNs) * rate / BYTE_NS_AT_ONE_BIT;
    long room = burstBytes - (long) Math.ceil(Math.min(owedBytes, (double) MAX_BYTES));
    return room < packetBytes || earliestNs(nowNs, room) > nowNs ? 0 : room;
  }

  private long costNs(long bytes) {
    return Math.min(bytes, MAX_BYTES) * BYTE_NS_AT_ONE_BIT / rate;
  }

  private static long saturatedAdd(long a, long b) {
    long sum = a + b;
    return sum < a ? Long.MAX_VALUE : sum;
  }
}
