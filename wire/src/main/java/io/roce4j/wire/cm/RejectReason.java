// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/** Reasons of a CM REJ (IBA 1.4, 12.6.7.2 table 113). Stateless; any thread. */
public final class RejectReason {
  /** No queue pair. */
  public static final int NO_QP = 1;

  /** No resources. */
  public static final int NO_RESOURCES = 3;

  /** The other side waited too long. */
  public static final int TIMEOUT = 4;

  /** Unsupported request. */
  public static final int UNSUPPORTED_REQUEST = 5;

  /** Invalid communication id. */
  public static final int INVALID_COMM_ID = 6;

  /** Invalid communication instance. */
  public static final int INVALID_COMM_INSTANCE = 7;

  /** Nobody listens for the service id. */
  public static final int INVALID_SERVICE_ID = 8;

  /** Invalid transport service type. */
  public static final int INVALID_TRANSPORT_TYPE = 9;

  /** The peer still holds a connection of the same node and queue pair. */
  public static final int STALE_CONNECTION = 10;

  /** The remote GID is not one of the receiver's. */
  public static final int INVALID_GID = 12;

  /** Invalid path MTU. */
  public static final int INVALID_MTU = 26;

  /** Too few responder resources. */
  public static final int INSUFFICIENT_RESPONDER_RESOURCES = 27;

  /** The application refused. */
  public static final int CONSUMER_REJECT = 28;

  /** Invalid RNR retry count. */
  public static final int INVALID_RNR_RETRY = 29;

  /** Duplicate local communication id. */
  public static final int DUPLICATE_LOCAL_COMM_ID = 30;

  /** Invalid class version. */
  public static final int INVALID_CLASS_VERSION = 31;

  private static final String[] NAMES = {
    "reason 0",
    "no QP",
    "no EEC",
    "no resources",
    "timeout",
    "unsupported request",
    "invalid comm id",
    "invalid comm instance",
    "invalid service id",
    "invalid transport type",
    "stale connection",
    "RDC does not exist",
    "invalid GID",
    "invalid LID",
    "invalid SL",
    "invalid traffic class",
    "invalid hop limit",
    "invalid packet rate",
    "invalid alternate GID",
    "invalid alternate LID",
    "invalid alternate SL",
    "invalid alternate traffic class",
    "invalid alternate hop limit",
    "invalid alternate rate",
    "CM redirect",
    "port redirect",
    "invalid MTU",
    "insufficient responder resources",
    "consumer reject",
    "RNR retry invalid",
    "duplicate local comm id",
    "invalid class version",
    "invalid flow label",
    "invalid alternate flow label",
    "reason 34",
    "vendor option not supported"
  };

  private RejectReason() {}

  /**
   * The reason in words.
   *
   * @param reason 0..0xFFFF
   * @return for example {@code stale connection}
   */
  public static String name(int reason) {
    return reason >= 0 && reason < NAMES.length ? NAMES[reason] : "reason " + reason;
  }
}
