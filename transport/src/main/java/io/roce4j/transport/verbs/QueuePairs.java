// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.memory.AccessFlags;

/**
 * The usual walk of a queue pair from RESET to RTS, for programs that exchange numbers themselves.
 *
 * <p>Where a bag of tuning attributes is taken, what is set there replaces the usual value: path
 * MTU (the port's active MTU), timeout 14, retryCnt 7, rnrRetry 7, minRnrTimer 12, maxRdAtomic and
 * maxDestRdAtomic 16, or the device limit when that is lower.
 */
public final class QueuePairs {
  private static final int USUAL_TIMEOUT = 14;
  private static final int USUAL_RETRIES = 7;
  private static final int USUAL_MIN_RNR_TIMER = 12;
  private static final int USUAL_RD_ATOMIC = 16;

  private QueuePairs() {}

  /**
   * RESET to INIT of RC or UC.
   *
   * @param queuePair in RESET
   * @param accessFlags what the peer may do
   * @throws VerbsException EINVAL
   */
  public static void toInit(QueuePair queuePair, int accessFlags) {
    queuePair.modify(init().accessFlags(accessFlags));
  }

  /**
   * RESET to RTS of UD, which has no peer.
   *
   * @param queuePair in RESET
   * @param qkey queue key
   * @param sqPsn first PSN sent, 0..0xFFFFFF
   * @throws VerbsException EINVAL
   */
  public static void readyDatagram(QueuePair queuePair, int qkey, int sqPsn) {
    queuePair.modify(init().qkey(qkey));
    queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTR));
    queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTS).sqPsn(sqPsn));
  }

  /**
   * INIT to RTR of RC or UC.
   *
   * @param queuePair in INIT
   * @param peer address of the peer
   * @param destQpNum queue pair of the peer, 0..0xFFFFFF
   * @param rqPsn first PSN the peer sends, 0..0xFFFFFF
   * @param tuning attributes that replace the usual ones, or null
   * @throws VerbsException EINVAL
   */
  public static void toRtr(
      QueuePair queuePair,
      AddressVector peer,
      int destQpNum,
      int rqPsn,
      QueuePairAttributes tuning) {
    QueuePairAttributes change =
        new QueuePairAttributes()
            .addressVector(peer)
            .destQpNum(destQpNum)
            .rqPsn(rqPsn)
            .pathMtuBytes(queuePair.context().queryPort().activeMtuBytes());
    if (queuePair.type() == QueuePairType.RC) {
      change.maxDestRdAtomic(usualRdAtomic(queuePair)).minRnrTimer(USUAL_MIN_RNR_TIMER);
    }
    apply(queuePair, QueuePairState.RTR, change, tuning);
  }

  /**
   * RTR to RTS of RC or UC.
   *
   * @param queuePair in RTR
   * @param sqPsn first PSN sent, 0..0xFFFFFF
   * @param tuning attributes that replace the usual ones, or null
   * @throws VerbsException EINVAL
   */
  public static void toRts(QueuePair queuePair, int sqPsn, QueuePairAttributes tuning) {
    QueuePairAttributes change = new QueuePairAttributes().sqPsn(sqPsn);
    if (queuePair.type() == QueuePairType.RC) {
      change
          .timeout(USUAL_TIMEOUT)
          .retryCnt(USUAL_RETRIES)
          .rnrRetry(USUAL_RETRIES)
          .maxRdAtomic(usualRdAtomic(queuePair));
    }
    apply(queuePair, QueuePairState.RTS, change, tuning);
  }

  /**
   * Takes two queue pairs of this process from RESET to RTS, connected to each other with all
   * remote rights, PSN 0 and the smaller of the two active MTUs.
   *
   * @param a in RESET
   * @param b in RESET, of the same type
   * @param tuning attributes that replace the usual ones on both sides, or null
   * @throws VerbsException EINVAL
   */
  public static void connect(QueuePair a, QueuePair b, QueuePairAttributes tuning) {
    int access = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_MASK;
    toInit(a, access);
    toInit(b, access);
    QueuePairAttributes both =
        new QueuePairAttributes()
            .pathMtuBytes(
                Math.min(
                    a.context().queryPort().activeMtuBytes(),
                    b.context().queryPort().activeMtuBytes()));
    if (tuning != null) {
      both.merge(tuning);
    }
    toRtr(a, addressOf(b), b.qpNum(), 0, both);
    toRtr(b, addressOf(a), a.qpNum(), 0, both);
    toRts(a, 0, both);
    toRts(b, 0, both);
  }

  /**
   * Address under which a peer reaches a queue pair.
   *
   * @param queuePair of this process
   * @return the GID and UDP port of its endpoint
   */
  public static AddressVector addressOf(QueuePair queuePair) {
    PortAttributes port = queuePair.context().queryPort();
    return AddressVector.of(port.gidHi(), port.gidLo()).withUdpPort(port.udpPort());
  }

  private static QueuePairAttributes init() {
    return new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).portNum(1);
  }

  private static int usualRdAtomic(QueuePair queuePair) {
    return Math.min(USUAL_RD_ATOMIC, queuePair.context().deviceAttributes().maxQpRdAtom());
  }

  /** Merges tuning that the transition takes, so that one bag serves both transitions. */
  private static void apply(
      QueuePair queuePair, int to, QueuePairAttributes change, QueuePairAttributes tuning) {
    change.state(to);
    if (tuning != null) {
      int from = queuePair.state();
      int taken =
          QueuePairTransitions.required(queuePair.type(), from, to)
              | QueuePairTransitions.optional(queuePair.type(), from, to);
      change.merge(tuning, taken & ~AttributeMask.STATE);
    }
    queuePair.modify(change);
  }
}
