// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import org.agrona.DirectBuffer;

/**
 * Where a peer is, and how packets to it are marked: libibverbs' {@code ibv_ah_attr} for Ethernet.
 *
 * @param gidHi upper half of the peer's GID; IPv4 addresses as ::ffff:a.b.c.d
 * @param gidLo lower half of the peer's GID
 * @param udpPort destination UDP port, 1..65535; 4791 is RoCEv2's
 * @param trafficClass IP TOS or traffic class, 0..255; the upper six bits are the DSCP
 * @param flowLabel IPv6 flow label and source of the UDP source port, 0..0xFFFFF; 0 draws it from
 *     the queue pair numbers
 * @param hopLimit TTL or hop limit, 1..255
 * @param udpSourcePort UDP source port, 1..65535, or -1 for one computed from the flow label
 */
public record AddressVector(
    long gidHi,
    long gidLo,
    int udpPort,
    int trafficClass,
    int flowLabel,
    int hopLimit,
    int udpSourcePort) {
  /** RoCEv2's UDP port. */
  public static final int ROCE_UDP_PORT = 4791;

  /** Hop limit when nothing was said. */
  public static final int DEFAULT_HOP_LIMIT = 64;

  /** No wish for the UDP source port. */
  public static final int ANY_SOURCE_PORT = -1;

  private static final int FLOW_LABEL_MAX = 0xF_FFFF;
  private static final int HEADER_AREA_BYTES = 40;

  /** Traffic class without ECN. */
  private static final int DSCP_MASK = 0xFC;

  /** ::ffff:0:0. */
  private static final long IPV4_PREFIX = 0xFFFFL << 32;

  /**
   * Checks every range.
   *
   * @throws VerbsException EINVAL, naming the value and the range
   */
  public AddressVector {
    check("udpPort", udpPort, 1, 0xFFFF);
    check("trafficClass", trafficClass, 0, 0xFF);
    check("flowLabel", flowLabel, 0, FLOW_LABEL_MAX);
    check("hopLimit", hopLimit, 1, 0xFF);
    if (udpSourcePort != ANY_SOURCE_PORT) {
      check("udpSourcePort", udpSourcePort, 1, 0xFFFF);
    }
    if (gidHi == 0 && gidLo == 0) {
      throw VerbsException.invalid("destination :: is no peer's address");
    }
  }

  /**
   * A peer on RoCEv2's port with nothing special.
   *
   * @param gidHi upper half of the GID
   * @param gidLo lower half of the GID
   * @return traffic class 0, flow label 0, hop limit 64, any source port
   */
  public static AddressVector of(long gidHi, long gidLo) {
    return new AddressVector(gidHi, gidLo, ROCE_UDP_PORT, 0, 0, DEFAULT_HOP_LIMIT, ANY_SOURCE_PORT);
  }

  /**
   * [rc D11] The way back to the sender of a datagram, as ibv_init_ah_from_wc finds it: its
   * address, traffic class and hop limit as they stand in the network header in front of the
   * payload, without the mark that congestion left there. The number of its queue pair is {@link
   * WorkCompletion#srcQp}.
   *
   * @param datagram its completion, with status SUCCESS
   * @param area the receive buffer
   * @param offset index of the first of the 40 bytes in front of the payload
   * @return an address for {@link ProtectionDomain#createAddressHandle}
   * @throws VerbsException EINVAL when the completion is not that of a datagram
   */
  public static AddressVector ofDatagram(WorkCompletion datagram, DirectBuffer area, int offset) {
    return switch (datagram.networkType()) {
      case WorkCompletion.NETWORK_IPV4 -> {
        int header = offset + HEADER_AREA_BYTES - Ipv4Header.LENGTH;
        yield of(0, IPV4_PREFIX | (Ipv4Header.source(area, header) & 0xFFFF_FFFFL))
            .withTrafficClass(Ipv4Header.tos(area, header) & DSCP_MASK)
            .withHopLimit(Math.max(1, Ipv4Header.timeToLive(area, header)));
      }
      case WorkCompletion.NETWORK_IPV6 ->
          of(Ipv6Header.sourceHigh(area, offset), Ipv6Header.sourceLow(area, offset))
              .withTrafficClass(Ipv6Header.trafficClass(area, offset) & DSCP_MASK)
              .withHopLimit(Math.max(1, Ipv6Header.hopLimit(area, offset)));
      default -> throw VerbsException.invalid("completion is not that of a datagram: " + datagram);
    };
  }

  /**
   * The same peer on another UDP port, for two endpoints on one IPv6 loopback address.
   *
   * @param port 1..65535
   * @return a new address
   */
  public AddressVector withUdpPort(int port) {
    return new AddressVector(gidHi, gidLo, port, trafficClass, flowLabel, hopLimit, udpSourcePort);
  }

  /**
   * The same peer with another traffic class.
   *
   * @param value 0..255
   * @return a new address
   */
  public AddressVector withTrafficClass(int value) {
    return new AddressVector(gidHi, gidLo, udpPort, value, flowLabel, hopLimit, udpSourcePort);
  }

  /**
   * The same peer with another flow label.
   *
   * @param value 0..0xFFFFF
   * @return a new address
   */
  public AddressVector withFlowLabel(int value) {
    return new AddressVector(gidHi, gidLo, udpPort, trafficClass, value, hopLimit, udpSourcePort);
  }

  /**
   * The same peer with another hop limit.
   *
   * @param value 1..255
   * @return a new address
   */
  public AddressVector withHopLimit(int value) {
    return new AddressVector(gidHi, gidLo, udpPort, trafficClass, flowLabel, value, udpSourcePort);
  }

  /**
   * The same peer from a given UDP source port.
   *
   * @param value 1..65535, or {@link #ANY_SOURCE_PORT}
   * @return a new address
   */
  public AddressVector withUdpSourcePort(int value) {
    return new AddressVector(gidHi, gidLo, udpPort, trafficClass, flowLabel, hopLimit, value);
  }

  private static void check(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw VerbsException.invalid(name + " " + value + ": allowed " + min + ".." + max);
    }
  }
}
