// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Bits of consecutive 32-bit numbers in off-heap memory, as a ring: number n has bit n modulo the
 * ring's size. 64 of them ending at any number come out in one {@code long}, the latest in the top
 * bit, which is the form the vector of an acknowledgement has on the wire.
 *
 * <p>Every method takes buffer, offset and size of the ring, so that thousands of rings need no
 * object each. Sizes are powers of two, 64 or more. The caller keeps the window below the size and
 * clears numbers before they come round again.
 */
final class SackVector {
  private static final int WORD_SHIFT = 6;
  private static final int WORD_MASK = 63;

  private SackVector() {}

  /** Bytes of a ring of so many bits. */
  static int bytes(int bits) {
    return bits >>> 3;
  }

  private static int index(int offset, int bits, int number) {
    return offset + (((number & (bits - 1)) >>> WORD_SHIFT) << 3);
  }

  /** Whether the bit of a number is set. */
  static boolean get(UnsafeBuffer buffer, int offset, int bits, int number) {
    return (buffer.getLong(index(offset, bits, number)) >>> (number & WORD_MASK) & 1) != 0;
  }

  /** Sets the bit of a number. */
  static void set(UnsafeBuffer buffer, int offset, int bits, int number) {
    int index = index(offset, bits, number);
    buffer.putLong(index, buffer.getLong(index) | 1L << (number & WORD_MASK));
  }

  /** Clears the bit of a number. */
  static void clear(UnsafeBuffer buffer, int offset, int bits, int number) {
    int index = index(offset, bits, number);
    buffer.putLong(index, buffer.getLong(index) & ~(1L << (number & WORD_MASK)));
  }

  /** Clears {@code count} numbers from {@code first} on, the whole ring when there are more. */
  static void clearRange(UnsafeBuffer buffer, int offset, int bits, int first, int count) {
    if (count >= bits) {
      buffer.setMemory(offset, bytes(bits), (byte) 0);
      return;
    }
    int number = first;
    int left = count;
    while (left > 0) {
      int bit = number & WORD_MASK;
      int run = Math.min(left, 64 - bit);
      long mask = (run == 64 ? -1L : (1L << run) - 1) << bit;
      int index = index(offset, bits, number);
      buffer.putLong(index, buffer.getLong(index) & ~mask);
      number += run;
      left -= run;
    }
  }

  /**
   * 64 numbers ending at {@code latest}: bit 63 is {@code latest}, bit 0 is {@code latest} - 63.
   */
  static long window(UnsafeBuffer buffer, int offset, int bits, int latest) {
    int bit = latest & WORD_MASK;
    long high = buffer.getLong(index(offset, bits, latest)) << (WORD_MASK - bit);
    if (bit == WORD_MASK) {
      return high;
    }
    return high | buffer.getLong(index(offset, bits, latest - 64)) >>> (bit + 1);
  }

  /**
   * The first number from {@code first} on whose bit is set.
   *
   * @return steps from {@code first}, or {@code count} when the next {@code count} bits are clear
   */
  static int stepsToSet(UnsafeBuffer buffer, int offset, int bits, int first, int count) {
    int steps = 0;
    while (steps < count) {
      int number = first + steps;
      int bit = number & WORD_MASK;
      long word = buffer.getLong(index(offset, bits, number)) >>> bit;
      if (word != 0) {
        return Math.min(count, steps + Long.numberOfTrailingZeros(word));
      }
      steps += 64 - bit;
    }
    return count;
  }

  /**
   * The first number from {@code first} on whose bit is clear.
   *
   * @return steps from {@code first}, or {@code count} when the next {@code count} bits are set
   */
  static int stepsToClear(UnsafeBuffer buffer, int offset, int bits, int first, int count) {
    int steps = 0;
    while (steps < count) {
      int number = first + steps;
      int bit = number & WORD_MASK;
      long word = ~buffer.getLong(index(offset, bits, number)) >>> bit;
      if (word != 0) {
        return Math.min(count, steps + Long.numberOfTrailingZeros(word));
      }
      steps += 64 - bit;
    }
    return count;
  }
}
