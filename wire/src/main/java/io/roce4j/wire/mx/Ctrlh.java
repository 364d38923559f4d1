// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Control header, followed by TLVs ({@link ControlTlv}). One control message per direction is under
 * way at a time and is repeated until acknowledged.
 *
 * <pre>
 *  0  ctrl_seq 16
 *  2  cflags 16
 *  4  reserved 32
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Ctrlh {
  /** Bytes of the header. */
  public static final int LENGTH = 8;

  /** cflags: this acknowledges the control message with the same ctrl_seq. */
  public static final int ACKNOWLEDGEMENT = 1;

  /** cflags: TLVs that name a path speak of the response half. */
  public static final int RESPONSE_HALF = 2;

  private static final int CFLAGS_OFFSET = 2;
  private static final int RESERVED_OFFSET = 4;

  private Ctrlh() {}

  /**
   * Number of the control message in its direction.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..65535, compared serially
   */
  public static int sequence(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Control flags.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..65535; bits without a constant here mean nothing
   */
  public static int cflags(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + CFLAGS_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 8 bytes
   * @param offset first byte of the header
   * @param sequence 0..65535
   * @param cflags 0..65535
   */
  public static void write(MutableDirectBuffer buffer, int offset, int sequence, int cflags) {
    buffer.putShort(offset, (short) sequence, BIG_ENDIAN);
    buffer.putShort(offset + CFLAGS_OFFSET, (short) cflags, BIG_ENDIAN);
    buffer.putInt(offset + RESERVED_OFFSET, 0, BIG_ENDIAN);
  }
}
