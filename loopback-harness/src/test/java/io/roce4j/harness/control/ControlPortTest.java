// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.UdpHeader;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.WireFault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole IP packets in and out of the port, without an endpoint. */
class ControlPortTest {
  private static final Gid IPV4 = Gid.parse("192.0.2.2");
  private static final Gid IPV4_PEER = Gid.parse("192.0.2.1");
  private static final Gid IPV6 = Gid.parse("2001:db8::2");
  private static final Gid IPV6_PEER = Gid.parse("2001:db8::1");

  /** [FC-01] A SEND of one byte, from the field case. */
  private static final String SEND =
      "45020030000040004011b6b7c0000201c0000202c00012b7001c0000"
          + "0430ffff0000001180000064410000005ef16a93";

  private ControlPort port = new ControlPort(IPV4, 4791, 8, 1 << 20);

  @AfterEach
  void close() {
    port.close();
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private List<String> received() {
    List<String> all = new ArrayList<>();
    port.receive(
        (buffer, offset, length, segment, meta) -> {
          byte[] packet = new byte[length];
          buffer.getBytes(offset, packet);
          String from = new Gid(meta.ip.sourceHigh(), meta.ip.sourceLow()).toString();
          boolean right = new Icrc().check(buffer, offset, length, meta.ip);
          all.add(
              HexFormat.of().formatHex(packet, 0, 4)
                  + " from "
                  + from
                  + " tos "
                  + meta.tos
                  + " ttl "
                  + meta.hopLimit
                  + " icrc "
                  + right);
        },
        10,
        0);
    return all;
  }

  @Test
  void packetOfferedIsReceivedWithItsHeader() {
    assertEquals(WireFault.OK, port.offer(bytes(SEND)));
    assertEquals(List.of("0430ffff from 192.0.2.1 tos 2 ttl 64 icrc true"), received());
    assertEquals(List.of(), received());
  }

  @Test
  void bytesBehindTheIpLengthAreEthernetPadding() {
    assertEquals(WireFault.OK, port.offer(bytes(SEND + "000000000000")));
    assertEquals(List.of("0430ffff from 192.0.2.1 tos 2 ttl 64 icrc true"), received());
  }

  @Test
  void listenerHearsOfEachPacketThatWasLookedAt() {
    int[] handled = {0};
    port.onHandled(() -> handled[0]++);
    port.offer(bytes(SEND));
    port.offer(bytes("00"));
    port.offer(bytes(SEND));
    received();
    assertEquals(2, handled[0]);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Nothing of an IP packet; a cut header; TCP; another UDP port; a fragment; IPv4 options;
        // an IP length that is not the UDP length; a UDP payload of nothing; cut behind the header.
        "00",
        "4502003000004000",
        "45020030000040004006b6b7c0000201c0000202c00012b7001c00000430ffff0000",
        "45020030000040004011b6b7c0000201c0000202c00012b8001c0000"
            + "0430ffff0000001180000064410000005ef16a93",
        "45020030000060004011b6b7c0000201c0000202c00012b7001c0000"
            + "0430ffff0000001180000064410000005ef16a93",
        "46020034000040004011b6b7c0000201c000020200000000c00012b7001c0000"
            + "0430ffff0000001180000064410000005ef16a93",
        "45020034000040004011b6b7c0000201c0000202c00012b7001c0000"
            + "0430ffff0000001180000064410000005ef16a9300000000",
        "4502001c000040004011b6b7c0000201c0000202c00012b700080000",
        "45020030000040004011b6b7c0000201c0000202c00012b7001c00000430ffff00000011800000644100"
      })
  void whatNoIpStackPassesOnIsRefused(String hex) {
    assertTrue(port.offer(bytes(hex)) != WireFault.OK);
    assertEquals(List.of(), received());
  }

  private void send(Gid peer, int payload) {
    Destination to = port.destination(peer.high(), peer.low(), 4791, 33, 0x12345);
    int size = PacketWriter.packetLength(Opcode.UC_SEND_ONLY, payload);
    assertTrue(port.open(7, to, 0x28, size) > 0);
    int at = port.claim();
    UnsafeBuffer buffer = port.transmitBuffer();
    PacketWriter.begin(buffer, at, Opcode.UC_SEND_ONLY, payload, false, 0xFFFF, 0x11, false, 0x64);
    port.commit(size);
  }

  @Test
  void packetSentIsDrainedWithHeadersAndIcrc() {
    send(IPV4_PEER, 5);
    assertEquals(List.of(), port.drain());
    port.flush(1_234);
    List<SentFrame> frames = port.drain();
    assertEquals(1, frames.size());
    assertEquals(1_234, frames.getFirst().atNs());
    assertEquals(0, frames.getFirst().pathId());
    FrameDissector dissector = dissect(frames.getFirst());
    assertEquals(IPV4_PEER, dissector.destination());
    assertEquals(IPV4, dissector.source());
    assertEquals(49_159, dissector.fields().sourcePort());
    assertEquals(0, dissector.fields().identification());
    assertEquals(0, dissector.udpChecksum());
    assertEquals(33, dissector.hopLimit());
    assertEquals(0x28, dissector.tos());
    assertTrue(dissector.isIpChecksumRight());
    assertEquals(List.of(), port.drain());
  }

  @Test
  void everySourcePortHasASlot() {
    for (int sourcePort : new int[] {1, 4791, 49_151, 49_152, 65_535}) {
      assertEquals(sourcePort, port.sourcePort(port.pathSlotOf(sourcePort)));
    }
    assertEquals(0, port.pathSlotOf(49_152));
  }

  @Test
  void packetSentOverIpv6HasNoUdpChecksum() {
    port.close();
    port = new ControlPort(IPV6, 4791, 8, 1 << 20);
    send(IPV6_PEER, 5);
    port.flush(0);
    FrameDissector dissector = dissect(port.drain().getFirst());
    assertEquals(IPV6_PEER, dissector.destination());
    assertEquals(0, dissector.udpChecksum());
    assertEquals(0x12345, dissector.flowLabel());
    assertEquals(33, dissector.hopLimit());
  }

  private static FrameDissector dissect(SentFrame sent) {
    FrameDissector dissector = new FrameDissector();
    UnsafeBuffer buffer = new UnsafeBuffer(Arrays.copyOf(sent.bytes(), sent.bytes().length));
    int length = sent.bytes().length;
    assertEquals(WireFault.OK, dissector.dissect(buffer, 0, length, length, LinkType.RAW_IP));
    assertEquals(length, dissector.bthOffset() + dissector.length());
    UnsafeBuffer packet = new UnsafeBuffer(new byte[64 + dissector.length()]);
    packet.putBytes(64, buffer, dissector.bthOffset(), dissector.length());
    assertTrue(new Icrc().check(packet, 64, dissector.length(), dissector.fields()));
    return dissector;
  }

  @Test
  void overIpv6AUdpChecksumIsZeroOrRight() {
    port.close();
    port = new ControlPort(IPV6, 4791, 8, 1 << 20);
    ControlPort peer = new ControlPort(IPV6_PEER, 4791, 8, 1 << 20);
    ControlPort ours = port;
    port = peer;
    send(IPV6, 5);
    peer.flush(0);
    byte[] packet = peer.drain().getFirst().bytes();
    peer.close();
    port = ours;
    assertEquals(WireFault.OK, port.offer(packet));
    UnsafeBuffer buffer = new UnsafeBuffer(packet);
    int right = UdpHeader.computeChecksumIpv6(buffer, 0, 40, packet.length - 40);
    UdpHeader.checksum(buffer, 40, right);
    assertEquals(WireFault.OK, port.offer(packet));
    UdpHeader.checksum(buffer, 40, right ^ 1);
    assertTrue(port.offer(packet) != WireFault.OK);
    assertEquals(2, received().size());
  }

  @Test
  void fullListKeepsPacketsBackUntilItIsDrained() {
    for (int i = 0; i < 11; i++) {
      send(IPV4_PEER, i);
    }
    assertEquals(8, port.flush(1));
    assertEquals(0, port.flush(2));
    assertEquals(2, port.counters().refusedTrains);
    assertEquals(8, port.drain().size());
    assertEquals(3, port.flush(3));
    assertEquals(3, port.drain().size());
  }

  @Test
  void otherIpVersionCannotBeReached() {
    assertThrows(
        IllegalArgumentException.class,
        () -> port.destination(IPV6_PEER.high(), IPV6_PEER.low(), 4791, 64, 0));
    Gid group = Gid.parse("ff02::1");
    assertThrows(
        IllegalArgumentException.class, () -> port.joinMulticast(group.high(), group.low()));
  }

  @Test
  void packetLargerThanAnyPathMtuIsTooLarge() {
    Destination to = port.destination(IPV4_PEER.high(), IPV4_PEER.low(), 4791, 64, 0);
    assertEquals(TrainSink.TOO_LARGE, port.open(0, to, 0, 9_000));
  }

  @Test
  void clockMovesOnlyForward() {
    ManualClock clock = new ManualClock();
    assertEquals(0, clock.nanoTime());
    clock.moveTo(5);
    assertEquals(5, clock.nanoTime());
    assertThrows(IllegalArgumentException.class, () -> clock.moveTo(4));
  }
}
