// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Immediate data (IBA 1.4, 9.3.6): 32 opaque bits from the sender's work request to the receiver's
 * completion.
 *
 * <pre>
 * 0  immediate 32
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class ImmDt {
  /** Bytes of the header. */
  public static final int LENGTH = 4;

  private static final int IMMEDIATE_OFFSET = 0;

  private ImmDt() {}

  /**
   * The 32 bits, as sent.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits
   */
  public static int immediate(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + IMMEDIATE_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #immediate} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value all 32 bits
   */
  public static void immediate(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + IMMEDIATE_OFFSET, value, BIG_ENDIAN);
  }
}
