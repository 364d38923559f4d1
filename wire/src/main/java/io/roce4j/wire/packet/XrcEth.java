// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * XRC extended header (IBA 1.4, A14.3.2): follows the BTH of XRC requests.
 *
 * <pre>
 * 0  reserved 8
 * 1  XRC SRQ number 24
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class XrcEth {
  /** Bytes of the header. */
  public static final int LENGTH = 4;

  private static final int SRQ_NUMBER_OFFSET = 0;

  private XrcEth() {}

  /**
   * Shared receive queue of the receiver.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFF
   */
  public static int srqNumber(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + SRQ_NUMBER_OFFSET, BIG_ENDIAN) & Bth.MASK_24;
  }

  /**
   * Sets what {@link #srqNumber} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFFFF; only the low 24 bits are used, the byte in front is left alone
   */
  public static void srqNumber(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getInt(offset + SRQ_NUMBER_OFFSET, BIG_ENDIAN) & ~Bth.MASK_24;
    buffer.putInt(offset + SRQ_NUMBER_OFFSET, other | (value & Bth.MASK_24), BIG_ENDIAN);
  }

  /**
   * Writes the whole header, the reserved byte as zero.
   *
   * @param buffer receives 4 bytes
   * @param offset first byte of the header
   * @param srqNumber 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void write(MutableDirectBuffer buffer, int offset, int srqNumber) {
    buffer.putInt(offset, srqNumber & Bth.MASK_24, BIG_ENDIAN);
  }
}
