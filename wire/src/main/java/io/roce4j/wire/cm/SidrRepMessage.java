// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * CM SIDR_REP: answer to a SIDR_REQ (IBA 1.4, 12.11.2).
 *
 * <pre>
 * byte field width
 *   0  requestId 32
 *   4  status 8
 *   5  additionalInfoLength 8
 *   6  vendorIdHigh 16
 *   8  qpn 24
 *  11  vendorIdLow 8
 *  12  serviceId 64
 *  20  qkey 32
 * </pre>
 *
 * <p>Gaps are reserved: sent as 0, ignored. Static access over bytes; offsets are those of the
 * message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class SidrRepMessage {
  /** First byte of the additional information. */
  public static final int ADDITIONAL_INFO_OFFSET = 24;

  /** Bytes of additional information. */
  public static final int ADDITIONAL_INFO_LENGTH = 72;

  /** First byte of the private data. */
  public static final int PRIVATE_DATA_OFFSET = 96;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 136;

  /** {@link #status}: the queue pair follows. */
  public static final int STATUS_SUCCESS = 0;

  /** {@link #status}: nobody serves it. */
  public static final int STATUS_UNSUPPORTED_SERVICE = 1;

  /** {@link #status}: refused. */
  public static final int STATUS_REJECTED = 2;

  /** {@link #status}: no queue pair. */
  public static final int STATUS_NO_QP = 3;

  /** {@link #status}: ask somebody else. */
  public static final int STATUS_REDIRECT = 4;

  /** {@link #status}: unknown version. */
  public static final int STATUS_UNSUPPORTED_VERSION = 5;

  private static final int REQUEST_ID_OFFSET = 0;
  private static final int STATUS_OFFSET = 4;
  private static final int ADDITIONAL_INFO_LENGTH_OFFSET = 5;
  private static final int VENDOR_ID_HIGH_OFFSET = 6;
  private static final int QPN_OFFSET = 8;
  private static final int VENDOR_ID_LOW_OFFSET = 11;
  private static final int SERVICE_ID_OFFSET = 12;
  private static final int QKEY_OFFSET = 20;

  private SidrRepMessage() {}

  /**
   * {@return communication id copied from the request, all 32 bits}
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
   * {@return status, 0 is success, 0..0xFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int status(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + STATUS_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #status} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void status(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + STATUS_OFFSET, (byte) value);
  }

  /**
   * {@return bytes of additional information used, 0..0xFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int additionalInfoLength(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + ADDITIONAL_INFO_LENGTH_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #additionalInfoLength} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void additionalInfoLength(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + ADDITIONAL_INFO_LENGTH_OFFSET, (byte) value);
  }

  /**
   * {@return ECE vendor, upper bytes, 0..0xFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int vendorIdHigh(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + VENDOR_ID_HIGH_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #vendorIdHigh} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void vendorIdHigh(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + VENDOR_ID_HIGH_OFFSET, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return queue pair to send to, 0..0xFFFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int qpn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + QPN_OFFSET, BIG_ENDIAN) >>> 8;
  }

  /**
   * Sets what {@link #qpn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void qpn(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putBits(buffer, offset + QPN_OFFSET, 8, 24, value);
  }

  /**
   * {@return ECE vendor, lower byte, 0..0xFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int vendorIdLow(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + VENDOR_ID_LOW_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #vendorIdLow} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void vendorIdLow(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + VENDOR_ID_LOW_OFFSET, (byte) value);
  }

  /**
   * {@return service, copied, all 64 bits}
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

  /**
   * {@return queue key to use, all 32 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int qkey(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + QKEY_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #qkey} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 32 bits
   */
  public static void qkey(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + QKEY_OFFSET, value, BIG_ENDIAN);
  }
}
