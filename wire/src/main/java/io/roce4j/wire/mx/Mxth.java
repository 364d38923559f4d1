// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * MX transport header, on every MX data packet: which path carried it and as which transmission.
 *
 * <pre>
 *  0  version 4 | tflags 4
 *  1  path id 8
 *  2  epoch 8
 *  3  backlog code 8
 *  4  pseq 32
 *  8  tx_ts 32        sender's clock, 8 ns units
 * 12  stream id 16
 * 14  weight 8
 * 15  reserved 8      sent as 0, ignored
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Mxth {
  /** Bytes of the header. */
  public static final int LENGTH = 16;

  /** The version this code writes and the only one it reads. */
  public static final int VERSION = 1;

  /** tflags: this fragment was sent before. */
  public static final int RETRANSMISSION = 8;

  /** tflags: a copy of a fragment that may still be under way (tail loss, suspect path). */
  public static final int TAIL_COPY = 4;

  /** tflags: nothing more is queued on this connection after this packet. */
  public static final int END_OF_BACKLOG = 2;

  /** tflags: the packet belongs to the response half of the connection. */
  public static final int RESPONSE_HALF = 1;

  /** Largest path id; 255 is not used. */
  public static final int PATH_ID_MAX = 254;

  private static final int PATH_OFFSET = 1;
  private static final int EPOCH_OFFSET = 2;
  private static final int BACKLOG_OFFSET = 3;
  private static final int PSEQ_OFFSET = 4;
  private static final int TX_TS_OFFSET = 8;
  private static final int STREAM_OFFSET = 12;
  private static final int WEIGHT_OFFSET = 14;
  private static final int RESERVED_OFFSET = 15;

  private Mxth() {}

  /**
   * Header version.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..15; {@link #VERSION} is the only good one
   */
  public static int version(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset) >> 4) & 0xF;
  }

  /**
   * Transport flags.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return {@link #RETRANSMISSION}, {@link #TAIL_COPY}, {@link #END_OF_BACKLOG} and {@link
   *     #RESPONSE_HALF} in any combination
   */
  public static int tflags(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xF;
  }

  /**
   * The path that carried the packet.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255; above {@link #PATH_ID_MAX} is malformed
   */
  public static int pathId(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + PATH_OFFSET) & 0xFF;
  }

  /**
   * Entropy epoch of the path: a label that changes with its source port.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255, compared for equality only
   */
  public static int epoch(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + EPOCH_OFFSET) & 0xFF;
  }

  /**
   * Backlog code.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255, see {@link BacklogCode}
   */
  public static int backlogCode(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + BACKLOG_OFFSET) & 0xFF;
  }

  /**
   * Transmission number on the path; every transmission has its own.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits, compared serially
   */
  public static int pseq(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + PSEQ_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sender's clock at transmission.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 8 ns units, all 32 bits, see {@link MxClock}
   */
  public static int txTimestamp(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + TX_TS_OFFSET, BIG_ENDIAN);
  }

  /**
   * The stream the fragment belongs to.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..65535
   */
  public static int streamId(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + STREAM_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Fair-share weight the sender claims.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 1..255; 0 on the wire means 1
   */
  public static int weight(DirectBuffer buffer, int offset) {
    int weight = buffer.getByte(offset + WEIGHT_OFFSET) & 0xFF;
    return weight == 0 ? 1 : weight;
  }

  /**
   * Writes the whole header with version {@link #VERSION}.
   *
   * @param buffer receives 16 bytes
   * @param offset first byte of the header
   * @param tflags 0..15
   * @param pathId 0..{@link #PATH_ID_MAX}
   * @param epoch 0..255
   * @param backlogCode 0..255, see {@link BacklogCode}
   * @param pseq all 32 bits
   * @param txTimestamp 8 ns units, all 32 bits
   * @param streamId 0..65535
   * @param weight 0..255; 0 means 1
   */
  public static void write(
      MutableDirectBuffer buffer,
      int offset,
      int tflags,
      int pathId,
      int epoch,
      int backlogCode,
      int pseq,
      int txTimestamp,
      int streamId,
      int weight) {
    buffer.putByte(offset, (byte) (VERSION << 4 | (tflags & 0xF)));
    buffer.putByte(offset + PATH_OFFSET, (byte) pathId);
    buffer.putByte(offset + EPOCH_OFFSET, (byte) epoch);
    buffer.putByte(offset + BACKLOG_OFFSET, (byte) backlogCode);
    buffer.putInt(offset + PSEQ_OFFSET, pseq, BIG_ENDIAN);
    buffer.putInt(offset + TX_TS_OFFSET, txTimestamp, BIG_ENDIAN);
    buffer.putShort(offset + STREAM_OFFSET, (short) streamId, BIG_ENDIAN);
    buffer.putByte(offset + WEIGHT_OFFSET, (byte) weight);
    buffer.putByte(offset + RESERVED_OFFSET, (byte) 0);
  }
}
