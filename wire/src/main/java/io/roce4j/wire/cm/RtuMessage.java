// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * CM RTU: the active side is ready to use the connection (IBA 1.4, 12.6.9).
 *
 * <pre>
 * byte field width
 *   0  localCommId 32
 *   4  remoteCommId 32
 * </pre>
 *
 * <p>Gaps are reserved: sent as 0, ignored. Static access over bytes; offsets are those of the
 * message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class RtuMessage {
  /** First byte of the private data. */
  public static final int PRIVATE_DATA_OFFSET = 8;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 224;

  private static final int LOCAL_COMM_ID_OFFSET = 0;
  private static final int REMOTE_COMM_ID_OFFSET = 4;

  private RtuMessage() {}

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
}
