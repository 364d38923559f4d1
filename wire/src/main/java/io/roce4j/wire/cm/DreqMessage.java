// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * CM DREQ: a side ends the connection (IBA 1.4, 12.6.10).
 *
 * <pre>
 * byte field width
 *   0  localCommId 32
 *   4  remoteCommId 32
 *   8  remoteQpn 24
 * </pre>
 *
 * <p>Gaps are reserved: sent as 0, ignored. Static access over bytes; offsets are those of the
 * message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class DreqMessage {
  /** First byte of the private data. */
  public static final int PRIVATE_DATA_OFFSET = 12;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 220;

  private static final int LOCAL_COMM_ID_OFFSET = 0;
  private static final int REMOTE_COMM_ID_OFFSET = 4;
  private static final int REMOTE_QPN_OFFSET = 8;

  private DreqMessage() {}

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
   * {@return queue pair of the receiver, which must match, 0..0xFFFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int remoteQpn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + REMOTE_QPN_OFFSET, BIG_ENDIAN) >>> 8;
  }

  /**
   * Sets what {@link #remoteQpn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void remoteQpn(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putBits(buffer, offset + REMOTE_QPN_OFFSET, 8, 24, value);
  }
}
