// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.ConnectionEngine;
import io.roce4j.transport.engine.ConnectionSlot;
import io.roce4j.transport.engine.DeadlineHeap;
import io.roce4j.transport.engine.EngineContext;
import io.roce4j.transport.engine.IbProfile;
import io.roce4j.transport.engine.Negotiator;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.transport.queue.ReceiveQueue;
import io.roce4j.transport.verbs.AsyncEventType;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.NegotiationBlock;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Syndrome;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The engine behind a queue pair of profile {@code mx}. What it is is settled at RTR: a connection
 * of its own, a stream of another queue pair's connection, or plain RC when the peer sent no block.
 */
final class MxEngine implements ConnectionEngine, Negotiator {
  private final EngineContext context;
  private final ConnectionSlot slot;
  private final QueuePair queuePair;

  /** Set when the peer does not speak MX. */
  private ConnectionEngine rc;

  /** The connection this queue pair is a stream of. */
  private MxConnection connection;

  private MxStream stream;
  private boolean owner;
  private boolean draining;
  private boolean drainEventWanted;
  private boolean established;
  private boolean nakDue;
  private int nakPsn;

  MxEngine(EngineContext context, ConnectionSlot slot, QueuePair queuePair) {
    this.context = context;
    this.slot = slot;
    this.queuePair = queuePair;
  }

  /** The connection, null before RTR and with plain RC. */
  MxConnection connection() {
    return connection;
  }

  /** Whether the peer does not speak MX and the queue pair runs RC. */
  boolean isFallback() {
    return rc != null;
  }

  @Override
  public void onStateChange(int from, int to, long nowNs) {
    if (from == QueuePairState.INIT && to == QueuePairState.RTR) {
      negotiate(nowNs);
    }
    if (rc != null) {
      rc.onStateChange(from, to, nowNs);
      rc = to == QueuePairState.RESET ? null : rc;
    } else if (to == QueuePairState.RESET) {
      reset();
    } else if (to == QueuePairState.ERR) {
      enterError(nowNs);
    } else if (connection != null) {
      configure(to, nowNs);
    }
  }

  /** [mx B.10] The block in front of the application's private data. */
  @Override
  public int offer(MutableDirectBuffer target, int offset, int number) {
    MxSettings.defaults().block(queuePair.qpNum(), number, 0, 0).write(target, offset);
    return NegotiationBlock.LENGTH;
  }

  /** [mx B.10] No block, or one that is not good, means plain RC. */
  @Override
  public Object agree(DirectBuffer data, int offset, int length, int number, boolean active) {
    if (NegotiationBlock.check(data, offset, length) != MxFault.OK) {
      return null;
    }
    return new MxAttributes(
        MxSettings.defaults(),
        NegotiationBlock.read(data, offset),
        number,
        null,
        0,
        active ? MxAttributes.Opener.THIS_SIDE : MxAttributes.Opener.PEER);
  }

  private void negotiate(long nowNs) {
    MxAttributes mx = attributesOf(queuePair.attributes().profileParameters());
    if (mx == null) {
      rc = new IbProfile().create(context, slot, queuePair);
      rc.onStateChange(QueuePairState.RESET, QueuePairState.INIT, nowNs);
      return;
    }
    if (mx.owner() == null) {
      ConnectionParts parts = new ConnectionParts(context, queuePair, mx);
      connection = new MxConnection(context, slot, parts, nowNs);
      owner = true;
    } else {
      connection = joined(mx);
      owner = false;
    }
    stream = connection.addStream(mx.stream(), queuePair, slot, nowNs);
    if (stream == null) {
      MxConnection refused = connection;
      connection = null;
      if (owner) {
        refused.close();
      }
      throw new VerbsException(
          "EINVAL",
          "MX stream "
              + mx.stream()
              + ": taken, or the connection already has its "
              + refused.parameters.streams()
              + " streams");
    }
  }

  private static MxAttributes attributesOf(Object parameters) {
    if (parameters instanceof MxAttributes attributes) {
      return attributes;
    }
    if (parameters instanceof NegotiationBlock block) {
      return MxAttributes.connection(MxSettings.defaults(), block, MxAttributes.ISN_IS_SQ_PSN);
    }
    return null;
  }

  private static MxConnection joined(MxAttributes mx) {
    MxEngine engine = mx.owner().engine() instanceof MxEngine other ? other : null;
    if (engine == null || engine.connection == null || !engine.owner) {
      throw new VerbsException(
          "EINVAL",
          "queue pair "
              + mx.owner().qpNum()
              + " has no MX connection that a stream could join: bring it to RTR first");
    }
    return engine.connection;
  }

  private void configure(int to, long nowNs) {
    QueuePairAttributes attributes = queuePair.attributes();
    boolean mayAsk = to != QueuePairState.RTR;
    if (mayAsk) {
      connection.startSending(attributes.sqPsn());
      if (attributes.maxRdAtomic() > 0) {
        connection.startAsking();
      }
      connection.configure(stream, attributes, to == QueuePairState.RTS, nowNs);
    }
    if (to == QueuePairState.SQD && !draining) {
      draining = true;
      drainEventWanted = attributes.enSqdAsyncNotify();
      checkDrained();
    } else if (to == QueuePairState.RTS) {
      draining = false;
    }
    connection.slot.requestTransmit();
  }

  private void reset() {
    if (connection != null) {
      stream.sender.reset();
      stream.receiver.reset();
      leave();
    } else {
      queuePair.sendQueue().discardAll();
      queuePair.receiveQueue().discardAll();
    }
    established = false;
    draining = false;
    nakDue = false;
  }

  /** The queue pair is no part of its connection any more; the owner takes the connection along. */
  private void leave() {
    connection.dropStream(stream);
    if (owner) {
      connection.close();
    }
    connection = null;
    stream = null;
  }

  private void enterError(long nowNs) {
    draining = false;
    if (connection == null) {
      flushReceives(nowNs);
      return;
    }
    connection.flush(stream, nowNs);
    if (owner) {
      // Packets no longer reach a queue pair in ERR, so its connection is over for all streams.
      connection.sayFarewell(nowNs);
      connection.failOthers(stream, nowNs);
    }
    connection.slot.requestTransmit();
  }

  /** Before RTR there are receives only. */
  private void flushReceives(long nowNs) {
    ReceiveQueue queue = queuePair.receiveQueue();
    long tail = queue.publishedTail();
    for (long index = queue.head(); index < tail; index++) {
      long wrId = queue.wrId(queue.slot(index));
      queue.release(index + 1);
      context.completions().failReceive(slot, wrId, WorkCompletionStatus.WR_FLUSH_ERR, nowNs);
    }
  }

  @Override
  public void onDoorbell(long nowNs) {
    if (rc != null) {
      rc.onDoorbell(nowNs);
      return;
    }
    boolean error = queuePair.state() == QueuePairState.ERR;
    if (stream == null) {
      if (error) {
        flushReceives(nowNs);
      }
      return;
    }
    if (error) {
      stream.sender.flush(nowNs);
      stream.receiver.flush(nowNs);
      return;
    }
    stream.sender.onPosted();
    connection.slot.requestTransmit();
    settle(nowNs);
  }

  @Override
  public void onPacket(PacketView packet, DatagramMeta meta, long nowNs) {
    if (rc != null) {
      rc.onPacket(packet, meta, nowNs);
      return;
    }
    if (!established && queuePair.state() == QueuePairState.RTR) {
      established = true;
      context.raise(AsyncEventType.COMM_EST, queuePair.qpNum());
    }
    if (Opcode.transportClass(packet.opcode()) != Opcode.CLASS_MX) {
      onForeign(packet.opcode(), packet.psn());
    } else if (connection != null && owner) {
      connection.onPacket(packet, meta, nowNs);
    } else {
      slot.counters().increment(CounterId.DROP_QP_TYPE);
    }
  }

  /** A peer that speaks RC to an MX queue pair is told that this is an invalid request. */
  private void onForeign(int opcode, int psn) {
    if (Opcode.isRequest(opcode) && connection != null) {
      nakDue = true;
      nakPsn = psn;
      slot.requestTransmit();
    }
  }

  @Override
  public boolean onReservedOpcode(int opcode, int psn, long nowNs) {
    return rc != null && rc.onReservedOpcode(opcode, psn, nowNs);
  }

  @Override
  public boolean onCongestionNotification(long nowNs) {
    return rc != null && rc.onCongestionNotification(nowNs);
  }

  @Override
  public void onBurstEnd(long nowNs) {
    if (rc != null) {
      rc.onBurstEnd(nowNs);
      return;
    }
    if (connection != null) {
      connection.onBurstEnd();
    }
    settle(nowNs);
    slot.requestTransmit();
  }

  /** What must not happen in the middle of a packet: failed streams, drained queues. */
  private void settle(long nowNs) {
    if (connection != null) {
      connection.settleFailures(nowNs);
    }
    checkDrained();
  }

  private void checkDrained() {
    if (draining && stream != null && stream.sender.isDrained()) {
      draining = false;
      if (drainEventWanted) {
        context.raise(AsyncEventType.SQ_DRAINED, queuePair.qpNum());
      }
    }
  }

  @Override
  public void onTimer(long nowNs) {
    if (rc != null) {
      rc.onTimer(nowNs);
      return;
    }
    if (connection != null && owner) {
      connection.onTimer(nowNs);
      settle(nowNs);
      slot.requestTransmit();
    }
  }

  @Override
  public int transmit(long nowNs, TrainSink sink) {
    if (rc != null) {
      return rc.transmit(nowNs, sink);
    }
    if (connection == null || !owner) {
      return IDLE;
    }
    if (nakDue) {
      return sendInvalidRequest(nowNs, sink);
    }
    int result = connection.transmit(nowNs, sink);
    settle(nowNs);
    return result;
  }

  private int sendInvalidRequest(long nowNs, TrainSink sink) {
    MxWire wire = connection.wire;
    int slotOfControl = connection.controlSlot(0);
    int packet = PacketWriter.packetLength(Opcode.RC_ACK, 0);
    if (sink.open(slotOfControl, wire.destination(), wire.controlTos(), packet) <= 0) {
      return BLOCKED;
    }
    nakDue = false;
    int offset = sink.claim();
    int length =
        PacketWriter.ack(
            sink.transmitBuffer(),
            offset,
            wire.pkey(),
            wire.peerQpn(),
            nakPsn,
            Syndrome.NAK_INVALID_REQUEST,
            0);
    wire.onPacketOut(nowNs, Opcode.RC_ACK, nakPsn, length, false);
    sink.commit(length);
    return MORE;
  }

  @Override
  public long nextDeadlineNs() {
    if (rc != null) {
      return rc.nextDeadlineNs();
    }
    return connection == null || !owner ? DeadlineHeap.NEVER : connection.nextDeadlineNs();
  }

  @Override
  public int sendPsn() {
    return rc != null ? rc.sendPsn() : connection == null ? 0 : connection.sendPsn();
  }

  @Override
  public int expectedPsn() {
    return rc != null ? rc.expectedPsn() : connection == null ? 0 : connection.expectedPsn();
  }

  @Override
  public boolean isDraining() {
    return rc != null ? rc.isDraining() : draining;
  }

  @Override
  public void onDetach() {
    if (rc != null) {
      rc.onDetach();
    } else if (connection != null) {
      leave();
    }
  }
}
