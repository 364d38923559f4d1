// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.impair.Impairment;

/**
 * A one-way link.
 *
 * @param bitsPerSecond serialisation rate on the wire, 1 or more
 * @param delayNs propagation, 0 or more (5 ns a metre)
 * @param queueBytes wire bytes that may wait or be on their way out, one packet at least; what does
 *     not fit is dropped, or refused to a sender that asks for room first
 * @param keepsOrder whether jitter delays without letting a packet pass an earlier one
 * @param impairment what happens to the packets on the way
 */
public record LinkSettings(
    long bitsPerSecond, long delayNs, long queueBytes, boolean keepsOrder, Impairment impairment) {
  /** Bytes around an IP packet on Ethernet: header 14, FCS 4, preamble 8, gap 12. */
  public static final int ETHERNET_OVERHEAD = 38;

  private static final long MAX_BITS_PER_SECOND = 10_000_000_000_000L;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public LinkSettings {
    if (bitsPerSecond < 1 || bitsPerSecond > MAX_BITS_PER_SECOND) {
      throw new IllegalArgumentException(
          "bitsPerSecond " + bitsPerSecond + ": allowed 1 to " + MAX_BITS_PER_SECOND);
    }
    if (delayNs < 0) {
      throw new IllegalArgumentException("delayNs " + delayNs + ": must be at least 0");
    }
    if (queueBytes < 1) {
      throw new IllegalArgumentException("queueBytes " + queueBytes + ": must be at least 1");
    }
  }

  /**
   * A link without impairments.
   *
   * @param bitsPerSecond serialisation rate on the wire
   * @param delayNs propagation
   * @param queueBytes wire bytes that may wait
   * @return the settings
   */
  public static LinkSettings perfect(long bitsPerSecond, long delayNs, long queueBytes) {
    return new LinkSettings(bitsPerSecond, delayNs, queueBytes, true, Impairment.none());
  }

  /**
   * This with other impairments.
   *
   * @param value what happens to the packets
   * @return the changed copy
   */
  public LinkSettings with(Impairment value) {
    return new LinkSettings(bitsPerSecond, delayNs, queueBytes, keepsOrder, value);
  }

  /**
   * This with jitter that keeps or breaks order.
   *
   * @param value true to keep it
   * @return the changed copy
   */
  public LinkSettings keepingOrder(boolean value) {
    return new LinkSettings(bitsPerSecond, delayNs, queueBytes, value, impairment);
  }

  /**
   * How long a packet occupies the link.
   *
   * @param wireBytes with {@link #ETHERNET_OVERHEAD}
   * @return picoseconds, rounded up
   */
  long serialisationPs(long wireBytes) {
    // At most 65,573 bytes: 5.3e17 ps-bits, far below 2^63.
    return Math.ceilDiv(wireBytes * 8 * 1_000_000_000_000L, bitsPerSecond);
  }
}
