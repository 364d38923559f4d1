// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/**
 * CM SIDR_REP: answer to a SIDR_REQ (IBA 1.4, 12.11.2).
 *
 * <p>A table of its fields, in the order of the wire; gaps are reserved: sent as 0, ignored.
 * Offsets are those of the message's first byte, MAD byte 24. Stateless; any thread.
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

  /** {@link #STATUS}: the queue pair follows. */
  public static final int STATUS_SUCCESS = 0;

  /** {@link #STATUS}: nobody serves it. */
  public static final int STATUS_UNSUPPORTED_SERVICE = 1;

  /** {@link #STATUS}: refused. */
  public static final int STATUS_REJECTED = 2;

  /** {@link #STATUS}: no queue pair. */
  public static final int STATUS_NO_QP = 3;

  /** {@link #STATUS}: ask somebody else. */
  public static final int STATUS_REDIRECT = 4;

  /** {@link #STATUS}: unknown version. */
  public static final int STATUS_UNSUPPORTED_VERSION = 5;

  /** Communication id copied from the request, all 32 bits. */
  public static final MadField REQUEST_ID = new MadField("requestId", 0, 32);

  /** Status, 0 is success, 0..0xFF. */
  public static final MadField STATUS = new MadField("status", 32, 8);

  /** Bytes of additional information used, 0..0xFF. */
  public static final MadField INFO_LENGTH = new MadField("additionalInfoLength", 40, 8);

  /** ECE vendor, upper bytes, 0..0xFFFF. */
  public static final MadField VENDOR_ID_HIGH = new MadField("vendorIdHigh", 48, 16);

  /** Queue pair to send to, 0..0xFFFFFF. */
  public static final MadField QPN = new MadField("qpn", 64, 24);

  /** ECE vendor, lower byte, 0..0xFF. */
  public static final MadField VENDOR_ID_LOW = new MadField("vendorIdLow", 88, 8);

  /** Service, copied, all 64 bits. */
  public static final MadField SERVICE_ID = new MadField("serviceId", 96, 64);

  /** Queue key to use, all 32 bits. */
  public static final MadField QKEY = new MadField("qkey", 160, 32);

  /** All of them, in the order of the wire. */
  static final MadField[] FIELDS = {
    REQUEST_ID, STATUS, INFO_LENGTH, VENDOR_ID_HIGH, QPN, VENDOR_ID_LOW, SERVICE_ID, QKEY
  };

  private SidrRepMessage() {}
}
