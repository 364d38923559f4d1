// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * CM SIDR_REQ: asks which UD queue pair serves a service id (IBA 1.4, 12.11.1).
 *
 * <pre>
 * byte field width
 *   0  requestId 32
 *   4  partitionKey 16
 *   8  serviceId 64
 * </pre>
 *
 * <p>Gaps are reserved: sent as 0, ignored. Static access over bytes; offsets are those of the
 * message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class SidrReqMessage {
  /** First byte of the private data, which start with the {@link RdmaCmHeader}. */
  public static final int PRIVATE_DATA_OFFSET = 16;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 216;

  /** Bytes left to the application behind the {@link RdmaCmHeader}. */
  public static final int USER_DATA_LENGTH = 180;

  private static final int REQUEST_ID_OFFSET = 0;
  private static final int PARTITION_KEY_OFFSET = 4;
  private static final int SERVICE_ID_OFFSET = 8;

  private SidrReqMessage() {}

  /**
   * {@return communication id of the requester, all 32 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int requestId(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + REQUEST_ID_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #requestId} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 32 bits
   */
  public static void requestId(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + REQUEST_ID_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * {@return partition key, 0..0xFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int partitionKey(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + PARTITION_KEY_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #partitionKey} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void partitionKey(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + PARTITION_KEY_OFFSET, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return service asked for, see {@link ServiceId}, all 64 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static long serviceId(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + SERVICE_ID_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #serviceId} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 64 bits
   */
  public static void serviceId(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + SERVICE_ID_OFFSET, value, BIG_ENDIAN);
  }
}
