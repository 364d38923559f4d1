// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.lab.run.BaseRtt;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.sim.Timeline;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Switches that forward packets before they are all in, and those that do not [FE 3]. */
class CutThroughTest {
  private static final int LENGTH = 4_058;
  // With IP, UDP and framing.
  private static final int WIRE = LENGTH + 28 + 38;
  private static final int HEADERS = 82;
  private static final long DELAY_PS = 500_000;
  private static final long LATENCY_PS = 300_000;

  private Fabric fabric;
  private SimPort receiver;

  @AfterEach
  void everyPacketIsAccountedFor() {
    assertEquals(fabric.counts().inFlight(), fabric.packetsInside());
    fabric.close();
  }

  private static SwitchSettings switches(boolean cutThrough) {
    return SwitchSettings.defaults()
        .withLatencyNs(LATENCY_PS / Timeline.PS_PER_NS)
        .withCutThrough(cutThrough);
  }

  private static FabricSettings settings(SwitchSettings switches) {
    return FabricSettings.defaults()
        .withSwitches(switches)
        .withHosts(
            HostSettings.defaults()
                .withPort(SimPortSettings.defaults().receiving(1 << 15).staging(64)));
  }

  /** h0, switches and h1 in a row, by cables of these rates. */
  private static Topology row(int... gigabits) {
    Topology.Builder builder = Topology.builder("row", 2, 1);
    int switches = gigabits.length - 1;
    for (int i = 0; i < switches; i++) {
      builder.addSwitch("s" + i, 0);
    }
    for (int i = 0; i <= switches; i++) {
      builder.connect(
          i == 0 ? "h0" : "s" + (i - 1),
          i == switches ? "h1" : "s" + i,
          new Cable(gigabits[i] * 1_000_000_000L, DELAY_PS / Timeline.PS_PER_NS));
    }
    return builder.build();
  }

  private PacketSource open(Topology topology, FabricSettings settings, long intervalPs) {
    fabric = new Fabric(topology, settings, 5, LinkObserver.NONE);
    SimPort sender = fabric.host(0).openPort();
    receiver = fabric.host(1).openPort();
    return new PacketSource(fabric, sender, 1, 0, LENGTH, intervalPs);
  }

  /** When the one packet sent at time 0 is all there. */
  private long arrivalPs(Topology topology, SwitchSettings switches) {
    open(topology, settings(switches), 0).start(1, 0);
    while (fabric.counts().delivered == 0) {
      assertTrue(fabric.step(), "the packet arrives");
    }
    return fabric.timeline().nowPs();
  }

  private static int[] cables(int count, int gigabits) {
    int[] rates = new int[count];
    Arrays.fill(rates, gigabits);
    return rates;
  }

  private static long psPerByte(int gigabits) {
    return 8_000 / gigabits;
  }

  @ParameterizedTest
  @CsvSource({"1, 100", "2, 100", "5, 100", "3, 25", "4, 10"})
  void aStoredPacketIsSerialisedAtEachHopAndOneThatCutsThroughOnce(int hops, int gigabits) {
    Topology topology = row(cables(hops + 1, gigabits));
    long propagation = (hops + 1) * DELAY_PS + hops * LATENCY_PS;
    long whole = WIRE * psPerByte(gigabits);
    long headers = HEADERS * psPerByte(gigabits);
    assertEquals(propagation + (hops + 1) * whole, arrivalPs(topology, switches(false)));
    fabric.close();
    assertEquals(propagation + whole + hops * headers, arrivalPs(topology, switches(true)));
  }

  @Test
  void aPacketIsStoredWhereTheOutputIsFasterThanTheInputAndGoesOnWhereItIsSlower() {
    // 25 to 100 Gbit/s must be stored, and then the slow cable's end is 100 to 25.
    long slow = psPerByte(25);
    long fast = psPerByte(100);
    long propagation = 4 * DELAY_PS + 3 * LATENCY_PS;
    long stored = WIRE * slow;
    long through = HEADERS * fast + HEADERS * fast + WIRE * slow;
    assertEquals(propagation + stored + through, arrivalPs(row(25, 100, 100, 25), switches(true)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theBaseRoundTripIsThatOfAPacketAndItsAcknowledgement(boolean cutThrough) {
    FabricSettings settings = settings(switches(cutThrough));
    Topology topology = row(100, 400, 100);
    fabric = new Fabric(topology, settings, 5, LinkObserver.NONE);
    int data = 4_096 + 60 + 38;
    int ack = 48 + 38;
    long slow = 80;
    long fast = 20;
    // The first switch has a faster output and stores; the second does not.
    long forth = data * slow + (cutThrough ? HEADERS : data) * fast + data * slow;
    long back = ack * slow + (cutThrough ? HEADERS : ack) * fast + ack * slow;
    long ps = forth + back + 6 * DELAY_PS + 4 * LATENCY_PS;
    assertEquals(Math.ceilDiv(ps, 1_000), BaseRtt.between(topology, settings, 0, 1, 4_096));
  }

  @Test
  void packetsOfMixedRatesKeepTheirOrderAndNoneIsLost() {
    PacketSource source = open(row(25, 100, 40), settings(switches(true)), 1_400_000);
    source.start(2_000, 0);
    fabric.runUntilNs(10_000_000);
    assertEquals(0, source.refused());
    assertEquals(IntStream.range(0, 2_000).boxed().toList(), Arrivals.of(receiver).psns);
  }

  @Test
  void aHalfReceivedPacketIsInTheBooks() {
    open(row(10, 100), settings(switches(true)), 0).start(1, 0);
    // Its headers are in after 65.6 ns, propagation and latency, all of it only after 3.3 us more.
    fabric.runUntilNs(1_500);
    assertEquals(1, fabric.packetsInside());
    assertEquals(0, fabric.port("s0>h1").enqueuedPackets());
    fabric.runUntilNs(10_000);
    assertEquals(1, fabric.counts().delivered);
  }

  /** Where frames that a cable has damaged end; every second packet of the first cable. */
  private List<String> placesOfFrameErrors(SwitchSettings switches, int... gigabits) {
    Set<String> places = new TreeSet<>();
    LinkObserver observer =
        new LinkObserver() {
          @Override
          public void onDropped(String link, int slot, int reason) {
            assertEquals(LinkObserver.FRAME_ERROR, reason);
            places.add(link);
          }

          @Override
          public void onDuplicated(String link, int slot) {}

          @Override
          public void onCorrupted(String link, int slot, int bit) {}

          @Override
          public void onHeld(String link, int slot) {}
        };
    fabric = new Fabric(row(gigabits), settings(switches), 5, observer);
    SimPort sender = fabric.host(0).openPort();
    receiver = fabric.host(1).openPort();
    fabric.impair("h0>s0", PortImpairment.none().withBitErrorRate(2e-5));
    new PacketSource(fabric, sender, 1, 0, LENGTH, 3_500_000).start(1_000, 0);
    fabric.runUntilNs(10_000_000);
    assertTrue(fabric.judgeImpairments().isValid(), fabric.judgeImpairments().faults()::toString);
    long damaged = fabric.counts().dropped[LinkObserver.FRAME_ERROR];
    assertTrue(damaged > 300 && damaged < 700, damaged + " of 1000");
    Arrivals arrivals = Arrivals.of(receiver);
    assertEquals(0, arrivals.damaged, "no damaged frame reaches an endpoint");
    assertEquals(1_000 - damaged, arrivals.psns.size());
    return List.copyOf(places);
  }

  @Test
  void aDamagedFrameIsDroppedWhereItIsStoredFirst() {
    assertEquals(List.of("h0>s0"), placesOfFrameErrors(switches(false), 100, 100, 100));
    assertEquals(fabric.port("s0>s1").sentPackets(), fabric.counts().delivered);
    fabric.close();
    assertEquals(List.of("h1"), placesOfFrameErrors(switches(true), 100, 100, 100));
    assertEquals(1_000, fabric.port("s1>h1").sentPackets(), "it takes bandwidth up to the host");
    fabric.close();
    assertEquals(List.of("s0"), placesOfFrameErrors(switches(true), 25, 100, 100));
    fabric.close();
    assertEquals(List.of("s1"), placesOfFrameErrors(switches(true), 100, 40, 100));
  }

  @Test
  void aSwitchThatStoresBehindOneThatDoesNotDropsWhatThatOnePassedOn() {
    FabricSettings mixed = settings(switches(true)).withSwitch("s1", switches(false));
    fabric = new Fabric(row(100, 100, 100), mixed, 5, LinkObserver.NONE);
    SimPort sender = fabric.host(0).openPort();
    receiver = fabric.host(1).openPort();
    fabric.impair("h0>s0", PortImpairment.none().withBitErrorRate(2e-5));
    new PacketSource(fabric, sender, 1, 0, LENGTH, 400_000).start(1_000, 0);
    fabric.runUntilNs(10_000_000);
    assertEquals(1_000, fabric.port("s0>s1").sentPackets());
    assertEquals(fabric.counts().delivered, fabric.port("s1>h1").sentPackets());
    assertTrue(fabric.counts().dropped[LinkObserver.FRAME_ERROR] > 300);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void silentDamagePassesEverySwitchAndTheIcrcShowsIt(boolean cutThrough) {
    fabric = new Fabric(row(100, 100, 100), settings(switches(cutThrough)), 5, LinkObserver.NONE);
    SimPort sender = fabric.host(0).openPort();
    receiver = fabric.host(1).openPort();
    fabric.impair("h0>s0", PortImpairment.none().corrupting(0.1, 1));
    new PacketSource(fabric, sender, 1, 0, LENGTH, 400_000).start(1_000, 0);
    fabric.runUntilNs(10_000_000);
    assertEquals(1_000, fabric.counts().delivered);
    int damaged = Arrivals.of(receiver).damaged;
    assertTrue(damaged > 60 && damaged < 150, damaged + " of 1000");
  }

  @Test
  void aCongestedSwitchThatCutsThroughQueuesAndDropsAsOneThatStores() {
    long[] kept = new long[2];
    for (int i = 0; i < 2; i++) {
      SwitchSettings switches = switches(i == 1).withQueueBytes(40_000);
      FabricSettings settings = settings(switches);
      fabric =
          new Fabric(Topologies.single(3, Cable.gbit(100, 10)), settings, 5, LinkObserver.NONE);
      SimPort first = fabric.host(0).openPort();
      SimPort second = fabric.host(2).openPort();
      receiver = fabric.host(1).openPort();
      new PacketSource(fabric, first, 1, 0, LENGTH, WIRE * 80L).start(1_000, 0);
      new PacketSource(fabric, second, 1, 0, LENGTH, WIRE * 80L).start(1_000, 0);
      fabric.runUntilNs(10_000_000);
      assertTrue(fabric.port("s0>h1").maxQueueBytes() > 30_000);
      assertEquals(0, fabric.counts().inFlight());
      kept[i] = fabric.counts().delivered;
      if (i == 0) {
        fabric.close();
      }
    }
    assertEquals((double) kept[0], (double) kept[1], 1);
    assertTrue(kept[0] < 1_020, "half of what two senders sent");
  }
}
