// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/**
 * CM REQ: the active side asks for a connection (IBA 1.4, 12.6.5).
 *
 * <p>A table of its fields, in the order of the wire; gaps are reserved: sent as 0, ignored.
 * Offsets are those of the message's first byte, MAD byte 24. Stateless; any thread.
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

  /** {@link #TRANSPORT_SERVICE_TYPE}: reliable connection. */
  public static final int TYPE_RC = 0;

  /** {@link #TRANSPORT_SERVICE_TYPE}: unreliable connection. */
  public static final int TYPE_UC = 1;

  /** Communication id of the active side, all 32 bits. */
  public static final MadField LOCAL_COMM_ID = CommIds.LOCAL;

  /** ECE vendor, 0..0xFFFFFF. */
  public static final MadField VENDOR_ID = new MadField("vendorId", 40, 24);

  /** Service asked for, see {@link ServiceId}, all 64 bits. */
  public static final MadField SERVICE_ID = new MadField("serviceId", 64, 64);

  /** Node GUID of the active side, all 64 bits. */
  public static final MadField LOCAL_CA_GUID = new MadField("localCaGuid", 128, 64);

  /** Queue key, 0 for RC and UC, all 32 bits. */
  public static final MadField LOCAL_QKEY = new MadField("localQkey", 224, 32);

  /** Queue pair of the active side, 0..0xFFFFFF. */
  public static final MadField LOCAL_QPN = new MadField("localQpn", 256, 24);

  /** READs and atomics the active side can serve, 0..0xFF. */
  public static final MadField RESPONDER_RESOURCES = new MadField("responderResources", 280, 8);

  /** End-to-end context, 0..0xFFFFFF; sent as 0. */
  public static final MadField LOCAL_EECN = new MadField("localEecn", 288, 24);

  /** READs and atomics the active side will issue, 0..0xFF. */
  public static final MadField INITIATOR_DEPTH = new MadField("initiatorDepth", 312, 8);

  /** End-to-end context, 0..0xFFFFFF; sent as 0. */
  public static final MadField REMOTE_EECN = new MadField("remoteEecn", 320, 24);

  /** Code of the time granted to the passive side, 0..31. */
  public static final MadField REMOTE_CM_RESPONSE_TIMEOUT =
      new MadField("remoteCmResponseTimeout", 344, 5);

  /** RC 0, UC 1, RD 2, 3 see the extended type, 0..3. */
  public static final MadField TRANSPORT_SERVICE_TYPE =
      new MadField("transportServiceType", 349, 2);

  /** 1 when the sender uses credits, 0..1. */
  public static final MadField END_TO_END_FLOW_CONTROL =
      new MadField("endToEndFlowControl", 351, 1);

  /** First PSN the passive side must send with, 0..0xFFFFFF. */
  public static final MadField STARTING_PSN = new MadField("startingPsn", 352, 24);

  /** Code of the time the active side needs to answer, 0..31. */
  public static final MadField LOCAL_CM_RESPONSE_TIMEOUT =
      new MadField("localCmResponseTimeout", 376, 5);

  /** Retry count of both sides, 0..7. */
  public static final MadField RETRY_COUNT = new MadField("retryCount", 381, 3);

  /** Partition key, 0..0xFFFF. */
  public static final MadField PARTITION_KEY = new MadField("partitionKey", 384, 16);

  /** Path MTU code, 1..5 are 256..4096, 0..15. */
  public static final MadField PATH_MTU = new MadField("pathMtu", 400, 4);

  /** Reliable datagram channel exists, 0..1; sent as 0. */
  public static final MadField RDC_EXISTS = new MadField("rdcExists", 404, 1);

  /** RNR retry count of the passive side as requester, 0..7. */
  public static final MadField RNR_RETRY_COUNT = new MadField("rnrRetryCount", 405, 3);

  /** CM retries, 0..15. */
  public static final MadField MAX_CM_RETRIES = new MadField("maxCmRetries", 408, 4);

  /** 1 when the queue pair uses a shared receive queue, 0..1. */
  public static final MadField SRQ = new MadField("srq", 412, 1);

  /** 1 is XRC when the type is 3, 0..7. */
  public static final MadField EXTENDED_TRANSPORT_TYPE =
      new MadField("extendedTransportType", 413, 3);

  /** 0xFFFF on RoCE when the hop limit is above 1, 0..0xFFFF. */
  public static final MadField PRIMARY_LOCAL_LID = new MadField("primaryLocalLid", 416, 16);

  /** The same, 0..0xFFFF. */
  public static final MadField PRIMARY_REMOTE_LID = new MadField("primaryRemoteLid", 432, 16);

  /** First half of the GID of the active side, all 64 bits. */
  public static final MadField PRIMARY_LOCAL_GID_HIGH =
      new MadField("primaryLocalGidHigh", 448, 64);

  /** Second half, all 64 bits. */
  public static final MadField PRIMARY_LOCAL_GID_LOW = new MadField("primaryLocalGidLow", 512, 64);

  /** First half of the GID of the passive side, all 64 bits. */
  public static final MadField PRIMARY_REMOTE_GID_HIGH =
      new MadField("primaryRemoteGidHigh", 576, 64);

  /** Second half, all 64 bits. */
  public static final MadField PRIMARY_REMOTE_GID_LOW =
      new MadField("primaryRemoteGidLow", 640, 64);

  /** Flow label of the connection, 0..1048575. */
  public static final MadField PRIMARY_FLOW_LABEL = new MadField("primaryFlowLabel", 704, 20);

  /** 0: that of the port, 0..63. */
  public static final MadField PRIMARY_PACKET_RATE = new MadField("primaryPacketRate", 730, 6);

  /** DSCP and ECN, 0..0xFF. */
  public static final MadField PRIMARY_TRAFFIC_CLASS = new MadField("primaryTrafficClass", 736, 8);

  /** Hop limit, 0..0xFF. */
  public static final MadField PRIMARY_HOP_LIMIT = new MadField("primaryHopLimit", 744, 8);

  /** Service level, 0..15. */
  public static final MadField PRIMARY_SL = new MadField("primarySl", 752, 4);

  /** 1 when the hop limit is at most 1, 0..1. */
  public static final MadField PRIMARY_SUBNET_LOCAL = new MadField("primarySubnetLocal", 756, 1);

  /** Code of the ACK timeout of both queue pairs, 0..31. */
  public static final MadField PRIMARY_LOCAL_ACK_TIMEOUT =
      new MadField("primaryLocalAckTimeout", 760, 5);

  /** All of them, in the order of the wire. */
  static final MadField[] FIELDS = {
    LOCAL_COMM_ID,
    VENDOR_ID,
    SERVICE_ID,
    LOCAL_CA_GUID,
    LOCAL_QKEY,
    LOCAL_QPN,
    RESPONDER_RESOURCES,
    LOCAL_EECN,
    INITIATOR_DEPTH,
    REMOTE_EECN,
    REMOTE_CM_RESPONSE_TIMEOUT,
    TRANSPORT_SERVICE_TYPE,
    END_TO_END_FLOW_CONTROL,
    STARTING_PSN,
    LOCAL_CM_RESPONSE_TIMEOUT,
    RETRY_COUNT,
    PARTITION_KEY,
    PATH_MTU,
    RDC_EXISTS,
    RNR_RETRY_COUNT,
    MAX_CM_RETRIES,
    SRQ,
    EXTENDED_TRANSPORT_TYPE,
    PRIMARY_LOCAL_LID,
    PRIMARY_REMOTE_LID,
    PRIMARY_LOCAL_GID_HIGH,
    PRIMARY_LOCAL_GID_LOW,
    PRIMARY_REMOTE_GID_HIGH,
    PRIMARY_REMOTE_GID_LOW,
    PRIMARY_FLOW_LABEL,
    PRIMARY_PACKET_RATE,
    PRIMARY_TRAFFIC_CLASS,
    PRIMARY_HOP_LIMIT,
    PRIMARY_SL,
    PRIMARY_SUBNET_LOCAL,
    PRIMARY_LOCAL_ACK_TIMEOUT
  };

  private ReqMessage() {}
}
