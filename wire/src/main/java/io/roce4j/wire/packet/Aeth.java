// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * ACK extended header (IBA 1.4, 9.3.5). {@link Syndrome} reads its first byte.
 *
 * <pre>
 * 0  syndrome 8
 * 1  MSN 24
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Aeth {
  /** Bytes of the header. */
  public static final int LENGTH = 4;

  private static final int SYNDROME_OFFSET = 0;
  private static final int MSN_OFFSET = 0;

  private Aeth() {}

  /**
   * Syndrome: ACK with credits, RNR NAK or NAK.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFF
   */
  public static int syndrome(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + SYNDROME_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #syndrome} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void syndrome(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + SYNDROME_OFFSET, (byte) value);
  }

  /**
   * Message sequence number of the responder.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFF
   */
  public static int msn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + MSN_OFFSET, BIG_ENDIAN) & Bth.MASK_24;
  }

  /**
   * Sets what {@link #msn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFFFF; only the low 24 bits are used, the byte in front is left alone
   */
  public static void msn(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getInt(offset + MSN_OFFSET, BIG_ENDIAN) & ~Bth.MASK_24;
    buffer.putInt(offset + MSN_OFFSET, other | (value & Bth.MASK_24), BIG_ENDIAN);
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 4 bytes
   * @param offset first byte of the header
   * @param syndrome 0..0xFF; only the low 8 bits are used
   * @param msn 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void write(MutableDirectBuffer buffer, int offset, int syndrome, int msn) {
    buffer.putInt(offset, (syndrome << 24) | (msn & Bth.MASK_24), BIG_ENDIAN);
  }
}
