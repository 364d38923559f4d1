// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.SimApplication;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.util.SplittableRandom;
import org.agrona.concurrent.NanoClock;

/**
 * A flow of RDMA WRITEs between two hosts, light enough for thousands of them: its time from the
 * first post to the last completion, the latency of each message, and every byte compared where it
 * was written.
 *
 * <p>After an error completion the flow has failed and posts no more. One thread.
 */
public final class WriteFlow implements SimApplication, AutoCloseable {
  private static final int CONTENTS_ALIGNMENT = 64;
  private static final long NEVER = Long.MAX_VALUE;

  private final String name;
  private final WritePlan plan;
  private final MessagePattern pattern;
  private final FlowSide source;
  private final NanoClock clock;
  private final Findings findings;
  private final CompletionQueue sendCompletions;
  private final CompletionQueue receiveCompletions;
  private final QueuePair sender;
  private final QueuePair receiver;
  private final SlotMemory targets;
  private final SplittableRandom windows;
  private final int[] windowOf;
  private final long[] postedNs;
  private final LatencyRecorder latencies;
  private final SendRequest request = new SendRequest(1);
  private final WorkCompletion completion = new WorkCompletion();
  private long posted;
  private long completed;
  private long bytesVerified;
  private long firstPostNs = NEVER;
  private long lastCompletionNs = -1;
  private int failure = WorkCompletionStatus.SUCCESS;
  private boolean isStopped;

  /**
   * Makes and connects the queue pairs of a flow.
   *
   * @param name unique in the run
   * @param plan what it sends
   * @param streams of the run; the flow derives its own by name
   * @param pattern the contents
   * @param source the host that writes
   * @param target the host that is written to
   * @param clock virtual time
   * @param latencies gets the latency of each message, post to completion; shared by flows, since
   *     one takes half a megabyte
   * @param findings gets what is wrong
   */
  public WriteFlow(
      String name,
      WritePlan plan,
      SeededStreams streams,
      MessagePattern pattern,
      FlowSide source,
      FlowSide target,
      NanoClock clock,
      LatencyRecorder latencies,
      Findings findings) {
    this.name = name;
    this.latencies = latencies;
    this.plan = plan;
    this.pattern = pattern;
    this.source = source;
    this.clock = clock;
    this.findings = findings;
    SeededStreams own = streams.child("writeFlow." + name);
    windows = own.stream("window");
    windowOf = new int[plan.depth()];
    postedNs = new long[plan.depth()];
    sendCompletions = source.context().createCompletionQueue(plan.depth());
    receiveCompletions = target.context().createCompletionQueue(1);
    sender = queuePair(source, sendCompletions, sendCompletions);
    receiver = queuePair(target, receiveCompletions, receiveCompletions);
    targets =
        new SlotMemory(
            name,
            target.domain(),
            plan.depth(),
            plan.messageBytes(),
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE,
            own.derive("guard"),
            findings);
    ConnectedPair.connect(
        sender, way(target), receiver, way(source), plan.connection(), own.stream("psn"));
  }

  private QueuePair queuePair(FlowSide side, CompletionQueue send, CompletionQueue receive) {
    return side.domain()
        .createQueuePair(
            new QueuePairSettings()
                .type(QueuePairType.RC)
                .sendCq(send)
                .recvCq(receive)
                .maxSendWr(plan.depth())
                .maxRecvWr(1)
                .congestion(plan.connection().congestion())
                .congestionParameters(plan.connection().congestionParameters())
                .profile(plan.connection().profile()));
  }

  private AddressVector way(FlowSide to) {
    return to.address()
        .withTrafficClass(plan.connection().trafficClass())
        .withUdpSourcePort(plan.udpSourcePort());
  }

  /**
   * Takes completions and posts what there is room for.
   *
   * @return completions taken and WRITEs posted
   */
  @Override
  public int turn() {
    int work = 0;
    while (sendCompletions.poll(completion)) {
      onCompletion();
      work++;
    }
    while (mayPost()) {
      post();
      work++;
    }
    return work;
  }

  @Override
  public long nextTurnNs() {
    return posted == 0 && !isStopped ? plan.startNs() : NEVER;
  }

  private boolean mayPost() {
    return !isStopped
        && posted < plan.messages()
        && posted - completed < plan.depth()
        && clock.nanoTime() >= plan.startNs();
  }

  private void post() {
    int slot = (int) (posted % plan.depth());
    int window = windows.nextInt(MessagePattern.WINDOWS / CONTENTS_ALIGNMENT) * CONTENTS_ALIGNMENT;
    windowOf[slot] = window;
    targets.arm(slot, plan.messageBytes());
    request
        .clear()
        .wrId(posted)
        .opcode(WorkRequestOpcode.RDMA_WRITE)
        .signaled(true)
        .sge(
            source.patternRegion().address() + window,
            plan.messageBytes(),
            source.patternRegion().lkey())
        .remote(targets.address(slot), targets.rkey());
    postedNs[slot] = clock.nanoTime();
    firstPostNs = Math.min(firstPostNs, postedNs[slot]);
    int result = sender.postSend(request);
    if (result != PostResult.OK) {
      findings.add(name + ": a work request was refused: " + PostResult.message(result));
      isStopped = true;
      return;
    }
    posted++;
  }

  private void onCompletion() {
    int slot = (int) (completion.wrId() % plan.depth());
    completed++;
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      failure = failure == WorkCompletionStatus.SUCCESS ? completion.status() : failure;
      isStopped = true;
      return;
    }
    lastCompletionNs = clock.nanoTime();
    latencies.record(lastCompletionNs - postedNs[slot]);
    int length = plan.messageBytes();
    long wrong =
        pattern.firstDifference(targets.memory(), targets.offset(slot), windowOf[slot], length);
    if (wrong >= 0) {
      findings.add(name + ": message " + completion.wrId() + " differs at byte " + wrong);
    }
    targets.inspect(slot, length);
    bytesVerified += length;
  }

  /** Posts no more; what is in flight goes on. */
  public void stop() {
    isStopped = true;
  }

  /**
   * The flow's name.
   *
   * @return as given
   */
  public String name() {
    return name;
  }

  /**
   * What the flow sends.
   *
   * @return as given
   */
  public WritePlan plan() {
    return plan;
  }

  /**
   * Whether nothing is left to do.
   *
   * @return true when all messages have completed, or the flow has ended and nothing is in flight
   */
  public boolean isDone() {
    return posted == completed && (isStopped || posted == plan.messages());
  }

  /**
   * Whether a work request has completed in error.
   *
   * @return the first such status, or {@link WorkCompletionStatus#SUCCESS}
   */
  public int failure() {
    return failure;
  }

  /**
   * Message bytes that have arrived and were compared.
   *
   * @return 0 or more
   */
  public long bytesVerified() {
    return bytesVerified;
  }

  /**
   * Messages completed, in whatever way.
   *
   * @return 0 or more
   */
  public long completed() {
    return completed;
  }

  /**
   * Flow completion time.
   *
   * @return ns from the first post to the last completion; 0 before
   */
  public long completionTimeNs() {
    return lastCompletionNs < 0 ? 0 : lastCompletionNs - firstPostNs;
  }

  /**
   * Rate of the payload.
   *
   * @return bits per second over {@link #completionTimeNs}; 0 before the first completion
   */
  public double goodputBitsPerSecond() {
    long ns = completionTimeNs();
    return ns == 0 ? 0 : bytesVerified * 8e9 / ns;
  }

  /**
   * The queue pair that writes.
   *
   * @return open until this closes
   */
  public QueuePair sender() {
    return sender;
  }

  /**
   * The queue pair that is written to.
   *
   * @return open until this closes
   */
  public QueuePair receiver() {
    return receiver;
  }

  @Override
  public void close() {
    sender.close();
    receiver.close();
    sendCompletions.close();
    receiveCompletions.close();
    targets.close();
  }
}
