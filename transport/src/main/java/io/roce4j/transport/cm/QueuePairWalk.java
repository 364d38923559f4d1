// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.QueuePairs;
import io.roce4j.transport.verbs.VerbsException;

/** The state changes a connection manager makes with the queue pair of a connection. */
final class QueuePairWalk {

  /**
   * What two sides agreed on.
   *
   * @param peer where to send
   * @param destQpn queue pair of the peer
   * @param rqPsn first PSN that arrives
   * @param sqPsn first PSN that is sent
   * @param pathMtuBytes path MTU
   * @param maxDestRdAtomic READs and atomics served
   * @param maxRdAtomic READs and atomics issued
   * @param timeout ACK timeout code
   * @param retryCount retries after timeouts
   * @param rnrRetryCount retries after RNR NAKs
   * @param minRnrTimer timer code in RNR NAKs
   * @param peerHasCredits whether the peer counts its receives in acknowledgements
   * @param profileParameters of the profile, or null
   */
  record Terms(
      AddressVector peer,
      int destQpn,
      int rqPsn,
      int sqPsn,
      int pathMtuBytes,
      int maxDestRdAtomic,
      int maxRdAtomic,
      int timeout,
      int retryCount,
      int rnrRetryCount,
      int minRnrTimer,
      boolean peerHasCredits,
      Object profileParameters) {}

  private QueuePairWalk() {}

  /** RESET to INIT, without rights: the peer's are set when it is known. */
  static void toInit(QueuePair queuePair) {
    QueuePairs.toInit(queuePair, 0);
  }

  /**
   * INIT to RTS.
   *
   * @param grant whether to set the peer's rights: WRITE, and READ and atomics when any are served;
   *     else those set in INIT stay
   * @throws VerbsException when the queue pair or its engine refuses
   */
  static void toRts(QueuePair queuePair, Terms terms, boolean grant) {
    QueuePairAttributes rtr =
        new QueuePairAttributes()
            .state(QueuePairState.RTR)
            .addressVector(terms.peer)
            .destQpNum(terms.destQpn)
            .rqPsn(terms.rqPsn)
            .pathMtuBytes(terms.pathMtuBytes)
            .maxDestRdAtomic(terms.maxDestRdAtomic)
            .minRnrTimer(terms.minRnrTimer)
            .ignoresCredits(!terms.peerHasCredits)
            .profileParameters(terms.profileParameters);
    if (grant) {
      int reads = AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
      rtr.accessFlags(AccessFlags.REMOTE_WRITE | (terms.maxDestRdAtomic > 0 ? reads : 0));
    }
    queuePair.modify(rtr);
    queuePair.modify(
        new QueuePairAttributes()
            .state(QueuePairState.RTS)
            .sqPsn(terms.sqPsn)
            .timeout(terms.timeout)
            .retryCnt(terms.retryCount)
            .rnrRetry(terms.rnrRetryCount)
            .maxRdAtomic(terms.maxRdAtomic));
  }

  /** A datagram queue pair to RTS, from wherever it is. */
  static void datagramToRts(QueuePair queuePair, int qkey, int sqPsn) {
    int state = queuePair.state();
    if (state == QueuePairState.RESET) {
      QueuePairs.readyDatagram(queuePair, qkey, sqPsn);
    } else if (state == QueuePairState.INIT) {
      queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTR).qkey(qkey));
      queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTS).sqPsn(sqPsn));
    } else if (state != QueuePairState.RTS) {
      throw new VerbsException(
          "EINVAL",
          "queue pair "
              + queuePair.qpNum()
              + " is in "
              + QueuePairState.name(state)
              + ": allowed RESET INIT RTS");
    }
  }

  /** To ERR, so that all that is posted is flushed; nothing when it is gone already. */
  static void toError(QueuePair queuePair) {
    if (queuePair.state() != QueuePairState.RESET && queuePair.state() != QueuePairState.ERR) {
      queuePair.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    }
  }

  /** Checks that a queue pair can be connected. */
  static void check(QueuePair queuePair, PortSpace space) {
    int type = space == PortSpace.UDP ? QueuePairType.UD : QueuePairType.RC;
    if (queuePair.type() != type) {
      throw new VerbsException(
          "EINVAL",
          "port space "
              + space
              + " takes queue pairs of type "
              + QueuePairType.name(type)
              + ", this is "
              + QueuePairType.name(queuePair.type()));
    }
    int state = queuePair.state();
    if (type == QueuePairType.RC && state != QueuePairState.RESET && state != QueuePairState.INIT) {
      throw new VerbsException(
          "EINVAL",
          "queue pair "
              + queuePair.qpNum()
              + " is in "
              + QueuePairState.name(state)
              + ": allowed RESET INIT");
    }
  }
}
