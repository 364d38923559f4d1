// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** Asynchronous events with libibverbs' numbers [rc 19]. Those never raised here say so. */
public final class AsyncEventType {
  /** A completion queue overflowed. */
  public static final int CQ_ERR = 0;

  /** A queue pair went to ERR for a reason without a completion. */
  public static final int QP_FATAL = 1;

  /** Responder: invalid request that held no receive. */
  public static final int QP_REQ_ERR = 2;

  /** Responder: access violation that held no receive. */
  public static final int QP_ACCESS_ERR = 3;

  /** First packet in RTR. */
  public static final int COMM_EST = 4;

  /** The send queue is drained after SQD. */
  public static final int SQ_DRAINED = 5;

  /** Path migration; not raised. */
  public static final int PATH_MIG = 6;

  /** Path migration; not raised. */
  public static final int PATH_MIG_ERR = 7;

  /** The endpoint stopped. */
  public static final int DEVICE_FATAL = 8;

  /** The link came up. */
  public static final int PORT_ACTIVE = 9;

  /** The link went down. */
  public static final int PORT_ERR = 10;

  /** InfiniBand only; not raised. */
  public static final int LID_CHANGE = 11;

  /** The partition key table changed. */
  public static final int PKEY_CHANGE = 12;

  /** InfiniBand only; not raised. */
  public static final int SM_CHANGE = 13;

  /** A shared receive queue failed. */
  public static final int SRQ_ERR = 14;

  /** Fewer receives than the armed limit are left. */
  public static final int SRQ_LIMIT_REACHED = 15;

  /** A queue pair in ERR completed the last receive it took from a shared queue. */
  public static final int QP_LAST_WQE_REACHED = 16;

  /** InfiniBand only; not raised. */
  public static final int CLIENT_REREGISTER = 17;

  /** An address changed. */
  public static final int GID_CHANGE = 18;

  /** Work queues of their own; not raised. */
  public static final int WQ_FATAL = 19;

  /** The link speed changed. */
  public static final int DEVICE_SPEED_CHANGE = 20;

  private AsyncEventType() {}

  /**
   * The name of a event.
   *
   * @param value a number of this class
   * @return its name, or the number for one that is none
   */
  public static String name(int value) {
    return switch (value) {
      case CQ_ERR -> "CQ_ERR";
      case QP_FATAL -> "QP_FATAL";
      case QP_REQ_ERR -> "QP_REQ_ERR";
      case QP_ACCESS_ERR -> "QP_ACCESS_ERR";
      case COMM_EST -> "COMM_EST";
      case SQ_DRAINED -> "SQ_DRAINED";
      case PATH_MIG -> "PATH_MIG";
      case PATH_MIG_ERR -> "PATH_MIG_ERR";
      case DEVICE_FATAL -> "DEVICE_FATAL";
      case PORT_ACTIVE -> "PORT_ACTIVE";
      case PORT_ERR -> "PORT_ERR";
      case LID_CHANGE -> "LID_CHANGE";
      case PKEY_CHANGE -> "PKEY_CHANGE";
      case SM_CHANGE -> "SM_CHANGE";
      case SRQ_ERR -> "SRQ_ERR";
      case SRQ_LIMIT_REACHED -> "SRQ_LIMIT_REACHED";
      case QP_LAST_WQE_REACHED -> "QP_LAST_WQE_REACHED";
      case CLIENT_REREGISTER -> "CLIENT_REREGISTER";
      case GID_CHANGE -> "GID_CHANGE";
      case WQ_FATAL -> "WQ_FATAL";
      case DEVICE_SPEED_CHANGE -> "DEVICE_SPEED_CHANGE";
      default -> Integer.toString(value);
    };
  }

  /**
   * What the number in the event names.
   *
   * @param type a number of this class
   * @return {@link AsyncEvent#QUEUE_PAIR}, COMPLETION_QUEUE, SHARED_RECEIVE_QUEUE or DEVICE
   */
  public static int element(int type) {
    return switch (type) {
      case CQ_ERR -> AsyncEvent.COMPLETION_QUEUE;
      case QP_FATAL,
          QP_REQ_ERR,
          QP_ACCESS_ERR,
          COMM_EST,
          SQ_DRAINED,
          PATH_MIG,
          PATH_MIG_ERR,
          QP_LAST_WQE_REACHED ->
          AsyncEvent.QUEUE_PAIR;
      case SRQ_ERR, SRQ_LIMIT_REACHED -> AsyncEvent.SHARED_RECEIVE_QUEUE;
      default -> AsyncEvent.DEVICE;
    };
  }
}
