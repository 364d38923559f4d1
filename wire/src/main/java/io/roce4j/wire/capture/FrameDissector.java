// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.EthernetHeader;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.UdpHeader;
import io.roce4j.wire.ip.VlanTag;
import io.roce4j.wire.packet.WireFault;
import org.agrona.DirectBuffer;

/**
 * Finds the RoCE packet in a frame: Ethernet with up to four VLAN tags, Linux cooked or raw IP;
 * IPv4, IPv6 or the GRH of RoCEv1; UDP to port 4791.
 *
 * <p>A reusable cursor for one thread. It allocates nothing and changes no byte; what it shows is
 * valid as long as the frame's bytes are lent. Only {@link #length} is what the headers claim:
 * fewer bytes may be there when a snap length cut the frame, see {@link #availableLength}.
 */
public final class FrameDissector {
  private static final int COOKED_LENGTH = 16;
  private static final int COOKED_TYPE = 14;
  private static final int COOKED_2_LENGTH = 20;
  private static final int MAX_TAGS = 4;
  private static final int IPV6_HOP_BY_HOP = 0;
  private static final int IPV6_ROUTING = 43;
  private static final int IPV6_FRAGMENT = 44;
  private static final int IPV6_DESTINATION_OPTIONS = 60;

  private final int alternatePort;
  private final IpUdpFields fields = new IpUdpFields();
  private DirectBuffer buffer;
  private long claimedEnd;
  private int end;
  private int ethernetOffset;
  private int vlanOffset;
  private int vlanTags;
  private int ipOffset;
  private int udpOffset;
  private int bthOffset;
  private int length;

  /** Makes a dissector that takes UDP port 4791 alone. */
  public FrameDissector() {
    this(UdpHeader.ROCE_PORT);
  }

  /**
   * Makes a dissector that takes one more UDP destination port.
   *
   * @param alternatePort 1..65535, besides 4791
   */
  public FrameDissector(int alternatePort) {
    this.alternatePort = alternatePort;
  }

  /**
   * Looks into a frame of a capture.
   *
   * @param packet as a reader filled it
   * @return {@link WireFault#OK}, or why no RoCE packet was found; then no accessor is meaningful
   */
  public int dissect(CapturedPacket packet) {
    return dissect(
        packet.buffer(),
        packet.offset(),
        packet.capturedLength(),
        packet.originalLength(),
        packet.linkType());
  }

  /**
   * Looks into a frame.
   *
   * @param buffer holds the frame
   * @param offset first byte
   * @param capturedLength bytes present; the caller vouches for them
   * @param originalLength bytes the frame had, at least {@code capturedLength}
   * @param linkType of the frame, see {@link LinkType}
   * @return {@link WireFault#OK}, or why no RoCE packet was found; then no accessor is meaningful
   */
  public int dissect(
      DirectBuffer buffer, int offset, int capturedLength, int originalLength, int linkType) {
    this.buffer = buffer;
    this.end = offset + capturedLength;
    this.claimedEnd = (long) offset + originalLength;
    this.ethernetOffset = -1;
    this.vlanTags = 0;
    return switch (linkType) {
      case LinkType.ETHERNET -> {
        if (capturedLength < EthernetHeader.LENGTH) {
          yield shortOf(WireFault.NOT_IP);
        }
        ethernetOffset = offset;
        yield byEtherType(EthernetHeader.etherType(buffer, offset), offset + EthernetHeader.LENGTH);
      }
      case LinkType.LINUX_COOKED ->
          capturedLength < COOKED_LENGTH
              ? shortOf(WireFault.NOT_IP)
              : byEtherType(uint16(offset + COOKED_TYPE), offset + COOKED_LENGTH);
      case LinkType.LINUX_COOKED_2 ->
          capturedLength < COOKED_2_LENGTH
              ? shortOf(WireFault.NOT_IP)
              : byEtherType(uint16(offset), offset + COOKED_2_LENGTH);
      case LinkType.RAW_IP, LinkType.RAW_IP_12, LinkType.RAW_IP_14 -> byVersion(offset);
      case LinkType.RAW_IPV4 -> ipv4(offset);
      case LinkType.RAW_IPV6 -> ipv6(offset);
      default -> WireFault.NOT_IP;
    };
  }

  private int uint16(int at) {
    return buffer.getShort(at, BIG_ENDIAN) & 0xFFFF;
  }

  /** Bytes are missing: because the snap length cut them, or because the frame is malformed. */
  private int shortOf(int otherwise) {
    return end < claimedEnd ? WireFault.CAPTURE_TRUNCATED : otherwise;
  }

  private int byVersion(int offset) {
    if (end - offset < 1) {
      return shortOf(WireFault.NOT_IP);
    }
    int version = Ipv4Header.version(buffer, offset);
    return version == 4 ? ipv4(offset) : version == 6 ? ipv6(offset) : WireFault.NOT_IP;
  }

  private int byEtherType(int etherType, int offset) {
    int type = etherType;
    int at = offset;
    while (VlanTag.isTag(type)) {
      if (vlanTags == MAX_TAGS) {
        return WireFault.NOT_IP;
      }
      if (end - at < VlanTag.LENGTH) {
        return shortOf(WireFault.NOT_IP);
      }
      // The tag starts with its TPID, which stands in front of what has been read.
      int tag = at - Short.BYTES;
      vlanOffset = vlanTags == 0 ? tag : vlanOffset;
      vlanTags++;
      type = VlanTag.etherType(buffer, tag);
      at += VlanTag.LENGTH;
    }
    return switch (type) {
      case EthernetHeader.TYPE_IPV4 -> ipv4(at);
      case EthernetHeader.TYPE_IPV6 -> ipv6(at);
      case EthernetHeader.TYPE_ROCE_V1 -> grh(at);
      default -> WireFault.NOT_IP;
    };
  }

  private int ipv4(int offset) {
    if (end - offset < Ipv4Header.LENGTH) {
      return shortOf(WireFault.BAD_IP_HEADER);
    }
    int headerLength = Ipv4Header.headerWords(buffer, offset) * 4;
    if (Ipv4Header.version(buffer, offset) != 4 || headerLength < Ipv4Header.LENGTH) {
      return WireFault.BAD_IP_HEADER;
    }
    if (Ipv4Header.protocol(buffer, offset) != Ipv4Header.PROTOCOL_UDP) {
      return WireFault.NOT_ROCE;
    }
    int fragmentWord = Ipv4Header.fragmentWord(buffer, offset);
    if ((fragmentWord & Ipv4Header.FRAGMENT_OFFSET_MASK) != 0) {
      return WireFault.IP_FRAGMENT;
    }
    int udp = offset + headerLength;
    int fault = portsAt(udp);
    if (fault != WireFault.OK) {
      return fault;
    }
    if ((fragmentWord & Ipv4Header.MORE_FRAGMENTS) != 0) {
      return WireFault.IP_FRAGMENT;
    }
    if (headerLength != Ipv4Header.LENGTH) {
      return WireFault.IP_OPTIONS;
    }
    fields.ipv4(
        Ipv4Header.source(buffer, offset),
        Ipv4Header.destination(buffer, offset),
        UdpHeader.sourcePort(buffer, udp),
        UdpHeader.destinationPort(buffer, udp));
    fields.identification(Ipv4Header.identification(buffer, offset)).fragmentWord(fragmentWord);
    return udpPacket(offset, udp, Ipv4Header.totalLength(buffer, offset) - Ipv4Header.LENGTH);
  }

  private int ipv6(int offset) {
    if (end - offset < Ipv6Header.LENGTH) {
      return shortOf(WireFault.BAD_IP_HEADER);
    }
    if (Ipv6Header.version(buffer, offset) != 6) {
      return WireFault.BAD_IP_HEADER;
    }
    switch (Ipv6Header.nextHeader(buffer, offset)) {
      case Ipv4Header.PROTOCOL_UDP -> {}
      case IPV6_HOP_BY_HOP, IPV6_ROUTING, IPV6_DESTINATION_OPTIONS -> {
        return WireFault.IP_OPTIONS;
      }
      case IPV6_FRAGMENT -> {
        return WireFault.IP_FRAGMENT;
      }
      default -> {
        return WireFault.NOT_ROCE;
      }
    }
    int udp = offset + Ipv6Header.LENGTH;
    int fault = portsAt(udp);
    if (fault != WireFault.OK) {
      return fault;
    }
    fields.ipv6(
        Ipv6Header.sourceHigh(buffer, offset),
        Ipv6Header.sourceLow(buffer, offset),
        Ipv6Header.destinationHigh(buffer, offset),
        Ipv6Header.destinationLow(buffer, offset),
        UdpHeader.sourcePort(buffer, udp),
        UdpHeader.destinationPort(buffer, udp));
    return udpPacket(offset, udp, Ipv6Header.payloadLength(buffer, offset));
  }

  private int grh(int offset) {
    if (end - offset < Ipv6Header.LENGTH) {
      return shortOf(WireFault.BAD_GRH);
    }
    if (Ipv6Header.version(buffer, offset) != 6
        || Ipv6Header.nextHeader(buffer, offset) != Ipv6Header.NEXT_HEADER_IBA) {
      return WireFault.BAD_GRH;
    }
    fields.grh(
        Ipv6Header.sourceHigh(buffer, offset),
        Ipv6Header.sourceLow(buffer, offset),
        Ipv6Header.destinationHigh(buffer, offset),
        Ipv6Header.destinationLow(buffer, offset));
    ipOffset = offset;
    udpOffset = -1;
    return packet(offset + Ipv6Header.LENGTH, Ipv6Header.payloadLength(buffer, offset));
  }

  private int portsAt(int udp) {
    if (end - udp < UdpHeader.LENGTH) {
      return shortOf(WireFault.NOT_ROCE);
    }
    int port = UdpHeader.destinationPort(buffer, udp);
    return port == UdpHeader.ROCE_PORT || port == alternatePort ? WireFault.OK : WireFault.NOT_ROCE;
  }

  private int udpPacket(int ip, int udp, int ipPayload) {
    int udpBytes = UdpHeader.length(buffer, udp);
    if (udpBytes != ipPayload || udpBytes < UdpHeader.LENGTH) {
      return WireFault.LENGTH_MISMATCH;
    }
    ipOffset = ip;
    udpOffset = udp;
    return packet(udp + UdpHeader.LENGTH, udpBytes - UdpHeader.LENGTH);
  }

  private int packet(int offset, int bytes) {
    if (offset + (long) bytes > claimedEnd) {
      return WireFault.LENGTH_MISMATCH;
    }
    bthOffset = offset;
    length = bytes;
    return WireFault.OK;
  }

  /** {@return the buffer that holds the frame} */
  public DirectBuffer buffer() {
    return buffer;
  }

  /** {@return what the ICRC covers of the headers; overwritten by the next frame} */
  public IpUdpFields fields() {
    return fields;
  }

  /** {@return index of the first BTH byte} */
  public int bthOffset() {
    return bthOffset;
  }

  /** {@return bytes from BTH to ICRC as the headers claim them, 0 or more} */
  public int length() {
    return length;
  }

  /** {@return how many of those bytes are present} */
  public int availableLength() {
    return Math.min(length, end - bthOffset);
  }

  /**
   * {@return whether the snap length cut bytes of the packet, so that its ICRC cannot be checked}
   */
  public boolean isTruncated() {
    return length > end - bthOffset;
  }

  /** {@return whether there is an Ethernet header} */
  public boolean hasEthernet() {
    return ethernetOffset >= 0;
  }

  /** {@return destination address, 48 bits; 0 without Ethernet header} */
  public long destinationMac() {
    return hasEthernet() ? EthernetHeader.destination(buffer, ethernetOffset) : 0;
  }

  /** {@return source address, 48 bits; 0 without Ethernet header} */
  public long sourceMac() {
    return hasEthernet() ? EthernetHeader.source(buffer, ethernetOffset) : 0;
  }

  /** {@return number of VLAN tags, 0..4} */
  public int vlanTags() {
    return vlanTags;
  }

  /**
   * A VLAN id.
   *
   * @param index 0..{@link #vlanTags} - 1, outermost first
   * @return 0..4095
   */
  public int vlanId(int index) {
    return VlanTag.vlanId(buffer, vlanOffset + index * VlanTag.LENGTH);
  }

  /**
   * A VLAN priority.
   *
   * @param index 0..{@link #vlanTags} - 1, outermost first
   * @return 0..7
   */
  public int vlanPriority(int index) {
    return VlanTag.priority(buffer, vlanOffset + index * VlanTag.LENGTH);
  }

  /** {@return whether the carrier is IPv4; else IPv6 or a GRH} */
  public boolean isIpv4() {
    return fields.encapsulation() == IpUdpFields.IPV4;
  }

  /** {@return whether the packet is RoCEv1, behind a GRH} */
  public boolean isRoceV1() {
    return fields.encapsulation() == IpUdpFields.GRH;
  }

  /** {@return index of the first byte of the IP header or GRH} */
  public int ipOffset() {
    return ipOffset;
  }

  /** {@return index of the first byte of the UDP header; -1 in RoCEv1} */
  public int udpOffset() {
    return udpOffset;
  }

  /** {@return source address} */
  public Gid source() {
    return new Gid(fields.sourceHigh(), fields.sourceLow());
  }

  /** {@return destination address} */
  public Gid destination() {
    return new Gid(fields.destinationHigh(), fields.destinationLow());
  }

  /** {@return DSCP and ECN, 0..0xFF} */
  public int tos() {
    return isIpv4() ? Ipv4Header.tos(buffer, ipOffset) : Ipv6Header.trafficClass(buffer, ipOffset);
  }

  /** {@return time to live or hop limit, 0..255} */
  public int hopLimit() {
    return isIpv4()
        ? Ipv4Header.timeToLive(buffer, ipOffset)
        : Ipv6Header.hopLimit(buffer, ipOffset);
  }

  /** {@return flow label, 0..0xFFFFF; 0 in IPv4} */
  public int flowLabel() {
    return isIpv4() ? 0 : Ipv6Header.flowLabel(buffer, ipOffset);
  }

  /** {@return UDP checksum, 0..0xFFFF; 0 says there is none} */
  public int udpChecksum() {
    return udpOffset < 0 ? 0 : UdpHeader.checksum(buffer, udpOffset);
  }

  /**
   * Whether the UDP checksum is absent or right. A capture on the sending host shows the partial
   * checksum that hardware completes, so a wrong one there is no fault.
   *
   * @return true when it is 0 or matches; also when bytes are missing to tell, and in RoCEv1
   */
  public boolean isUdpChecksumRight() {
    int checksum = udpChecksum();
    if (checksum == 0 || isTruncated()) {
      return true;
    }
    int bytes = UdpHeader.LENGTH + length;
    return checksum
        == (isIpv4()
            ? UdpHeader.computeChecksumIpv4(buffer, ipOffset, udpOffset, bytes)
            : UdpHeader.computeChecksumIpv6(buffer, ipOffset, udpOffset, bytes));
  }

  /**
   * Whether the IPv4 header checksum is right.
   *
   * @return true when it matches; always in IPv6 and RoCEv1, which have none
   */
  public boolean isIpChecksumRight() {
    return !isIpv4()
        || Ipv4Header.checksum(buffer, ipOffset) == Ipv4Header.computeChecksum(buffer, ipOffset);
  }
}
