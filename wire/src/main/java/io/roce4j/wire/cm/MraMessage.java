// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/**
 * CM MRA: the receiver needs more time (IBA 1.4, 12.6.6).
 *
 * <p>A table of its fields, in the order of the wire; gaps are reserved: sent as 0, ignored.
 * Offsets are those of the message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class MraMessage {
  /** First byte of the private data. */
  public static final int PRIVATE_DATA_OFFSET = 10;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 222;

  /** Communication id of the sender, all 32 bits. */
  public static final MadField LOCAL_COMM_ID = CommIds.LOCAL;

  /** Communication id of the receiver, all 32 bits. */
  public static final MadField REMOTE_COMM_ID = CommIds.REMOTE;

  /** 0 REQ, 1 REP, 2 other, 0..3. */
  public static final MadField MESSAGE_MRAED = new MadField("messageMraed", 64, 2);

  /** Code of the extra time, 0..31. */
  public static final MadField SERVICE_TIMEOUT = new MadField("serviceTimeout", 72, 5);

  /** All of them, in the order of the wire. */
  static final MadField[] FIELDS = {LOCAL_COMM_ID, REMOTE_COMM_ID, MESSAGE_MRAED, SERVICE_TIMEOUT};

  private MraMessage() {}
}
