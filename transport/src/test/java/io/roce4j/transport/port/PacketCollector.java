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
      boolean right = bytes >= 16 && icrc.check(buffer, offset + at, bytes, meta.ip);
      int psn = bytes >= 16 ? Bth.psn(buffer, offset + at) : -1;
      packets.add(new Packet(bytes, psn, meta.ip.sourcePort(), meta.ecn, right, index));
    }
    meta.ip.identification(first);
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
