// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.roce4j.transport.port.libc.Errno;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What happens on the machine while a port is open: nothing is lost in silence, and what this host
 * refuses is never taken for loss in the network.
 */
class PortFaultTest {
  private static NetworkNamespaces namespaces;

  private final PacketCollector seen = new PacketCollector();

  static Stream<String> ports() {
    return Ports.providers().stream()
        .filter(provider -> provider.unavailableReason() == null)
        .map(PortProvider::name);
  }

  /** Ports whose system calls tell everything the kernel knows. */
  static Stream<String> nativePorts() {
    return ports().filter(name -> name.equals("linux") || name.equals("raw"));
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

  @AfterEach
  void linkIsWholeAgain() {
    for (int side = NetworkNamespaces.LEFT; side <= NetworkNamespaces.RIGHT; side++) {
      namespaces.in(side, "link", "set", "ve", "up", "mtu", "9000");
    }
    namespaces.awaitCarrier();
  }

  @ParameterizedTest
  @MethodSource("ports")
  void interfaceDownHoldsTrainsAndUpSendsThem(String name) {
    try (PortPair pair = PortPair.openIn(namespaces, name, false)) {
      send(pair, 20, 1000);
      pair.pump(seen, 20);
      namespaces.in(NetworkNamespaces.LEFT, "link", "set", "ve", "down");
      send(pair, 30, 1000);
      for (int i = 0; i < 50; i++) {
        pair.left.flush(pair.tick());
      }
      assertEquals(20, pair.left.counters().txPackets);
      assertTrue(pair.left.counters().refusedTrains > 0);
      assertEquals(TrainSink.BACK_PRESSURE, pair.open(0, 0, 1000));
      namespaces.in(NetworkNamespaces.LEFT, "link", "set", "ve", "up");
      namespaces.awaitCarrier();
      pair.pump(seen, 30);
      assertEquals(IntStream.range(0, 50).boxed().toList(), seen.psns());
      assertEquals(0, pair.left.counters().txErrors);
      seen.packets.forEach(packet -> assertTrue(packet.icrcRight(), packet.toString()));
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void interfaceDownForLongLosesTheTrainsAndCountsThem(String name) {
    try (PortPair pair = PortPair.openIn(namespaces, name, false)) {
      namespaces.in(NetworkNamespaces.LEFT, "link", "set", "ve", "down");
      send(pair, 12, 1000);
      long flushes = TrainPort.GIVE_UP_NS / 1_000_000 + 10;
      for (int i = 0; i < flushes && pair.left.counters().txUnreachable < 12; i++) {
        pair.left.flush(pair.tick());
      }
      assertEquals(12, pair.left.counters().txUnreachable);
      assertEquals(12, pair.left.counters().txErrors);
      assertEquals(0, pair.left.counters().txPackets);
      assertTrue(pair.open(0, 0, 1000) > 0);
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void addressGoneHoldsTrains(String name) {
    if (name.equals("raw")) {
      return; // Whole frames carry their address themselves.
    }
    String address = NetworkNamespaces.ipv4(NetworkNamespaces.LEFT) + "/24";
    try (PortPair pair = PortPair.openIn(namespaces, name, false)) {
      namespaces.in(NetworkNamespaces.LEFT, "addr", "del", address, "dev", "ve");
      try {
        send(pair, 20, 1000);
        for (int i = 0; i < 20; i++) {
          pair.left.flush(pair.tick());
        }
        assertEquals(0, pair.left.counters().txPackets);
        assertEquals(0, pair.left.counters().txErrors);
      } finally {
        namespaces.in(NetworkNamespaces.LEFT, "addr", "add", address, "dev", "ve");
      }
      pair.pump(seen, 20);
      assertEquals(IntStream.range(0, 20).boxed().toList(), seen.psns());
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void forbiddenRouteHoldsItsTrainsOnly(String name) {
    if (name.equals("raw")) {
      return; // It does not ask the routing table for each packet.
    }
    try (PortPair pair = PortPair.openIn(namespaces, name, false)) {
      namespaces.in(NetworkNamespaces.LEFT, "route", "add", "prohibit", "10.47.92.1");
      try {
        Destination forbidden = pair.left.destination(0, 0xFFFF_0A2F_5C01L, 4791, 0, 0);
        assertTrue(pair.left.open(0, forbidden, 0, 500) > 0);
        pair.put(500);
        send(pair, 3, 1000);
        pair.pump(seen, 3);
        assertEquals(IntStream.range(1, 4).boxed().toList(), seen.psns());
        assertEquals(TrainSink.BACK_PRESSURE, pair.left.open(0, forbidden, 0, 500));
        assertTrue(pair.open(0, 0, 500) > 0);
      } finally {
        namespaces.in(NetworkNamespaces.LEFT, "route", "del", "prohibit", "10.47.92.1");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("nativePorts")
  void mtuLoweredInFlightIsNamedAndLaterPacketsRefusedAtOpen(String name) { // [FC-55]
    try (PortPair pair = PortPair.openIn(namespaces, name, false)) {
      send(pair, 4, 4156);
      pair.pump(seen, 4);
      send(pair, 8, 4156);
      namespaces.in(NetworkNamespaces.LEFT, "link", "set", "ve", "mtu", "1500");
      for (int i = 0; i < 20; i++) {
        pair.left.flush(pair.tick());
      }
      assertEquals(8, pair.left.counters().txTooLong);
      assertEquals(TrainSink.TOO_LARGE, pair.open(0, 0, 4156));
      send(pair, 5, 1084);
      pair.pump(seen, 5);
      assertEquals(4 + 5, seen.packets.size());
      namespaces.in(NetworkNamespaces.LEFT, "link", "set", "ve", "mtu", "9000");
      for (int i = 0; i < 20; i++) {
        pair.left.flush(pair.tick());
      }
      send(pair, 3, 4156);
      pair.pump(seen, 3);
      assertEquals(4 + 5 + 3, seen.packets.size());
    }
  }

  @ParameterizedTest
  @MethodSource("nativePorts")
  void packetsDroppedByThisHostsOwnQueueAreSentAgain(String name) {
    String left = "ve";
    namespaces.tc(
        NetworkNamespaces.LEFT,
        "qdisc",
        "add",
        "dev",
        left,
        "root",
        "tbf",
        "rate",
        "200mbit",
        "burst",
        "20kb",
        "limit",
        "40kb");
    try (PortPair pair = PortPair.openIn(namespaces, name, false)) {
      int total = 0;
      for (int train = 0; train < 40; train++) {
        send(pair, 8, 1000);
        total += 8;
      }
      pair.pump(seen, total);
      assertTrue(pair.left.counters().refusedTrains > 0, "nothing was refused");
      assertEquals(Errno.ENOBUFS, pair.left.counters().lastTxErrno);
      assertEquals(0, pair.left.counters().txErrors);
      assertEquals(IntStream.range(0, total).boxed().toList(), seen.psns());
    } finally {
      namespaces.tc(NetworkNamespaces.LEFT, "qdisc", "del", "dev", left, "root");
    }
  }

  @ParameterizedTest
  @MethodSource("nativePorts")
  void packetsThisHostReadTooLateForAreCountedApart(String name) {
    PortSettings small = PortPair.linkSettings(false, 2).withBuffers(128 << 10, 1 << 20);
    try (PortPair pair =
        PortPair.openIn(namespaces, name, PortPair.linkSettings(false, 1), small)) {
      int sent = 3000;
      for (int i = 0; i < sent; i++) {
        send(pair, 1, 1000);
        pair.left.flush(pair.tick());
      }
      while (pair.right.receive(seen, 64, pair.tick()) > 0) {}
      // Drops after the last packet show at the next look at the socket.
      for (int i = 0; i < 50; i++) {
        pair.right.flush(pair.tick());
      }
      assertTrue(pair.right.counters().rxSocketOverflow > 0);
      assertEquals(sent, seen.packets.size() + pair.right.counters().rxSocketOverflow);
    }
  }

  private static void send(PortPair pair, int packets, int length) {
    assertTrue(pair.open(0, 2, length) >= packets);
    for (int i = 0; i < packets; i++) {
      pair.put(length);
    }
  }
}
