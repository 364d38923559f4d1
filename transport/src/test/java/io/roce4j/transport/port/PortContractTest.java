// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Bth;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What every port of a real network must do, live over the loopback interface. */
class PortContractTest {
  private static final int DATA = 1084;
  private static final int BULK = 4000;
  private static final int LONGEST = 4096 + 12 + 16 + 4 + 4;

  private final PacketCollector seen = new PacketCollector();
  private long liveBytesBefore;

  static Stream<Arguments> ports() {
    return Ports.providers().stream()
        .filter(provider -> provider.unavailableReason() == null)
        .flatMap(
            provider ->
                Stream.of(
                    Arguments.of(provider.name(), false), Arguments.of(provider.name(), true)));
  }

  /** What was tested here and what was not, for the reader of the run. */
  @AfterAll
  static void printCapabilities() {
    System.out.printf(
        "%-9s %-8s %-12s %-9s %-12s %-6s %-13s %s%n",
        "port", "ECN in", "TOS per train", "header", "source ports", "slots", "train", "needs");
    for (PortProvider provider : Ports.providers()) {
      if (provider.unavailableReason() != null) {
        System.out.printf("%-9s skipped: %s%n", provider.name(), provider.unavailableReason());
        continue;
      }
      try (DatagramPort port = provider.open(PortPair.settings(false, 3))) {
        PortCapabilities can = port.capabilities();
        System.out.printf(
            "%-9s %-8s %-12s %-9s %-12s %-6d %-13s %s%n",
            can.name(),
            can.ecnReceive() ? "yes" : "no",
            can.tosPerPacket() ? "yes" : "no",
            can.ipHeaderSeen() ? "seen" : "unknown",
            can.anySourcePort() ? "any" : "pool",
            can.pathSlots(),
            can.maxTrainSegments() + " x " + can.maxTrainBytes(),
            can.privilege().isEmpty() ? "nothing" : can.privilege());
      }
    }
  }

  @BeforeEach
  void noteMemory() {
    liveBytesBefore = NativeMemory.liveBytes();
  }

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(liveBytesBefore, NativeMemory.liveBytes(), NativeMemory.report());
  }

  @ParameterizedTest
  @MethodSource("ports")
  void everySizeFromTheSmallestToTheLongestArrivesSealed(String name, boolean ipv6) {
    try (PortPair pair = PortPair.open(name, ipv6)) {
      List<Integer> sizes = new ArrayList<>();
      for (int size = PortPair.SMALLEST; size <= LONGEST; size++) {
        sizes.add(size);
        assertTrue(pair.open(0, 2, size) > 0);
        pair.put(size);
        if (sizes.size() % 32 == 0) {
          pair.pump(seen, 32);
        }
      }
      pair.pump(seen, sizes.size() % 32);
      assertEquals(sizes, seen.lengths());
      assertAllRight();
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void trainsOfEveryLengthArriveInOrder(String name, boolean ipv6) {
    try (PortPair pair = PortPair.open(name, ipv6)) {
      int total = 0;
      for (int packets = 1; packets <= 60; packets++) {
        int room = pair.open(1, 2, DATA);
        assertTrue(room >= 60, "room " + room);
        for (int i = 0; i < packets; i++) {
          pair.put(DATA);
        }
        pair.pump(seen, packets);
        total += packets;
      }
      assertEquals(IntStream.range(0, total).boxed().toList(), seen.psns());
      assertAllRight();
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void shorterPacketEndsTheTrainAndLongerOneOpensAnother(String name, boolean ipv6) {
    List<Integer> lengths = List.of(500, 500, 300, 300, 500, 16, 1000, 1000, 40, 41, 40);
    try (PortPair pair = PortPair.open(name, ipv6)) {
      assertTrue(pair.open(0, 0, 1000) >= lengths.size());
      lengths.forEach(pair::put);
      pair.pump(seen, lengths.size());
      assertEquals(lengths, seen.lengths());
      assertEquals(IntStream.range(0, lengths.size()).boxed().toList(), seen.psns());
      assertAllRight();
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void nineFullPacketsAndAShortOneAreTenPackets(String name, boolean ipv6) { // [FC-49]
    try (PortPair pair = PortPair.open(name, ipv6)) {
      for (int round = 0; round < 2; round++) {
        pair.open(0, 2, 1056);
        for (int i = 0; i < 9; i++) {
          pair.put(1056);
        }
        pair.put(60);
      }
      pair.pump(seen, 20);
      List<Integer> ten = List.of(1056, 1056, 1056, 1056, 1056, 1056, 1056, 1056, 1056, 60);
      List<Integer> twenty = new ArrayList<>(ten);
      twenty.addAll(ten);
      assertEquals(twenty, seen.lengths());
      assertAllRight();
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void everyPathSlotHasItsSourcePort(String name, boolean ipv6) { // [FC-41]
    try (PortPair pair = PortPair.open(name, ipv6)) {
      List<Integer> expected = new ArrayList<>();
      int slots = Math.min(8, pair.left.capabilities().pathSlots());
      for (int slot = 0; slot < slots; slot++) {
        pair.open(slot, 0, 100);
        pair.put(100);
        expected.add(pair.left.sourcePort(slot));
      }
      pair.pump(seen, slots);
      // Paths have no order among each other.
      List<Integer> ports =
          seen.packets.stream().map(PacketCollector.Packet::sourcePort).sorted().toList();
      assertEquals(expected, ports);
      assertEquals(slots, ports.stream().distinct().count());
      assertAllRight();
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void everyEcnCodepointIsSeenOrUnknown(String name, boolean ipv6) { // [FC-51]
    try (PortPair pair = PortPair.open(name, ipv6)) {
      boolean promised = pair.right.capabilities().ecnReceive();
      for (int ecn = 0; ecn < 4; ecn++) {
        for (int packets : new int[] {1, 5}) {
          pair.open(ecn, 26 << 2 | ecn, 200);
          for (int i = 0; i < packets; i++) {
            pair.put(200);
          }
          pair.pump(seen, packets);
          for (PacketCollector.Packet packet : seen.packets) {
            assertEquals(promised ? ecn : DatagramMeta.ECN_UNKNOWN, packet.ecn());
          }
          assertAllRight();
          seen.clear();
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void damagedPacketArrivesWithAWrongIcrcAndItsNeighboursRight(String name, boolean ipv6) {
    try (PortPair pair = PortPair.open(name, ipv6)) {
      pair.open(0, 2, 300);
      pair.put(300);
      pair.putDamaged(300, 8 * 299 + 3);
      pair.put(300);
      pair.putDamaged(300, 8 * 40);
      pair.put(300);
      pair.pump(seen, 5);
      assertEquals(
          List.of(true, false, true, false, true),
          seen.packets.stream().map(PacketCollector.Packet::icrcRight).toList());
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void oneReceiveTakesABacklogUpToItsLimit(String name, boolean ipv6) {
    try (PortPair pair = PortPair.open(name, ipv6)) {
      pair.open(0, 2, DATA);
      pair.put(DATA);
      pair.pump(seen, 1);
      for (int train = 0; train < 10; train++) {
        pair.open(0, 2, DATA);
        for (int i = 0; i < 20; i++) {
          pair.put(DATA);
        }
      }
      for (int i = 0; i < 10 && pair.left.counters().txPackets < 201; i++) {
        pair.left.flush(pair.tick());
      }
      int taken = pair.right.receive(seen, 100, pair.tick());
      assertTrue(taken >= 100, "only " + taken + " of 200 waiting packets");
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void bulkBothWaysWithSeveralTrainsAFlushIsNeitherLostNorReordered(String name, boolean ipv6) {
    try (PortPair pair = PortPair.open(name, ipv6)) {
      BulkSide left = new BulkSide(pair.left, pair.toRight);
      BulkSide right = new BulkSide(pair.right, pair.toLeft);
      SplittableRandom random = new SplittableRandom(11);
      long deadline = System.nanoTime() + 20_000_000_000L;
      while (left.acknowledged < BULK || right.acknowledged < BULK) {
        left.turn(random, pair.tick());
        right.turn(random, pair.tick());
        assertTrue(System.nanoTime() < deadline, left + ", " + right);
      }
      assertEquals(0, left.wrong + right.wrong, left + ", " + right);
    }
  }

  /** One end of a bulk transfer with a window of 64 packets of 4 KiB and small answers. */
  private static final class BulkSide implements DatagramHandler {
    private static final int WINDOW = 64;
    private static final int FULL = 4096 + 60;

    private final DatagramPort port;
    private final Destination to;
    private final PacketCollector check = new PacketCollector();
    private int sent;
    private int acknowledged;
    private int received;
    private int answered;
    private int wrong;

    BulkSide(DatagramPort port, Destination to) {
      this.port = port;
      this.to = to;
    }

    void turn(SplittableRandom random, long nowNs) {
      port.receive(this, 64, nowNs);
      while (sent < BULK && sent - acknowledged < WINDOW) {
        int train = Math.min(WINDOW - (sent - acknowledged), 1 + random.nextInt(15));
        int room = Math.min(Math.min(train, BULK - sent), port.open(0, to, 2, FULL));
        for (int i = 0; i < room; i++) {
          // As a message of 16 packets: the first has a longer header than the others.
          int length = sent % 16 == 0 ? FULL : FULL - 16;
          PortPair.write(port, sent++, length);
          port.commit(length);
        }
        if (room < 1) {
          break;
        }
      }
      if (received > answered && port.open(0, to, 0, 20) > 0) {
        PortPair.write(port, received, 20);
        port.commit(20);
        answered = received;
      }
      port.flush(nowNs);
    }

    @Override
    public void onDatagram(
        UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta) {
      check.onDatagram(buffer, offset, length, segmentBytes, meta);
      check.packets.forEach(packet -> wrong += packet.icrcRight() ? 0 : 1);
      check.clear();
      for (int at = 0; at < length; at += segmentBytes) {
        int bytes = Math.min(segmentBytes, length - at);
        int psn = Bth.psn(buffer, offset + at);
        if (bytes == 20) {
          acknowledged = Math.max(acknowledged, psn);
          continue;
        }
        wrong += psn == received && bytes == (psn % 16 == 0 ? FULL : FULL - 16) ? 0 : 1;
        received = psn + 1;
      }
    }

    @Override
    public String toString() {
      return "sent "
          + sent
          + " acknowledged "
          + acknowledged
          + " received "
          + received
          + " wrong "
          + wrong
          + " trains refused "
          + port.counters().refusedTrains;
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void trainOpenedInAFullQueueIsRefusedUntilAFlush(String name, boolean ipv6) {
    try (PortPair pair = PortPair.open(name, ipv6)) {
      int queued = 0;
      int room = pair.open(0, 0, 1000);
      while (room > 0) {
        for (int i = 0; i < room; i++) {
          pair.put(1000);
        }
        queued += room;
        room = pair.open(0, 0, 1000);
      }
      assertEquals(TrainSink.BACK_PRESSURE, room);
      assertTrue(queued >= 1000, queued + " packets of room");
      for (int i = 0; i < 100 && pair.left.counters().txPackets < queued; i++) {
        pair.left.flush(pair.tick());
      }
      assertEquals(queued, pair.left.counters().txPackets);
      assertTrue(pair.open(0, 0, 1000) > 0);
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void packetLongerThanTheInterfaceTakesIsRefusedAtOpen(String name, boolean ipv6) { // [FC-55]
    try (PortPair pair = PortPair.open(name, ipv6)) {
      int header = ipv6 ? 48 : 28;
      int longest = pair.left.capabilities().mtuBytes() - header;
      assertEquals(TrainSink.TOO_LARGE, pair.open(0, 0, longest + 1));
      assertFalse(pair.open(0, 0, Math.min(longest, 65507)) < 1);
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void tapSeesWhatLeavesAndWhatArrives(String name, boolean ipv6) {
    TapCounter out = new TapCounter();
    TapCounter in = new TapCounter();
    try (PortPair pair = PortPair.open(name, ipv6)) {
      pair.left.tap(out);
      pair.right.tap(in);
      pair.open(3, 2, 700);
      for (int i = 0; i < 7; i++) {
        pair.put(700);
      }
      pair.put(30);
      pair.pump(seen, 8);
      assertEquals(8, out.transmitted);
      assertEquals(8, in.received);
      assertEquals(7 * 700 + 30, out.bytes);
      assertEquals(7 * 700 + 30, in.bytes);
      assertEquals(0, out.wrongIcrc);
    }
  }

  private void assertAllRight() {
    for (PacketCollector.Packet packet : seen.packets) {
      assertTrue(packet.icrcRight(), "ICRC wrong: " + packet);
    }
  }
}
