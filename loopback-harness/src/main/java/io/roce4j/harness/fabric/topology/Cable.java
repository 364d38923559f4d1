// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * A full-duplex cable between two ports.
 *
 * @param bitsPerSecond serialisation rate of each direction, 1 to 10^13
 * @param delayNs propagation, 0 to 10^9 (5 ns a metre)
 */
public record Cable(long bitsPerSecond, long delayNs) {
  private static final long MAX_BITS_PER_SECOND = 10_000_000_000_000L;
  private static final long MAX_DELAY_NS = 1_000_000_000;
  private static final long GBIT = 1_000_000_000;
  private static final long NS_PER_METRE = 5;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public Cable {
    Limits.check("bitsPerSecond", bitsPerSecond, 1, MAX_BITS_PER_SECOND);
    Limits.check("delayNs", delayNs, 0, MAX_DELAY_NS);
  }

  /**
   * A cable by its usual names.
   *
   * @param gigabitsPerSecond rate, such as 100
   * @param metres length; light needs 5 ns for each
   * @return the cable
   */
  public static Cable gbit(long gigabitsPerSecond, long metres) {
    return new Cable(gigabitsPerSecond * GBIT, metres * NS_PER_METRE);
  }

  /**
   * How long bytes occupy one direction.
   *
   * @param bytes on the wire, 0 to 100,000
   * @return picoseconds, rounded up
   */
  public long serialisationPs(long bytes) {
    return Math.ceilDiv(bytes * 8 * 1_000_000_000_000L, bitsPerSecond);
  }
}
