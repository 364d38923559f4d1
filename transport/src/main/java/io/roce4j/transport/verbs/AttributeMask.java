// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * Bits that say which attributes of a {@link QueuePairAttributes} are set, with libibverbs' numbers
 * ( {@code ibv_qp_attr_mask}) [rc 20-19].
 */
public final class AttributeMask {
  /** Next state. */
  public static final int STATE = 1 << 0;

  /** State the caller believes to be current. */
  public static final int CUR_STATE = 1 << 1;

  /** Raise SQ_DRAINED. */
  public static final int EN_SQD_ASYNC_NOTIFY = 1 << 2;

  /** What the peer may do. */
  public static final int ACCESS_FLAGS = 1 << 3;

  /** Partition key. */
  public static final int PKEY_INDEX = 1 << 4;

  /** Port number. */
  public static final int PORT = 1 << 5;

  /** Queue key. */
  public static final int QKEY = 1 << 6;

  /** Address of the peer. */
  public static final int AV = 1 << 7;

  /** Path MTU. */
  public static final int PATH_MTU = 1 << 8;

  /** Acknowledge timeout code. */
  public static final int TIMEOUT = 1 << 9;

  /** Retries after timeouts and sequence errors. */
  public static final int RETRY_CNT = 1 << 10;

  /** Retries after RNR NAKs. */
  public static final int RNR_RETRY = 1 << 11;

  /** First PSN expected. */
  public static final int RQ_PSN = 1 << 12;

  /** READs and atomics outstanding as requester. */
  public static final int MAX_RD_ATOMIC = 1 << 13;

  /** Alternate path. */
  public static final int ALT_PATH = 1 << 14;

  /** Timer code in our RNR NAKs. */
  public static final int MIN_RNR_TIMER = 1 << 15;

  /** First PSN sent. */
  public static final int SQ_PSN = 1 << 16;

  /** READs and atomics outstanding as responder. */
  public static final int MAX_DEST_RD_ATOMIC = 1 << 17;

  /** Path migration state. */
  public static final int PATH_MIG_STATE = 1 << 18;

  /** Queue sizes. */
  public static final int CAP = 1 << 19;

  /** Queue pair of the peer. */
  public static final int DEST_QPN = 1 << 20;

  /** Send rate limit. */
  public static final int RATE_LIMIT = 1 << 25;

  private AttributeMask() {}

  /**
   * The attributes of a mask by name, for messages.
   *
   * @param mask any combination
   * @return for example {@code PATH_MTU DEST_QPN}; {@code none} for 0
   */
  public static String names(int mask) {
    if (mask == 0) {
      return "none";
    }
    StringBuilder names = new StringBuilder();
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      if (!names.isEmpty()) {
        names.append(' ');
      }
      names.append(name(Integer.lowestOneBit(rest)));
    }
    return names.toString();
  }

  private static String name(int bit) {
    return switch (bit) {
      case STATE -> "STATE";
      case CUR_STATE -> "CUR_STATE";
      case EN_SQD_ASYNC_NOTIFY -> "EN_SQD_ASYNC_NOTIFY";
      case ACCESS_FLAGS -> "ACCESS_FLAGS";
      case PKEY_INDEX -> "PKEY_INDEX";
      case PORT -> "PORT";
      case QKEY -> "QKEY";
      case AV -> "AV";
      case PATH_MTU -> "PATH_MTU";
      case TIMEOUT -> "TIMEOUT";
      case RETRY_CNT -> "RETRY_CNT";
      case RNR_RETRY -> "RNR_RETRY";
      case RQ_PSN -> "RQ_PSN";
      case MAX_RD_ATOMIC -> "MAX_RD_ATOMIC";
      case ALT_PATH -> "ALT_PATH";
      case MIN_RNR_TIMER -> "MIN_RNR_TIMER";
      case SQ_PSN -> "SQ_PSN";
      case MAX_DEST_RD_ATOMIC -> "MAX_DEST_RD_ATOMIC";
      case PATH_MIG_STATE -> "PATH_MIG_STATE";
      case CAP -> "CAP";
      case DEST_QPN -> "DEST_QPN";
      case RATE_LIMIT -> "RATE_LIMIT";
      default -> "0x" + Integer.toHexString(bit);
    };
  }
}
