// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.EthernetHeader;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.UdpHeader;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Puts the headers a port knows in front of a sealed packet, so that a capture or a raw socket gets
 * a whole frame.
 *
 * <p>Over IPv4 the UDP checksum is 0, as adapters send it; over IPv6 it is correct. Addresses of
 * the link layer are locally administered and made from the last four address bytes when not given.
 * Stateless; any thread.
 */
public final class FrameWriter {
  /** Most bytes in front of a BTH: Ethernet, IPv6, UDP. */
  public static final int MAX_HEADERS =
      EthernetHeader.LENGTH + Ipv6Header.LENGTH + UdpHeader.LENGTH;

  /** The hop limit hosts use by default. */
  public static final int DEFAULT_HOP_LIMIT = 64;

  private static final long LOCAL_MAC = 0x0200_0000_0000L;

  private FrameWriter() {}

  /**
   * A locally administered Ethernet address made from an IP address, so that a capture of a run
   * without Ethernet tells its hosts apart.
   *
   * @param addressLow last eight bytes of the GID
   * @return 48 bits
   */
  public static long syntheticMac(long addressLow) {
    return LOCAL_MAC | (addressLow & 0xFFFF_FFFFL);
  }

  /**
   * Bytes of the IP and UDP headers, or of the GRH.
   *
   * @param fields the headers
   * @return 28, 48 or 40
   */
  public static int ipHeadersLength(IpUdpFields fields) {
    return switch (fields.encapsulation()) {
      case IpUdpFields.IPV4 -> Ipv4Header.LENGTH + UdpHeader.LENGTH;
      case IpUdpFields.IPV6 -> Ipv6Header.LENGTH + UdpHeader.LENGTH;
      default -> Ipv6Header.LENGTH;
    };
  }

  /**
   * Writes an Ethernet frame: headers and a copy of the packet.
   *
   * @param frame receives the frame
   * @param offset first byte of the Ethernet header
   * @param destinationMac 48 bits
   * @param sourceMac 48 bits
   * @param fields IP and UDP or GRH fields, identification included
   * @param tos DSCP and ECN, 0..0xFF
   * @param hopLimit 0..255
   * @param flowLabel of IPv6 and GRH, 0..0xFFFFF
   * @param packet holds the sealed packet
   * @param packetOffset first byte of its BTH
   * @param packetLength bytes from BTH to ICRC
   * @return bytes of the frame
   */
  public static int ethernet(
      MutableDirectBuffer frame,
      int offset,
      long destinationMac,
      long sourceMac,
      IpUdpFields fields,
      int tos,
      int hopLimit,
      int flowLabel,
      DirectBuffer packet,
      int packetOffset,
      int packetLength) {
    int type =
        switch (fields.encapsulation()) {
          case IpUdpFields.IPV4 -> EthernetHeader.TYPE_IPV4;
          case IpUdpFields.IPV6 -> EthernetHeader.TYPE_IPV6;
          default -> EthernetHeader.TYPE_ROCE_V1;
        };
    EthernetHeader.write(frame, offset, destinationMac, sourceMac, type);
    int headers = offset + EthernetHeader.LENGTH;
    frame.putBytes(headers + ipHeadersLength(fields), packet, packetOffset, packetLength);
    return EthernetHeader.LENGTH
        + headers(frame, headers, fields, tos, hopLimit, flowLabel, packetLength)
        + packetLength;
  }

  /**
   * Writes an IP packet: headers and a copy of the packet.
   *
   * @param frame receives the frame
   * @param offset first byte of the IP header
   * @param fields IP and UDP or GRH fields, identification included
   * @param tos DSCP and ECN, 0..0xFF
   * @param hopLimit 0..255
   * @param flowLabel of IPv6 and GRH, 0..0xFFFFF
   * @param packet holds the sealed packet
   * @param packetOffset first byte of its BTH
   * @param packetLength bytes from BTH to ICRC
   * @return bytes of the frame
   */
  public static int rawIp(
      MutableDirectBuffer frame,
      int offset,
      IpUdpFields fields,
      int tos,
      int hopLimit,
      int flowLabel,
      DirectBuffer packet,
      int packetOffset,
      int packetLength) {
    frame.putBytes(offset + ipHeadersLength(fields), packet, packetOffset, packetLength);
    return headers(frame, offset, fields, tos, hopLimit, flowLabel, packetLength) + packetLength;
  }

  /**
   * Writes IP and UDP headers, or a GRH, in front of a packet that is in place already.
   *
   * @param frame receives the headers
   * @param offset first byte of the IP header; the BTH must start {@link #ipHeadersLength} later
   * @param fields IP and UDP or GRH fields, identification included
   * @param tos DSCP and ECN, 0..0xFF
   * @param hopLimit 0..255
   * @param flowLabel of IPv6 and GRH, 0..0xFFFFF
   * @param packetLength bytes from BTH to ICRC
   * @return bytes of the headers
   */
  public static int headers(
      MutableDirectBuffer frame,
      int offset,
      IpUdpFields fields,
      int tos,
      int hopLimit,
      int flowLabel,
      int packetLength) {
    int udpLength = UdpHeader.LENGTH + packetLength;
    switch (fields.encapsulation()) {
      case IpUdpFields.IPV4 -> {
        Ipv4Header.write(
            frame,
            offset,
            tos,
            Ipv4Header.LENGTH + udpLength,
            fields.identification(),
            fields.fragmentWord(),
            hopLimit,
            (int) fields.sourceLow(),
            (int) fields.destinationLow());
        udp(frame, offset + Ipv4Header.LENGTH, fields, udpLength);
      }
      case IpUdpFields.IPV6 -> {
        ipv6(frame, offset, fields, tos, hopLimit, flowLabel, udpLength, Ipv4Header.PROTOCOL_UDP);
        int udpOffset = offset + Ipv6Header.LENGTH;
        udp(frame, udpOffset, fields, udpLength);
        int checksum = UdpHeader.computeChecksumIpv6(frame, offset, udpOffset, udpLength);
        UdpHeader.checksum(frame, udpOffset, checksum);
      }
      default ->
          ipv6(
              frame,
              offset,
              fields,
              tos,
              hopLimit,
              flowLabel,
              packetLength,
              Ipv6Header.NEXT_HEADER_IBA);
    }
    return ipHeadersLength(fields);
  }

  private static void udp(
      MutableDirectBuffer frame, int offset, IpUdpFields fields, int udpLength) {
    UdpHeader.write(frame, offset, fields.sourcePort(), fields.destinationPort(), udpLength, 0);
  }

  private static void ipv6(
      MutableDirectBuffer frame,
      int offset,
      IpUdpFields fields,
      int tos,
      int hopLimit,
      int flowLabel,
      int payloadLength,
      int nextHeader) {
    Ipv6Header.write(
        frame,
        offset,
        tos,
        flowLabel,
        payloadLength,
        nextHeader,
        hopLimit,
        fields.sourceHigh(),
        fields.sourceLow(),
        fields.destinationHigh(),
        fields.destinationLow());
  }
}
