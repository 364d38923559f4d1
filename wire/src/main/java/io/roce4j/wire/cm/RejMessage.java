// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/**
 * CM REJ: a request or reply is refused (IBA 1.4, 12.6.7).
 *
 * <p>A table of its fields, in the order of the wire; gaps are reserved: sent as 0, ignored.
 * Offsets are those of the message's first byte, MAD byte 24. Stateless; any thread.
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

  /** Communication id of the sender, all 32 bits. */
  public static final MadField LOCAL_COMM_ID = CommIds.LOCAL;

  /** Communication id of the receiver, all 32 bits. */
  public static final MadField REMOTE_COMM_ID = CommIds.REMOTE;

  /** 0 REQ, 1 REP, 2 none (timeout and the like), 0..3. */
  public static final MadField MESSAGE_REJECTED = new MadField("messageRejected", 64, 2);

  /** Bytes of additional information used, 0..127. */
  public static final MadField REJECTED_INFO_LENGTH = new MadField("rejectedInfoLength", 72, 7);

  /** Reason, see {@link RejectReason}, 0..0xFFFF. */
  public static final MadField REASON = new MadField("reason", 80, 16);

  /** All of them, in the order of the wire. */
  static final MadField[] FIELDS = {
    LOCAL_COMM_ID, REMOTE_COMM_ID, MESSAGE_REJECTED, REJECTED_INFO_LENGTH, REASON
  };

  private RejMessage() {}
}
