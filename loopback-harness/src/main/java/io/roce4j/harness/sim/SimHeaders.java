// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.Destination;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.UdpHeader;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** The IP and UDP headers in front of the BTH of a simulated packet. */
final class SimHeaders {
  static final int IPV4_UDP_LENGTH = Ipv4Header.LENGTH + UdpHeader.LENGTH;
  static final int IPV6_UDP_LENGTH = Ipv6Header.LENGTH + UdpHeader.LENGTH;

  private SimHeaders() {}

  static int lengthFor(Gid address) {
    return Gid.isIpv4Mapped(address.high(), address.low()) ? IPV4_UDP_LENGTH : IPV6_UDP_LENGTH;
  }

  static void write(
      MutableDirectBuffer buffer,
      int bth,
      int length,
      Gid source,
      Gid target,
      Destination destination,
      DatagramMeta meta) {
    int udp = bth - UdpHeader.LENGTH;
    int udpLength = UdpHeader.LENGTH + length;
    // RoCEv2 needs no UDP checksum, the ICRC covers more (annex A17).
    UdpHeader.write(buffer, udp, meta.ip.sourcePort(), destination.udpPort(), udpLength, 0);
    if (meta.ip.encapsulation() == IpUdpFields.IPV4) {
      Ipv4Header.write(
          buffer,
          udp - Ipv4Header.LENGTH,
          meta.tos,
          Ipv4Header.LENGTH + udpLength,
          meta.ip.identification(),
          Ipv4Header.DONT_FRAGMENT,
          destination.hopLimit(),
          (int) source.low(),
          (int) target.low());
    } else {
      Ipv6Header.write(
          buffer,
          udp - Ipv6Header.LENGTH,
          meta.tos,
          destination.flowLabel(),
          udpLength,
          Ipv4Header.PROTOCOL_UDP,
          destination.hopLimit(),
          source.high(),
          source.low(),
          target.high(),
          target.low());
    }
  }

  static int udpDestination(DirectBuffer buffer, int bth) {
    return UdpHeader.destinationPort(buffer, bth - UdpHeader.LENGTH);
  }

  /** Fills everything but {@link DatagramMeta#idKnowledge}. */
  static void read(DirectBuffer buffer, int bth, int headerBytes, DatagramMeta meta) {
    int udp = bth - UdpHeader.LENGTH;
    int ip = bth - headerBytes;
    int sourcePort = UdpHeader.sourcePort(buffer, udp);
    int destinationPort = UdpHeader.destinationPort(buffer, udp);
    if (headerBytes == IPV4_UDP_LENGTH) {
      meta.ip.ipv4(
          Ipv4Header.source(buffer, ip),
          Ipv4Header.destination(buffer, ip),
          sourcePort,
          destinationPort);
      meta.ip.identification(Ipv4Header.identification(buffer, ip));
      meta.ip.fragmentWord(Ipv4Header.fragmentWord(buffer, ip));
      meta.tos = Ipv4Header.tos(buffer, ip);
      meta.hopLimit = Ipv4Header.timeToLive(buffer, ip);
    } else {
      meta.ip.ipv6(
          buffer.getLong(ip + 8, BIG_ENDIAN),
          buffer.getLong(ip + 16, BIG_ENDIAN),
          buffer.getLong(ip + 24, BIG_ENDIAN),
          buffer.getLong(ip + 32, BIG_ENDIAN),
          sourcePort,
          destinationPort);
      meta.tos = Ipv6Header.trafficClass(buffer, ip);
      meta.hopLimit = Ipv6Header.hopLimit(buffer, ip);
    }
    meta.ecn = meta.tos & 3;
  }

  /** Whether two packets may be handed over as one batch. */
  static boolean isSameFlow(DatagramMeta one, DatagramMeta other) {
    return one.tos == other.tos
        && one.hopLimit == other.hopLimit
        && one.ip.sourcePort() == other.ip.sourcePort()
        && one.ip.destinationPort() == other.ip.destinationPort()
        && one.ip.sourceLow() == other.ip.sourceLow()
        && one.ip.sourceHigh() == other.ip.sourceHigh()
        && one.ip.destinationLow() == other.ip.destinationLow()
        && one.ip.destinationHigh() == other.ip.destinationHigh();
  }
}
