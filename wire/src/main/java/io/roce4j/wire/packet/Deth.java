// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Datagram extended header of UD (IBA 1.4, 9.3.2).
 *
 * <pre>
 * 0  Q_Key 32
 * 4  reserved 8
 * 5  source QPN 24
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Deth {
  /** Bytes of the header. */
  public static final int LENGTH = 8;

  private static final int QKEY_OFFSET = 0;
  private static final int SOURCE_QP_OFFSET = 4;

  private Deth() {}

  /**
   * Queue key.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits
   */
  public static int qkey(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + QKEY_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #qkey} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value all 32 bits
   */
  public static void qkey(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + QKEY_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * Queue pair number of the sender.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFF
   */
  public static int sourceQp(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + SOURCE_QP_OFFSET, BIG_ENDIAN) & Bth.MASK_24;
  }

  /**
   * Sets what {@link #sourceQp} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFFFF; only the low 24 bits are used, the byte in front is left alone
   */
  public static void sourceQp(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getInt(offset + SOURCE_QP_OFFSET, BIG_ENDIAN) & ~Bth.MASK_24;
    buffer.putInt(offset + SOURCE_QP_OFFSET, other | (value & Bth.MASK_24), BIG_ENDIAN);
  }

  /**
   * Writes the whole header, the reserved byte as zero.
   *
   * @param buffer receives 8 bytes
   * @param offset first byte of the header
   * @param qkey queue key, all 32 bits
   * @param sourceQp 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void write(MutableDirectBuffer buffer, int offset, int qkey, int sourceQp) {
    buffer.putInt(offset, qkey, BIG_ENDIAN);
    buffer.putInt(offset + SOURCE_QP_OFFSET, sourceQp & Bth.MASK_24, BIG_ENDIAN);
  }
}
