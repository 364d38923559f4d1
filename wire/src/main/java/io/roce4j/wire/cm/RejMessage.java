// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * CM REJ: a request or reply is refused (IBA 1.4, 12.6.7).
 *
 * <pre>
 * byte field width
 *   0  localCommId 32
 *   4  remoteCommId 32
 *   8  messageRejected 2 (bits 7..6)
 *   9  rejectedInfoLength 7 (bits 7..1)
 *  10  reason 16
 * </pre>
 *
 * <p>Gaps are reserved: sent as 0, ignored. Static access over bytes; offsets are those of the
 * message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class RejMessage {
  /** First byte of the additional reject information. */
  public static final int ADDITIONAL_INFO_OFFSET = 12;

  /** Bytes of additional reject information. */
  public static final int ADDITIONAL_INFO_LENGTH = 72;

  /** First byte of the private data. */
  public static final int PRIVATE_DATA_OFFSET = 84;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 148;

  private static final int LOCAL_COMM_ID_OFFSET = 0;
  private static final int REMOTE_COMM_ID_OFFSET = 4;
  private static final int MESSAGE_REJECTED_OFFSET = 8;
  private static final int REJECTED_INFO_LENGTH_OFFSET = 9;
  private static final int REASON_OFFSET = 10;

  private RejMessage() {}

  /**
   * {@return communication id of the sender, all 32 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int localCommId(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + LOCAL_COMM_ID_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #localCommId} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 32 bits
   */
  public static void localCommId(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + LOCAL_COMM_ID_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * {@return communication id of the receiver, all 32 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int remoteCommId(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + REMOTE_COMM_ID_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #remoteCommId} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 32 bits
   */
  public static void remoteCommId(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + REMOTE_COMM_ID_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * {@return 0 REQ, 1 REP, 2 none (timeout and the like), 0..3}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int messageRejected(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + MESSAGE_REJECTED_OFFSET) >>> 6) & 0x3;
  }

  /**
   * Sets what {@link #messageRejected} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..3; only the low 2 bits are used
   */
  public static void messageRejected(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + MESSAGE_REJECTED_OFFSET, 6, 2, value);
  }

  /**
   * {@return bytes of additional information used, 0..127}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int rejectedInfoLength(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + REJECTED_INFO_LENGTH_OFFSET) >>> 1) & 0x7F;
  }

  /**
   * Sets what {@link #rejectedInfoLength} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..127; only the low 7 bits are used
   */
  public static void rejectedInfoLength(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + REJECTED_INFO_LENGTH_OFFSET, 1, 7, value);
  }

  /**
   * {@return reason, see {@link RejectReason}, 0..0xFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int reason(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + REASON_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #reason} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void reason(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + REASON_OFFSET, (short) value, BIG_ENDIAN);
  }
}
