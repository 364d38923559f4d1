// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.wire.sequence.Msn;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * MX message header: which message of the stream a fragment belongs to, and where in it.
 *
 * <pre>
 *  0  mflags 8
 *  1  MSN 24
 *  4  offset 32     first byte of this payload in the message
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Mxmh {
  /** Bytes of the header. */
  public static final int LENGTH = 8;

  /** mflags: first fragment of the message. */
  public static final int FIRST = 0x80;

  /** mflags: last fragment of the message. */
  public static final int LAST = 0x40;

  /** mflags: the message carries immediate data; only beside {@link #LAST}. */
  public static final int IMMEDIATE = 0x20;

  /** mflags: the message invalidates a key of the receiver; only beside {@link #LAST}. */
  public static final int INVALIDATE = 0x10;

  /** mflags: the message was fenced by its sender; informative. */
  public static final int FENCE = 0x08;

  /** mflags: the receiver's completion is a solicited event. This bit counts; BTH.SE is a copy. */
  public static final int SOLICITED = 0x04;

  /** The longest message, 2^31 bytes. */
  public static final long MESSAGE_LENGTH_MAX = 1L << 31;

  private static final int OFFSET_OFFSET = 4;

  private Mxmh() {}

  /**
   * Message flags.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255; the two lowest bits mean nothing
   */
  public static int mflags(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xFF;
  }

  /**
   * Message number in its stream.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFF
   */
  public static int msn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset, BIG_ENDIAN) & Msn.MASK;
  }

  /**
   * Where this payload starts in the message.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFFFF, unsigned
   */
  public static long messageOffset(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + OFFSET_OFFSET, BIG_ENDIAN) & 0xFFFF_FFFFL;
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 8 bytes
   * @param offset first byte of the header
   * @param mflags 0..255
   * @param msn 0..0xFFFFFF
   * @param messageOffset 0..0xFFFFFFFF; only the low 32 bits are used
   */
  public static void write(
      MutableDirectBuffer buffer, int offset, int mflags, int msn, long messageOffset) {
    buffer.putInt(offset, mflags << 24 | (msn & Msn.MASK), BIG_ENDIAN);
    buffer.putInt(offset + OFFSET_OFFSET, (int) messageOffset, BIG_ENDIAN);
  }
}
