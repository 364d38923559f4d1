// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.packet.Bth;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** A handler that checks every packet of every batch and keeps what tests ask about. */
final class PacketCollector implements DatagramHandler {
  /** One received packet. */
  record Packet(int length, int psn, int sourcePort, int ecn, boolean icrcRight, int index) {}

  final List<Packet> packets = new ArrayList<>();
  final List<Integer> batches = new ArrayList<>();
  private final Icrc icrc = new Icrc();

  @Override
  public void onDatagram(
      UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta) {
    batches.add((length + segmentBytes - 1) / segmentBytes);
    int first = meta.idKnowledge == DatagramMeta.ID_KNOWN ? meta.ip.identification() : 0;
    int index = 0;
    for (int at = 0; at < length; at += segmentBytes, index++) {
      int bytes = Math.min(segmentBytes, length - at);
      meta.ip.identification((first + index) & 0xFFFF);
      boolean right = bytes >= 16 && isRight(buffer, offset + at, bytes, meta);
      int psn = bytes >= 16 ? Bth.psn(buffer, offset + at) : -1;
      packets.add(new Packet(bytes, psn, meta.ip.sourcePort(), meta.ecn, right, index));
    }
    meta.ip.identification(first);
  }

  /**
   * Right with the identification that is known or stands to reason; a port that cannot see it and
   * cannot tell a packet's place in its train gets the benefit of 0 to 63.
   */
  private boolean isRight(UnsafeBuffer buffer, int at, int bytes, DatagramMeta meta) {
    if (icrc.check(buffer, at, bytes, meta.ip)) {
      return true;
    }
    if (meta.idKnowledge == DatagramMeta.ID_KNOWN) {
      return false;
    }
    int solved = icrc.solveIdentification(buffer, at, bytes, meta.ip);
    return solved >= 0 && solved < 64;
  }

  void clear() {
    packets.clear();
    batches.clear();
  }

  List<Integer> lengths() {
    return packets.stream().map(Packet::length).toList();
  }

  List<Integer> psns() {
    return packets.stream().map(Packet::psn).toList();
  }
}
