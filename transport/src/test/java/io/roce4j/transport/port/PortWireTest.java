// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.roce4j.wire.packet.Bth;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What ports put on the wire, seen by an independent reader at the far end of a virtual link in
 * network namespaces of the test's own.
 */
class PortWireTest {
  private static final int DATA = 1084;
  private static final int DONT_FRAGMENT = 0x4000;

  private static NetworkNamespaces namespaces;

  private final PacketCollector seen = new PacketCollector();

  static Stream<Arguments> portsFamiliesAndSegmentation() {
    return Ports.providers().stream()
        .filter(provider -> provider.unavailableReason() == null)
        .map(PortProvider::name)
        .flatMap(
            name ->
                IntStream.range(0, 4)
                    .mapToObj(i -> Arguments.of(name, (i & 1) != 0, (i & 2) != 0)));
  }

  static Stream<String> ports() {
    return Ports.providers().stream().map(PortProvider::name).filter(PortWireTest::available);
  }

  @BeforeAll
  static void needsNamespaces() {
    String reason = NetworkNamespaces.unavailableReason();
    assumeTrue(reason == null, reason);
    namespaces = NetworkNamespaces.create(9000);
  }

  @AfterAll
  static void removeNamespaces() {
    if (namespaces != null) {
      namespaces.close();
    }
  }

  @ParameterizedTest(name = "{0} ipv6={1} segmentedByTheKernel={2}")
  @MethodSource("portsFamiliesAndSegmentation")
  void everyPacketOnTheWireIsSealedAndWhole(String name, boolean ipv6, boolean kernelSegments) {
    namespaces.segmentInSoftware(NetworkNamespaces.LEFT, kernelSegments);
    try (PortPair pair = PortPair.openIn(namespaces, name, ipv6);
        WireReader reader =
            namespaces.inside(NetworkNamespaces.RIGHT, () -> new WireReader("ve"))) {
      List<Integer> indexes = new ArrayList<>();
      List<WireReader.Packet> wire = new ArrayList<>();
      for (int packets = 1; packets < 60; packets += packets < 8 ? 1 : 17) {
        pair.open(packets % 8, 26 << 2 | 2, DATA);
        for (int i = 0; i < packets; i++) {
          pair.put(DATA);
          indexes.add(i);
        }
        pair.put(60);
        indexes.add(packets);
        pair.pump(seen, packets + 1);
        wire.addAll(reader.read());
      }
      checkHeaders(wire, ipv6);
      boolean trains = segments(name);
      if (!ipv6) {
        List<Integer> expected = trains ? indexes : indexes.stream().map(i -> 0).toList();
        assertEquals(expected, wire.stream().map(WireReader.Packet::identification).toList());
      }
      boolean whole = wire.stream().anyMatch(WireReader.Packet::segmented);
      assertEquals(trains && !kernelSegments, whole, "segmented datagrams on the wire");
      assertEquals(indexes.size(), wire.size());
      assertEquals(wire.stream().map(PortWireTest::psn).toList(), seen.psns());
      seen.packets.forEach(packet -> assertTrue(packet.icrcRight(), packet.toString()));
    }
  }

  /** The portable port sends each packet by itself. */
  private static boolean segments(String name) {
    return !name.equals("nio");
  }

  private static int psn(WireReader.Packet packet) {
    return Bth.psn(packet.bytes(), 0);
  }

  private static void checkHeaders(List<WireReader.Packet> wire, boolean ipv6) { // [FC-51] [FC-55]
    for (WireReader.Packet packet : wire) {
      assertTrue(packet.icrcRight(), packet.toString());
      assertEquals(ipv6 ? 6 : 4, packet.version());
      assertEquals(26 << 2 | 2, packet.tos());
      assertEquals(64, packet.hopLimit());
      assertEquals(4791, packet.destinationPort());
      assertTrue(packet.sourcePort() >= 0xC000, packet.toString());
      if (!ipv6) {
        assertEquals(DONT_FRAGMENT, packet.fragmentWord());
      }
    }
  }

  static Stream<Arguments> sendersAndReceivers() {
    return portsFamiliesAndSegmentation()
        .map(arguments -> (String) arguments.get()[0])
        .distinct()
        .flatMap(
            sender ->
                Stream.of("linux", "raw", "epoll")
                    .filter(PortWireTest::available)
                    .flatMap(
                        receiver ->
                            Stream.of(
                                Arguments.of(sender, receiver, false),
                                Arguments.of(sender, receiver, true))));
  }

  @ParameterizedTest(name = "{0} to {1} ipv6={2}")
  @MethodSource("sendersAndReceivers")
  void packetsCoalescedByTheReceiversDriverArriveRight(
      String sender, String receiver, boolean ipv6) {
    namespaces.segmentInSoftware(NetworkNamespaces.LEFT, true);
    namespaces.coalesceOnReceive(true);
    try (PortPair pair =
        PortPair.openIn(
            namespaces,
            sender,
            PortPair.linkSettings(ipv6, 1),
            receiver,
            PortPair.linkSettings(ipv6, 2))) {
      int total = 0;
      for (int train = 0; train < 4; train++) {
        pair.open(1, 2, DATA);
        for (int i = 0; i < 20; i++) {
          pair.put(DATA);
          total++;
        }
      }
      pair.pump(seen, total);
      if (segments(sender)) {
        assertTrue(seen.batches.size() < total / 2, seen.batches.toString());
      }
      assertEquals(IntStream.range(0, total).boxed().toList(), seen.psns());
      seen.packets.forEach(packet -> assertTrue(packet.icrcRight(), packet.toString()));
    } finally {
      namespaces.coalesceOnReceive(false);
    }
  }

  static Stream<Arguments> portsThatSetHopLimits() {
    return Stream.of("linux", "raw")
        .filter(name -> available(name))
        .flatMap(name -> Stream.of(Arguments.of(name, false), Arguments.of(name, true)));
  }

  private static boolean available(String name) {
    return Ports.providers().stream()
        .anyMatch(each -> each.name().equals(name) && each.unavailableReason() == null);
  }

  @ParameterizedTest
  @MethodSource("portsThatSetHopLimits")
  void hopLimitAndFlowLabelAreThoseOfTheDestination(String name, boolean ipv6) { // [FC-48]
    try (PortPair pair = PortPair.openIn(namespaces, name, ipv6);
        WireReader reader =
            namespaces.inside(NetworkNamespaces.RIGHT, () -> new WireReader("ve"))) {
      for (int hops : new int[] {1, 2, 64, 255, 0}) {
        Destination to =
            pair.left.destination(
                pair.right.localGidHi(), pair.right.localGidLo(), 4791, hops, 0x12345);
        assertTrue(pair.left.open(0, to, 0, 100) > 0);
        pair.put(100);
        pair.pump(seen, 1);
        List<WireReader.Packet> wire = reader.read();
        assertEquals(1, wire.size());
        assertEquals(hops == 0 ? 64 : hops, wire.get(0).hopLimit());
        assertEquals(ipv6 ? 0x12345 : 0, wire.get(0).flowLabel());
        assertTrue(wire.get(0).icrcRight());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void linkLocalAddressesAreReachedThroughThePortsInterface(String name) {
    for (int side = NetworkNamespaces.LEFT; side <= NetworkNamespaces.RIGHT; side++) {
      namespaces.in(side, "addr", "replace", "fe80::47:" + side + "/64", "dev", "ve", "nodad");
    }
    try (DatagramPort left = openLinkLocal(name, NetworkNamespaces.LEFT);
        DatagramPort right = openLinkLocal(name, NetworkNamespaces.RIGHT)) {
      Destination to = left.destination(right.localGidHi(), right.localGidLo(), 4791, 0, 0);
      assertTrue(left.open(0, to, 2, 100) > 0);
      PortPair.write(left, 77, 100);
      left.commit(100);
      long deadline = System.nanoTime() + 5_000_000_000L;
      while (seen.packets.isEmpty() && System.nanoTime() < deadline) {
        left.flush(1);
        right.receive(seen, 8, 1);
      }
      assertEquals(List.of(77), seen.psns());
      assertTrue(seen.packets.get(0).icrcRight());
    }
  }

  private static DatagramPort openLinkLocal(String name, int side) {
    return namespaces.inside(
        side,
        () -> {
          // By its number: the JDK looks a name up among the addresses of the first thread.
          PortSettings settings =
              PortSettings.of("fe80::47:" + side + "%" + NetworkNamespaces.linkIndex());
          return Ports.open(name, settings.withSourcePorts(0, 2)).port();
        });
  }

  @Test
  void roceV1FramesCarryAGrhAndArriveSealed() {
    assumeTrue(available("raw"), "port raw cannot work here");
    try (PortPair pair =
            PortPair.openIn(
                namespaces,
                "raw",
                PortPair.linkSettings(false, 1).withRoceV1(true),
                PortPair.linkSettings(false, 2).withRoceV1(true));
        WireReader reader =
            namespaces.inside(NetworkNamespaces.RIGHT, () -> new WireReader("ve"))) {
      List<Integer> lengths = new ArrayList<>();
      assertTrue(pair.open(5, 3, 4156) > 0);
      for (int length : new int[] {4156, 4156, 16, 17, 60, 300}) {
        pair.put(length);
        lengths.add(length);
      }
      pair.pump(seen, lengths.size());
      List<WireReader.Packet> wire = reader.read();
      assertEquals(lengths, wire.stream().map(packet -> packet.bytes().capacity()).toList());
      wire.forEach(packet -> assertTrue(packet.version() == 1 && packet.icrcRight()));
      assertEquals(lengths, seen.lengths());
      seen.packets.forEach(packet -> assertTrue(packet.icrcRight(), packet.toString()));
      assertEquals(3, seen.packets.get(0).ecn());
    }
  }
}
