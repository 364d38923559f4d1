// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * CM REP: the passive side accepts (IBA 1.4, 12.6.8).
 *
 * <pre>
 * byte field width
 *   0  localCommId 32
 *   4  remoteCommId 32
 *   8  localQkey 32
 *  12  localQpn 24
 *  15  vendorIdHigh 8
 *  16  localEecn 24
 *  19  vendorIdMiddle 8
 *  20  startingPsn 24
 *  23  vendorIdLow 8
 *  24  responderResources 8
 *  25  initiatorDepth 8
 *  26  targetAckDelay 5 (bits 7..3)
 *  26  failoverAccepted 2 (bits 2..1)
 *  26  endToEndFlowControl 1 (bits 0..0)
 *  27  rnrRetryCount 3 (bits 7..5)
 *  27  srq 1 (bits 4..4)
 *  28  localCaGuid 64
 * </pre>
 *
 * <p>Gaps are reserved: sent as 0, ignored. Static access over bytes; offsets are those of the
 * message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class RepMessage {
  /** First byte of the private data. */
  public static final int PRIVATE_DATA_OFFSET = 36;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 196;

  private static final int LOCAL_COMM_ID_OFFSET = 0;
  private static final int REMOTE_COMM_ID_OFFSET = 4;
  private static final int LOCAL_QKEY_OFFSET = 8;
  private static final int LOCAL_QPN_OFFSET = 12;
  private static final int VENDOR_ID_HIGH_OFFSET = 15;
  private static final int LOCAL_EECN_OFFSET = 16;
  private static final int VENDOR_ID_MIDDLE_OFFSET = 19;
  private static final int STARTING_PSN_OFFSET = 20;
  private static final int VENDOR_ID_LOW_OFFSET = 23;
  private static final int RESPONDER_RESOURCES_OFFSET = 24;
  private static final int INITIATOR_DEPTH_OFFSET = 25;
  private static final int TARGET_ACK_DELAY_OFFSET = 26;
  private static final int FAILOVER_ACCEPTED_OFFSET = 26;
  private static final int END_TO_END_FLOW_CONTROL_OFFSET = 26;
  private static final int RNR_RETRY_COUNT_OFFSET = 27;
  private static final int SRQ_OFFSET = 27;
  private static final int LOCAL_CA_GUID_OFFSET = 28;

  private RepMessage() {}

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
   * {@return queue key, 0 for RC and UC, all 32 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int localQkey(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + LOCAL_QKEY_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #localQkey} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 32 bits
   */
  public static void localQkey(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + LOCAL_QKEY_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * {@return queue pair of the passive side, 0..0xFFFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int localQpn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + LOCAL_QPN_OFFSET, BIG_ENDIAN) >>> 8;
  }

  /**
   * Sets what {@link #localQpn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void localQpn(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putBits(buffer, offset + LOCAL_QPN_OFFSET, 8, 24, value);
  }

  /**
   * {@return ECE vendor, upper byte, 0..0xFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int vendorIdHigh(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + VENDOR_ID_HIGH_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #vendorIdHigh} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void vendorIdHigh(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + VENDOR_ID_HIGH_OFFSET, (byte) value);
  }

  /**
   * {@return end-to-end context, 0, 0..0xFFFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int localEecn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + LOCAL_EECN_OFFSET, BIG_ENDIAN) >>> 8;
  }

  /**
   * Sets what {@link #localEecn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void localEecn(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putBits(buffer, offset + LOCAL_EECN_OFFSET, 8, 24, value);
  }

  /**
   * {@return ECE vendor, middle byte, 0..0xFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int vendorIdMiddle(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + VENDOR_ID_MIDDLE_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #vendorIdMiddle} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void vendorIdMiddle(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + VENDOR_ID_MIDDLE_OFFSET, (byte) value);
  }

  /**
   * {@return first PSN the active side must send with, 0..0xFFFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int startingPsn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + STARTING_PSN_OFFSET, BIG_ENDIAN) >>> 8;
  }

  /**
   * Sets what {@link #startingPsn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void startingPsn(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putBits(buffer, offset + STARTING_PSN_OFFSET, 8, 24, value);
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
   * {@return READs and atomics the passive side serves, 0..0xFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int responderResources(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + RESPONDER_RESOURCES_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #responderResources} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void responderResources(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + RESPONDER_RESOURCES_OFFSET, (byte) value);
  }

  /**
   * {@return READs and atomics the passive side issues, 0..0xFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int initiatorDepth(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + INITIATOR_DEPTH_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #initiatorDepth} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void initiatorDepth(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + INITIATOR_DEPTH_OFFSET, (byte) value);
  }

  /**
   * {@return code of the delay before an acknowledgement leaves, 0..31}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int targetAckDelay(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + TARGET_ACK_DELAY_OFFSET) >>> 3) & 0x1F;
  }

  /**
   * Sets what {@link #targetAckDelay} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..31; only the low 5 bits are used
   */
  public static void targetAckDelay(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + TARGET_ACK_DELAY_OFFSET, 3, 5, value);
  }

  /**
   * {@return 0, 0..3}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int failoverAccepted(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + FAILOVER_ACCEPTED_OFFSET) >>> 1) & 0x3;
  }

  /**
   * Sets what {@link #failoverAccepted} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..3; only the low 2 bits are used
   */
  public static void failoverAccepted(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + FAILOVER_ACCEPTED_OFFSET, 1, 2, value);
  }

  /**
   * {@return 1 when the sender uses credits, 0..1}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int endToEndFlowControl(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + END_TO_END_FLOW_CONTROL_OFFSET) & 0x1;
  }

  /**
   * Sets what {@link #endToEndFlowControl} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..1; only the low 1 bits are used
   */
  public static void endToEndFlowControl(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + END_TO_END_FLOW_CONTROL_OFFSET, 0, 1, value);
  }

  /**
   * {@return RNR retry count of the active side as requester, 0..7}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int rnrRetryCount(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + RNR_RETRY_COUNT_OFFSET) >>> 5) & 0x7;
  }

  /**
   * Sets what {@link #rnrRetryCount} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..7; only the low 3 bits are used
   */
  public static void rnrRetryCount(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + RNR_RETRY_COUNT_OFFSET, 5, 3, value);
  }

  /**
   * {@return 1 when the queue pair uses a shared receive queue, 0..1}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int srq(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + SRQ_OFFSET) >>> 4) & 0x1;
  }

  /**
   * Sets what {@link #srq} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..1; only the low 1 bits are used
   */
  public static void srq(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + SRQ_OFFSET, 4, 1, value);
  }

  /**
   * {@return node GUID of the passive side, all 64 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static long localCaGuid(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + LOCAL_CA_GUID_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #localCaGuid} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 64 bits
   */
  public static void localCaGuid(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + LOCAL_CA_GUID_OFFSET, value, BIG_ENDIAN);
  }
}
