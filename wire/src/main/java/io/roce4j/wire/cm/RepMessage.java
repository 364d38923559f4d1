// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/**
 * CM REP: the passive side accepts (IBA 1.4, 12.6.8).
 *
 * <p>A table of its fields, in the order of the wire; gaps are reserved: sent as 0, ignored.
 * Offsets are those of the message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class RepMessage {
  /** First byte of the private data. */
  public static final int PRIVATE_DATA_OFFSET = 36;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 196;

  /** Communication id of the sender, all 32 bits. */
  public static final MadField LOCAL_COMM_ID = CommIds.LOCAL;

  /** Communication id of the receiver, all 32 bits. */
  public static final MadField REMOTE_COMM_ID = CommIds.REMOTE;

  /** Queue key, 0 for RC and UC, all 32 bits. */
  public static final MadField LOCAL_QKEY = new MadField("localQkey", 64, 32);

  /** Queue pair of the passive side, 0..0xFFFFFF. */
  public static final MadField LOCAL_QPN = new MadField("localQpn", 96, 24);

  /** ECE vendor, upper byte, 0..0xFF. */
  public static final MadField VENDOR_ID_HIGH = new MadField("vendorIdHigh", 120, 8);

  /** End-to-end context, 0..0xFFFFFF; sent as 0. */
  public static final MadField LOCAL_EECN = new MadField("localEecn", 128, 24);

  /** ECE vendor, middle byte, 0..0xFF. */
  public static final MadField VENDOR_ID_MIDDLE = new MadField("vendorIdMiddle", 152, 8);

  /** First PSN the active side must send with, 0..0xFFFFFF. */
  public static final MadField STARTING_PSN = new MadField("startingPsn", 160, 24);

  /** ECE vendor, lower byte, 0..0xFF. */
  public static final MadField VENDOR_ID_LOW = new MadField("vendorIdLow", 184, 8);

  /** READs and atomics the passive side serves, 0..0xFF. */
  public static final MadField RESPONDER_RESOURCES = new MadField("responderResources", 192, 8);

  /** READs and atomics the passive side issues, 0..0xFF. */
  public static final MadField INITIATOR_DEPTH = new MadField("initiatorDepth", 200, 8);

  /** Code of the delay before an acknowledgement leaves, 0..31. */
  public static final MadField TARGET_ACK_DELAY = new MadField("targetAckDelay", 208, 5);

  /** Alternate path taken over, 0..3; sent as 0. */
  public static final MadField FAILOVER_ACCEPTED = new MadField("failoverAccepted", 213, 2);

  /** 1 when the sender uses credits, 0..1. */
  public static final MadField END_TO_END_FLOW_CONTROL =
      new MadField("endToEndFlowControl", 215, 1);

  /** RNR retry count of the active side as requester, 0..7. */
  public static final MadField RNR_RETRY_COUNT = new MadField("rnrRetryCount", 216, 3);

  /** 1 when the queue pair uses a shared receive queue, 0..1. */
  public static final MadField SRQ = new MadField("srq", 219, 1);

  /** Node GUID of the passive side, all 64 bits. */
  public static final MadField LOCAL_CA_GUID = new MadField("localCaGuid", 224, 64);

  /** All of them, in the order of the wire. */
  static final MadField[] FIELDS = {
    LOCAL_COMM_ID,
    REMOTE_COMM_ID,
    LOCAL_QKEY,
    LOCAL_QPN,
    VENDOR_ID_HIGH,
    LOCAL_EECN,
    VENDOR_ID_MIDDLE,
    STARTING_PSN,
    VENDOR_ID_LOW,
    RESPONDER_RESOURCES,
    INITIATOR_DEPTH,
    TARGET_ACK_DELAY,
    FAILOVER_ACCEPTED,
    END_TO_END_FLOW_CONTROL,
    RNR_RETRY_COUNT,
    SRQ,
    LOCAL_CA_GUID
  };

  private RepMessage() {}
}
