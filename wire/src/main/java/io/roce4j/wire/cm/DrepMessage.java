// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/**
 * CM DREP: answer to a DREQ (IBA 1.4, 12.6.11).
 *
 * <p>A table of its fields, in the order of the wire; gaps are reserved: sent as 0, ignored.
 * Offsets are those of the message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class DrepMessage {
  /** First byte of the private data. */
  public static final int PRIVATE_DATA_OFFSET = 8;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 224;

  /** Communication id of the sender, all 32 bits. */
  public static final MadField LOCAL_COMM_ID = CommIds.LOCAL;

  /** Communication id of the receiver, all 32 bits. */
  public static final MadField REMOTE_COMM_ID = CommIds.REMOTE;

  /** All of them, in the order of the wire. */
  static final MadField[] FIELDS = {LOCAL_COMM_ID, REMOTE_COMM_ID};

  private DrepMessage() {}
}
