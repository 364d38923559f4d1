// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * CM MRA: the receiver needs more time (IBA 1.4, 12.6.6).
 *
 * <pre>
 * byte field width
 *   0  localCommId 32
 *   4  remoteCommId 32
 *   8  messageMraed 2 (bits 7..6)
 *   9  serviceTimeout 5 (bits 7..3)
 * </pre>
 *
 * <p>Gaps are reserved: sent as 0, ignored. Static access over bytes; offsets are those of the
 * message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class MraMessage {
  /** First byte of the private data. */
  public static final int PRIVATE_DATA_OFFSET = 10;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 222;

  private static final int LOCAL_COMM_ID_OFFSET = 0;
  private static final int REMOTE_COMM_ID_OFFSET = 4;
  private static final int MESSAGE_MRAED_OFFSET = 8;
  private static final int SERVICE_TIMEOUT_OFFSET = 9;

  private MraMessage() {}

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
   * {@return 0 REQ, 1 REP, 2 other, 0..3}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int messageMraed(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + MESSAGE_MRAED_OFFSET) >>> 6) & 0x3;
  }

  /**
   * Sets what {@link #messageMraed} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..3; only the low 2 bits are used
   */
  public static void messageMraed(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + MESSAGE_MRAED_OFFSET, 6, 2, value);
  }

  /**
   * {@return code of the extra time, 0..31}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int serviceTimeout(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + SERVICE_TIMEOUT_OFFSET) >>> 3) & 0x1F;
  }

  /**
   * Sets what {@link #serviceTimeout} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..31; only the low 5 bits are used
   */
  public static void serviceTimeout(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + SERVICE_TIMEOUT_OFFSET, 3, 5, value);
  }
}
