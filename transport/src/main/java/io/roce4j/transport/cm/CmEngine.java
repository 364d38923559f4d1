// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.ConnectionEngine;
import io.roce4j.transport.engine.ConnectionSlot;
import io.roce4j.transport.engine.DeadlineHeap;
import io.roce4j.transport.engine.EngineContext;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.ip.SourcePortEntropy;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Deth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.WireFault;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Queue pair 1: management datagrams between the port and the protocol. It has no work requests;
 * what the protocol wants to say waits in its outbox. Agent thread.
 */
final class CmEngine implements ConnectionEngine {
  /** BTH, DETH, MAD, ICRC. */
  private static final int PACKET_BYTES = Bth.LENGTH + Deth.LENGTH + Mad.LENGTH + 4;

  private final EngineContext context;
  private final ConnectionSlot slot;
  private final CmView view = new CmView();
  private final int pathSlot;
  private CmProtocol protocol;
  private int sendPsn;

  CmEngine(EngineContext context, ConnectionSlot slot) {
    this.context = context;
    this.slot = slot;
    int sourcePort = SourcePortEntropy.datagram(Bth.GSI_QP);
    this.pathSlot = (sourcePort - EngineContext.FIRST_SOURCE_PORT) % context.pathSlots();
  }

  /**
   * Starts the protocol: before the queue pair may receive, or after the one before is over.
   *
   * @throws VerbsException EBUSY when it is not
   */
  CmProtocol start(CmSettings settings, long seed) {
    if (protocol != null && !protocol.isOver()) {
      throw new VerbsException(
          "EBUSY",
          protocol.closed
              ? "the connection manager before is still parting from "
                  + protocol.core.table.size()
                  + " connections"
              : "the endpoint has a connection manager");
    }
    protocol = new CmProtocol(new CmCore(context, slot, settings, seed));
    return protocol;
  }

  @Override
  public void onStateChange(int from, int to, long nowNs) {
    // The checks in front of the engine look at the state; here it changes nothing.
  }

  @Override
  public void onDoorbell(long nowNs) {
    // There are no work requests.
  }

  @Override
  public void onPacket(PacketView packet, DatagramMeta meta, long nowNs) {
    if (packet.opcode() != Opcode.UD_SEND_ONLY || view.wrap(packet) != WireFault.OK) {
      slot.counters().increment(unknown(packet));
    } else {
      protocol.onMessage(view, meta);
    }
  }

  /** LAP and APR have a name and no answer: path migration is not done on RoCE. */
  private static CounterId unknown(PacketView packet) {
    if (packet.payloadLength() == Mad.LENGTH && Mad.isCm(packet.buffer(), packet.payloadOffset())) {
      int attributeId = Mad.attributeId(packet.buffer(), packet.payloadOffset());
      if (attributeId == CmAttribute.LAP) {
        return CounterId.CM_RX_MSGS_LAP;
      }
      if (attributeId == CmAttribute.APR) {
        return CounterId.CM_RX_MSGS_APR;
      }
    }
    return CounterId.CM_RX_MALFORMED;
  }

  @Override
  public void onBurstEnd(long nowNs) {
    // Answers are in the outbox already.
  }

  @Override
  public void onTimer(long nowNs) {
    protocol.onTimer(nowNs);
  }

  @Override
  public int transmit(long nowNs, TrainSink sink) {
    MadOutbox outbox = protocol.core.outbox;
    if (outbox.isEmpty()) {
      return IDLE;
    }
    Destination to = outbox.destination();
    int room = sink.open(pathSlot, to, 0, PACKET_BYTES);
    if (room < 0) {
      slot.counters().increment(CounterId.TX_BACK_PRESSURE);
      return BLOCKED;
    }
    while (room > 0 && !outbox.isEmpty() && outbox.destination() == to) {
      writeNext(nowNs, sink, outbox);
      room--;
    }
    return outbox.isEmpty() ? IDLE : MORE;
  }

  private void writeNext(long nowNs, TrainSink sink, MadOutbox outbox) {
    UnsafeBuffer buffer = sink.transmitBuffer();
    int offset = sink.claim();
    // [FC-07] AckReq is never set.
    int length =
        PacketWriter.begin(
            buffer,
            offset,
            Opcode.UD_SEND_ONLY,
            Mad.LENGTH,
            false,
            context.verbs().pkey(0),
            Bth.GSI_QP,
            false,
            sendPsn);
    Deth.write(buffer, offset + Opcode.dethOffset(Opcode.UD_SEND_ONLY), Mad.GSI_QKEY, Bth.GSI_QP);
    outbox.copyTo(buffer, PacketWriter.payloadOffset(offset, Opcode.UD_SEND_ONLY));
    sink.commit(length);
    slot.countSent(length, Mad.LENGTH);
    context
        .settings()
        .events()
        .onPacketOut(nowNs, Bth.GSI_QP, Opcode.UD_SEND_ONLY, sendPsn, length, false);
    sendPsn = Psn.next(sendPsn);
    protocol.core.onSent(outbox.request());
    outbox.remove();
  }

  @Override
  public long nextDeadlineNs() {
    return protocol == null ? DeadlineHeap.NEVER : protocol.core.nextDeadlineNs();
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
    // Holds nothing beyond the heap.
  }
}
