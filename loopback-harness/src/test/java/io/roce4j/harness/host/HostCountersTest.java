// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.host.HostCounters.Change;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class HostCountersTest {
  @Test
  void readsTheColumnsByTheirNames(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("dev"),
        """
        Inter-|   Receive                                                |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|\
        bytes    packets errs drop fifo colls carrier compressed
            lo: 100 200 3 4 5 6 7 8 100 200 13 14 15 16 17 18
          eth0:1 2 0 0 0 0 0 0 1 2 0 0 0 0 0 0
        """);
    Files.writeString(
        folder.resolve("snmp"),
        """
        Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors
        Udp: 10 20 30 40 50 60 70
        UdpLite: InDatagrams InErrors
        UdpLite: 0 99
        """);
    Files.writeString(folder.resolve("snmp6"), "Udp6InErrors  \t8\nUdp6RcvbufErrors 9\nIp6X 1\n");
    HostCounters read = HostCounters.read(folder, Set.of("lo"));
    assertEquals(Set.of("lo", "udp", "udp6"), read.groups().keySet());
    assertEquals(
        Map.of(
            "rx_errors",
            3L,
            "rx_dropped",
            4L,
            "rx_fifo_errors",
            5L,
            "tx_errors",
            13L,
            "tx_dropped",
            14L,
            "tx_fifo_errors",
            15L,
            "tx_carrier_errors",
            17L),
        read.groups().get("lo"));
    assertEquals(
        Map.of("InErrors", 30L, "RcvbufErrors", 50L, "SndbufErrors", 60L, "InCsumErrors", 70L),
        read.groups().get("udp"));
    assertEquals(Map.of("InErrors", 8L, "RcvbufErrors", 9L), read.groups().get("udp6"));
  }

  @Test
  void whatIsNotThereIsLeftOutAndNotZero(@TempDir Path folder) {
    HostCounters none = HostCounters.read(folder, Set.of("lo"));
    assertTrue(none.groups().isEmpty());
    assertEquals(List.of(), none.since(none));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void fullSocketIsSeenBetweenTwoReadings() throws IOException {
    HostCounters before = HostCounters.read(Set.of("lo"));
    InetAddress local = InetAddress.ofLiteral("127.0.0.1");
    try (DatagramSocket full = new DatagramSocket(null);
        DatagramSocket sender = new DatagramSocket()) {
      full.setReceiveBufferSize(4096);
      full.bind(new InetSocketAddress(local, 0));
      for (int i = 0; i < 200; i++) {
        sender.send(new DatagramPacket(new byte[1000], 1000, local, full.getLocalPort()));
      }
    }
    List<Change> changes = HostCounters.read(Set.of("lo")).since(before);
    long dropped =
        changes.stream()
            .filter(c -> c.group().equals("udp") && c.name().equals("RcvbufErrors"))
            .mapToLong(Change::moved)
            .sum();
    assertTrue(dropped >= 100, changes::toString);
    assertTrue(changes.stream().anyMatch(c -> c.group().equals("lo")), changes::toString);
  }
}
