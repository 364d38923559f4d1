// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/** Packets by hand from a host's bare port: numbered, of one size, one each interval. */
final class PacketSource implements Timeline.Occurrence {
  private final Fabric fabric;
  private final SimPort port;
  private final Destination destination;
  private final int tos;
  private final int length;
  private final long intervalPs;
  private int paths = 1;
  private long left;
  private int sent;
  private int refused;

  PacketSource(Fabric fabric, SimPort port, int to, int tos, int length, long intervalPs) {
    this(fabric, port, to, tos, length, intervalPs, 64);
  }

  PacketSource(
      Fabric fabric, SimPort port, int to, int tos, int length, long intervalPs, int hopLimit) {
    this.fabric = fabric;
    this.port = port;
    this.destination =
        port.destination(
            fabric.host(to).address().high(), fabric.host(to).address().low(), 4791, hopLimit, 0);
    this.tos = tos;
    this.length = length;
    this.intervalPs = intervalPs;
  }

  /** Spreads the packets over a number of source ports, in turn. */
  PacketSource overPaths(int count) {
    paths = count;
    return this;
  }

  PacketSource start(long packets, long atNs) {
    left = packets;
    fabric.timeline().schedule(atNs * Timeline.PS_PER_NS, this, 0, 0);
    return this;
  }

  @Override
  public void happen(int kind, long argument) {
    int room = port.open(sent % paths, destination, tos, length);
    if (room == TrainSink.BACK_PRESSURE) {
      refused++;
    } else {
      UnsafeBuffer buffer = port.transmitBuffer();
      int at = port.claim();
      buffer.setMemory(at, length, (byte) 0);
      Bth.opcode(buffer, at, Opcode.UC_SEND_ONLY);
      Bth.destQp(buffer, at, 1);
      Bth.psn(buffer, at, Psn.add(0, sent));
      port.commit(length);
      port.flush(fabric.clock().nanoTime());
      sent++;
      left--;
    }
    if (left > 0) {
      fabric.timeline().schedule(fabric.timeline().nowPs() + intervalPs, this, 0, 0);
    }
  }

  int sent() {
    return sent;
  }

  int refused() {
    return refused;
  }
}
