// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.ConnectionEngine;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.mx.FairShareHint;
import io.roce4j.wire.mx.MxClock;
import io.roce4j.wire.mx.Nackh;
import io.roce4j.wire.mx.Probeah;
import io.roce4j.wire.mx.Probeh;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes the answers of a receive half: negative acknowledgements before the acknowledgements that
 * show the cleared bit, then replies to probes, then one acknowledgement a path. All travel in the
 * control class from a source port that follows from the reported path and epoch, so that a move of
 * the data moves its acknowledgements.
 */
final class SackWriter {
  private static final int AT = Bth.LENGTH;
  private static final int SACK_PACKET = AT + Sackh.LENGTH + PacketWriter.ICRC_LENGTH;
  private static final int PROBE_ACK_PACKET = SACK_PACKET + Probeah.LENGTH;
  private static final int NACK_PACKET = AT + Nackh.LENGTH + PacketWriter.ICRC_LENGTH;

  private final ReceiveHalf half;
  private final EntropyPool entropy;
  private int hostPenalty;

  SackWriter(ReceiveHalf half, EntropyPool entropy) {
    this.half = half;
    this.entropy = entropy;
  }

  /** How much the host asks its senders to slow down, 0..127. */
  void hostPenalty(int level) {
    hostPenalty = level;
  }

  /**
   * Writes at most one answer.
   *
   * @return {@link ConnectionEngine#IDLE} when nothing is due, {@link ConnectionEngine#MORE} when
   *     one was written, {@link ConnectionEngine#BLOCKED} when the port has no room
   */
  int transmit(long nowNs, MxWire wire, TrainSink sink) {
    if (!half.wantsToSend()) {
      return ConnectionEngine.IDLE;
    }
    boolean written;
    if (!half.nacks.isEmpty()) {
      written = writeNack(nowNs, wire, sink);
    } else if (!half.probeReplies.isEmpty()) {
      written = writeProbeReply(nowNs, wire, sink);
    } else {
      ReceivePath path = half.nextDue();
      if (path == null) {
        return ConnectionEngine.IDLE;
      }
      written = writeSack(path, nowNs, wire, sink);
    }
    return written ? ConnectionEngine.MORE : ConnectionEngine.BLOCKED;
  }

  private boolean open(int path, int epoch, int length, MxWire wire, TrainSink sink) {
    int plane = half.paths[path].plane;
    int halfNumber = half.responseHalf ? 1 : 0;
    int slot = entropy.slot(halfNumber, path, epoch, EntropyPool.ACKNOWLEDGEMENT, 0, plane);
    if (sink.open(slot, wire.destination(), wire.controlTos(), length) > 0) {
      return true;
    }
    half.counters.backPressure++;
    return false;
  }

  private static void bth(
      UnsafeBuffer buffer, int offset, int opcode, MxWire wire, int psn, boolean becn) {
    Bth.write(buffer, offset, opcode, false, true, 0, wire.pkey(), wire.peerQpn(), false, psn);
    if (becn) {
      Bth.becn(buffer, offset, true);
    }
  }

  private boolean writeNack(long nowNs, MxWire wire, TrainSink sink) {
    ReplyQueue queue = half.nacks;
    int path = queue.field(1);
    int epoch = queue.field(2);
    if (!open(path, epoch, NACK_PACKET, wire, sink)) {
      return false;
    }
    int offset = sink.claim();
    UnsafeBuffer buffer = sink.transmitBuffer();
    bth(buffer, offset, Opcode.MX_NACK, wire, queue.field(4), false);
    Nackh.write(
        buffer,
        offset + AT,
        queue.field(0),
        path,
        epoch,
        half.responseHalf ? Nackh.RESPONSE_HALF : 0,
        queue.field(3),
        queue.field(5));
    wire.onPacketOut(nowNs, Opcode.MX_NACK, queue.field(4), NACK_PACKET, false);
    sink.commit(NACK_PACKET);
    queue.pop();
    half.counters.nacksSent++;
    return true;
  }

  private boolean writeSack(ReceivePath path, long nowNs, MxWire wire, TrainSink sink) {
    if (!open(path.id, path.hiEpoch, SACK_PACKET, wire, sink)) {
      return false;
    }
    boolean newCe = path.cePackets != path.cePacketsReported;
    int sflags = path.sflags | (newCe ? Sackh.NEW_CE : 0);
    int offset = sink.claim();
    UnsafeBuffer buffer = sink.transmitBuffer();
    int cumulative = half.tracker.cumulative();
    bth(buffer, offset, Opcode.MX_SACK, wire, cumulative, newCe);
    long delay = MxClock.units(nowNs - path.hiArrivalNs);
    sackHeader(buffer, offset, path, path.hiEpoch, sflags, path.hi, path.hiStamp, delay, nowNs);
    half.acknowledged(path);
    half.counters.sacks++;
    wire.onPacketOut(nowNs, Opcode.MX_SACK, cumulative, SACK_PACKET, false);
    sink.commit(SACK_PACKET);
    return true;
  }

  private boolean writeProbeReply(long nowNs, MxWire wire, TrainSink sink) {
    ReplyQueue queue = half.probeReplies;
    ReceivePath path = half.paths[queue.field(0)];
    int epoch = queue.field(3);
    if (!open(path.id, epoch, PROBE_ACK_PACKET, wire, sink)) {
      return false;
    }
    boolean wantsVector = (queue.field(4) & Probeh.VECTOR_WANTED) != 0;
    int latest = wantsVector ? queue.field(5) : path.hi;
    int offset = sink.claim();
    UnsafeBuffer buffer = sink.transmitBuffer();
    bth(buffer, offset, Opcode.MX_PROBE_ACK, wire, half.tracker.cumulative(), false);
    long delay = MxClock.units(nowNs - queue.arrivalNs());
    int flags = Sackh.PROBE_REPLY;
    if (!wantsVector && path.listed) {
      // It says all that the acknowledgement of the path would.
      flags |= path.sflags;
      half.acknowledged(path);
    }
    sackHeader(buffer, offset, path, epoch, flags, latest, queue.field(2), delay, nowNs);
    Probeah.write(
        buffer,
        offset + AT + Sackh.LENGTH,
        queue.field(1),
        MxClock.stamp(queue.arrivalNs()),
        MxClock.stamp(nowNs));
    wire.onPacketOut(
        nowNs, Opcode.MX_PROBE_ACK, half.tracker.cumulative(), PROBE_ACK_PACKET, false);
    sink.commit(PROBE_ACK_PACKET);
    queue.pop();
    half.counters.probeAnswers++;
    return true;
  }

  private void sackHeader(
      UnsafeBuffer buffer,
      int offset,
      ReceivePath path,
      int epoch,
      int flags,
      int latest,
      int stamp,
      long delay,
      long nowNs) {
    int hint = half.share == null ? FairShareHint.NONE : half.share.hint(path.plane, nowNs);
    int generation = half.share == null ? 0 : half.share.generation(path.plane);
    half.hints.onCarried(path.plane, generation, nowNs, half.roundTripNs());
    int stream = path.causeStream;
    int limit = half.responseHalf ? 0 : half.target.receiveLimit(stream);
    if (limit < 0) {
      stream = half.target.nextStream();
      limit = Math.max(0, half.target.receiveLimit(stream));
    }
    int sflags =
        flags
            | (hint == FairShareHint.NONE ? 0 : Sackh.HINT_VALID)
            | (hostPenalty > 0 ? Sackh.HOST_PENALTY : 0)
            | (half.responseHalf ? Sackh.RESPONSE_HALF : 0);
    Sackh.writePath(
        buffer,
        offset + AT,
        path.id,
        epoch,
        sflags,
        latest,
        path.rxPackets,
        path.cePackets,
        stamp,
        delay);
    Sackh.writeLimits(
        buffer,
        offset + AT,
        half.acceptedUnits(),
        hint,
        generation,
        hostPenalty,
        half.tracker.limit(),
        limit,
        half.responseHalf ? 0 : stream);
    for (int word = 0; word < Sackh.VECTOR_WORDS; word++) {
      Sackh.vectorWord(buffer, offset + AT, word, half.historyWindow(path, latest - 64 * word));
    }
  }
}
