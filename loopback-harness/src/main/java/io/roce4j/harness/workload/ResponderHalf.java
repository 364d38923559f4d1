// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;

/**
 * The responder's half of one direction of a connection between two processes. It draws the same
 * operations as the {@link RequesterHalf} in the other process and so knows what must arrive next:
 * kind, length and contents. One thread.
 *
 * <p>A receive is posted again only when its message was compared. That is also what keeps a slot
 * for WRITEs from being written again too early: message k is posted after message k - depth has
 * completed, which took a receive that was posted after message k - depth - receives was compared.
 */
public final class ResponderHalf implements Flow {
  private static final int POLL_LIMIT = 16;

  private final String name;
  private final FlowSettings settings;
  private final MessagePattern pattern;
  private final Findings findings;
  private final OperationDraw draw;
  private final CompletionQueue completions;
  private final SlotMemory receives;
  private final SlotMemory targets;
  private final LatencyRecorder latencies = new LatencyRecorder();
  private final ReceiveRequest request = new ReceiveRequest(1);
  private final WorkCompletion completion = new WorkCompletion();
  private QueuePair queuePair;
  private long posted;
  private long taken;
  private long failed;
  private long expected = -1;
  private long bytesDelivered;
  private long bytesVerified;

  /**
   * Makes the memory and the completion queue. The queue pair is made with {@link #completions},
   * connected, and given to {@link #start}.
   *
   * @param name for findings
   * @param settings its load, the same as the requester's
   * @param streams of the direction, the same as the requester's
   * @param pattern the contents, the same as the requester's
   * @param side the endpoint here
   * @param findings gets what is wrong
   */
  public ResponderHalf(
      String name,
      FlowSettings settings,
      SeededStreams streams,
      MessagePattern pattern,
      FlowSide side,
      Findings findings) {
    this.name = name;
    this.settings = settings;
    this.pattern = pattern;
    this.findings = findings;
    this.draw = new OperationDraw(settings, streams);
    this.completions = side.context().createCompletionQueue(settings.receives());
    int largest = settings.sizes().largest();
    this.receives =
        new SlotMemory(
            name + " receive",
            side.domain(),
            settings.receives(),
            largest,
            AccessFlags.LOCAL_WRITE,
            streams.derive("receive"),
            findings);
    this.targets =
        new SlotMemory(
            name + " write target",
            side.domain(),
            targets(settings),
            largest,
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE,
            streams.derive("write target"),
            findings);
  }

  /** Slots for WRITEs: as many messages as may lie between one compared and one being written. */
  static int targets(FlowSettings settings) {
    return settings.depth() + settings.receives() + 1;
  }

  /**
   * Memory that both halves of one direction take together, at both ends.
   *
   * @param settings of the direction
   * @return bytes
   */
  public static long memoryBytes(FlowSettings settings) {
    long slots = (long) settings.depth() + settings.receives() + targets(settings);
    return slots * SlotMemory.stride(settings.sizes().largest());
  }

  /**
   * Where the completions of this half go.
   *
   * @return the receive completion queue for its queue pair
   */
  public CompletionQueue completions() {
    return completions;
  }

  /**
   * Where the slots for WRITEs start.
   *
   * @return address to tell the peer
   */
  public long targetAddress() {
    return targets.address(0);
  }

  /**
   * Key of the slots for WRITEs.
   *
   * @return rkey to tell the peer
   */
  public int targetRkey() {
    return targets.rkey();
  }

  /**
   * Posts the receives.
   *
   * @param atLeastInit the queue pair
   */
  public void start(QueuePair atLeastInit) {
    queuePair = atLeastInit;
    int largest = settings.sizes().largest();
    for (int i = 0; i < targets(settings); i++) {
      targets.arm(i, largest);
    }
    boolean accepted = true;
    for (int i = 0; i < settings.receives() && accepted; i++) {
      receives.arm(i, largest);
      accepted = postReceive();
    }
  }

  private boolean postReceive() {
    int slot = (int) (posted % settings.receives());
    request
        .clear()
        .wrId(posted)
        .sge(receives.address(slot), settings.sizes().largest(), receives.lkey());
    int result = queuePair.postReceive(request);
    if (result != PostResult.OK) {
      findings.add(name + ": a receive was refused: " + PostResult.message(result));
      return false;
    }
    posted++;
    return true;
  }

  @Override
  public int turn() {
    int polled = 0;
    while (polled < POLL_LIMIT && completions.poll(completion)) {
      polled++;
      onCompletion();
    }
    return polled;
  }

  private void onCompletion() {
    long number = taken++;
    if (completion.wrId() != number) {
      findings.add(name + ": receive " + completion.wrId() + " completed, expected " + number);
    }
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      failed++;
      if (completion.status() != WorkCompletionStatus.WR_FLUSH_ERR || findings.count() == 0) {
        findings.add(
            name
                + ": receive "
                + completion.wrId()
                + " completed with "
                + WorkCompletionStatus.name(completion.status()));
      }
      return;
    }
    do {
      draw.next();
    } while (draw.kind() == WorkRequestOpcode.RDMA_READ);
    bytesDelivered += completion.byteLength();
    if (isExpected(number)) {
      compare(number);
    }
    postReceive();
  }

  private boolean isExpected(long number) {
    boolean isWrite = completion.opcode() == WorkCompletionOpcode.RECV_RDMA_WITH_IMM;
    boolean isWriteExpected = draw.kind() == WorkRequestOpcode.RDMA_WRITE;
    if (isWrite != isWriteExpected || completion.byteLength() != draw.length()) {
      findings.add(
          name
              + ": message "
              + number
              + " arrived as "
              + (isWrite ? "WRITE" : "SEND")
              + " of "
              + completion.byteLength()
              + " bytes, sent was a "
              + (isWriteExpected ? "WRITE" : "SEND")
              + " of "
              + draw.length());
      return false;
    }
    return hasRightImmediate(number, isWrite || OperationDraw.sendsImmediate(draw.length()));
  }

  private boolean hasRightImmediate(long number, boolean isWanted) {
    boolean isPresent = (completion.flags() & WorkCompletionFlags.WITH_IMM) != 0;
    if (isPresent == isWanted && (!isWanted || completion.immediate() == (int) number)) {
      return true;
    }
    findings.add(
        name
            + ": message "
            + number
            + " arrived "
            + (isPresent
                ? "with immediate " + Integer.toUnsignedString(completion.immediate())
                : "without immediate data"));
    return false;
  }

  private void compare(long number) {
    boolean isWrite = draw.kind() == WorkRequestOpcode.RDMA_WRITE;
    SlotMemory where = isWrite ? targets : receives;
    long slot = number % (isWrite ? targets(settings) : settings.receives());
    long difference =
        pattern.firstDifference(where.memory(), where.offset(slot), draw.window(), draw.length());
    if (difference < 0) {
      bytesVerified += draw.length();
    } else {
      findings.add(
          name
              + ": "
              + (isWrite ? "WRITE" : "SEND")
              + " of message "
              + number
              + ": byte "
              + difference
              + " of "
              + draw.length()
              + " is not what was sent");
    }
    where.inspect(slot, settings.sizes().largest());
  }

  /**
   * The requester has stopped.
   *
   * @param messages SENDs and WRITEs it has posted in all; a number from the peer, not trusted
   */
  public void expect(long messages) {
    expected = messages;
  }

  @Override
  public void stop() {
    // The requester stops; what it still sends is to be received.
  }

  /** Whether the requester has stopped and all it sent has arrived. */
  @Override
  public boolean isDone() {
    return expected >= 0 && arrived() >= expected;
  }

  private long arrived() {
    return taken - failed;
  }

  @Override
  public void finish() {
    if (expected < 0) {
      findings.add(name + ": the peer never said how much it sent");
    } else if (arrived() > expected) {
      findings.add(
          name + ": " + arrived() + " messages arrived, the peer says it sent " + expected);
    } else if (arrived() < expected) {
      findings.add(
          name
              + ": "
              + (expected - arrived())
              + " messages were never received, the first is "
              + arrived());
    }
  }

  @Override
  public long completed() {
    return 0;
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
    receives.close();
    targets.close();
  }
}
