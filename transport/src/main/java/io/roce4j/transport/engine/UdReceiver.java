// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.queue.SlotResult;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.UdpHeader;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The receiving half of a datagram queue pair: each datagram fills one receive, behind an area of
 * 40 bytes for the network header [rc D5] [wire 15]. The Q_Key was checked before [rc D4].
 */
final class UdReceiver {

  /** Bytes in front of every payload. */
  static final int HEADER_AREA_BYTES = 40;

  private static final int IPV4_OFFSET = HEADER_AREA_BYTES - Ipv4Header.LENGTH;
  private static final int DEFAULT_HOP_LIMIT = 64;

  private final EngineContext context;
  private final ConnectionSlot slot;
  private final ReceiveCursor receives;
  private final UnsafeBuffer area = new UnsafeBuffer(new byte[HEADER_AREA_BYTES]);

  int pkeyIndex;

  UdReceiver(EngineContext context, ConnectionSlot slot, ReceiveCursor receives) {
    this.context = context;
    this.slot = slot;
    this.receives = receives;
  }

  void onPacket(PacketView packet, DatagramMeta meta, long nowNs) {
    if (!receives.take()) {
      slot.counters.increment(CounterId.OUT_OF_BUFFER); // [rc D7] [rc 6-15]
      return;
    }
    int payload = packet.payloadLength();
    if (HEADER_AREA_BYTES + payload > receives.room()) {
      // [rc D6] [rc 24-9] The receive waits for the next datagram. rxe takes the queue pair to ERR:
      // anybody
      // who knows the Q_Key could do that.
      slot.counters.increment(CounterId.DROP_LENGTH);
      slot.counters.increment(CounterId.DROP_UD_LENGTH);
      receives.rewind();
      return;
    }
    boolean ipv4 = meta.ip.encapsulation() == IpUdpFields.IPV4;
    if (ipv4) {
      writeIpv4(packet.length(), meta);
    } else {
      writeIpv6(packet.length(), meta);
    }
    int result = receives.scatter(area, 0, HEADER_AREA_BYTES);
    if (result == SlotResult.OK) {
      result = receives.scatter((UnsafeBuffer) packet.buffer(), packet.payloadOffset(), payload);
    }
    if (result != SlotResult.OK) {
      receives.fail(result, nowNs);
      context.enterError(slot, nowNs);
      return;
    }
    slot.counters.add(CounterId.RX_PAYLOAD_BYTES, payload);
    boolean immediate = Opcode.hasImmDt(packet.opcode());
    // [rc D8]
    receives.completeDatagram(
        HEADER_AREA_BYTES + payload,
        packet.sourceQp(),
        immediate ? packet.immediate() : 0,
        WorkCompletionFlags.GRH | (immediate ? WorkCompletionFlags.WITH_IMM : 0),
        pkeyIndex,
        ipv4 ? WorkCompletion.NETWORK_IPV4 : WorkCompletion.NETWORK_IPV6,
        packet.solicited(),
        nowNs);
  }

  /** [FC-11] Bytes 0 to 19 are zero, the IPv4 header stands at 20; nobody has to guess. */
  private void writeIpv4(int udpPayload, DatagramMeta meta) {
    area.setMemory(0, IPV4_OFFSET, (byte) 0);
    Ipv4Header.write(
        area,
        IPV4_OFFSET,
        Math.max(0, meta.tos),
        Ipv4Header.LENGTH + UdpHeader.LENGTH + udpPayload,
        meta.ip.identification(),
        meta.ip.fragmentWord(),
        meta.hopLimit < 0 ? DEFAULT_HOP_LIMIT : meta.hopLimit,
        (int) meta.ip.sourceLow(),
        (int) meta.ip.destinationLow());
  }

  private void writeIpv6(int udpPayload, DatagramMeta meta) {
    boolean grh = meta.ip.encapsulation() == IpUdpFields.GRH;
    Ipv6Header.write(
        area,
        0,
        Math.max(0, meta.tos),
        0,
        grh ? udpPayload : UdpHeader.LENGTH + udpPayload,
        grh ? Ipv6Header.NEXT_HEADER_IBA : Ipv4Header.PROTOCOL_UDP,
        meta.hopLimit < 0 ? DEFAULT_HOP_LIMIT : meta.hopLimit,
        meta.ip.sourceHigh(),
        meta.ip.sourceLow(),
        meta.ip.destinationHigh(),
        meta.ip.destinationLow());
  }
}
