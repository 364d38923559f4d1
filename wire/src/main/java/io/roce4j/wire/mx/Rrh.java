// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Read-response header: data, or the refusal of a request that is already in the responder's
 * tracker.
 *
 * <pre>
 *  0  syndrome 8       0: data; else a {@link NackReason}, without payload
 *  1  reserved 24
 *  4  total length 32  of the whole response
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Rrh {
  /** Bytes of the header. */
  public static final int LENGTH = 8;

  private static final int TOTAL_OFFSET = 4;

  private Rrh() {}

  /**
   * Whether this is data or a refusal.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0 for data, else a {@link NackReason}, up to 255
   */
  public static int syndrome(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xFF;
  }

  /**
   * Bytes of the whole response.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFFFF; above {@link Mxmh#MESSAGE_LENGTH_MAX} is malformed
   */
  public static long totalLength(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + TOTAL_OFFSET, BIG_ENDIAN) & 0xFFFF_FFFFL;
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 8 bytes
   * @param offset first byte of the header
   * @param syndrome 0..255
   * @param totalLength 0..2^31
   */
  public static void write(MutableDirectBuffer buffer, int offset, int syndrome, long totalLength) {
    buffer.putInt(offset, syndrome << 24, BIG_ENDIAN);
    buffer.putInt(offset + TOTAL_OFFSET, (int) totalLength, BIG_ENDIAN);
  }
}
