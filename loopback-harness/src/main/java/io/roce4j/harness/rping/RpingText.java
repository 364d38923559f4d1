// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

import java.nio.charset.StandardCharsets;

/**
 * The text a client offers: a numbered start, then characters from {@code A} to {@code z} going
 * round, one further in each iteration, and a NUL at the end.
 */
final class RpingText {
  /** Smallest buffer: the start with the largest number, and the NUL. */
  static final int SIZE_MIN = 24;

  private static final char FIRST = 'A';
  private static final char LAST = 'z';

  private RpingText() {}

  /**
   * The text of an iteration.
   *
   * @param iteration 0 or more
   * @param size bytes of the buffer
   */
  static byte[] of(int iteration, int size) {
    byte[] text = new byte[size];
    byte[] start = ("rdma-ping-" + iteration + ": ").getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(start, 0, text, 0, Math.min(start.length, size));
    int around = LAST - FIRST + 1;
    for (int i = start.length; i < size; i++) {
      text[i] = (byte) (FIRST + (iteration + i - start.length) % around);
    }
    text[size - 1] = 0;
    return text;
  }

  /** The text in front of the first NUL. */
  static String toString(byte[] text) {
    return new String(text, 0, length(text), StandardCharsets.US_ASCII);
  }

  /** Bytes in front of the first NUL. */
  static int length(byte[] text) {
    int length = 0;
    while (length < text.length && text[length] != 0) {
      length++;
    }
    return length;
  }
}
