// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.EthernetHeader;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.UdpHeader;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketRecord;
import io.roce4j.wire.packet.WireFault;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FrameDissectorTest {
  private static final long SEED = 0x5EED_0009L;
  private static final Gid LEFT_4 = Gid.parse("192.0.2.1");
  private static final Gid RIGHT_4 = Gid.parse("192.0.2.2");
  private static final Gid LEFT_6 = Gid.parse("2001:db8::1");
  private static final Gid RIGHT_6 = Gid.parse("2001:db8::2");

  private final FrameDissector dissector = new FrameDissector();
  private final Icrc icrc = new Icrc();
  private final UnsafeBuffer packet = new UnsafeBuffer(new byte[256]);
  private final UnsafeBuffer frame = new UnsafeBuffer(new byte[512]);
  private IpUdpFields ipv4;
  private IpUdpFields ipv6;
  private IpUdpFields grh;
  private int packetLength;

  @BeforeEach
  void makePacket() {
    ipv4 =
        new IpUdpFields()
            .ipv4(LEFT_4.ipv4(), RIGHT_4.ipv4(), 0xC123, UdpHeader.ROCE_PORT)
            .identification(0xBEEF);
    ipv6 =
        new IpUdpFields()
            .ipv6(
                LEFT_6.high(),
                LEFT_6.low(),
                RIGHT_6.high(),
                RIGHT_6.low(),
                0xC123,
                UdpHeader.ROCE_PORT);
    grh = new IpUdpFields().grh(LEFT_6.high(), LEFT_6.low(), RIGHT_6.high(), RIGHT_6.low());
    PacketRecord record =
        PacketRecord.of(Opcode.RC_SEND_ONLY)
            .destQp(0x11)
            .psn(7)
            .payload(new byte[] {1, 2, 3})
            .build();
    packetLength = record.emit(packet, Icrc.HEADROOM);
  }

  private int ethernet(IpUdpFields fields) {
    icrc.seal(packet, Icrc.HEADROOM, packetLength, fields);
    return FrameWriter.ethernet(
        frame,
        0,
        FrameWriter.syntheticMac(fields.destinationLow()),
        FrameWriter.syntheticMac(fields.sourceLow()),
        fields,
        0x6A,
        33,
        0x12345,
        packet,
        Icrc.HEADROOM,
        packetLength);
  }

  private int dissect(int length, int linkType) {
    return dissector.dissect(frame, 0, length, length, linkType);
  }

  private void assertFound(IpUdpFields fields) {
    assertEquals(packetLength, dissector.length());
    assertEquals(packetLength, dissector.availableLength());
    assertFalse(dissector.isTruncated());
    assertEquals(0x11, Bth.destQp(frame, dissector.bthOffset()));
    assertEquals(fields.sourceLow(), dissector.source().low());
    assertEquals(fields.destinationHigh(), dissector.destination().high());
    assertEquals(0x6A, dissector.tos());
    assertEquals(33, dissector.hopLimit());
    assertEquals(fields.encapsulation() == IpUdpFields.IPV4 ? 0 : 0x12345, dissector.flowLabel());
    assertTrue(dissector.isIpChecksumRight());
    assertTrue(dissector.isUdpChecksumRight());
    int received = Icrc.received(frame, dissector.bthOffset(), dissector.length());
    assertEquals(
        received,
        icrc.computeAside(frame, dissector.bthOffset(), dissector.length(), dissector.fields()));
  }

  @Test
  void findsThePacketBehindEthernetInAllThreeEncapsulations() {
    for (IpUdpFields fields : new IpUdpFields[] {ipv4, ipv6, grh}) {
      assertEquals(WireFault.OK, dissect(ethernet(fields), LinkType.ETHERNET));
      assertFound(fields);
      assertTrue(dissector.hasEthernet());
      assertEquals(0x0200_0000_0000L | (fields.sourceLow() & 0xFFFF_FFFFL), dissector.sourceMac());
      assertEquals(fields.encapsulation() == IpUdpFields.GRH, dissector.isRoceV1());
    }
    assertEquals(WireFault.OK, dissect(ethernet(ipv4), LinkType.ETHERNET));
    assertEquals(0xBEEF, dissector.fields().identification());
    assertEquals(0x4000, dissector.fields().fragmentWord());
    assertEquals("02:00:c0:00:02:02", EthernetHeader.format(dissector.destinationMac()));
    assertEquals(0, dissector.udpChecksum());
    assertEquals(WireFault.OK, dissect(ethernet(ipv6), LinkType.ETHERNET));
    assertTrue(dissector.udpChecksum() != 0);
  }

  @Test
  void minimumFramePaddingDoesNotCount() {
    assertEquals(WireFault.OK, dissect(ethernet(ipv4) + 6, LinkType.ETHERNET));
    assertFound(ipv4);
  }

  @Test
  void vlanTagsAreSteppedOverUpToFour() {
    int length = ethernet(ipv4);
    for (int tags = 1; tags <= 5; tags++) {
      frame.putBytes(16, frame, 12, length - 12);
      frame.putShort(12, (short) (tags == 1 ? 0x0081 : 0xA888));
      frame.putShort(14, (short) ((tags * 3 & 7) << 5 | (0x10 + tags) << 8));
      length += 4;
      int fault = dissect(length, LinkType.ETHERNET);
      if (tags == 5) {
        assertEquals(WireFault.NOT_IP, fault);
        return;
      }
      assertEquals(WireFault.OK, fault);
      assertFound(ipv4);
      assertEquals(tags, dissector.vlanTags());
      assertEquals(0x10 + tags, dissector.vlanId(0));
      assertEquals(0x11, dissector.vlanId(tags - 1));
      assertEquals(tags * 3 & 7, dissector.vlanPriority(0));
    }
  }

  @Test
  void cookedAndRawLinkTypes() {
    for (IpUdpFields fields : new IpUdpFields[] {ipv4, ipv6}) {
      boolean four = fields == ipv4;
      icrc.seal(packet, Icrc.HEADROOM, packetLength, fields);
      short type = (short) (four ? 0x0008 : 0xDD86);
      int length =
          FrameWriter.rawIp(
              frame, 16, fields, 0x6A, 33, 0x12345, packet, Icrc.HEADROOM, packetLength);
      frame.putShort(14, type);
      assertEquals(WireFault.OK, dissect(16 + length, LinkType.LINUX_COOKED));
      assertFound(fields);
      assertFalse(dissector.hasEthernet());
      assertEquals(0, dissector.sourceMac());
      FrameWriter.rawIp(frame, 20, fields, 0x6A, 33, 0x12345, packet, Icrc.HEADROOM, packetLength);
      frame.putShort(0, type);
      assertEquals(WireFault.OK, dissect(20 + length, LinkType.LINUX_COOKED_2));
      assertFound(fields);
      FrameWriter.rawIp(frame, 0, fields, 0x6A, 33, 0x12345, packet, Icrc.HEADROOM, packetLength);
      int own = four ? LinkType.RAW_IPV4 : LinkType.RAW_IPV6;
      int other = four ? LinkType.RAW_IPV6 : LinkType.RAW_IPV4;
      for (int linkType :
          new int[] {LinkType.RAW_IP, LinkType.RAW_IP_12, LinkType.RAW_IP_14, own}) {
        assertEquals(WireFault.OK, dissect(length, linkType));
        assertFound(fields);
      }
      assertTrue(dissect(length, other) != WireFault.OK);
      assertEquals(WireFault.NOT_IP, dissect(length, 147));
    }
  }

  @Test
  void snapLengthIsUnderstood() {
    int length = ethernet(ipv4);
    for (int kept = 0; kept < length; kept++) {
      int fault = dissector.dissect(frame, 0, kept, length, LinkType.ETHERNET);
      if (kept < 42) {
        assertEquals(WireFault.CAPTURE_TRUNCATED, fault, "kept " + kept);
      } else {
        assertEquals(WireFault.OK, fault, "kept " + kept);
        assertTrue(dissector.isTruncated());
        assertEquals(packetLength, dissector.length());
        assertEquals(kept - 42, dissector.availableLength());
      }
    }
  }

  /** The same bytes missing because the frame itself is too short. */
  @Test
  void framesShorterThanTheirHeadersAreMalformed() {
    int length = ethernet(ipv4);
    for (int kept = 0; kept < length; kept++) {
      int fault = dissect(kept, LinkType.ETHERNET);
      int expected =
          kept < 14
              ? WireFault.NOT_IP
              : kept < 34
                  ? WireFault.BAD_IP_HEADER
                  : kept < 42 ? WireFault.NOT_ROCE : WireFault.LENGTH_MISMATCH;
      assertEquals(expected, fault, "kept " + kept);
    }
  }

  @Test
  void everyRefusalHasItsReason() {
    int length = ethernet(ipv4);
    check(length, 12, (byte) 0x08, (byte) 0x06, WireFault.NOT_IP);
    check(length, 14, (byte) 0x55, (byte) 0, WireFault.BAD_IP_HEADER);
    check(length, 14, (byte) 0x44, (byte) 0, WireFault.BAD_IP_HEADER);
    check(length, 14 + 9, (byte) 6, (byte) 0, WireFault.NOT_ROCE);
    check(length, 14 + 6, (byte) 0x20, (byte) 0, WireFault.IP_FRAGMENT);
    check(length, 14 + 6, (byte) 0x00, (byte) 1, WireFault.IP_FRAGMENT);
    check(length, 14 + 2, (byte) 0x00, (byte) 0x31, WireFault.LENGTH_MISMATCH);
    check(length, 34 + 4, (byte) 0x00, (byte) 0x07, WireFault.LENGTH_MISMATCH);
    check(length, 34 + 2, (byte) 0x12, (byte) 0xB6, WireFault.NOT_ROCE);
    length = ethernet(ipv6);
    check(length, 14, (byte) 0x40, (byte) 0, WireFault.BAD_IP_HEADER);
    check(length, 14 + 6, (byte) 44, (byte) 1, WireFault.IP_FRAGMENT);
    check(length, 14 + 6, (byte) 0, (byte) 1, WireFault.IP_OPTIONS);
    check(length, 14 + 6, (byte) 58, (byte) 1, WireFault.NOT_ROCE);
    check(length, 14 + 4, (byte) 0xFF, (byte) 0xFF, WireFault.LENGTH_MISMATCH);
    length = ethernet(grh);
    check(length, 14 + 6, (byte) 17, (byte) 1, WireFault.BAD_GRH);
    check(length, 14 + 4, (byte) 0xFF, (byte) 0xFF, WireFault.LENGTH_MISMATCH);
  }

  private void check(int length, int at, byte first, byte second, int fault) {
    byte one = frame.getByte(at);
    byte two = frame.getByte(at + 1);
    frame.putByte(at, first);
    frame.putByte(at + 1, second);
    assertEquals(fault, dissect(length, LinkType.ETHERNET), "byte " + at);
    frame.putByte(at, one);
    frame.putByte(at + 1, two);
    assertEquals(WireFault.OK, dissect(length, LinkType.ETHERNET));
  }

  @Test
  void ipv4OptionsAreRefused() {
    int length = ethernet(ipv4);
    frame.putBytes(38, frame, 34, length - 34);
    frame.putInt(34, 0);
    Ipv4Header.headerWords(frame, 14, 6);
    Ipv4Header.totalLength(frame, 14, length - 14 + 4);
    assertEquals(WireFault.IP_OPTIONS, dissect(length + 4, LinkType.ETHERNET));
  }

  @Test
  void anotherPortIsTakenWhenAsked() {
    ipv4.ports(0xC123, 14791);
    int length = ethernet(ipv4);
    assertEquals(WireFault.NOT_ROCE, dissect(length, LinkType.ETHERNET));
    FrameDissector other = new FrameDissector(14791);
    assertEquals(WireFault.OK, other.dissect(frame, 0, length, length, LinkType.ETHERNET));
    assertEquals(14791, other.fields().destinationPort());
  }

  @Test
  void wrongChecksumsAreNoticed() {
    ethernet(ipv4);
    Ipv4Header.tos(frame, 14, 3);
    assertEquals(WireFault.OK, dissect(42 + packetLength, LinkType.ETHERNET));
    assertFalse(dissector.isIpChecksumRight());
    UdpHeader.checksum(frame, 34, UdpHeader.computeChecksumIpv4(frame, 14, 34, 8 + packetLength));
    assertTrue(dissector.isUdpChecksumRight());
    UdpHeader.checksum(frame, 34, UdpHeader.checksum(frame, 34) ^ 1);
    assertFalse(dissector.isUdpChecksumRight());
    ethernet(ipv6);
    Ipv6Header.hopLimit(frame, 14, 1);
    assertEquals(WireFault.OK, dissect(62 + packetLength, LinkType.ETHERNET));
    assertTrue(dissector.isUdpChecksumRight());
    Ipv6Header.sourceLow(frame, 14, 5);
    assertFalse(dissector.isUdpChecksumRight());
  }

  @Test
  void anyBytesOfAnyLinkTypeGiveACodeAndStayInside() {
    SplittableRandom random = new SplittableRandom(SEED);
    int[] linkTypes = {1, 12, 14, 101, 113, 228, 229, 276, 147};
    int[] count = new int[WireFault.count()];
    for (int i = 0; i < 400_000; i++) {
      int length = ethernet(i % 3 == 0 ? ipv4 : i % 3 == 1 ? ipv6 : grh);
      for (int flips = random.nextInt(4); flips > 0; flips--) {
        frame.putByte(random.nextInt(length), (byte) random.nextInt());
      }
      int kept = random.nextInt(length + 1);
      byte[] exact = new byte[kept];
      frame.getBytes(0, exact);
      int linkType = random.nextInt(3) == 0 ? linkTypes[random.nextInt(9)] : 1;
      int original = random.nextBoolean() ? kept : length;
      int fault = dissector.dissect(new UnsafeBuffer(exact), 0, kept, original, linkType);
      count[fault]++;
      if (fault == WireFault.OK) {
        assertTrue(dissector.bthOffset() + dissector.availableLength() <= kept);
      }
    }
    assertTrue(count[WireFault.OK] > 1_000 && count[WireFault.CAPTURE_TRUNCATED] > 1_000);
  }
}
