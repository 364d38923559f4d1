// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.transport.verbs.WorkCompletion;

/** The receiving side of a bandwidth run of one message size; only SENDs have one. */
final class BandwidthReceiver {
  private static final int POLLS = 64;

  private final PerftestSession session;
  private final PerftestPlan plan;
  private final RunWatch watch;
  private final long sizeBytes;
  private final long total;
  private final WorkCompletion completion = new WorkCompletion();
  private long received;
  private long measured;
  private long lastNs;

  BandwidthReceiver(PerftestSession session, RunWatch watch, long sizeBytes) {
    this.session = session;
    this.plan = session.plan();
    this.watch = watch;
    this.sizeBytes = sizeBytes;
    this.total = plan.iterations() * plan.queuePairs();
  }

  /** Takes messages and gives their receives back; returns how many. */
  int turn() {
    int work = 0;
    while (work < POLLS && session.receives().poll(completion)) {
      session.requireSuccess(completion, "RECV", received);
      session.queues().get((int) completion.wrId()).postReceive();
      onMessage();
      work++;
    }
    return work;
  }

  private void onMessage() {
    long bytes = completion.byteLength() - session.memory().grhBytes();
    if (bytes != sizeBytes) {
      throw ToolException.check(
          "a message of the peer has "
              + bytes
              + " bytes, not "
              + sizeBytes
              + ": give both sides the same --size");
    }
    if (received == 0 && plan.isTimed() && !plan.isClient()) {
      watch.start(); // The clocks of both sides start with the first message.
    }
    received++;
    lastNs = watch.elapsedNs();
    if (watch.isMeasured()) {
      measured++;
    }
  }

  /** Whether everything has come that this side waits for. */
  boolean isDone() {
    return plan.isTimed() ? received > 0 && watch.isTimeOver() : received == total;
  }

  /** Messages received, for progress. */
  long received() {
    return received;
  }

  BandwidthResult result() {
    long elapsedNs = plan.isTimed() ? plan.durationNs() - 2 * plan.marginNs() : lastNs;
    return BandwidthResult.of(sizeBytes, measured, elapsedNs, 0);
  }
}
