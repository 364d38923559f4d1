// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.DeliveryChecker;
import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import org.agrona.concurrent.NanoClock;

/**
 * The requester's half of one direction of a connection between two processes; the other process
 * runs the {@link ResponderHalf} of the same streams and settings.
 *
 * <p>READs are verified here. SENDs and WRITEs are verified where they arrive; a WRITE carries its
 * number as immediate data, so that the other side learns of it. One thread.
 */
public final class RequesterHalf implements Flow {
  private static final int POLL_LIMIT = 16;

  private final String name;
  private final FlowSettings settings;
  private final MessagePattern pattern;
  private final FlowSide side;
  private final NanoClock clock;
  private final Findings findings;
  private final OperationDraw draw;
  private final CompletionQueue completions;
  private final SlotMemory readSinks;
  private final DeliveryChecker checker;
  private final LatencyRecorder latencies = new LatencyRecorder();
  private final SendRequest request = new SendRequest(1);
  private final WorkCompletion completion = new WorkCompletion();
  private final long[] postedNs;
  private final long targetStride;
  private QueuePair queuePair;
  private RemoteMemory remote;
  private long messages;
  private long flushed;
  private long bytesDelivered;
  private long bytesVerified;
  private boolean isStopped;

  /**
   * Makes the memory and the completion queue. The queue pair is made with {@link #completions},
   * connected, and given to {@link #start}.
   *
   * @param name for findings
   * @param settings its load, the same as the responder's
   * @param streams of the direction, the same as the responder's
   * @param pattern the contents, the same as the responder's
   * @param side the endpoint here
   * @param clock for latencies
   * @param findings gets what is wrong
   */
  public RequesterHalf(
      String name,
      FlowSettings settings,
      SeededStreams streams,
      MessagePattern pattern,
      FlowSide side,
      NanoClock clock,
      Findings findings) {
    this.name = name;
    this.settings = settings;
    this.pattern = pattern;
    this.side = side;
    this.clock = clock;
    this.findings = findings;
    this.draw = new OperationDraw(settings, streams);
    this.postedNs = new long[settings.depth()];
    this.targetStride = SlotMemory.stride(settings.sizes().largest());
    this.checker = new DeliveryChecker(name, settings.depth(), findings);
    this.completions = side.context().createCompletionQueue(settings.depth());
    this.readSinks =
        new SlotMemory(
            name + " read sink",
            side.domain(),
            settings.depth(),
            settings.sizes().largest(),
            AccessFlags.LOCAL_WRITE,
            streams.derive("read sink"),
            findings);
  }

  /**
   * Where the completions of this half go.
   *
   * @return the send completion queue for its queue pair
   */
  public CompletionQueue completions() {
    return completions;
  }

  /**
   * Lets operations be posted from the next {@link #turn} on.
   *
   * @param connected in RTS
   * @param peersMemory what the other process granted
   */
  public void start(QueuePair connected, RemoteMemory peersMemory) {
    remote = peersMemory;
    queuePair = connected;
  }

  /**
   * SENDs and WRITEs posted: the responder needs the number to know what is missing.
   *
   * @return 0 or more
   */
  public long messages() {
    return messages;
  }

  @Override
  public int turn() {
    int taken = 0;
    while (taken < POLL_LIMIT && completions.poll(completion)) {
      taken++;
      onCompletion();
    }
    int posted = 0;
    while (mayPost() && post()) {
      posted++;
    }
    return taken + posted;
  }

  private void onCompletion() {
    if (completion.status() == WorkCompletionStatus.WR_FLUSH_ERR && checker.failed() > 0) {
      // One failure flushes all that follow: they are told of together.
      checker.onFlushedCompletion(completion.wrId());
      flushed++;
      return;
    }
    boolean isSuccess = completion.status() == WorkCompletionStatus.SUCCESS;
    String status = isSuccess ? "" : WorkCompletionStatus.name(completion.status());
    int index = checker.onSendCompletion(completion.wrId(), isSuccess, status);
    if (index == DeliveryChecker.UNEXPECTED || !isSuccess) {
      return;
    }
    int slot = (int) (completion.wrId() % settings.depth());
    latencies.record(clock.nanoTime() - postedNs[slot]);
    if (checker.kind(index) != WorkRequestOpcode.RDMA_READ) {
      return;
    }
    int length = checker.length(index);
    bytesDelivered += length;
    long difference =
        pattern.firstDifference(
            readSinks.memory(), readSinks.offset(slot), checker.window(index), length);
    if (difference < 0) {
      bytesVerified += length;
    } else {
      checker.onDifference("READ", completion.wrId(), difference, length);
    }
    readSinks.inspect(slot, length);
  }

  private boolean mayPost() {
    return queuePair != null
        && !isStopped
        && checker.posted() < settings.messageLimit()
        && checker.posted() - checker.completed() < settings.depth()
        && checker.hasRoom();
  }

  private boolean post() {
    long wrId = checker.nextWrId();
    int slot = (int) (wrId % settings.depth());
    draw.next();
    int length = draw.length();
    request.clear().wrId(wrId).signaled(true);
    switch (draw.kind()) {
      case WorkRequestOpcode.RDMA_READ -> {
        readSinks.arm(slot, length);
        request
            .opcode(WorkRequestOpcode.RDMA_READ)
            .sge(readSinks.address(slot), length, readSinks.lkey())
            .remote(remote.patternAddress() + draw.window(), remote.patternRkey());
      }
      case WorkRequestOpcode.RDMA_WRITE -> {
        long target = messages % ResponderHalf.targets(settings);
        request
            .opcode(WorkRequestOpcode.RDMA_WRITE_WITH_IMM)
            .immediate((int) messages)
            .sge(source(), length, side.patternRegion().lkey())
            .remote(remote.targetAddress() + target * targetStride, remote.targetRkey());
        messages++;
      }
      default -> {
        request
            .opcode(
                OperationDraw.sendsImmediate(length)
                    ? WorkRequestOpcode.SEND_WITH_IMM
                    : WorkRequestOpcode.SEND)
            .immediate((int) messages)
            .sge(source(), length, side.patternRegion().lkey());
        messages++;
      }
    }
    postedNs[slot] = clock.nanoTime();
    int result = queuePair.postSend(request);
    if (result != PostResult.OK) {
      findings.add(name + ": a work request was refused: " + PostResult.message(result));
      isStopped = true;
      return false;
    }
    checker.onPosted(draw.kind(), length, draw.window(), false);
    return true;
  }

  private long source() {
    return side.patternRegion().address() + draw.window();
  }

  @Override
  public void stop() {
    isStopped = true;
  }

  @Override
  public boolean isDone() {
    return (isStopped || checker.posted() >= settings.messageLimit()) && checker.isQuiet();
  }

  @Override
  public void finish() {
    if (flushed > 0) {
      findings.add(name + ": " + flushed + " work requests after it completed with WR_FLUSH_ERR");
    }
    checker.finish();
  }

  @Override
  public long completed() {
    return checker.completed() - checker.failed();
  }

  @Override
  public long bytesDelivered() {
    return bytesDelivered;
  }

  @Override
  public long bytesVerified() {
    return bytesVerified;
  }

  @Override
  public LatencyRecorder latencies() {
    return latencies;
  }

  @Override
  public void close() {
    completions.close();
    readSinks.close();
  }
}
