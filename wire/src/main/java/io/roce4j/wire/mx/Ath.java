// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Atomic header, behind the AtomicETH: which atomic operation is asked for.
 *
 * <pre>
 *  0  kind 8
 *  1  reserved 24
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Ath {
  /** Bytes of the header. */
  public static final int LENGTH = 4;

  /** kind: compare and swap. */
  public static final int COMPARE_SWAP = 1;

  /** kind: fetch and add. */
  public static final int FETCH_ADD = 2;

  private Ath() {}

  /**
   * The operation.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255; {@link #COMPARE_SWAP} and {@link #FETCH_ADD} are defined
   */
  public static int kind(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xFF;
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 4 bytes
   * @param offset first byte of the header
   * @param kind {@link #COMPARE_SWAP} or {@link #FETCH_ADD}
   */
  public static void write(MutableDirectBuffer buffer, int offset, int kind) {
    buffer.putInt(offset, kind << 24, BIG_ENDIAN);
  }
}
