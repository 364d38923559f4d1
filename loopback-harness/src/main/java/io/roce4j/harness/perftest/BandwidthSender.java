// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.transport.verbs.WorkCompletion;

/** The posting side of a bandwidth run of one message size. */
final class BandwidthSender {
  private static final int POLLS = 64;

  private final PerftestSession session;
  private final PerftestPlan plan;
  private final RunWatch watch;
  private final long sizeBytes;
  private final long total;
  private final long[] posted;
  private final long[] completed;
  private final PeakTimes times;
  private final WorkCompletion completion = new WorkCompletion();
  private long completedAll;
  private long measured;
  private long lastNs;
  private int next;

  BandwidthSender(PerftestSession session, RunWatch watch, long sizeBytes) {
    this.session = session;
    this.plan = session.plan();
    this.watch = watch;
    this.sizeBytes = sizeBytes;
    this.total = plan.iterations() * plan.queuePairs();
    this.posted = new long[plan.queuePairs()];
    this.completed = new long[plan.queuePairs()];
    this.times = PeakTimes.of(plan.hasPeak() && !plan.isTimed() ? total : 0);
  }

  /** Posts what there is room for and takes completions; returns how much was done. */
  int turn() {
    int work = 0;
    if (!watch.isTimeOver()) {
      for (int i = 0; i < posted.length; i++) {
        work += post(next);
        next = next + 1 == posted.length ? 0 : next + 1;
      }
    }
    for (int i = 0; i < POLLS && session.sends().poll(completion); i++) {
      onCompletion();
      work++;
    }
    return work;
  }

  private int post(int index) {
    PerftestQueue queue = session.queues().get(index);
    int work = 0;
    while (posted[index] - completed[index] < plan.txDepth() && isLeft(index)) {
      long number = posted[index] + 1;
      boolean isLast = !plan.isTimed() && number == plan.iterations();
      int since = (int) (number % plan.completionEvery());
      int completes = since == 0 ? plan.completionEvery() : isLast ? since : 0;
      long offset = session.memory().offset(posted[index], sizeBytes);
      if (!queue.postSend(sizeBytes, offset, completes)) {
        return work;
      }
      posted[index]++;
      times.onPosted(watch.elapsedNs());
      work++;
    }
    return work;
  }

  private boolean isLeft(int index) {
    return plan.isTimed() || posted[index] < plan.iterations();
  }

  private void onCompletion() {
    session.requireSuccess(completion, plan.tool().completionName(), completedAll);
    int count = PerftestQueue.countOf(completion.wrId());
    completed[PerftestQueue.queueOf(completion.wrId())] += count;
    completedAll += count;
    lastNs = watch.elapsedNs();
    if (watch.isMeasured()) {
      measured += count;
    }
    times.onCompleted(count, lastNs);
  }

  /** Whether everything is done that this side has to do. */
  boolean isDone() {
    if (!plan.isTimed()) {
      return completedAll == total;
    }
    // The peer of a timed SEND may have stopped to post receives: what is under way is not waited
    // for, as with perftest.
    return watch.isTimeOver() && (plan.tool().isSend() || isDrained());
  }

  private boolean isDrained() {
    for (int i = 0; i < posted.length; i++) {
      if (posted[i] - completed[i] >= plan.completionEvery()) {
        return false;
      }
    }
    return true;
  }

  /** Messages done, for progress. */
  long completedAll() {
    return completedAll;
  }

  BandwidthResult result() {
    long elapsedNs = plan.isTimed() ? plan.durationNs() - 2 * plan.marginNs() : lastNs;
    return BandwidthResult.of(sizeBytes, measured, elapsedNs, times.bestNsPerMessage());
  }
}
