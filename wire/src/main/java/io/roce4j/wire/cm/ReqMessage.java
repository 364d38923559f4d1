// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * CM REQ: the active side asks for a connection (IBA 1.4, 12.6.5).
 *
 * <pre>
 * byte field width
 *   0  localCommId 32
 *   5  vendorId 24
 *   8  serviceId 64
 *  16  localCaGuid 64
 *  28  localQkey 32
 *  32  localQpn 24
 *  35  responderResources 8
 *  36  localEecn 24
 *  39  initiatorDepth 8
 *  40  remoteEecn 24
 *  43  remoteCmResponseTimeout 5 (bits 7..3)
 *  43  transportServiceType 2 (bits 2..1)
 *  43  endToEndFlowControl 1 (bits 0..0)
 *  44  startingPsn 24
 *  47  localCmResponseTimeout 5 (bits 7..3)
 *  47  retryCount 3 (bits 2..0)
 *  48  partitionKey 16
 *  50  pathMtu 4 (bits 7..4)
 *  50  rdcExists 1 (bits 3..3)
 *  50  rnrRetryCount 3 (bits 2..0)
 *  51  maxCmRetries 4 (bits 7..4)
 *  51  srq 1 (bits 3..3)
 *  51  extendedTransportType 3 (bits 2..0)
 *  52  primaryLocalLid 16
 *  54  primaryRemoteLid 16
 *  56  primaryLocalGidHigh 64
 *  64  primaryLocalGidLow 64
 *  72  primaryRemoteGidHigh 64
 *  80  primaryRemoteGidLow 64
 *  88  primaryFlowLabel 20
 *  91  primaryPacketRate 6 (bits 5..0)
 *  92  primaryTrafficClass 8
 *  93  primaryHopLimit 8
 *  94  primarySl 4 (bits 7..4)
 *  94  primarySubnetLocal 1 (bits 3..3)
 *  95  primaryLocalAckTimeout 5 (bits 7..3)
 * </pre>
 *
 * <p>Gaps are reserved: sent as 0, ignored. Static access over bytes; offsets are those of the
 * message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class ReqMessage {
  /** First of the 44 bytes of the alternate path, all zero when there is none. */
  public static final int ALTERNATE_PATH_OFFSET = 96;

  /** Bytes of the alternate path. */
  public static final int ALTERNATE_PATH_LENGTH = 44;

  /** First byte of the private data, which start with the {@link RdmaCmHeader}. */
  public static final int PRIVATE_DATA_OFFSET = 140;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 92;

  /** Bytes left to the application behind the {@link RdmaCmHeader}. */
  public static final int USER_DATA_LENGTH = 56;

  /** {@link #transportServiceType}: reliable connection. */
  public static final int TYPE_RC = 0;

  /** {@link #transportServiceType}: unreliable connection. */
  public static final int TYPE_UC = 1;

  private static final int LOCAL_COMM_ID_OFFSET = 0;
  private static final int VENDOR_ID_OFFSET = 5;
  private static final int SERVICE_ID_OFFSET = 8;
  private static final int LOCAL_CA_GUID_OFFSET = 16;
  private static final int LOCAL_QKEY_OFFSET = 28;
  private static final int LOCAL_QPN_OFFSET = 32;
  private static final int RESPONDER_RESOURCES_OFFSET = 35;
  private static final int LOCAL_EECN_OFFSET = 36;
  private static final int INITIATOR_DEPTH_OFFSET = 39;
  private static final int REMOTE_EECN_OFFSET = 40;
  private static final int REMOTE_CM_RESPONSE_TIMEOUT_OFFSET = 43;
  private static final int TRANSPORT_SERVICE_TYPE_OFFSET = 43;
  private static final int END_TO_END_FLOW_CONTROL_OFFSET = 43;
  private static final int STARTING_PSN_OFFSET = 44;
  private static final int LOCAL_CM_RESPONSE_TIMEOUT_OFFSET = 47;
  private static final int RETRY_COUNT_OFFSET = 47;
  private static final int PARTITION_KEY_OFFSET = 48;
  private static final int PATH_MTU_OFFSET = 50;
  private static final int RDC_EXISTS_OFFSET = 50;
  private static final int RNR_RETRY_COUNT_OFFSET = 50;
  private static final int MAX_CM_RETRIES_OFFSET = 51;
  private static final int SRQ_OFFSET = 51;
  private static final int EXTENDED_TRANSPORT_TYPE_OFFSET = 51;
  private static final int PRIMARY_LOCAL_LID_OFFSET = 52;
  private static final int PRIMARY_REMOTE_LID_OFFSET = 54;
  private static final int PRIMARY_LOCAL_GID_HIGH_OFFSET = 56;
  private static final int PRIMARY_LOCAL_GID_LOW_OFFSET = 64;
  private static final int PRIMARY_REMOTE_GID_HIGH_OFFSET = 72;
  private static final int PRIMARY_REMOTE_GID_LOW_OFFSET = 80;
  private static final int PRIMARY_FLOW_LABEL_OFFSET = 88;
  private static final int PRIMARY_PACKET_RATE_OFFSET = 91;
  private static final int PRIMARY_TRAFFIC_CLASS_OFFSET = 92;
  private static final int PRIMARY_HOP_LIMIT_OFFSET = 93;
  private static final int PRIMARY_SL_OFFSET = 94;
  private static final int PRIMARY_SUBNET_LOCAL_OFFSET = 94;
  private static final int PRIMARY_LOCAL_ACK_TIMEOUT_OFFSET = 95;

  private ReqMessage() {}

  /**
   * {@return communication id of the active side, all 32 bits}
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
   * {@return ECE vendor, 0..0xFFFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int vendorId(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + VENDOR_ID_OFFSET, BIG_ENDIAN) >>> 8;
  }

  /**
   * Sets what {@link #vendorId} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void vendorId(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putBits(buffer, offset + VENDOR_ID_OFFSET, 8, 24, value);
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

  /**
   * {@return node GUID of the active side, all 64 bits}
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
   * {@return queue pair of the active side, 0..0xFFFFFF}
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
   * {@return READs and atomics the active side can serve, 0..0xFF}
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
   * {@return READs and atomics the active side will issue, 0..0xFF}
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
   * {@return end-to-end context, 0, 0..0xFFFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int remoteEecn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + REMOTE_EECN_OFFSET, BIG_ENDIAN) >>> 8;
  }

  /**
   * Sets what {@link #remoteEecn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void remoteEecn(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putBits(buffer, offset + REMOTE_EECN_OFFSET, 8, 24, value);
  }

  /**
   * {@return code of the time granted to the passive side, 0..31}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int remoteCmResponseTimeout(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + REMOTE_CM_RESPONSE_TIMEOUT_OFFSET) >>> 3) & 0x1F;
  }

  /**
   * Sets what {@link #remoteCmResponseTimeout} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..31; only the low 5 bits are used
   */
  public static void remoteCmResponseTimeout(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + REMOTE_CM_RESPONSE_TIMEOUT_OFFSET, 3, 5, value);
  }

  /**
   * {@return RC 0, UC 1, RD 2, 3 see the extended type, 0..3}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int transportServiceType(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + TRANSPORT_SERVICE_TYPE_OFFSET) >>> 1) & 0x3;
  }

  /**
   * Sets what {@link #transportServiceType} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..3; only the low 2 bits are used
   */
  public static void transportServiceType(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + TRANSPORT_SERVICE_TYPE_OFFSET, 1, 2, value);
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
   * {@return first PSN the passive side must send with, 0..0xFFFFFF}
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
   * {@return code of the time the active side needs to answer, 0..31}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int localCmResponseTimeout(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + LOCAL_CM_RESPONSE_TIMEOUT_OFFSET) >>> 3) & 0x1F;
  }

  /**
   * Sets what {@link #localCmResponseTimeout} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..31; only the low 5 bits are used
   */
  public static void localCmResponseTimeout(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + LOCAL_CM_RESPONSE_TIMEOUT_OFFSET, 3, 5, value);
  }

  /**
   * {@return retry count of both sides, 0..7}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int retryCount(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + RETRY_COUNT_OFFSET) & 0x7;
  }

  /**
   * Sets what {@link #retryCount} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..7; only the low 3 bits are used
   */
  public static void retryCount(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + RETRY_COUNT_OFFSET, 0, 3, value);
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
   * {@return path MTU code, 1..5 are 256..4096, 0..15}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int pathMtu(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + PATH_MTU_OFFSET) >>> 4) & 0xF;
  }

  /**
   * Sets what {@link #pathMtu} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..15; only the low 4 bits are used
   */
  public static void pathMtu(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + PATH_MTU_OFFSET, 4, 4, value);
  }

  /**
   * {@return 0, 0..1}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int rdcExists(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + RDC_EXISTS_OFFSET) >>> 3) & 0x1;
  }

  /**
   * Sets what {@link #rdcExists} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..1; only the low 1 bits are used
   */
  public static void rdcExists(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + RDC_EXISTS_OFFSET, 3, 1, value);
  }

  /**
   * {@return RNR retry count of the passive side as requester, 0..7}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int rnrRetryCount(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + RNR_RETRY_COUNT_OFFSET) & 0x7;
  }

  /**
   * Sets what {@link #rnrRetryCount} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..7; only the low 3 bits are used
   */
  public static void rnrRetryCount(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + RNR_RETRY_COUNT_OFFSET, 0, 3, value);
  }

  /**
   * {@return CM retries, 0..15}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int maxCmRetries(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + MAX_CM_RETRIES_OFFSET) >>> 4) & 0xF;
  }

  /**
   * Sets what {@link #maxCmRetries} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..15; only the low 4 bits are used
   */
  public static void maxCmRetries(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + MAX_CM_RETRIES_OFFSET, 4, 4, value);
  }

  /**
   * {@return 1 when the queue pair uses a shared receive queue, 0..1}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int srq(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + SRQ_OFFSET) >>> 3) & 0x1;
  }

  /**
   * Sets what {@link #srq} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..1; only the low 1 bits are used
   */
  public static void srq(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + SRQ_OFFSET, 3, 1, value);
  }

  /**
   * {@return 1 is XRC when the type is 3, 0..7}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int extendedTransportType(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + EXTENDED_TRANSPORT_TYPE_OFFSET) & 0x7;
  }

  /**
   * Sets what {@link #extendedTransportType} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..7; only the low 3 bits are used
   */
  public static void extendedTransportType(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + EXTENDED_TRANSPORT_TYPE_OFFSET, 0, 3, value);
  }

  /**
   * {@return 0xFFFF on RoCE when the hop limit is above 1, 0..0xFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int primaryLocalLid(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + PRIMARY_LOCAL_LID_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #primaryLocalLid} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void primaryLocalLid(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + PRIMARY_LOCAL_LID_OFFSET, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return the same, 0..0xFFFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int primaryRemoteLid(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + PRIMARY_REMOTE_LID_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #primaryRemoteLid} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void primaryRemoteLid(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + PRIMARY_REMOTE_LID_OFFSET, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return first half of the GID of the active side, all 64 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static long primaryLocalGidHigh(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + PRIMARY_LOCAL_GID_HIGH_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #primaryLocalGidHigh} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 64 bits
   */
  public static void primaryLocalGidHigh(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + PRIMARY_LOCAL_GID_HIGH_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * {@return second half, all 64 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static long primaryLocalGidLow(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + PRIMARY_LOCAL_GID_LOW_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #primaryLocalGidLow} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 64 bits
   */
  public static void primaryLocalGidLow(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + PRIMARY_LOCAL_GID_LOW_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * {@return first half of the GID of the passive side, all 64 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static long primaryRemoteGidHigh(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + PRIMARY_REMOTE_GID_HIGH_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #primaryRemoteGidHigh} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 64 bits
   */
  public static void primaryRemoteGidHigh(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + PRIMARY_REMOTE_GID_HIGH_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * {@return second half, all 64 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static long primaryRemoteGidLow(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + PRIMARY_REMOTE_GID_LOW_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #primaryRemoteGidLow} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all 64 bits
   */
  public static void primaryRemoteGidLow(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + PRIMARY_REMOTE_GID_LOW_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * {@return flow label of the connection, 0..1048575}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int primaryFlowLabel(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + PRIMARY_FLOW_LABEL_OFFSET, BIG_ENDIAN) >>> 12;
  }

  /**
   * Sets what {@link #primaryFlowLabel} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..1048575; only the low 20 bits are used
   */
  public static void primaryFlowLabel(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putBits(buffer, offset + PRIMARY_FLOW_LABEL_OFFSET, 12, 20, value);
  }

  /**
   * {@return 0: that of the port, 0..63}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int primaryPacketRate(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + PRIMARY_PACKET_RATE_OFFSET) & 0x3F;
  }

  /**
   * Sets what {@link #primaryPacketRate} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..63; only the low 6 bits are used
   */
  public static void primaryPacketRate(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + PRIMARY_PACKET_RATE_OFFSET, 0, 6, value);
  }

  /**
   * {@return DSCP and ECN, 0..0xFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int primaryTrafficClass(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + PRIMARY_TRAFFIC_CLASS_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #primaryTrafficClass} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void primaryTrafficClass(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + PRIMARY_TRAFFIC_CLASS_OFFSET, (byte) value);
  }

  /**
   * {@return hop limit, 0..0xFF}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int primaryHopLimit(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + PRIMARY_HOP_LIMIT_OFFSET) & 0xFF;
  }

  /**
   * Sets what {@link #primaryHopLimit} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void primaryHopLimit(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + PRIMARY_HOP_LIMIT_OFFSET, (byte) value);
  }

  /**
   * {@return service level, 0..15}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int primarySl(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + PRIMARY_SL_OFFSET) >>> 4) & 0xF;
  }

  /**
   * Sets what {@link #primarySl} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..15; only the low 4 bits are used
   */
  public static void primarySl(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + PRIMARY_SL_OFFSET, 4, 4, value);
  }

  /**
   * {@return 1 when the hop limit is at most 1, 0..1}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int primarySubnetLocal(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + PRIMARY_SUBNET_LOCAL_OFFSET) >>> 3) & 0x1;
  }

  /**
   * Sets what {@link #primarySubnetLocal} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..1; only the low 1 bits are used
   */
  public static void primarySubnetLocal(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + PRIMARY_SUBNET_LOCAL_OFFSET, 3, 1, value);
  }

  /**
   * {@return code of the ACK timeout of both queue pairs, 0..31}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public static int primaryLocalAckTimeout(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + PRIMARY_LOCAL_ACK_TIMEOUT_OFFSET) >>> 3) & 0x1F;
  }

  /**
   * Sets what {@link #primaryLocalAckTimeout} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value 0..31; only the low 5 bits are used
   */
  public static void primaryLocalAckTimeout(MutableDirectBuffer buffer, int offset, int value) {
    Mad.putByteBits(buffer, offset + PRIMARY_LOCAL_ACK_TIMEOUT_OFFSET, 3, 5, value);
  }
}
