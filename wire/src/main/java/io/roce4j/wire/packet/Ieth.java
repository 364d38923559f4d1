// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Invalidate extended header (IBA 1.4, 9.3.7).
 *
 * <pre>
 * 0  R_Key 32
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Ieth {
  /** Bytes of the header. */
  public static final int LENGTH = 4;

  private static final int RKEY_OFFSET = 0;

  private Ieth() {}

  /**
   * Remote key the receiver is to invalidate.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits
   */
  public static int rkey(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + RKEY_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #rkey} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value all 32 bits
   */
  public static void rkey(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + RKEY_OFFSET, value, BIG_ENDIAN);
  }
}
