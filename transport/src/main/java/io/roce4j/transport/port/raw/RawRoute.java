// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.transport.port.Route;
import io.roce4j.wire.ip.Gid;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes the Ethernet, IP and UDP headers (or the GRH of RoCEv1) of a train to one destination.
 *
 * <p>The UDP checksum field gets the sum over the pseudo header only: the kernel or the adapter
 * adds the rest, as it does for its own sockets.
 */
final class RawRoute extends Route {
  private static final int ETHERNET = 14;
  private static final int IPV4 = 20;
  private static final int IPV6 = 40;
  private static final int UDP = 8;
  private static final int UDP_PROTOCOL = 17;
  private static final int IBA_NEXT_HEADER = 0x1B;
  private static final int DONT_FRAGMENT = 0x4000;

  private final Gid source;
  private final Gid destination;
  private final Neighbour neighbour;
  private final long sourceMac;
  private final int udpPort;
  private final int hopLimit;
  private final int flowLabel;
  private final boolean roceV1;
  private final boolean ipv4;

  // Sum of the addresses and the protocol: the part of both checksums that never changes.
  private final int addressSum;

  /**
   * Makes a route.
   *
   * @param source address of this port
   * @param sourceMac of the interface
   * @param destination address
   * @param neighbour on the link: the destination itself or a gateway
   * @param udpPort destination port
   * @param hopLimit 1..255
   * @param flowLabel of IPv6
   * @param roceV1 whether packets have a GRH instead of IP and UDP
   */
  RawRoute(
      Gid source,
      long sourceMac,
      Gid destination,
      Neighbour neighbour,
      int udpPort,
      int hopLimit,
      int flowLabel,
      boolean roceV1) {
    this.source = source;
    this.sourceMac = sourceMac;
    this.destination = destination;
    this.neighbour = neighbour;
    this.udpPort = udpPort;
    this.hopLimit = hopLimit;
    this.flowLabel = flowLabel;
    this.roceV1 = roceV1;
    this.ipv4 = !roceV1 && source.isIpv4();
    this.addressSum =
        UDP_PROTOCOL
            + (ipv4
                ? sum32(source.ipv4()) + sum32(destination.ipv4())
                : sum64(source.high())
                    + sum64(source.low())
                    + sum64(destination.high())
                    + sum64(destination.low()));
  }

  /** The next hop. */
  Neighbour neighbour() {
    return neighbour;
  }

  /** Bytes of all headers. */
  int headerBytes() {
    if (roceV1) {
      return ETHERNET + IPV6;
    }
    return ETHERNET + (ipv4 ? IPV4 : IPV6) + UDP;
  }

  /** Where the UDP header starts, or 0 when there is none. */
  int udpOffset() {
    if (roceV1) {
      return 0;
    }
    return ETHERNET + (ipv4 ? IPV4 : IPV6);
  }

  /**
   * Writes the headers.
   *
   * @param buffer receives them
   * @param at offset of the Ethernet header
   * @param sourcePort UDP source port
   * @param tos type of service
   * @param payloadBytes of all packets of the train together
   */
  void write(UnsafeBuffer buffer, int at, int sourcePort, int tos, int payloadBytes) {
    int type = roceV1 ? 0x8915 : ipv4 ? 0x0800 : 0x86DD;
    buffer.putLong(at, neighbour.mac() << 16 | sourceMac >>> 32, ByteOrder.BIG_ENDIAN);
    buffer.putInt(at + 8, (int) sourceMac, ByteOrder.BIG_ENDIAN);
    buffer.putShort(at + 12, (short) type, ByteOrder.BIG_ENDIAN);
    int ip = at + ETHERNET;
    if (roceV1) {
      writeIpv6(buffer, ip, tos, payloadBytes, IBA_NEXT_HEADER);
    } else if (ipv4) {
      writeIpv4(buffer, ip, tos, IPV4 + UDP + payloadBytes);
      writeUdp(buffer, ip + IPV4, sourcePort, UDP + payloadBytes);
    } else {
      writeIpv6(buffer, ip, tos, UDP + payloadBytes, UDP_PROTOCOL);
      writeUdp(buffer, ip + IPV6, sourcePort, UDP + payloadBytes);
    }
  }

  private void writeIpv4(UnsafeBuffer buffer, int at, int tos, int totalBytes) {
    int first = 0x4500 | tos;
    int ninth = hopLimit << 8 | UDP_PROTOCOL;
    int sum = addressSum - UDP_PROTOCOL + first + totalBytes + DONT_FRAGMENT + ninth;
    buffer.putInt(at, first << 16 | totalBytes, ByteOrder.BIG_ENDIAN);
    buffer.putInt(at + 4, DONT_FRAGMENT, ByteOrder.BIG_ENDIAN);
    buffer.putInt(at + 8, ninth << 16 | (~fold(sum) & 0xFFFF), ByteOrder.BIG_ENDIAN);
    buffer.putInt(at + 12, source.ipv4(), ByteOrder.BIG_ENDIAN);
    buffer.putInt(at + 16, destination.ipv4(), ByteOrder.BIG_ENDIAN);
  }

  private void writeIpv6(
      UnsafeBuffer buffer, int at, int trafficClass, int payloadBytes, int nextHeader) {
    buffer.putInt(at, 6 << 28 | trafficClass << 20 | flowLabel, ByteOrder.BIG_ENDIAN);
    buffer.putInt(at + 4, payloadBytes << 16 | nextHeader << 8 | hopLimit, ByteOrder.BIG_ENDIAN);
    buffer.putLong(at + 8, source.high(), ByteOrder.BIG_ENDIAN);
    buffer.putLong(at + 16, source.low(), ByteOrder.BIG_ENDIAN);
    buffer.putLong(at + 24, destination.high(), ByteOrder.BIG_ENDIAN);
    buffer.putLong(at + 32, destination.low(), ByteOrder.BIG_ENDIAN);
  }

  private void writeUdp(UnsafeBuffer buffer, int at, int sourcePort, int udpBytes) {
    buffer.putInt(at, sourcePort << 16 | udpPort, ByteOrder.BIG_ENDIAN);
    buffer.putInt(at + 4, udpBytes << 16 | fold(addressSum + udpBytes), ByteOrder.BIG_ENDIAN);
  }

  private static int sum64(long value) {
    return sum32((int) (value >>> 32)) + sum32((int) value);
  }

  private static int sum32(int value) {
    return (value >>> 16) + (value & 0xFFFF);
  }

  /** One's-complement sum of 16 bits; twice, as the first folding can carry. */
  private static int fold(int sum) {
    int once = (sum >>> 16) + (sum & 0xFFFF);
    return ((once >>> 16) + once) & 0xFFFF;
  }
}
