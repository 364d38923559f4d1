// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.verbs.AsyncEventType;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One unreliable connection (IBA 1.4, 9.8.2; rules U1 to U10): no acknowledgements, no retries, no
 * timers but the pacer's [rc U1]. The sending half is here, the receiving half in {@link
 * UcReceiver}.
 */
final class UcConnection implements ConnectionEngine {

  private static final int HEADER_BYTES_MAX = 36;

  /** UC opcodes are the RC ones in another class. */
  private static final int UC_CLASS = 0x20;

  private final EngineContext context;
  private final ConnectionSlot slot;
  private final QueuePair queuePair;
  private final SendQueue queue;
  private final MemoryTable memory;
  private final EventSink events;
  private final int pdId;
  private final SendFinisher finisher;
  private final MessageWriter writer;
  private final ReceiveCursor receives;
  private final UcReceiver receiver;

  private RcPacing pacing = RcPacing.unlimited();
  private Destination destination;
  private int pathSlot;
  private int tos;
  private int pathMtu = 256;

  private long cursor;
  private long done;
  private int sendPsn;
  private boolean underWay;
  private boolean established;
  private boolean draining;
  private boolean drainEventWanted;

  UcConnection(EngineContext context, ConnectionSlot slot, QueuePair queuePair) {
    this.context = context;
    this.slot = slot;
    this.queuePair = queuePair;
    this.queue = queuePair.sendQueue();
    this.memory = context.memory();
    this.events = context.settings().events();
    this.pdId = queuePair.protectionDomain().number();
    this.finisher = new SendFinisher(context, slot, queue);
    this.writer = new MessageWriter(queue, memory, pdId);
    this.receives = new ReceiveCursor(context, slot, queuePair);
    this.receiver = new UcReceiver(context, slot, receives, pdId);
    this.cursor = queue.head();
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

  private void reset() {
    queue.discardAll();
    cursor = queue.head();
    done = 0;
    underWay = false;
    established = false;
    draining = false;
    receives.discardAll();
    receiver.reset(0);
    pacing = RcPacing.unlimited();
  }

  private void flush(long nowNs) {
    pacing.reset();
    draining = false;
    underWay = false;
    done = 0;
    cursor = finisher.flush(cursor, nowNs);
    receiver.abandon();
    receives.flush(nowNs);
  }

  private void configure(int from, int to, QueuePairAttributes attributes, long nowNs) {
    receiver.accessFlags = attributes.accessFlags();
    if (to == QueuePairState.INIT) {
      return;
    }
    if (from == QueuePairState.INIT) {
      pathMtu = attributes.pathMtuBytes();
      receiver.pathMtu = pathMtu;
      writer.destQpn = attributes.destQpNum();
      writer.pkey = slot.pkey;
      receiver.reset(attributes.rqPsn());
    }
    destination = context.destination(attributes.addressVector());
    pathSlot = context.pathSlot(attributes.addressVector(), slot.qpn(), writer.destQpn);
    tos = attributes.addressVector().trafficClass();
    if (from == QueuePairState.RTR && to == QueuePairState.RTS) {
      sendPsn = attributes.sqPsn();
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

  private void checkDrained() {
    if (draining && !underWay) {
      draining = false;
      if (drainEventWanted) {
        context.raise(AsyncEventType.SQ_DRAINED, slot.qpn());
      }
    }
  }

  @Override
  public void onDoorbell(long nowNs) {
    if (slot.state == QueuePairState.ERR) {
      flush(nowNs);
    } else if (slot.state == QueuePairState.SQE) {
      cursor = finisher.flush(cursor, nowNs);
    } else {
      slot.requestTransmit();
    }
  }

  @Override
  public void onPacket(PacketView packet, DatagramMeta meta, long nowNs) {
    if (!established && slot.state == QueuePairState.RTR) {
      established = true;
      context.raise(AsyncEventType.COMM_EST, slot.qpn());
    }
    receiver.onPacket(packet, nowNs);
  }

  @Override
  public boolean onCongestionNotification(long nowNs) {
    return pacing.onCongestionNotification(nowNs);
  }

  @Override
  public void onBurstEnd(long nowNs) {
    // Nothing is ever answered.
  }

  @Override
  public void onTimer(long nowNs) {
    pacing.onTimer(nowNs);
    slot.requestTransmit();
  }

  @Override
  public int transmit(long nowNs, TrainSink sink) {
    if (!findNext(nowNs) || !pacing.paced(nowNs)) {
      return IDLE;
    }
    int room = sink.open(pathSlot, destination, tos, pathMtu + HEADER_BYTES_MAX);
    if (room < 0) {
      slot.counters.increment(CounterId.TX_BACK_PRESSURE);
      return BLOCKED;
    }
    room = Math.min(room, context.settings().trainPackets());
    while (room > 0 && findNext(nowNs) && pacing.paced(nowNs)) {
      if (!writeNext(nowNs, sink)) {
        return IDLE;
      }
      room--;
    }
    checkDrained();
    return room == 0 ? MORE : IDLE;
  }

  /** Executes local operations on the way; they need not wait for anything, all before is done. */
  private boolean findNext(long nowNs) {
    while (true) {
      boolean mayStart = slot.state == QueuePairState.RTS;
      boolean mayFinish = slot.state == QueuePairState.SQD && underWay;
      if ((!mayStart && !mayFinish) || cursor == queue.publishedTail()) {
        return false;
      }
      int at = queue.slot(cursor);
      if (!SendFinisher.isLocal(queue.opcode(at))) {
        return true;
      }
      int status = finisher.executeLocal(at, memory, pdId);
      if (status != WorkCompletionStatus.SUCCESS) {
        fail(status, nowNs);
        return false;
      }
      finisher.finish(cursor++, status, nowNs);
    }
  }

  private boolean writeNext(long nowNs, TrainSink sink) {
    int at = queue.slot(cursor);
    long left = queue.totalLength(at) - done;
    boolean last = left <= pathMtu;
    int payload = last ? (int) left : pathMtu;
    int opcode = RcOpcodes.ofPacket(queue.opcode(at), done == 0, last) | UC_CLASS;
    UnsafeBuffer buffer = sink.transmitBuffer();
    int offset = sink.claim();
    // [FC-07] AckReq is never set: there is nobody who would answer.
    int length = writer.write(buffer, offset, cursor, opcode, done, payload, false, sendPsn);
    if (length < 0) {
      fail(-length, nowNs);
      return false;
    }
    sink.commit(length);
    long bytes = RcPacing.countedBytes(payload);
    pacing.onResponseSent(nowNs, bytes);
    slot.countSent(length, payload);
    events.onPacketOut(nowNs, slot.qpn(), opcode, sendPsn, length, false);
    sendPsn = Psn.next(sendPsn);
    done += payload;
    underWay = !last;
    if (last) {
      done = 0;
      finisher.finish(cursor++, WorkCompletionStatus.SUCCESS, nowNs); // [rc U2]
    }
    return true;
  }

  /**
   * A local error stops the send queue only: SQE, the verbs model; rxe goes to ERR [rc 15-12] [rc
   * 1-6] [rc D13].
   */
  private void fail(int status, long nowNs) {
    done = 0;
    underWay = false;
    finisher.finish(cursor++, status, nowNs);
    if (context.enterSendQueueError(slot, nowNs)) {
      cursor = finisher.flush(cursor, nowNs);
    }
  }

  @Override
  public long nextDeadlineNs() {
    return pacing.nextDeadlineNs();
  }

  @Override
  public int sendPsn() {
    return sendPsn;
  }

  @Override
  public int expectedPsn() {
    return receiver.expectedPsn();
  }

  @Override
  public boolean isDraining() {
    return draining;
  }

  @Override
  public void onDetach() {
    pacing.reset();
  }
}
