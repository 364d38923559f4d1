// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.congestion.CongestionController;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.transport.verbs.AsyncEventType;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Syndrome;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One reliable connection: the requester and the completer on one side, the responder and its
 * responses on the other, and what they share (IBA 1.4, 9.7).
 *
 * <p>Go-back-N lives here and nowhere else: nothing outside this class's parts knows how a lost
 * packet is repaired.
 */
final class RcConnection implements ConnectionEngine {

  /** RETH and ImmDt, the largest extended headers in front of a payload, BTH and ICRC. */
  private static final int HEADER_BYTES_MAX = 36;

  final EngineContext context;
  final ConnectionSlot slot;
  final QueuePair queuePair;
  final Counters counters;
  final MemoryTable memory;
  final RcSendWindow window;
  final RcRetry retry = new RcRetry();
  final RcCompleter completer;
  private final RcCredits credits = new RcCredits();
  private final RcRequester requester;
  private final RcResponder responder;
  private final RcResponses responses;
  private final ReceiveCursor receives;
  private final SendFinisher finisher;
  final MessageWriter writer;
  private final EventSink events;

  final int qpn;
  final int pdId;

  // From the attributes in force.
  int accessFlags;
  int minRnrTimer;
  int pathMtu = 256;
  int pkey;
  int destQpn;
  int maxReadsAndAtomics;
  int dataTos;
  int controlTos;
  RcPacing pacing;
  private Destination destination;
  private int pathSlot;
  private int maxPacketBytes;

  private boolean established;
  private boolean draining;
  private boolean drainEventWanted;
  private boolean requestsFirst;
  private boolean pathTooSmall;
  private boolean notificationDue;
  private boolean notificationSent;
  private long notificationSentNs;
  private long notificationIntervalNs;

  RcConnection(EngineContext context, ConnectionSlot slot, QueuePair queuePair) {
    this.context = context;
    this.slot = slot;
    this.queuePair = queuePair;
    this.counters = slot.counters();
    this.memory = context.memory();
    this.events = context.settings().events();
    this.qpn = slot.qpn();
    this.pdId = queuePair.protectionDomain().number();
    this.window = new RcSendWindow(queuePair.sendQueue());
    this.pacing = RcPacing.unlimited();
    this.receives = new ReceiveCursor(context, slot, queuePair);
    this.finisher = new SendFinisher(context, slot, window.queue);
    this.writer = new MessageWriter(window.queue, memory, pdId);
    this.completer = new RcCompleter(this, window, credits, retry);
    this.requester = new RcRequester(this, window, credits);
    this.responses = new RcResponses(this);
    this.responder = new RcResponder(this, responses, receives);
    responses.responder(responder);
  }

  @Override
  public void onStateChange(int from, int to, long nowNs) {
    if (to == QueuePairState.RESET) {
      reset();
    } else if (to == QueuePairState.ERR) {
      flush(nowNs);
    } else {
      configure(from, to, queuePair.attributes(), nowNs);
    }
  }

  /** [rc 1-11] [rc 16-9] [FC-25] Nothing of a session outlives a reset, nobody is told. */
  private void reset() {
    window.queue.discardAll();
    receives.discardAll();
    window.reset(0);
    credits.reset(false);
    completer.reset();
    requester.reset();
    retry.reset();
    retry.stop();
    responder.reset(0);
    responses.clear();
    pacing = RcPacing.unlimited();
    established = false;
    draining = false;
    notificationDue = false;
    notificationSent = false;
  }

  private void configure(int from, int to, QueuePairAttributes attributes, long nowNs) {
    accessFlags = attributes.accessFlags();
    if (to == QueuePairState.INIT) {
      return;
    }
    minRnrTimer = attributes.minRnrTimer();
    if (from == QueuePairState.INIT) {
      pathMtu = attributes.pathMtuBytes();
      maxPacketBytes = pathMtu + HEADER_BYTES_MAX;
      destQpn = attributes.destQpNum();
      pkey = slot.pkey;
      writer.pkey = pkey;
      writer.destQpn = destQpn;
      responder.reset(attributes.rqPsn());
      notificationIntervalNs = context.notificationIntervalNs(queuePair, pathMtu);
    }
    route(attributes);
    responses.resize(attributes.maxDestRdAtomic());
    if (to == QueuePairState.RTR) {
      return;
    }
    maxReadsAndAtomics = attributes.maxRdAtomic();
    retry.configure(attributes.timeout(), attributes.retryCnt(), attributes.rnrRetry());
    if (from == QueuePairState.RTR) {
      window.reset(attributes.sqPsn());
      credits.reset(attributes.ignoresCredits());
      pacing = context.newPacing(queuePair, pathMtu, nowNs);
    }
    if (to == QueuePairState.SQD && from != QueuePairState.SQD) {
      draining = true;
      drainEventWanted = attributes.enSqdAsyncNotify();
      checkDrained();
    } else if (to == QueuePairState.RTS) {
      draining = false;
      slot.requestTransmit();
    }
  }

  private void route(QueuePairAttributes attributes) {
    destination = context.destination(attributes.addressVector());
    pathSlot = context.pathSlot(attributes.addressVector(), qpn, destQpn);
    controlTos = attributes.addressVector().trafficClass();
    // Without ECT a switch drops where it would mark, and the controller never hears [FC-36].
    boolean wantsMarks = !EngineContext.NO_CONGESTION_CONTROL.equals(queuePair.congestion());
    dataTos = wantsMarks && (controlTos & 3) == 0 ? controlTos | 2 : controlTos;
  }

  /** [rc 1-12] [rc 16-5] [rc 16-6] [rc 16-8] Everything posted completes with WR_FLUSH_ERR. */
  private void flush(long nowNs) {
    retry.stop();
    pacing.reset();
    responses.clear();
    notificationDue = false;
    draining = false;
    window.flushed(finisher.flush(window.head, nowNs));
    receives.flush(nowNs);
  }

  @Override
  public long touch(boolean response) {
    long both =
        window.cursor
            + retry.nextDeadlineNs()
            + pacing.nextDeadlineNs()
            + responses.touch()
            + (destination == null ? 0 : destination.hopLimit())
            + controlTos
            + (established ? 1 : 0);
    return response
        ? both + window.touchQueue() + requester.touch() + writer.destQpn
        : both + responder.touch() + receives.touch();
  }

  @Override
  public void onDoorbell(long nowNs) {
    // [rc 1-7] [rc 16-4]
    if (slot.state == QueuePairState.ERR) {
      flush(nowNs);
      return;
    }
    window.posted = window.queue.publishedTail();
    if (context.settings().unsolicitedCredits()) {
      responses.tellCredits(receives);
    }
    slot.requestTransmit();
  }

  @Override
  public void onPacket(PacketView packet, DatagramMeta meta, long nowNs) {
    int opcode = packet.opcode();
    if (meta.ecn == Endpoint.CONGESTION_EXPERIENCED && isData(opcode)) {
      notifySender(nowNs);
    }
    // [rc 1-9] [rc 19-5]
    if (!established && slot.state == QueuePairState.RTR) {
      established = true;
      context.raise(AsyncEventType.COMM_EST, qpn);
    }
    if (Opcode.isRequest(opcode)) {
      responder.onRequest(packet, nowNs);
    } else {
      completer.onResponse(packet, nowNs);
    }
  }

  @Override
  public boolean onReservedOpcode(int opcode, int psn, long nowNs) {
    return responder.onReserved(psn);
  }

  private static boolean isData(int opcode) {
    return Opcode.isSend(opcode) || Opcode.isWrite(opcode) || Opcode.isReadResponse(opcode);
  }

  /**
   * [wire 12] At most one notification in the interval; what comes in between is merged into it.
   */
  private void notifySender(long nowNs) {
    if (context.settings().congestionNotification()
        && (!notificationSent || nowNs - notificationSentNs >= notificationIntervalNs)) {
      notificationDue = true;
      slot.requestTransmit();
    }
  }

  @Override
  public boolean onCongestionNotification(long nowNs) {
    boolean handled = pacing.onCongestionNotification(nowNs);
    if (handled) {
      traceCongestion(nowNs);
    }
    return handled;
  }

  private void traceCongestion(long nowNs) {
    CongestionController controller = pacing.controller();
    if (controller != null) {
      events.onCongestion(nowNs, qpn, controller.windowBytes(), controller.rateBitsPerSecond());
    }
  }

  @Override
  public void onBurstEnd(long nowNs) {
    // Acknowledgements were only marked as due during the burst; the transmit pass that follows
    // sends one for all of them.
    checkDrained();
  }

  @Override
  public void onTimer(long nowNs) {
    pacing.onTimer(nowNs);
    if (retry.isRnrWaitOver(nowNs)) {
      events.onTimer(nowNs, qpn, EventSink.TIMER_RNR);
      endRnrWait(nowNs);
    }
    // [rc 21-4]
    if (retry.isAckTimerDue(nowNs)) {
      events.onTimer(nowNs, qpn, EventSink.TIMER_ACK);
      completer.onAckTimeout(nowNs);
    }
    slot.requestTransmit();
  }

  @Override
  public int transmit(long nowNs, TrainSink sink) {
    if (notificationDue && !sendNotification(nowNs, sink)) {
      return BLOCKED;
    }
    int first = requestsFirst ? requester.transmit(nowNs, sink) : transmitResponses(nowNs, sink);
    if (first == BLOCKED) {
      return blocked(nowNs);
    }
    // Both halves get a train in every turn: long READ responses do not starve requests. On a port
    // that has room for one train only, the half that found none goes first in the next turn.
    int second = requestsFirst ? transmitResponses(nowNs, sink) : requester.transmit(nowNs, sink);
    if (second == BLOCKED) {
      requestsFirst = !requestsFirst;
    }
    checkDrained();
    return second == BLOCKED ? blocked(nowNs) : Math.max(first, second);
  }

  private int transmitResponses(long nowNs, TrainSink sink) {
    return responses.isEmpty() ? IDLE : responses.transmit(nowNs, sink);
  }

  /** A packet of this path MTU can never leave: the queue pair is of no use [FC-55]. */
  private int blocked(long nowNs) {
    if (!pathTooSmall) {
      return BLOCKED;
    }
    pathTooSmall = false;
    // [rc 19-2]
    context.raise(AsyncEventType.QP_FATAL, qpn);
    context.enterError(slot, nowNs);
    return IDLE;
  }

  private boolean sendNotification(long nowNs, TrainSink sink) {
    int room =
        sink.open(pathSlot, destination, context.settings().cnpTos(), PacketWriter.CNP_LENGTH);
    if (room < 0) {
      counters.increment(CounterId.TX_BACK_PRESSURE);
      return false;
    }
    int offset = sink.claim();
    int length = PacketWriter.cnp(sink.transmitBuffer(), offset, pkey, destQpn);
    sink.commit(length);
    notificationDue = false;
    notificationSent = true;
    notificationSentNs = nowNs;
    counters.increment(CounterId.NP_CNP_SENT);
    counters.increment(CounterId.CC_TX_CNP_PKTS);
    slot.countSent(length, 0);
    events.onPacketOut(nowNs, qpn, Opcode.CNP, 0, length, false);
    return true;
  }

  /** Packets of room, or negative when the port refuses now. */
  int openTrain(TrainSink sink, int tos) {
    int room = sink.open(pathSlot, destination, tos, maxPacketBytes);
    if (room == TrainSink.TOO_LARGE) {
      pathTooSmall = true;
    }
    if (room < 0) {
      counters.increment(CounterId.TX_BACK_PRESSURE);
      return room;
    }
    return Math.min(room, context.settings().trainPackets());
  }

  void onRequestSent(
      long nowNs, int opcode, int psn, int length, int payload, boolean again, boolean ackRequest) {
    retry.onSent(nowNs);
    if (again) {
      counters.increment(CounterId.RETRANSMITTED_PACKETS);
      counters.add(CounterId.RETRANSMITTED_BYTES, payload);
    } else if (ackRequest) {
      pacing.time(nowNs, psn);
    }
    slot.countSent(length, payload);
    events.onPacketOut(nowNs, qpn, opcode, psn, length, again);
  }

  void onResponseSent(long nowNs, int opcode, int psn, int length, int payload) {
    if (payload > 0) {
      pacing.onResponseSent(nowNs, RcPacing.countedBytes(payload));
    }
    slot.countSent(length, payload);
    events.onPacketOut(nowNs, qpn, opcode, psn, length, false);
  }

  void onAcknowledgeSent(long nowNs, int psn, int syndrome, int msn, int length) {
    slot.countSent(length, 0);
    events.onPacketOut(nowNs, qpn, Opcode.RC_ACK, psn, length, false);
    events.onAcknowledge(nowNs, qpn, psn, syndrome, msn);
  }

  /** [rc 21-1] The requester starts again at the oldest unacknowledged packet. */
  void goBack(long nowNs, int cause) {
    long lost = window.inflightBytes;
    window.goBack();
    pacing.onGoBack(nowNs, lost, cause);
    events.onRetransmit(nowNs, qpn, cause, window.unackedPsn);
    traceCongestion(nowNs);
    slot.requestTransmit();
  }

  boolean isWaitingForRnr() {
    return retry.isWaitingForRnr();
  }

  void endRnrWait(long nowNs) {
    if (retry.isWaitingForRnr()) {
      counters.add(CounterId.RNR_WAIT_NS, retry.endRnrWait(nowNs));
    }
  }

  /** Credit code for the next acknowledgement [rc 5-3] [rc 5-4] [rc 11-6] [rc 24-16]. */
  int creditCode() {
    if (!context.settings().endToEndCredits() || receives.isShared()) {
      return Syndrome.UNLIMITED_CREDITS;
    }
    return Syndrome.creditCode(receives.unused());
  }

  UnsafeBuffer payloadOf(PacketView packet) {
    return (UnsafeBuffer) packet.buffer();
  }

  void completeSend(long index, int status, long nowNs) {
    finisher.finish(index, status, nowNs);
  }

  int executeLocal(int at) {
    return finisher.executeLocal(at, memory, pdId);
  }

  /** The oldest request fails with its own status; everything behind it is flushed [rc 16-1]. */
  void failOldestSend(int status, long nowNs) {
    long index = window.head;
    window.finishHead();
    completeSend(index, status, nowNs);
    context.enterError(slot, nowNs);
  }

  /** The responder's fatal NAK has left [rc 3-3] [rc 19-3] [rc 19-4]. */
  void failReceive(int syndrome, int status, long nowNs) {
    if (receives.isHeld()) {
      receives.fail(status, nowNs);
    } else {
      boolean access = syndrome == Syndrome.NAK_REMOTE_ACCESS_ERROR;
      context.raise(access ? AsyncEventType.QP_ACCESS_ERR : AsyncEventType.QP_REQ_ERR, qpn);
    }
    context.enterError(slot, nowNs);
  }

  /** A request behind the one that ends the queue pair: dropped as it will be in ERR. */
  void refuseBehindFault(long nowNs) {
    counters.increment(CounterId.DROP_QP_STATE);
    events.onDrop(nowNs, qpn, CounterId.DROP_QP_STATE.index());
  }

  private void checkDrained() {
    // [rc 1-13] [rc 19-6] [rc 22-3]
    if (draining && requester.isDrained()) {
      draining = false;
      if (drainEventWanted) {
        context.raise(AsyncEventType.SQ_DRAINED, qpn);
      }
    }
  }

  @Override
  public long nextDeadlineNs() {
    return Math.min(retry.nextDeadlineNs(), pacing.nextDeadlineNs());
  }

  @Override
  public int sendPsn() {
    return window.nextPsn;
  }

  @Override
  public int expectedPsn() {
    return responder.expectedPsn();
  }

  @Override
  public boolean isDraining() {
    return draining;
  }

  @Override
  public void onDetach() {
    retry.stop();
    pacing.reset();
  }
}
