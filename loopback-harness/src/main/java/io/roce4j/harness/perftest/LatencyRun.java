// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.WorkCompletion;

/**
 * A latency run of one size: one message at a time on the first queue pair. SENDs and WRITEs go
 * there and back, READs and atomics are answered by the peer's engine.
 */
final class LatencyRun {
  private final PerftestSession session;
  private final PerftestPlan plan;
  private final PerftestQueue queue;
  private final long sizeBytes;
  private final RunWatch watch;
  private final LatencyRecorder latencies = new LatencyRecorder();
  private final WorkCompletion completion = new WorkCompletion();
  private long posted;
  private long completed;
  private long answered;
  private long measured;
  private long postedNs;

  LatencyRun(PerftestSession session, long sizeBytes) {
    this.session = session;
    this.plan = session.plan();
    this.queue = session.queues().getFirst();
    this.sizeBytes = sizeBytes;
    this.watch = new RunWatch(session, () -> answered + " rounds");
  }

  /** Runs it. */
  LatencyResult execute() {
    watch.start();
    switch (plan.tool().verb()) {
      case READ, ATOMIC -> runRequests();
      case SEND -> runRounds(plan.isClient());
      case WRITE -> runRounds(!plan.isClient()); // Of WRITEs the server is the first.
    }
    long rounds = plan.isTimed() ? measured : answered;
    return new LatencyResult(sizeBytes, rounds, latencies, !plan.tool().isRead());
  }

  private boolean isOver() {
    return plan.isTimed() ? watch.isTimeOver() : answered == plan.iterations();
  }

  private void runRequests() {
    while (!isOver()) {
      post();
      while (completed < posted) {
        watch.turn(takeCompletions());
      }
      onAnswer();
    }
  }

  private void runRounds(boolean isFirst) {
    boolean isMine = isFirst;
    while (!isOver()) {
      if (isMine) {
        post();
      }
      if (!awaitPeer()) {
        return; // The time of a timed run is over at the peer too.
      }
      onAnswer();
      isMine = true;
    }
    if (!isFirst && !plan.isTimed()) {
      post(); // The last message is an answer.
    }
    while (plan.type() == QueuePairType.RC && !plan.isTimed() && completed < posted) {
      watch.turn(takeCompletions());
    }
  }

  private void post() {
    if (plan.tool().verb() == PerftestTool.Verb.WRITE) {
      session.memory().sourceByte(0, sizeBytes - 1, (byte) (posted + 1));
    }
    postedNs = watch.elapsedNs();
    while (!queue.postSend(sizeBytes, 0, 1)) {
      watch.turn(takeCompletions());
    }
    posted++;
  }

  /** Waits for the peer's message; false when the time was over first. */
  private boolean awaitPeer() {
    while (true) {
      int work = takeCompletions();
      if (hasMessage()) {
        return true;
      }
      if (watch.isTimeOver()) {
        return false;
      }
      watch.turn(work);
    }
  }

  private boolean hasMessage() {
    if (plan.tool().verb() == PerftestTool.Verb.WRITE) {
      return session.memory().targetByte(0, sizeBytes - 1) == (byte) (answered + 1);
    }
    if (!session.receives().poll(completion)) {
      return false;
    }
    session.requireSuccess(completion, "RECV", answered);
    queue.postReceive();
    long bytes = completion.byteLength() - session.memory().grhBytes();
    if (bytes != sizeBytes) {
      throw ToolException.check(
          "a message of the peer has "
              + bytes
              + " bytes, not "
              + sizeBytes
              + ": give both sides the same --size");
    }
    return true;
  }

  private int takeCompletions() {
    int work = 0;
    while (session.sends().poll(completion)) {
      session.requireSuccess(completion, plan.tool().completionName(), completed);
      completed++;
      work++;
    }
    return work;
  }

  private void onAnswer() {
    answered++;
    if (posted > 0 && watch.isMeasured()) {
      long roundNs = watch.elapsedNs() - postedNs;
      latencies.record(plan.tool().isRead() ? roundNs : roundNs / 2);
      measured++;
    }
  }
}
