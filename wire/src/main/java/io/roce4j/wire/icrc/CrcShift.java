// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.icrc;

/**
 * Runs a CRC-32 register backwards or forwards over zero bytes.
 *
 * <p>A CRC is linear, so a step over 2^k zero bytes is a 32 by 32 bit matrix. One matrix per power
 * of two is kept, as four tables of 256 words each; any distance up to 64 KiB is at most 17
 * look-ups of four words. Stateless after start; any thread.
 */
final class CrcShift {
  private static final int POLYNOMIAL = 0xEDB8_8320;
  private static final int POWERS = 17;
  private static final int LANES = 4;
  private static final int LANE = 256;
  private static final int[] BACK = build(false);
  private static final int[] FORTH = build(true);

  private CrcShift() {}

  /** The register as it was before {@code bytes} zero bytes, 0..131071, went through it. */
  static int back(int register, int bytes) {
    return step(BACK, register, bytes);
  }

  /** The register after {@code bytes} zero bytes, 0..131071, have gone through it. */
  static int forth(int register, int bytes) {
    return step(FORTH, register, bytes);
  }

  private static int step(int[] tables, int register, int bytes) {
    int value = register;
    int left = bytes;
    for (int power = 0; left != 0; power++) {
      if ((left & 1) != 0) {
        value = apply(tables, power, value);
      }
      left >>>= 1;
    }
    return value;
  }

  private static int apply(int[] tables, int power, int value) {
    int base = power * LANES * LANE;
    return tables[base + (value & 0xFF)]
        ^ tables[base + LANE + ((value >>> 8) & 0xFF)]
        ^ tables[base + 2 * LANE + ((value >>> 16) & 0xFF)]
        ^ tables[base + 3 * LANE + (value >>> 24)];
  }

  private static int[] build(boolean forth) {
    int[] tables = new int[POWERS * LANES * LANE];
    for (int power = 0; power < POWERS; power++) {
      for (int lane = 0; lane < LANES; lane++) {
        for (int octet = 0; octet < LANE; octet++) {
          int value = octet << (8 * lane);
          int stepped =
              power == 0
                  ? (forth ? forthOneByte(value) : backOneByte(value))
                  : apply(tables, power - 1, apply(tables, power - 1, value));
          tables[(power * LANES + lane) * LANE + octet] = stepped;
        }
      }
    }
    return tables;
  }

  private static int backOneByte(int register) {
    int value = register;
    for (int bit = 0; bit < Byte.SIZE; bit++) {
      value = value < 0 ? ((value ^ POLYNOMIAL) << 1) | 1 : value << 1;
    }
    return value;
  }

  private static int forthOneByte(int register) {
    int value = register;
    for (int bit = 0; bit < Byte.SIZE; bit++) {
      value = (value & 1) != 0 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    }
    return value;
  }
}
