// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.UdpHeader;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The parts of a packet that switches read and change, in the packet's bytes: addresses, ports,
 * TOS, time to live. On the way through the fabric {@link PacketFacts} stand for them. Host i has
 * the address 10.0.0.0 + i + 1, or fd00:: + i + 1.
 */
final class FabricHeader {
  private static final int IPV4_PREFIX = 10 << 24;
  private static final long IPV6_PREFIX = 0xFD00L << 48;
  private static final long IPV4_MAPPED = 0xFFFF_0000_0000L;
  private static final int HOST_MASK = 0xFF_FFFF;

  /** ECN codepoint: congestion experienced. */
  static final int CE = Ipv4Header.ECN_CE;

  private FabricHeader() {}

  /** What the last word of a host's address has besides the host's number + 1. */
  static int addressPrefix(boolean ipv6) {
    return ipv6 ? 0 : IPV4_PREFIX;
  }

  static Gid address(int host, boolean ipv6) {
    return ipv6
        ? new Gid(IPV6_PREFIX, host + 1L)
        : new Gid(0, IPV4_MAPPED | IPV4_PREFIX | (host + 1));
  }

  /** The host of an address, or -1 when it is none of a fabric's. */
  static int hostOf(Gid address, boolean ipv6) {
    long host = (address.low() & HOST_MASK) - 1;
    boolean isOurs = host >= 0 && address.equals(address((int) host, ipv6));
    return isOurs ? (int) host : -1;
  }

  static boolean isIpv4(int headerBytes) {
    return headerBytes == Ipv4Header.LENGTH + UdpHeader.LENGTH;
  }

  static int sourceWord(PacketSlots slots, int slot) {
    int udp = slots.bth(slot) - UdpHeader.LENGTH;
    int distance = isIpv4(slots.headerBytes(slot)) ? 8 : 20;
    return slots.buffer(slot).getInt(udp - distance, BIG_ENDIAN);
  }

  /**
   * The last word of the destination address stands in front of the UDP header in both versions.
   */
  static int destinationWord(PacketSlots slots, int slot) {
    int udp = slots.bth(slot) - UdpHeader.LENGTH;
    return slots.buffer(slot).getInt(udp - 4, BIG_ENDIAN);
  }

  static int ports(PacketSlots slots, int slot) {
    return slots.buffer(slot).getInt(slots.bth(slot) - UdpHeader.LENGTH, BIG_ENDIAN);
  }

  static int tos(PacketSlots slots, int slot) {
    int ip = slots.bth(slot) - slots.headerBytes(slot);
    return isIpv4(slots.headerBytes(slot))
        ? Ipv4Header.tos(slots.buffer(slot), ip)
        : Ipv6Header.trafficClass(slots.buffer(slot), ip);
  }

  static int timeToLive(PacketSlots slots, int slot) {
    int ip = slots.bth(slot) - slots.headerBytes(slot);
    return isIpv4(slots.headerBytes(slot))
        ? Ipv4Header.timeToLive(slots.buffer(slot), ip)
        : Ipv6Header.hopLimit(slots.buffer(slot), ip);
  }

  /** Writes what routers have changed; the header checksum follows. */
  static void update(PacketSlots slots, int slot, int timeToLive, int tos) {
    UnsafeBuffer buffer = slots.buffer(slot);
    int ip = slots.bth(slot) - slots.headerBytes(slot);
    if (!isIpv4(slots.headerBytes(slot))) {
      Ipv6Header.hopLimit(buffer, ip, timeToLive);
      Ipv6Header.trafficClass(buffer, ip, tos);
      return;
    }
    int ttlWord = buffer.getShort(ip + 8, BIG_ENDIAN) & 0xFFFF;
    Ipv4Header.timeToLive(buffer, ip, timeToLive);
    updateChecksum(buffer, ip, ttlWord, (ttlWord & 0xFF) | (timeToLive << 8));
    int tosWord = buffer.getShort(ip, BIG_ENDIAN) & 0xFFFF;
    Ipv4Header.tos(buffer, ip, tos);
    updateChecksum(buffer, ip, tosWord, (tosWord & 0xFF00) | tos);
  }

  /** RFC 1624: the checksum after one 16-bit word of the header has changed. */
  private static void updateChecksum(UnsafeBuffer buffer, int ip, int before, int after) {
    int sum = (~Ipv4Header.checksum(buffer, ip) & 0xFFFF) + (~before & 0xFFFF) + (after & 0xFFFF);
    sum = (sum & 0xFFFF) + (sum >>> 16);
    sum = (sum & 0xFFFF) + (sum >>> 16);
    Ipv4Header.checksum(buffer, ip, ~sum & 0xFFFF);
  }
}
