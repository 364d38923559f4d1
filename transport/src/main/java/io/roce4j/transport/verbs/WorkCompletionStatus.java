// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** Completion statuses with libibverbs' numbers [rc 20-1..12]. */
public final class WorkCompletionStatus {
  /** Done. */
  public static final int SUCCESS = 0;

  /** A message longer than its buffers, or a READ response of the wrong length. */
  public static final int LOC_LEN_ERR = 1;

  /** The queue pair could not execute the request, for example LOCAL_INV of a bad key. */
  public static final int LOC_QP_OP_ERR = 2;

  /** Reliable datagram only; never reported. */
  public static final int LOC_EEC_OP_ERR = 3;

  /** A local key, range or right was wrong. */
  public static final int LOC_PROT_ERR = 4;

  /** Flushed: the queue pair went to ERR or SQE before this request was done. */
  public static final int WR_FLUSH_ERR = 5;

  /** A window bind was refused. */
  public static final int MW_BIND_ERR = 6;

  /** The peer answered with an opcode that does not fit. */
  public static final int BAD_RESP_ERR = 7;

  /** Local access violation while placing the data of a WRITE with immediate data. */
  public static final int LOC_ACCESS_ERR = 8;

  /** The peer found the request invalid (NAK 0x61). */
  public static final int REM_INV_REQ_ERR = 9;

  /** The peer refused the access (NAK 0x62). */
  public static final int REM_ACCESS_ERR = 10;

  /** The peer could not complete the operation (NAK 0x63). */
  public static final int REM_OP_ERR = 11;

  /** No answer after retry_cnt retries. */
  public static final int RETRY_EXC_ERR = 12;

  /** The peer had no receive after rnr_retry retries. */
  public static final int RNR_RETRY_EXC_ERR = 13;

  /** Reliable datagram only; never reported. */
  public static final int LOC_RDD_VIOL_ERR = 14;

  /** Reliable datagram only; never reported. */
  public static final int REM_INV_RD_REQ_ERR = 15;

  /** The peer aborted the operation. */
  public static final int REM_ABORT_ERR = 16;

  /** Reliable datagram only; never reported. */
  public static final int INV_EECN_ERR = 17;

  /** Reliable datagram only; never reported. */
  public static final int INV_EEC_STATE_ERR = 18;

  /** Fatal transport error. */
  public static final int FATAL_ERR = 19;

  /** Response timeout. */
  public static final int RESP_TIMEOUT_ERR = 20;

  /** Any other error. */
  public static final int GENERAL_ERR = 21;

  /** Tag matching; never reported. */
  public static final int TM_ERR = 22;

  /** Tag matching; never reported. */
  public static final int TM_RNDV_INCOMPLETE = 23;

  private WorkCompletionStatus() {}

  /**
   * The name of a status.
   *
   * @param value a number of this class
   * @return its name, or the number for one that is none
   */
  public static String name(int value) {
    return switch (value) {
      case SUCCESS -> "SUCCESS";
      case LOC_LEN_ERR -> "LOC_LEN_ERR";
      case LOC_QP_OP_ERR -> "LOC_QP_OP_ERR";
      case LOC_EEC_OP_ERR -> "LOC_EEC_OP_ERR";
      case LOC_PROT_ERR -> "LOC_PROT_ERR";
      case WR_FLUSH_ERR -> "WR_FLUSH_ERR";
      case MW_BIND_ERR -> "MW_BIND_ERR";
      case BAD_RESP_ERR -> "BAD_RESP_ERR";
      case LOC_ACCESS_ERR -> "LOC_ACCESS_ERR";
      case REM_INV_REQ_ERR -> "REM_INV_REQ_ERR";
      case REM_ACCESS_ERR -> "REM_ACCESS_ERR";
      case REM_OP_ERR -> "REM_OP_ERR";
      case RETRY_EXC_ERR -> "RETRY_EXC_ERR";
      case RNR_RETRY_EXC_ERR -> "RNR_RETRY_EXC_ERR";
      case LOC_RDD_VIOL_ERR -> "LOC_RDD_VIOL_ERR";
      case REM_INV_RD_REQ_ERR -> "REM_INV_RD_REQ_ERR";
      case REM_ABORT_ERR -> "REM_ABORT_ERR";
      case INV_EECN_ERR -> "INV_EECN_ERR";
      case INV_EEC_STATE_ERR -> "INV_EEC_STATE_ERR";
      case FATAL_ERR -> "FATAL_ERR";
      case RESP_TIMEOUT_ERR -> "RESP_TIMEOUT_ERR";
      case GENERAL_ERR -> "GENERAL_ERR";
      case TM_ERR -> "TM_ERR";
      case TM_RNDV_INCOMPLETE -> "TM_RNDV_INCOMPLETE";
      default -> Integer.toString(value);
    };
  }
}
