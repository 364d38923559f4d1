// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/**
 * CM SIDR_REQ: asks which UD queue pair serves a service id (IBA 1.4, 12.11.1).
 *
 * <p>A table of its fields, in the order of the wire; gaps are reserved: sent as 0, ignored.
 * Offsets are those of the message's first byte, MAD byte 24. Stateless; any thread.
 */
public final class SidrReqMessage {
  /** First byte of the private data, which start with the {@link RdmaCmHeader}. */
  public static final int PRIVATE_DATA_OFFSET = 16;

  /** Bytes of private data. */
  public static final int PRIVATE_DATA_LENGTH = 216;

  /** Bytes left to the application behind the {@link RdmaCmHeader}. */
  public static final int USER_DATA_LENGTH = 180;

  /** Communication id of the requester, all 32 bits. */
  public static final MadField REQUEST_ID = new MadField("requestId", 0, 32);

  /** Partition key, 0..0xFFFF. */
  public static final MadField PARTITION_KEY = new MadField("partitionKey", 32, 16);

  /** Service asked for, see {@link ServiceId}, all 64 bits. */
  public static final MadField SERVICE_ID = new MadField("serviceId", 64, 64);

  /** All of them, in the order of the wire. */
  static final MadField[] FIELDS = {REQUEST_ID, PARTITION_KEY, SERVICE_ID};

  private SidrReqMessage() {}
}
