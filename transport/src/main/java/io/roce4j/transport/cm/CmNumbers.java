// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

/**
 * The numbers a connection manager chooses, drawn from a seed: the same seed, the same run. To a
 * stranger they are not predictable, since messages are found by them.
 */
final class CmNumbers {
  private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

  private long state;

  CmNumbers(long seed, long gidHi, long gidLo) {
    // Endpoints of one run share its seed: their addresses tell them apart.
    state = mix(seed ^ mix(gidHi + STEP) ^ mix(gidLo - STEP));
  }

  int commId() {
    return (int) (next() >>> 32);
  }

  /** First PSN of a connection, 24 bits. */
  int startingPsn() {
    return (int) (next() >>> 40);
  }

  /** Anything from 0 to bound - 1. */
  int below(int bound) {
    return (int) Long.remainderUnsigned(next(), bound);
  }

  /** Any 64 bits but 0. */
  long nonZero() {
    long value = next();
    return value == 0 ? 1 : value;
  }

  private long next() {
    state += STEP;
    return mix(state);
  }

  private static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
    return z ^ z >>> 31;
  }
}
