// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.ConnectionEngine;
import io.roce4j.transport.engine.ConnectionSlot;
import io.roce4j.transport.engine.EngineContext;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.Syndrome;
import io.roce4j.wire.sequence.Msn;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One MX connection: a request half and, where READs and atomics were agreed on, a response half in
 * each direction, the streams above them and the paths below.
 *
 * <p>Behind the {@link MxEngine} of the queue pair it was made with, which is the only one whose
 * number its packets carry; queue pairs that join as streams reach it through their own engine.
 */
final class MxConnection implements StreamOwner {
  final EngineContext context;
  final ConnectionSlot slot;
  final MxParameters parameters;
  final MxCounters counters = new MxCounters();
  private final CounterMirror mirror;
  final StreamSet streams;
  final MxWire wire;
  private final EntropyPool entropy;
  private final PathDice dice;
  private final ControlChannel control;
  private final ConnectionControl controlClient;
  private final MxPacketView view = new MxPacketView();
  private final InboundShare responseShare;
  private final boolean active;
  private final int peerIsn;

  private final RequestSource requestSource;
  private final ResponseTable responses;
  private final ResponseSource responseSource;
  private final RequestTarget requestTarget;

  private final ReceiveSide requestReceive;
  private final SendSide requestSend;

  /** Answers of the peer; null while this side does not ask. */
  private ReceiveSide responseReceive;

  /** Answers to the peer; null when it may not ask. */
  private final SendSide responseSend;

  private final SilenceClock silence;
  private final HalfTurn turn = new HalfTurn();
  private boolean anyFailed;
  private boolean closed;
  private boolean blocked;
  private boolean saidFarewell;
  private boolean isnKnown;

  /**
   * A connection that can receive requests.
   *
   * @param context the endpoint's shared parts
   * @param slot the queue pair the packets are addressed to
   * @param parts what was negotiated and what follows from it
   * @param nowNs time of the endpoint, ns
   */
  MxConnection(EngineContext context, ConnectionSlot slot, ConnectionParts parts, long nowNs) {
    this.context = context;
    this.slot = slot;
    this.parameters = parts.parameters();
    this.wire = parts.wire();
    this.mirror = new CounterMirror(counters, slot.counters());
    this.active = parts.active();
    this.peerIsn = parts.peerIsn();
    this.streams = new StreamSet(parameters.streams());
    this.entropy = parts.entropy();
    this.dice = new PathDice(parts.seed());
    HalfBuilder builder = parts.builder(counters);
    this.controlClient = new ConnectionControl(this);
    this.control = new ControlChannel(controlClient, counters);
    this.requestSource = new RequestSource(streams, parameters.weight());
    boolean answers = parts.maxDestReads() > 0 && (parameters.hasRead() || parameters.hasAtomic());
    this.responses = answers ? new ResponseTable(parts.responseCapacity()) : null;
    this.responseSource =
        answers
            ? new ResponseSource(
                streams, responses, context.memory(), parameters.mtu(), parameters.weight())
            : null;
    int tableAt = ReceiveHalf.bytes(parameters);
    UnsafeBuffer memory = HalfBuilder.allocate(HalfBuilder.receiveBytes(parameters));
    MessageTable messages =
        new MessageTable(memory, tableAt, MessageTable.capacity(parameters.trackerWindow()));
    this.requestTarget =
        new RequestTarget(
            streams, messages, context.memory(), responses, responseSource, this, parameters);
    this.requestReceive = receiveSide(memory, false, requestTarget, parts.share());
    this.requestSend = new SendSide(builder, parameters, 0, requestSource, nowNs);
    requestSource.half(requestSend.half);
    this.responseSend =
        answers ? new SendSide(builder, parameters, 1, responseSource, nowNs) : null;
    this.responseShare = parts.share();
    if (parts.isn() != MxAttributes.ISN_IS_SQ_PSN) {
      startSending(parts.isn());
    }
    this.silence = new SilenceClock(nowNs);
  }

  // ---- Setting up ----

  /** Sets the first CPSN of the send halves, once, before anything is sent. */
  void startSending(int isn) {
    if (isnKnown) {
      return;
    }
    isnKnown = true;
    requestSend.half.start(isn);
    if (responseSend != null) {
      responseSend.half.start(isn);
    }
  }

  /** Makes room for answers, when this side is going to ask. */
  void startAsking() {
    if (responseReceive != null || !(parameters.hasRead() || parameters.hasAtomic())) {
      return;
    }
    UnsafeBuffer memory = HalfBuilder.allocate(ReceiveHalf.bytes(parameters));
    responseReceive = receiveSide(memory, true, new ResponseTarget(streams), responseShare);
  }

  private ReceiveSide receiveSide(
      UnsafeBuffer memory, boolean response, FragmentTarget target, InboundShare share) {
    ReceiveHalf half =
        new ReceiveHalf(parameters, memory, 0, peerIsn, response, target, share, counters);
    return new ReceiveSide(half, memory, entropy);
  }

  /** Adds a stream for a queue pair; null when there is no room or the number is taken. */
  MxStream addStream(int id, QueuePair queuePair, ConnectionSlot streamSlot, long nowNs) {
    int free = streams.freeSlot();
    if (free < 0 || streams.ofId(id) != null) {
      return null;
    }
    MxStream stream = new MxStream(free, id, queuePair, streamSlot);
    stream.rnrWaitUs = Syndrome.rnrTimerNs(queuePair.attributes().minRnrTimer()) / 1000;
    stream.receiver = new StreamReceiver(stream, context.memory(), context.completions(), nowNs);
    stream.sender =
        new StreamSender(
            stream, streams, requestSend.half, context.memory(), context.completions(), this);
    streams.add(stream);
    return stream;
  }

  /** A stream's queue pair moved to RTS or its attributes changed. */
  void configure(MxStream stream, QueuePairAttributes attributes, boolean sending, long nowNs) {
    stream.sender.configure(attributes.maxRdAtomic(), attributes.rnrRetry());
    stream.sending = sending;
    stream.openWanted |= active && !stream.open;
    silence.configure(attributes.timeout(), attributes.retryCnt());
    stream.sender.onPosted();
    silence.heard(nowNs);
  }

  /** Both sides know a stream now. */
  void opened(MxStream stream, long nowNs) {
    stream.open = true;
    silence.heard(nowNs);
  }

  // ---- Packets ----

  /** Takes a packet addressed to this connection. */
  void onPacket(PacketView packet, DatagramMeta meta, long nowNs) {
    int fault = view.wrap(packet.buffer(), packet.bthOffset(), packet.length());
    if (fault != MxFault.OK || closed) {
      counters.rxFaults++;
      slot.counters().increment(CounterId.DROP_LENGTH);
      return;
    }
    boolean response = view.responseHalf();
    switch (view.opcode()) {
      case Opcode.MX_SACK, Opcode.MX_PROBE_ACK -> onSack(response, nowNs);
      case Opcode.MX_NACK -> onNack(response, nowNs);
      case Opcode.MX_PROBE -> onProbe(response, nowNs);
      case Opcode.MX_CTRL -> control.onPacket(view, nowNs);
      default -> onNumbered(response, meta, nowNs);
    }
  }

  private void onNumbered(boolean response, DatagramMeta meta, long nowNs) {
    ReceiveSide side = response ? responseReceive : requestReceive;
    if (side == null) {
      counters.rxStrange++;
      return;
    }
    side.half.onPacket(view, meta, nowNs);
    if (response) {
      silence.heard(nowNs);
    }
  }

  /** A burst of packets was taken. */
  void onBurstEnd() {
    mirror.publish();
  }

  private void onSack(boolean response, long nowNs) {
    SendSide side = response ? responseSend : requestSend;
    if (side == null) {
      counters.strangeAcks++;
      return;
    }
    SendPath path = side.intake.onSack(view, nowNs);
    if (path == null) {
      return;
    }
    silence.heard(nowNs);
    long minRttNs = path.rtt.minimumNs();
    if (minRttNs > 0) {
      requestReceive.half.minimumRtt(minRttNs);
      if (responseReceive != null) {
        responseReceive.half.minimumRtt(minRttNs);
      }
    }
    if (!response) {
      takeCredit();
    }
  }

  private void takeCredit() {
    int at = view.headOffset();
    MxStream stream = streams.ofId(Sackh.rqStream(view.buffer(), at));
    if (stream != null) {
      int limit = Sackh.rqLimit(view.buffer(), at);
      // Beyond half the number space a limit is one of the past.
      if (Msn.isValid(limit)) {
        stream.sender.raiseLimit(limit);
      }
    }
  }

  private void onNack(boolean response, long nowNs) {
    SendSide side = response ? responseSend : requestSend;
    if (side == null) {
      counters.strangeNacks++;
      return;
    }
    side.intake.onNack(view, nowNs);
    silence.heard(nowNs);
  }

  private void onProbe(boolean response, long nowNs) {
    ReceiveSide side = response ? responseReceive : requestReceive;
    if (side == null) {
      counters.rxStrange++;
      return;
    }
    side.half.onProbe(view, nowNs);
  }

  @Override
  public void onRequestProven(int cpsn, long nowNs) {
    requestSend.intake.onProven(cpsn, nowNs);
  }

  // ---- Sending ----

  /** Sends at most one train; see {@link ConnectionEngine#transmit}. */
  int transmit(long nowNs, TrainSink sink) {
    int result = closed ? ConnectionEngine.IDLE : transmitNext(nowNs, sink);
    blocked = result == ConnectionEngine.BLOCKED;
    return result;
  }

  private int transmitNext(long nowNs, TrainSink sink) {
    if (saidFarewell) {
      return control.transmit(nowNs, wire, sink);
    }
    int result = requestReceive.writer.transmit(nowNs, wire, sink);
    if (result == ConnectionEngine.IDLE && responseReceive != null) {
      result = responseReceive.writer.transmit(nowNs, wire, sink);
    }
    if (result == ConnectionEngine.IDLE) {
      result = control.transmit(nowNs, wire, sink);
    }
    if (result == ConnectionEngine.IDLE) {
      result = requestSend.prober.transmit(nowNs, wire, sink);
    }
    if (result == ConnectionEngine.IDLE && responseSend != null) {
      result = responseSend.prober.transmit(nowNs, wire, sink);
    }
    return result == ConnectionEngine.IDLE && isnKnown ? transmitData(nowNs, sink) : result;
  }

  /** The halves take turns: long answers do not starve requests, nor the other way round. */
  private int transmitData(long nowNs, TrainSink sink) {
    if (responseSend == null) {
      return requestSend.half.transmit(nowNs, wire, sink);
    }
    int result = ConnectionEngine.IDLE;
    for (int i = 0; i < 2 && result == ConnectionEngine.IDLE; i++) {
      SendHalf half = turn.isOfResponses() ? responseSend.half : requestSend.half;
      result = half.transmit(nowNs, wire, sink);
      turn.after(result);
    }
    return result;
  }

  // ---- Time ----

  /** Runs what is due. */
  void onTimer(long nowNs) {
    if (closed || saidFarewell) {
      return;
    }
    requestReceive.half.onTimer(nowNs);
    if (responseReceive != null) {
      responseReceive.half.onTimer(nowNs);
    }
    requestSend.onTimer(nowNs);
    if (responseSend != null) {
      responseSend.onTimer(nowNs);
    }
    for (int i = 0; i < streams.count(); i++) {
      streams.get(i).sender.onTimer(nowNs);
    }
    mirror.publish();
    if (mayCountAsDead()
        && silence.isOver(nowNs, requestSend.half.busySinceNs, allowedSilenceNs())) {
      die(nowNs);
    }
  }

  /** When {@link #onTimer} or {@link #transmit} has something to do. */
  long nextDeadlineNs() {
    if (closed || saidFarewell) {
      return closed || blocked ? SendPath.NEVER : control.deadlineNs();
    }
    long deadlineNs = Math.min(requestReceive.half.deadlineNs(), requestSend.deadlineNs());
    if (responseReceive != null) {
      deadlineNs = Math.min(deadlineNs, responseReceive.half.deadlineNs());
    }
    if (responseSend != null) {
      deadlineNs = Math.min(deadlineNs, responseSend.deadlineNs());
    }
    for (int i = 0; i < streams.count(); i++) {
      deadlineNs = Math.min(deadlineNs, streams.get(i).sender.deadlineNs());
    }
    // What only waits for the port needs no timer: the port says when it has room.
    return Math.min(deadlineNs, blocked ? deadlineOfDeath() : sendingDeadlineNs());
  }

  /** What is to be sent at a time although nothing happens. */
  private long sendingDeadlineNs() {
    long deadlineNs = Math.min(control.deadlineNs(), deadlineOfDeath());
    deadlineNs = Math.min(deadlineNs, requestSend.half.wakeNs());
    if (responseSend != null) {
      deadlineNs = Math.min(deadlineNs, responseSend.half.wakeNs());
    }
    if (!control.isUnderWay()) {
      deadlineNs = Math.min(deadlineNs, controlClient.deadlineNs());
      long roundTripNs = roundTripNs();
      for (int i = 0; i < streams.count(); i++) {
        long creditNs = streams.get(i).receiver.creditDeadlineNs(roundTripNs);
        deadlineNs = Math.min(deadlineNs, creditNs);
      }
    }
    return deadlineNs;
  }

  /** The time at which a peer that says nothing may count as dead, while something waits for it. */
  private long deadlineOfDeath() {
    return mayCountAsDead()
        ? silence.deadlineNs(requestSend.half.busySinceNs, allowedSilenceNs())
        : SendPath.NEVER;
  }

  private boolean mayCountAsDead() {
    boolean waiting = !requestSend.half.isQuiet() || isWaitingForAnswer();
    return waiting && silence.mayEnd();
  }

  private long allowedSilenceNs() {
    return silence.allowedNs(roundTripNs(), parameters.maxAckDelayNs());
  }

  private boolean isWaitingForAnswer() {
    for (int i = 0; i < streams.count(); i++) {
      if (streams.get(i).sender.isWaitingForAnswer()) {
        return true;
      }
    }
    return false;
  }

  private void die(long nowNs) {
    slot.counters().increment(CounterId.RETRY_EXCEEDED_ERR);
    slot.counters().increment(CounterId.REQ_TRANSPORT_RETRIES_EXCEEDED);
    failAll(WorkCompletionStatus.RETRY_EXC_ERR, nowNs);
  }

  private void failAll(int status, long nowNs) {
    for (int i = 0; i < streams.count(); i++) {
      MxStream stream = streams.get(i);
      if (stream.sender.hasWork()) {
        stream.sender.failOldest(status, nowNs);
      }
    }
  }

  // ---- Streams ending ----

  @Override
  public void onStreamFailed(MxStream stream, long nowNs) {
    stream.failed = true;
    anyFailed = true;
  }

  /**
   * Takes the queue pairs of failed streams to ERR. Called when no half is in the middle of
   * something, because it flushes.
   */
  void settleFailures(long nowNs) {
    while (anyFailed) {
      anyFailed = false;
      for (int i = 0; i < streams.count(); i++) {
        MxStream stream = streams.get(i);
        if (stream.failed && !stream.errorEntered) {
          stream.errorEntered = true;
          anyFailed = true;
          context.enterError(stream.connectionSlot, nowNs);
          break;
        }
      }
    }
  }

  /** A stream's queue pair is in ERR: both queues are flushed, its CPSNs become VOIDs. */
  void flush(MxStream stream, long nowNs) {
    stream.errorEntered = true;
    stream.sending = false;
    stream.sender.flush(nowNs);
    stream.receiver.flush(nowNs);
    requestTarget.drop(stream);
    stream.closing = true;
  }

  /** Whether every CPSN of a closing stream is acknowledged and every answer for it. */
  boolean mayClose(MxStream stream) {
    if (stream.responses > 0) {
      return false;
    }
    SendHalf half = requestSend.half;
    for (int cpsn = half.una; cpsn != half.nextCpsn; cpsn = Psn.next(cpsn)) {
      int at = half.fragments.at(cpsn);
      if (half.fragments.stream(at) == stream.slot
          && half.fragments.state(at) != FragmentTable.ACKED) {
        return false;
      }
    }
    return true;
  }

  /** The peer has closed a stream: what had failed here ends, what waits for it fails. */
  void onStreamClosedByPeer(int id, long nowNs) {
    MxStream stream = streams.ofId(id);
    if (stream == null) {
      return;
    }
    if (stream.receiver.hasFailed()) {
      onStreamFailed(stream, nowNs);
    } else if (stream.sender.hasWork()) {
      stream.sender.failOldest(WorkCompletionStatus.RETRY_EXC_ERR, nowNs);
    }
    stream.open = false;
  }

  /** The peer knows that a stream is closed: its number and slot are free. */
  void onCloseAcknowledged(MxStream stream) {
    streams.remove(stream);
  }

  /** The peer's side of the connection is gone. */
  void onClosedByPeer(long nowNs) {
    for (int i = 0; i < streams.count(); i++) {
      onStreamClosedByPeer(streams.get(i).id, nowNs);
    }
  }

  /** Tells the peer a few times that this side is gone; nobody listens for an answer. */
  void sayFarewell(long nowNs) {
    saidFarewell = true;
    control.farewell(nowNs);
  }

  /** Forgets a stream whose queue pair was reset or destroyed. */
  void dropStream(MxStream stream) {
    requestTarget.drop(stream);
    stream.closing = true;
    stream.sending = false;
  }

  /** The connection is over: all streams but one fail. */
  void failOthers(MxStream own, long nowNs) {
    for (int i = 0; i < streams.count(); i++) {
      MxStream stream = streams.get(i);
      if (stream != own) {
        stream.sender.failOldest(WorkCompletionStatus.RETRY_EXC_ERR, nowNs);
      }
    }
    settleFailures(nowNs);
  }

  // ---- What control and reports need ----

  SendHalf requestSend() {
    return requestSend.half;
  }

  SendHalf responseSend() {
    return responseSend == null ? null : responseSend.half;
  }

  ReceiveHalf requestReceive() {
    return requestReceive.half;
  }

  ReceiveHalf responseReceive() {
    return responseReceive == null ? null : responseReceive.half;
  }

  ConnectionControl controlClient() {
    return controlClient;
  }

  /** How much this host asks its senders to slow down, 0..127. */
  void hostPenalty(int level) {
    requestReceive.writer.hostPenalty(level);
    if (responseReceive != null) {
      responseReceive.writer.hostPenalty(level);
    }
  }

  int controlSlot(int attempt) {
    PathSet paths = requestSend.half.paths;
    if (paths.activeCount() > 0) {
      return paths.get(paths.activePath(dice.below(paths.activeCount()))).slot;
    }
    return paths.get(dice.below(paths.count())).slot;
  }

  int freshSlot() {
    return dice.below(context.pathSlots());
  }

  long roundTripNs() {
    return requestSend.half.monitor.connectionRttNs();
  }

  /** Next CPSN this side will use. */
  int sendPsn() {
    return requestSend.half.nextCpsn;
  }

  /** Next CPSN expected of the peer. */
  int expectedPsn() {
    return Psn.next(requestReceive.half.tracker.cumulative());
  }

  /** Frees everything; nothing is sent or taken any more. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    requestReceive.close();
    requestSend.close();
    if (responseReceive != null) {
      responseReceive.close();
    } else if (responseShare != null) {
      responseShare.release();
    }
    if (responseSend != null) {
      responseSend.close();
    }
  }
}
