// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.handshake.PerftestReport;
import java.util.function.Consumer;

/** The runs of a bandwidth test, and what is exchanged between them. */
final class BandwidthRuns {
  private final PerftestSession session;
  private final PerftestPlan plan;
  private final boolean isGigaBits;
  private final Consumer<BandwidthResult> results;

  BandwidthRuns(PerftestSession session, boolean isGigaBits, Consumer<BandwidthResult> results) {
    this.session = session;
    this.plan = session.plan();
    this.isGigaBits = isGigaBits;
    this.results = results;
  }

  /** SENDs: the receives are posted before each meeting. */
  void runSends() {
    postReceives();
    for (long size : plan.sizesBytes()) {
      session.meet();
      BandwidthResult result = runOnce(size);
      results.accept(plan.isBidirectional() ? exchange(result) : result);
      if (plan.isAllSizes()) {
        session.meet();
      }
    }
    session.meet();
  }

  private void postReceives() {
    if (!plan.isReceiver()) {
      return;
    }
    for (PerftestQueue queue : session.queues()) {
      for (int i = 0; i < plan.rxDepth(); i++) {
        queue.postReceive();
      }
    }
  }

  /** WRITEs, READs, atomics. */
  void runRequests() {
    session.meet();
    if (plan.isBidirectional()) {
      runBothWays();
    } else if (plan.isClient()) {
      runForth();
    } else {
      serve();
    }
    session.meet();
  }

  private void runBothWays() {
    for (long size : plan.sizesBytes()) {
      if (plan.isAllSizes()) {
        session.meet();
      }
      session.meet();
      results.accept(exchange(runOnce(size)));
    }
  }

  private void runForth() {
    BandwidthResult last = null;
    for (long size : plan.sizesBytes()) {
      last = runOnce(size);
      results.accept(last);
    }
    session.meet();
    session.handshake().exchangeReports(last.report(isGigaBits));
  }

  /** The server of a one-way test does nothing; the client says at the end what it measured. */
  private void serve() {
    session.meet();
    PerftestReport report = session.handshake().exchangeReports(PerftestReport.NOTHING);
    results.accept(BandwidthResult.of(report, isGigaBits));
  }

  private BandwidthResult exchange(BandwidthResult own) {
    PerftestReport peer = session.handshake().exchangeReports(own.report(isGigaBits));
    return own.plus(BandwidthResult.of(peer, isGigaBits));
  }

  private BandwidthResult runOnce(long size) {
    BandwidthSender[] sender = new BandwidthSender[1];
    BandwidthReceiver[] receiver = new BandwidthReceiver[1];
    RunWatch watch = new RunWatch(session, () -> progress(sender[0], receiver[0]));
    if (plan.isRequester()) {
      sender[0] = new BandwidthSender(session, watch, size);
    }
    if (plan.isReceiver()) {
      receiver[0] = new BandwidthReceiver(session, watch, size);
    }
    watch.start();
    while (!isDone(sender[0], receiver[0])) {
      int work = sender[0] == null ? 0 : sender[0].turn();
      work += receiver[0] == null ? 0 : receiver[0].turn();
      watch.turn(work);
    }
    return sender[0] != null ? sender[0].result() : receiver[0].result();
  }

  private static boolean isDone(BandwidthSender sender, BandwidthReceiver receiver) {
    return (sender == null || sender.isDone()) && (receiver == null || receiver.isDone());
  }

  private static String progress(BandwidthSender sender, BandwidthReceiver receiver) {
    String sent = sender == null ? "" : sender.completedAll() + " messages completed";
    String received = receiver == null ? "" : receiver.received() + " messages received";
    return sent + (sent.isEmpty() || received.isEmpty() ? "" : " and ") + received;
  }
}
