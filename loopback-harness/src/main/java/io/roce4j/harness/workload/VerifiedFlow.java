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
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import org.agrona.concurrent.NanoClock;

/**
 * The application of one direction of a reliable connection, both ends: a requester that keeps a
 * number of SENDs, WRITEs and READs of drawn sizes in flight, and a responder that posts receives.
 * Every byte that arrives is compared, every completion is expected, memory behind each message is
 * guarded.
 *
 * <p>One thread calls {@link #turn} over and over; it meets the endpoints in their rings only.
 * Latency is from post to completion as polled here, queueing behind the work in flight included.
 */
public final class VerifiedFlow implements Flow {
  private static final int POLL_LIMIT = 16;

  private final String name;
  private final FlowSettings settings;
  private final MessagePattern pattern;
  private final NanoClock clock;
  private final Findings findings;
  private final FlowSide requester;
  private final FlowSide responder;
  private final CompletionQueue sendCompletions;
  private final CompletionQueue receiveCompletions;
  private final SlotMemory readSinks;
  private final SlotMemory writeTargets;
  private final SlotMemory receives;
  private final DeliveryChecker checker;
  private final OperationDraw draw;
  private final LatencyRecorder latencies = new LatencyRecorder();
  private final long[] postedNs;
  private final SendRequest sendRequest = new SendRequest(1);
  private final ReceiveRequest receiveRequest = new ReceiveRequest(1);
  private final WorkCompletion completion = new WorkCompletion();
  private QueuePair requesterQp;
  private QueuePair responderQp;
  private final long[] takenNs;
  private long receivesPosted;
  private long receivesTaken;
  private long bytesDelivered;
  private long bytesVerified;
  private boolean isStopped;

  /**
   * Makes the memory and completion queues of a flow. The queue pairs are made with {@link
   * #sendCompletions} and {@link #receiveCompletions}, connected, and given to {@link #start}.
   *
   * @param name for findings
   * @param settings its load
   * @param streams draw kinds, sizes and contents
   * @param pattern the contents
   * @param requester the side that posts the operations
   * @param responder the side that is written to and read from
   * @param clock for latencies
   * @param findings gets what is wrong
   */
  public VerifiedFlow(
      String name,
      FlowSettings settings,
      SeededStreams streams,
      MessagePattern pattern,
      FlowSide requester,
      FlowSide responder,
      NanoClock clock,
      Findings findings) {
    this.name = name;
    this.settings = settings;
    this.pattern = pattern;
    this.clock = clock;
    this.findings = findings;
    this.requester = requester;
    this.responder = responder;
    this.draw = new OperationDraw(settings, streams);
    int depth = settings.depth();
    this.postedNs = new long[depth];
    this.takenNs = new long[settings.receives()];
    this.checker = new DeliveryChecker(name, Math.max(depth, settings.receives()), findings);
    this.sendCompletions = requester.context().createCompletionQueue(depth);
    this.receiveCompletions = responder.context().createCompletionQueue(settings.receives());
    this.readSinks = slots("read sink", requester, depth, AccessFlags.LOCAL_WRITE, streams);
    int writable = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;
    this.writeTargets = slots("write target", responder, depth, writable, streams);
    this.receives =
        slots("receive", responder, settings.receives(), AccessFlags.LOCAL_WRITE, streams);
  }

  private SlotMemory slots(
      String use, FlowSide side, int count, int access, SeededStreams streams) {
    return new SlotMemory(
        name + " " + use,
        side.domain(),
        count,
        settings.sizes().largest(),
        access,
        streams.derive(use),
        findings);
  }

  /**
   * Where the requester's completions go.
   *
   * @return the send completion queue for the requester's queue pair
   */
  public CompletionQueue sendCompletions() {
    return sendCompletions;
  }

  /**
   * Where the responder's completions go.
   *
   * @return the receive completion queue for the responder's queue pair
   */
  public CompletionQueue receiveCompletions() {
    return receiveCompletions;
  }

  /**
   * The load of this flow.
   *
   * @return as given
   */
  public FlowSettings settings() {
    return settings;
  }

  /**
   * Posts the receives. The queue pairs must be connected, at least INIT at the responder.
   *
   * @param newRequesterQp on the requester's side
   * @param newResponderQp on the responder's side
   */
  public void start(QueuePair newRequesterQp, QueuePair newResponderQp) {
    requesterQp = newRequesterQp;
    responderQp = newResponderQp;
    boolean accepted = true;
    for (int i = 0; i < settings.receives() && accepted; i++) {
      receives.arm(i, settings.sizes().largest());
      accepted = postReceive();
    }
  }

  @Override
  public int turn() {
    return takeReceives() + repostReceives() + takeCompletions() + postOperations();
  }

  /**
   * When {@link #turn} has something to do although nothing completes: a slow application posts its
   * next receive.
   *
   * @return time of the clock, ns; {@link Long#MAX_VALUE} for never
   */
  public long nextTurnNs() {
    return receivesPosted - receivesTaken < settings.receives()
        ? repostNs(receivesPosted)
        : Long.MAX_VALUE;
  }

  /** When the receive that was in the slot of this next one may be posted again. */
  private long repostNs(long receive) {
    return takenNs[(int) (receive % settings.receives())] + settings.receiveDelayNs();
  }

  private int repostReceives() {
    if (receivesPosted - receivesTaken == settings.receives()) {
      return 0;
    }
    int posted = 0;
    long nowNs = clock.nanoTime();
    while (receivesPosted - receivesTaken < settings.receives()
        && repostNs(receivesPosted) - nowNs <= 0
        && postReceive()) {
      posted++;
    }
    return posted;
  }

  @Override
  public void stop() {
    isStopped = true;
  }

  @Override
  public boolean isDone() {
    return (isStopped || checker.posted() >= settings.messageLimit()) && checker.isQuiet();
  }

  /**
   * Whether every completion has come; receives of messages whose send failed may be missing.
   *
   * @return true when no work request is in flight
   */
  public boolean allCompleted() {
    return checker.posted() == checker.completed();
  }

  /**
   * Completions and receives so far, which grow with the work done.
   *
   * @return 0 or more
   */
  public long progress() {
    return checker.completed() + checker.received();
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
  public void finish() {
    checker.finish();
  }

  private int takeReceives() {
    int taken = 0;
    while (taken < POLL_LIMIT && receiveCompletions.poll(completion)) {
      taken++;
      onReceive();
    }
    return taken;
  }

  private void onReceive() {
    int slot = (int) (receivesTaken % settings.receives());
    if (completion.wrId() != receivesTaken) {
      findings.add(
          name + ": receive " + completion.wrId() + " completed, expected " + receivesTaken);
    }
    receivesTaken++;
    takenNs[slot] = settings.receiveDelayNs() == 0 ? 0 : clock.nanoTime();
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      findings.add(
          name
              + ": receive "
              + completion.wrId()
              + " completed with "
              + WorkCompletionStatus.name(completion.status()));
      return;
    }
    int index = checker.onReceive(completion.byteLength());
    if (index != DeliveryChecker.UNEXPECTED) {
      int window = checker.receivedWindow(index);
      int length = (int) completion.byteLength();
      verify("SEND", receives, slot, window, length);
      checkImmediate(window, length);
    }
    receives.inspect(slot, settings.sizes().largest());
  }

  private void checkImmediate(int window, int length) {
    boolean isPresent = (completion.flags() & WorkCompletionFlags.WITH_IMM) != 0;
    boolean isWanted = OperationDraw.sendsImmediate(length);
    if (isPresent != isWanted || (isWanted && completion.immediate() != window)) {
      findings.add(
          name
              + ": receive "
              + completion.wrId()
              + " of "
              + length
              + " bytes has "
              + (isPresent ? "the immediate " + completion.immediate() : "no immediate")
              + ", sent was "
              + (isWanted ? String.valueOf(window) : "none"));
    }
  }

  private int takeCompletions() {
    int taken = 0;
    while (taken < POLL_LIMIT && sendCompletions.poll(completion)) {
      taken++;
      onCompletion();
    }
    return taken;
  }

  private void onCompletion() {
    boolean isSuccess = completion.status() == WorkCompletionStatus.SUCCESS;
    String status = isSuccess ? "" : WorkCompletionStatus.name(completion.status());
    int index = checker.onSendCompletion(completion.wrId(), isSuccess, status);
    if (index == DeliveryChecker.UNEXPECTED || !isSuccess) {
      return;
    }
    int slot = (int) (completion.wrId() % settings.depth());
    latencies.record(clock.nanoTime() - postedNs[slot]);
    int length = checker.length(index);
    switch (checker.kind(index)) {
      case WorkRequestOpcode.RDMA_WRITE -> {
        verify("WRITE", writeTargets, slot, checker.window(index), length);
        writeTargets.inspect(slot, length);
      }
      case WorkRequestOpcode.RDMA_READ -> {
        verify("READ", readSinks, slot, checker.window(index), length);
        readSinks.inspect(slot, length);
      }
      default -> {} // A SEND is verified where it arrives.
    }
  }

  private void verify(String operation, SlotMemory where, int slot, int window, int length) {
    bytesDelivered += length;
    long difference = pattern.firstDifference(where.memory(), where.offset(slot), window, length);
    if (difference >= 0) {
      checker.onDifference(operation, completion.wrId(), difference, length);
      return;
    }
    bytesVerified += length;
  }

  private boolean postReceive() {
    int slot = (int) (receivesPosted % settings.receives());
    receiveRequest
        .clear()
        .wrId(receivesPosted)
        .sge(receives.address(slot), settings.sizes().largest(), receives.lkey());
    int result = responderQp.postReceive(receiveRequest);
    if (result != PostResult.OK) {
      findings.add(name + ": a receive was refused: " + PostResult.message(result));
      return false;
    }
    receivesPosted++;
    return true;
  }

  private int postOperations() {
    int posted = 0;
    while (mayPost() && postOperation()) {
      posted++;
    }
    return posted;
  }

  private boolean mayPost() {
    return !isStopped
        && checker.posted() < settings.messageLimit()
        && checker.posted() - checker.completed() < settings.depth()
        && checker.hasRoom();
  }

  private boolean postOperation() {
    long wrId = checker.nextWrId();
    int slot = (int) (wrId % settings.depth());
    draw.next();
    int kind = draw.kind();
    int length = draw.length();
    int window = draw.window();
    sendRequest.clear().wrId(wrId).opcode(kind).signaled(true);
    if (kind == WorkRequestOpcode.SEND && OperationDraw.sendsImmediate(length)) {
      sendRequest.opcode(WorkRequestOpcode.SEND_WITH_IMM).immediate(window);
    }
    if (kind == WorkRequestOpcode.RDMA_READ) {
      readSinks.arm(slot, length);
      sendRequest
          .sge(readSinks.address(slot), length, readSinks.lkey())
          .remote(responder.patternRegion().address() + window, responder.patternRegion().rkey());
    } else {
      sendRequest.sge(
          requester.patternRegion().address() + window, length, requester.patternRegion().lkey());
      if (kind == WorkRequestOpcode.RDMA_WRITE) {
        writeTargets.arm(slot, length);
        sendRequest.remote(writeTargets.address(slot), writeTargets.rkey());
      }
    }
    postedNs[slot] = clock.nanoTime();
    int result = requesterQp.postSend(sendRequest);
    if (result != PostResult.OK) {
      findings.add(name + ": a work request was refused: " + PostResult.message(result));
      isStopped = true;
      return false;
    }
    checker.onPosted(kind, length, window, kind == WorkRequestOpcode.SEND);
    return true;
  }

  @Override
  public void close() {
    sendCompletions.close();
    receiveCompletions.close();
    readSinks.close();
    writeTargets.close();
    receives.close();
  }
}
