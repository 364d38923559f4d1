// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.QueuePairs;
import java.util.SplittableRandom;

/** Brings the queue pairs of the mix to RTS. */
final class MixSetup {

  static final int QKEY = 0x1357;
  static final int READS = 4;
  private static final int PSN_BOUND = 1 << 24;
  private static final int ACCESS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;

  private MixSetup() {}

  /** Connects two fresh queue pairs of RC or UC to each other. */
  static void connect(
      QueuePair a,
      AddressVector toB,
      QueuePair b,
      AddressVector toA,
      ConnectionSettings settings,
      SplittableRandom psns) {
    int psnA = psns.nextInt(PSN_BOUND);
    int psnB = psns.nextInt(PSN_BOUND);
    ready(a, b.qpNum(), toB, settings, psnA, psnB);
    ready(b, a.qpNum(), toA, settings, psnB, psnA);
  }

  private static void ready(
      QueuePair qp,
      int peer,
      AddressVector way,
      ConnectionSettings settings,
      int sendPsn,
      int receivePsn) {
    boolean reliable = qp.type() == QueuePairType.RC;
    qp.toInit(ACCESS);
    QueuePairAttributes toReceive =
        new QueuePairAttributes()
            .state(QueuePairState.RTR)
            .addressVector(way)
            .pathMtuBytes(settings.pathMtuBytes())
            .destQpNum(peer)
            .rqPsn(receivePsn);
    QueuePairAttributes toSend = new QueuePairAttributes().state(QueuePairState.RTS).sqPsn(sendPsn);
    if (reliable) {
      toReceive.maxDestRdAtomic(READS).minRnrTimer(settings.minRnrTimerCode());
      toSend
          .timeout(settings.timeoutCode())
          .retryCnt(settings.retryCount())
          .rnrRetry(settings.rnrRetryCount())
          .maxRdAtomic(READS);
    }
    qp.modify(toReceive);
    qp.modify(toSend);
  }

  static void readyDatagrams(QueuePair qp, SplittableRandom psns) {
    QueuePairs.readyDatagram(qp, QKEY, psns.nextInt(PSN_BOUND));
  }
}
