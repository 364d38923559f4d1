// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.queue.SlotResult;
import io.roce4j.transport.verbs.AsyncEventType;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.SendFlags;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Deth;
import io.roce4j.wire.packet.ImmDt;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One unreliable datagram queue pair (IBA 1.4, 9.8.3; rules D1 to D13): the sending half; the
 * receiving half is {@link UdReceiver}. One packet a message; the size was checked when it was
 * posted [rc D1].
 */
final class UdEndpoint implements ConnectionEngine {

  /** DETH, ImmDt, BTH and ICRC. */
  private static final int HEADER_BYTES_MAX = 28;

  private static final int PRIVILEGED_QKEY = 1 << 31;

  private final EngineContext context;
  private final ConnectionSlot slot;
  private final QueuePair queuePair;
  private final SendQueue queue;
  private final MemoryTable memory;
  private final EventSink events;
  private final int pdId;
  private final int packetBytesMax;
  private final SendFinisher finisher;
  private final ReceiveCursor receives;
  private final UdReceiver receiver;

  private long cursor;
  private int sendPsn;

  UdEndpoint(EngineContext context, ConnectionSlot slot, QueuePair queuePair) {
    this.context = context;
    this.slot = slot;
    this.queuePair = queuePair;
    this.queue = queuePair.sendQueue();
    this.memory = context.memory();
    this.events = context.settings().events();
    this.pdId = queuePair.protectionDomain().number();
    this.packetBytesMax = context.verbs().queryPort().activeMtuBytes() + HEADER_BYTES_MAX;
    this.finisher = new SendFinisher(context, slot, queue);
    this.receives = new ReceiveCursor(context, slot, queuePair);
    this.receiver = new UdReceiver(context, slot, receives);
    this.cursor = queue.head();
  }

  @Override
  public void onStateChange(int from, int to, long nowNs) {
    QueuePairAttributes attributes = queuePair.attributes();
    switch (to) {
      case QueuePairState.RESET -> {
        queue.discardAll();
        cursor = queue.head();
        receives.discardAll();
      }
      case QueuePairState.ERR -> flush(nowNs);
      case QueuePairState.RTS -> {
        if (from == QueuePairState.RTR) {
          sendPsn = attributes.sqPsn();
        }
        slot.requestTransmit();
      }
      case QueuePairState.SQD -> {
        // Every datagram is finished when it is started: drained at once.
        if (from != QueuePairState.SQD && attributes.enSqdAsyncNotify()) {
          context.raise(AsyncEventType.SQ_DRAINED, slot.qpn());
        }
      }
      default -> receiver.pkeyIndex = attributes.pkeyIndex();
    }
  }

  private void flush(long nowNs) {
    cursor = finisher.flush(cursor, nowNs);
    receives.flush(nowNs);
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
    receiver.onPacket(packet, meta, nowNs);
  }

  @Override
  public void onBurstEnd(long nowNs) {
    // Nothing is ever answered.
  }

  @Override
  public void onTimer(long nowNs) {
    // No timers.
  }

  @Override
  public int transmit(long nowNs, TrainSink sink) {
    if (!hasNext()) {
      return IDLE;
    }
    int handle = queue.addressHandle(queue.slot(cursor));
    DatagramRoute route = context.route(handle, slot.qpn());
    if (route == null) {
      fail(WorkCompletionStatus.LOC_QP_OP_ERR, nowNs);
      return hasNext() ? MORE : IDLE;
    }
    int room = sink.open(route.pathSlot(), route.destination(), route.tos(), packetBytesMax);
    if (room < 0) {
      slot.counters.increment(CounterId.TX_BACK_PRESSURE);
      return BLOCKED;
    }
    room = Math.min(room, context.settings().trainPackets());
    while (room > 0 && hasNext() && queue.addressHandle(queue.slot(cursor)) == handle) {
      if (!writeNext(nowNs, sink)) {
        break;
      }
      room--;
    }
    return hasNext() ? MORE : IDLE;
  }

  private boolean hasNext() {
    return slot.state == QueuePairState.RTS && cursor != queue.publishedTail();
  }

  private boolean writeNext(long nowNs, TrainSink sink) {
    int at = queue.slot(cursor);
    boolean immediate = queue.opcode(at) == WorkRequestOpcode.SEND_WITH_IMM;
    int opcode = immediate ? Opcode.UD_SEND_ONLY_IMM : Opcode.UD_SEND_ONLY;
    int payload = (int) queue.totalLength(at);
    UnsafeBuffer buffer = sink.transmitBuffer();
    int offset = sink.claim();
    int payloadOffset = PacketWriter.payloadOffset(offset, opcode);
    int result = queue.gather(cursor, 0, buffer, payloadOffset, payload, memory, pdId);
    if (result != SlotResult.OK) {
      fail(result, nowNs);
      return false;
    }
    boolean solicited = (queue.flags(at) & SendFlags.SOLICITED) != 0;
    // [FC-07] AckReq is never set.
    int length =
        PacketWriter.begin(
            buffer,
            offset,
            opcode,
            payload,
            solicited,
            slot.pkey,
            queue.remoteQpn(at),
            false,
            sendPsn);
    int qkey = queue.remoteQkey(at);
    if ((qkey & PRIVILEGED_QKEY) != 0) {
      qkey = slot.qkey; // [rc D3] nobody forges a privileged Q_Key
    }
    Deth.write(buffer, offset + Opcode.dethOffset(opcode), qkey, slot.qpn());
    if (immediate) {
      ImmDt.immediate(buffer, offset + Opcode.immDtOffset(opcode), queue.immediate(at));
    }
    sink.commit(length);
    slot.countSent(length, payload);
    events.onPacketOut(nowNs, slot.qpn(), opcode, sendPsn, length, false);
    sendPsn = Psn.next(sendPsn); // [rc D9] counted, never checked
    finisher.finish(cursor++, WorkCompletionStatus.SUCCESS, nowNs);
    return true;
  }

  /** [rc D13] [rc 1-6] [rc 15-12] A local error stops the send queue, receiving goes on. */
  private void fail(int status, long nowNs) {
    finisher.finish(cursor++, status, nowNs);
    if (context.enterSendQueueError(slot, nowNs)) {
      cursor = finisher.flush(cursor, nowNs);
    }
  }

  @Override
  public long nextDeadlineNs() {
    return DeadlineHeap.NEVER;
  }

  @Override
  public int sendPsn() {
    return sendPsn;
  }

  @Override
  public int expectedPsn() {
    return 0;
  }

  @Override
  public boolean isDraining() {
    return false;
  }

  @Override
  public void onDetach() {
    // Holds nothing.
  }
}
