// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

/** What a pcapng interface block says: link type, snap length and how its clock ticks. */
final class CaptureInterface {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int NANO_DIGITS = 9;
  private static final int DEFAULT_DIGITS = 6;
  private static final int MAX_DIGITS = 18;
  private static final int MAX_BINARY_DIGITS = 62;
  private static final int PRODUCT_BITS = 33;
  private static final int BINARY = 0x80;

  private final int linkType;
  private final long snapLength;
  private int digits = DEFAULT_DIGITS;
  private boolean binary;
  private long unitsPerSecond = 1_000_000L;
  private long offsetSeconds;

  CaptureInterface(int linkType, long snapLength) {
    this.linkType = linkType;
    this.snapLength = snapLength;
  }

  int linkType() {
    return linkType;
  }

  long snapLength() {
    return snapLength;
  }

  /** Takes the if_tsresol option; false when finer than can be counted. */
  boolean resolution(int option) {
    binary = (option & BINARY) != 0;
    digits = option & ~BINARY;
    if (digits > (binary ? MAX_BINARY_DIGITS : MAX_DIGITS)) {
      return false;
    }
    unitsPerSecond = binary ? 1L << digits : powerOfTen(digits);
    return true;
  }

  void offsetSeconds(long seconds) {
    offsetSeconds = seconds;
  }

  /** Nanoseconds since 1970 of an unsigned tick count; times after the year 2262 wrap. */
  long timeNs(long ticks) {
    long seconds = Long.divideUnsigned(ticks, unitsPerSecond);
    long rest = Long.remainderUnsigned(ticks, unitsPerSecond);
    return (seconds + offsetSeconds) * SECOND_NS + fractionNs(rest);
  }

  private long fractionNs(long rest) {
    if (!binary) {
      return digits <= NANO_DIGITS
          ? rest * powerOfTen(NANO_DIGITS - digits)
          : rest / powerOfTen(digits - NANO_DIGITS);
    }
    // A fraction of more than 33 bits times 10^9 would overflow; the bits dropped are below 0.2 ns.
    int drop = Math.max(0, digits - PRODUCT_BITS);
    return ((rest >>> drop) * SECOND_NS) >>> (digits - drop);
  }

  private static long powerOfTen(int exponent) {
    long power = 1;
    for (int i = 0; i < exponent; i++) {
      power *= 10;
    }
    return power;
  }
}
