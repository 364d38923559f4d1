// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.mx.NegotiationBlock;
import java.util.SplittableRandom;

/** Makes queue pairs and brings them together, with start PSNs that are drawn. */
final class ConnectedPair {
  /** PSNs are below this. */
  static final int PSN_BOUND = 1 << 24;

  private ConnectedPair() {}

  /**
   * Makes a queue pair for a connection.
   *
   * @param side the endpoint
   * @param sendCompletions of what it posts
   * @param receiveCompletions of what it receives
   * @param settings of the connection
   * @param load of each direction
   * @return in RESET
   */
  static QueuePair queuePair(
      FlowSide side,
      CompletionQueue sendCompletions,
      CompletionQueue receiveCompletions,
      ConnectionSettings settings,
      FlowSettings load) {
    return side.domain()
        .createQueuePair(
            new QueuePairSettings()
                .type(QueuePairType.RC)
                .sendCq(sendCompletions)
                .recvCq(receiveCompletions)
                .maxSendWr(load.depth())
                .maxRecvWr(load.receives())
                .congestion(settings.congestion())
                .congestionParameters(settings.congestionParameters())
                .profile(settings.profile()));
  }

  /**
   * Connects two fresh queue pairs to each other.
   *
   * @param first one of them
   * @param toSecond the way from it to the other
   * @param second the other
   * @param toFirst the way back
   * @param settings of both
   * @param psns draw the start PSNs
   */
  static void connect(
      QueuePair first,
      AddressVector toSecond,
      QueuePair second,
      AddressVector toFirst,
      ConnectionSettings settings,
      SplittableRandom psns) {
    int firstPsn = psns.nextInt(PSN_BOUND);
    int secondPsn = psns.nextInt(PSN_BOUND);
    Negotiation one = new Negotiation(settings, first, firstPsn);
    Negotiation two = new Negotiation(settings, second, secondPsn);
    init(first);
    ready(first, second.qpNum(), toSecond, settings, one, secondPsn, two.block());
    init(second);
    ready(second, first.qpNum(), toFirst, settings, two, firstPsn, one.block());
  }

  /** From here on receives may be posted. */
  static void init(QueuePair qp) {
    qp.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
  }

  /**
   * Moves a queue pair from INIT to RTS.
   *
   * @param qp the queue pair
   * @param peer number of the other
   * @param way to the other
   * @param settings of both
   * @param own this side's part
   * @param peerPsn first PSN of the other
   * @param peerBlock what the other sent, null when it sent none
   */
  static void ready(
      QueuePair qp,
      int peer,
      AddressVector way,
      ConnectionSettings settings,
      Negotiation own,
      int peerPsn,
      NegotiationBlock peerBlock) {
    QueuePairAttributes toReceive =
        new QueuePairAttributes()
            .state(QueuePairState.RTR)
            .addressVector(way)
            .pathMtuBytes(settings.pathMtuBytes())
            .destQpNum(peer)
            .rqPsn(peerPsn)
            .maxDestRdAtomic(settings.maxReads())
            .minRnrTimer(settings.minRnrTimerCode());
    Object parameters = own.agreeWith(peerBlock);
    if (parameters != null) {
      toReceive.profileParameters(parameters);
    }
    qp.modify(toReceive);
    qp.modify(
        new QueuePairAttributes()
            .state(QueuePairState.RTS)
            .timeout(settings.timeoutCode())
            .retryCnt(settings.retryCount())
            .rnrRetry(settings.rnrRetryCount())
            .sqPsn(own.psn())
            .maxRdAtomic(settings.maxReads()));
  }
}
