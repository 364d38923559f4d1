// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.wire.sequence.Msn;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Receive-queue header: which receive work request of the stream a message consumes. It is in every
 * packet of a SEND, so that any of them can be placed alone, and in the last one of a WRITE with
 * immediate.
 *
 * <pre>
 *  0  match type 8     0: by receive-queue index
 *  1  rq_msn 24        index of the receive work request on this stream, from 0
 *  4  message length 32
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Rqh {
  /** Bytes of the header. */
  public static final int LENGTH = 8;

  /** Match type: work request number {@link #rqMsn} of the stream's receive queue. */
  public static final int MATCH_INDEX = 0;

  private static final int LENGTH_OFFSET = 4;

  private Rqh() {}

  /**
   * How the receive work request is found.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255; {@link #MATCH_INDEX} is the only one defined
   */
  public static int matchType(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xFF;
  }

  /**
   * Index of the receive work request on the stream.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFF
   */
  public static int rqMsn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset, BIG_ENDIAN) & Msn.MASK;
  }

  /**
   * Length of the whole message.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFFFF; above {@link Mxmh#MESSAGE_LENGTH_MAX} is malformed
   */
  public static long messageLength(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + LENGTH_OFFSET, BIG_ENDIAN) & 0xFFFF_FFFFL;
  }

  /**
   * Writes the whole header with {@link #MATCH_INDEX}.
   *
   * @param buffer receives 8 bytes
   * @param offset first byte of the header
   * @param rqMsn 0..0xFFFFFF
   * @param messageLength 0..2^31
   */
  public static void write(MutableDirectBuffer buffer, int offset, int rqMsn, long messageLength) {
    buffer.putInt(offset, MATCH_INDEX << 24 | (rqMsn & Msn.MASK), BIG_ENDIAN);
    buffer.putInt(offset + LENGTH_OFFSET, (int) messageLength, BIG_ENDIAN);
  }
}
