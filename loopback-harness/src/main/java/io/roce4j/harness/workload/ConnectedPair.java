// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import java.util.SplittableRandom;

/** Brings two queue pairs of one process together, with start PSNs that are drawn. */
final class ConnectedPair {
  private static final int PSN_BOUND = 1 << 24;

  private ConnectedPair() {}

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
    ready(first, second.qpNum(), toSecond, settings, one, two);
    ready(second, first.qpNum(), toFirst, settings, two, one);
  }

  private static void ready(
      QueuePair qp,
      int peer,
      AddressVector way,
      ConnectionSettings settings,
      Negotiation own,
      Negotiation other) {
    qp.toInit(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
    QueuePairAttributes toReceive =
        new QueuePairAttributes()
            .state(QueuePairState.RTR)
            .addressVector(way)
            .pathMtuBytes(settings.pathMtuBytes())
            .destQpNum(peer)
            .rqPsn(other.psn())
            .maxDestRdAtomic(settings.maxReads())
            .minRnrTimer(settings.minRnrTimerCode());
    Object parameters = own.agreeWith(other.block());
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
