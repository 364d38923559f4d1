// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static io.roce4j.transport.verbs.AttributeMask.ACCESS_FLAGS;
import static io.roce4j.transport.verbs.AttributeMask.ALT_PATH;
import static io.roce4j.transport.verbs.AttributeMask.AV;
import static io.roce4j.transport.verbs.AttributeMask.CUR_STATE;
import static io.roce4j.transport.verbs.AttributeMask.DEST_QPN;
import static io.roce4j.transport.verbs.AttributeMask.EN_SQD_ASYNC_NOTIFY;
import static io.roce4j.transport.verbs.AttributeMask.MAX_DEST_RD_ATOMIC;
import static io.roce4j.transport.verbs.AttributeMask.MAX_RD_ATOMIC;
import static io.roce4j.transport.verbs.AttributeMask.MIN_RNR_TIMER;
import static io.roce4j.transport.verbs.AttributeMask.PATH_MIG_STATE;
import static io.roce4j.transport.verbs.AttributeMask.PATH_MTU;
import static io.roce4j.transport.verbs.AttributeMask.PKEY_INDEX;
import static io.roce4j.transport.verbs.AttributeMask.PORT;
import static io.roce4j.transport.verbs.AttributeMask.QKEY;
import static io.roce4j.transport.verbs.AttributeMask.RETRY_CNT;
import static io.roce4j.transport.verbs.AttributeMask.RNR_RETRY;
import static io.roce4j.transport.verbs.AttributeMask.RQ_PSN;
import static io.roce4j.transport.verbs.AttributeMask.SQ_PSN;
import static io.roce4j.transport.verbs.AttributeMask.STATE;
import static io.roce4j.transport.verbs.AttributeMask.TIMEOUT;
import static io.roce4j.transport.verbs.QueuePairState.ERR;
import static io.roce4j.transport.verbs.QueuePairState.INIT;
import static io.roce4j.transport.verbs.QueuePairState.RESET;
import static io.roce4j.transport.verbs.QueuePairState.RTR;
import static io.roce4j.transport.verbs.QueuePairState.RTS;
import static io.roce4j.transport.verbs.QueuePairState.SQD;
import static io.roce4j.transport.verbs.QueuePairState.SQE;
import static io.roce4j.transport.verbs.QueuePairType.RC;
import static io.roce4j.transport.verbs.QueuePairType.UC;
import static io.roce4j.transport.verbs.QueuePairType.UD;

/**
 * Which state follows which, and with which attributes: the table of ibv_modify_qp as data [rc
 * 1.1-1..10].
 */
public final class QueuePairTransitions {
  private static final int[][] TABLE = {
    // type, from, to, required, optional
    {RC, RESET, INIT, PKEY_INDEX | PORT | ACCESS_FLAGS, 0},
    {RC, INIT, INIT, 0, PKEY_INDEX | PORT | ACCESS_FLAGS},
    {
      RC,
      INIT,
      RTR,
      AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER,
      ALT_PATH | ACCESS_FLAGS | PKEY_INDEX
    },
    {
      RC,
      RTR,
      RTS,
      TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_RD_ATOMIC,
      CUR_STATE | ALT_PATH | ACCESS_FLAGS | MIN_RNR_TIMER | PATH_MIG_STATE
    },
    {RC, RTS, RTS, 0, CUR_STATE | ACCESS_FLAGS | ALT_PATH | PATH_MIG_STATE | MIN_RNR_TIMER},
    {RC, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY},
    {
      RC,
      SQD,
      SQD,
      0,
      PORT
          | AV
          | TIMEOUT
          | RETRY_CNT
          | RNR_RETRY
          | MAX_RD_ATOMIC
          | MAX_DEST_RD_ATOMIC
          | ALT_PATH
          | ACCESS_FLAGS
          | PKEY_INDEX
          | MIN_RNR_TIMER
          | PATH_MIG_STATE
    },
    {RC, SQD, RTS, 0, CUR_STATE | ALT_PATH | ACCESS_FLAGS | MIN_RNR_TIMER | PATH_MIG_STATE},
    {UC, RESET, INIT, PKEY_INDEX | PORT | ACCESS_FLAGS, 0},
    {UC, INIT, INIT, 0, PKEY_INDEX | PORT | ACCESS_FLAGS},
    {UC, INIT, RTR, AV | PATH_MTU | DEST_QPN | RQ_PSN, ALT_PATH | ACCESS_FLAGS | PKEY_INDEX},
    {UC, RTR, RTS, SQ_PSN, CUR_STATE | ALT_PATH | ACCESS_FLAGS | PATH_MIG_STATE},
    {UC, RTS, RTS, 0, CUR_STATE | ACCESS_FLAGS | ALT_PATH | PATH_MIG_STATE},
    {UC, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY},
    {UC, SQD, SQD, 0, AV | ALT_PATH | ACCESS_FLAGS | PKEY_INDEX | PATH_MIG_STATE},
    {UC, SQD, RTS, 0, CUR_STATE | ALT_PATH | ACCESS_FLAGS | PATH_MIG_STATE},
    {UC, SQE, RTS, 0, CUR_STATE | ACCESS_FLAGS},
    {UD, RESET, INIT, PKEY_INDEX | PORT | QKEY, 0},
    {UD, INIT, INIT, 0, PKEY_INDEX | PORT | QKEY},
    {UD, INIT, RTR, 0, PKEY_INDEX | QKEY},
    {UD, RTR, RTS, SQ_PSN, CUR_STATE | QKEY},
    {UD, RTS, RTS, 0, CUR_STATE | QKEY},
    {UD, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY},
    {UD, SQD, SQD, 0, PKEY_INDEX | QKEY},
    {UD, SQD, RTS, 0, CUR_STATE | QKEY},
    {UD, SQE, RTS, 0, CUR_STATE | QKEY},
  };

  private QueuePairTransitions() {}

  /**
   * Whether a state may follow another. RESET may follow every state, ERR every one but RESET.
   *
   * @param type {@link QueuePairType}
   * @param from {@link QueuePairState}
   * @param to {@link QueuePairState}
   * @return whether the table has the transition
   */
  public static boolean isAllowed(int type, int from, int to) {
    return to == RESET || (to == ERR && from != RESET) || row(type, from, to) != null;
  }

  /**
   * Attributes a transition needs, STATE included.
   *
   * @param type {@link QueuePairType}
   * @param from {@link QueuePairState}
   * @param to {@link QueuePairState}
   * @return {@link AttributeMask} bits
   */
  public static int required(int type, int from, int to) {
    int[] row = row(type, from, to);
    return row == null ? STATE : STATE | row[3];
  }

  /**
   * Attributes a transition may have besides.
   *
   * @param type {@link QueuePairType}
   * @param from {@link QueuePairState}
   * @param to {@link QueuePairState}
   * @return {@link AttributeMask} bits
   */
  public static int optional(int type, int from, int to) {
    int[] row = row(type, from, to);
    return row == null ? 0 : row[4];
  }

  /**
   * Checks the attributes given for a transition.
   *
   * @param type {@link QueuePairType}
   * @param from {@link QueuePairState} now
   * @param to {@link QueuePairState} asked for
   * @param mask {@link AttributeMask} bits given
   * @throws VerbsException EINVAL naming the transition, what is missing and what is too much
   */
  static void check(int type, int from, int to, int mask) {
    String transition =
        QueuePairType.name(type)
            + " "
            + QueuePairState.name(from)
            + " to "
            + QueuePairState.name(to);
    if (!isAllowed(type, from, to)) {
      throw VerbsException.invalid(transition + " is not a transition");
    }
    int required = required(type, from, to);
    int missing = required & ~mask;
    if (missing != 0) {
      throw VerbsException.invalid(transition + " needs " + AttributeMask.names(missing));
    }
    int excess = mask & ~(required | optional(type, from, to));
    if (excess != 0) {
      throw VerbsException.invalid(transition + " takes no " + AttributeMask.names(excess));
    }
  }

  private static int[] row(int type, int from, int to) {
    for (int[] row : TABLE) {
      if (row[0] == type && row[1] == from && row[2] == to) {
        return row;
      }
    }
    return null;
  }
}
