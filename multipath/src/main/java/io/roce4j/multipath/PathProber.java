// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.ConnectionEngine;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.mx.MxClock;
import io.roce4j.wire.mx.Probeh;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;

/**
 * Writes the probes of a send half. They go in the data class from the path's own source port: a
 * probe that overtook data would make what is still under way look lost.
 */
final class PathProber {
  /** Everything up to the last transmission has left: what did not arrive is lost. */
  static final int TAIL = 1;

  /** A part of the receiver's history is wanted. */
  static final int VECTOR = 2;

  private static final int PACKET = Bth.LENGTH + Probeh.LENGTH + PacketWriter.ICRC_LENGTH;

  private final SendHalf half;
  private final int halfFlag;

  PathProber(SendHalf half, boolean responseHalf) {
    this.half = half;
    this.halfFlag = responseHalf ? Probeh.RESPONSE_HALF : 0;
  }

  /**
   * Writes at most one probe.
   *
   * @return {@link ConnectionEngine#IDLE}, {@link ConnectionEngine#MORE} or {@link
   *     ConnectionEngine#BLOCKED}
   */
  int transmit(long nowNs, MxWire wire, TrainSink sink) {
    if (!half.monitor.wantsProbe()) {
      return ConnectionEngine.IDLE;
    }
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath path = half.paths.get(i);
      if (path.wantedProbes != 0) {
        return write(path, nowNs, wire, sink) ? ConnectionEngine.MORE : ConnectionEngine.BLOCKED;
      }
    }
    half.monitor.probesWritten();
    return ConnectionEngine.IDLE;
  }

  private boolean write(SendPath path, long nowNs, MxWire wire, TrainSink sink) {
    if (sink.open(path.slot, wire.destination(), wire.dataTos(), PACKET) <= 0) {
      half.counters.backPressure++;
      return false;
    }
    boolean tail = (path.wantedProbes & TAIL) != 0;
    int pflags = halfFlag | (tail ? Probeh.TAIL_CHECK : Probeh.VECTOR_WANTED);
    path.wantedProbes &= tail ? ~TAIL : ~VECTOR;
    int stamp = MxClock.stamp(nowNs);
    int lastPseq = path.ring.next() - 1;
    int id = path.probes.sent(stamp, pflags, lastPseq);
    int offset = sink.claim();
    Bth.write(
        sink.transmitBuffer(),
        offset,
        Opcode.MX_PROBE,
        false,
        true,
        0,
        wire.pkey(),
        wire.peerQpn(),
        false,
        0);
    Probeh.write(
        sink.transmitBuffer(),
        offset + Bth.LENGTH,
        path.id,
        path.epoch,
        pflags,
        id,
        stamp,
        path.vectorBase,
        lastPseq);
    sink.commit(PACKET);
    path.probesSent++;
    half.counters.probes++;
    wire.onPacketOut(nowNs, Opcode.MX_PROBE, 0, PACKET, false);
    return true;
  }
}
