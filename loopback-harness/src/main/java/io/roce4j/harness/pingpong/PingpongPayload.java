// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.pingpong;

import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;

/**
 * The messages of a ping-pong as the Linux tools fill them, and the check of those received: the
 * first byte of each page is 0, every other byte of the message is the same. Linux's {@code -c}
 * looks at the first bytes only, and without {@code -c} its senders do not clear them.
 */
final class PingpongPayload {
  /** Everything that arrived is as it should be. */
  static final int ALL_GOOD = -1;

  private static final int PAGE = 4096;
  private static final byte FILL = 0x7b;
  private static final byte POISON = (byte) 0xA5;

  private PingpongPayload() {}

  /** Fills a message to be sent. */
  static void fill(NativeRegion region, int length) {
    NativeMemory.fill(region.address(), length, FILL);
    for (int at = 0; at < length; at += PAGE) {
      NativeMemory.putByte(region.address() + at, (byte) 0);
    }
  }

  /** Makes sure that what is found later has been received. */
  static void poison(NativeRegion region, int offset, int length) {
    NativeMemory.fill(region.address() + offset, length, POISON);
  }

  /** Returns the index of the first wrong byte of a message, or {@link #ALL_GOOD}. */
  static int firstWrong(NativeRegion region, int offset, int length) {
    long message = region.address() + offset;
    byte fill = length > 1 ? NativeMemory.getByte(message + 1) : 0;
    if (fill == POISON) {
      return 1;
    }
    for (int at = 0; at < length; at++) {
      byte wanted = at % PAGE == 0 ? 0 : fill;
      if (NativeMemory.getByte(message + at) != wanted) {
        return at;
      }
    }
    return ALL_GOOD;
  }
}
