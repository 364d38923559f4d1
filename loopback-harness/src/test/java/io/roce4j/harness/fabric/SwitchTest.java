// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.topology.BufferSettings;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.EcnSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.PfcSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.fabric.topology.TrafficClass;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.SimPortSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues, memory, marks and pauses of one switch, with packets by hand. */
class SwitchTest {
  private static final Cable CABLE = Cable.gbit(100, 100);
  private static final int LENGTH = 4_058;
  // With IP, UDP and framing: 4,124 bytes on the wire, 329.92 ns at 100 Gbit/s.
  private static final int WIRE = LENGTH + 28 + 38;
  private static final long PACKET_PS = WIRE * 80L;
  private static final int DATA_TOS = 26 << 2;
  private static final int DATA_ECT = DATA_TOS | 2;
  private static final int CNP_TOS = 48 << 2;

  private final List<SimPort> ports = new ArrayList<>();
  private Fabric fabric;

  @AfterEach
  void everyPacketIsAccountedFor() {
    if (fabric != null) {
      assertEquals(fabric.counts().inFlight(), fabric.packetsInside());
      fabric.close();
    }
  }

  private void build(Topology topology, FabricSettings settings) {
    HostSettings hosts =
        settings.hosts().withPort(SimPortSettings.defaults().receiving(1 << 16).staging(64));
    fabric = new Fabric(topology, settings.withHosts(hosts), 11, LinkObserver.NONE);
    for (int i = 0; i < topology.hosts(); i++) {
      ports.add(fabric.host(i).openPort());
    }
  }

  private PacketSource source(int from, int to, int tos, long intervalPs) {
    return new PacketSource(fabric, ports.get(from), to, tos, LENGTH, intervalPs);
  }

  private static FabricSettings withSwitches(SwitchSettings switches) {
    return FabricSettings.defaults().withSwitches(switches);
  }

  private static SwitchSettings lossless(PfcSettings pfc) {
    return SwitchSettings.defaults()
        .withBuffer(BufferSettings.dynamic(32 << 20, 1.0 / 8))
        .withClass(TrafficClasses.DATA, TrafficClass.weighted("data", 1).lossless(true))
        .withPfc(pfc);
  }

  private static FabricSettings losslessFabric(SwitchSettings switches) {
    TrafficClasses classes =
        TrafficClasses.roce()
            .with(TrafficClasses.DATA, TrafficClass.weighted("data", 1).lossless(true));
    return withSwitches(switches).withHosts(HostSettings.defaults().withClasses(classes));
  }

  @ParameterizedTest
  @CsvSource({"0.125, 1", "0.125, 4", "1, 2", "1, 6", "8, 3"})
  void saturatedQueuesSettleAtTheDynamicThreshold(double alpha, int queues) {
    long shared = 2_000_000;
    SwitchSettings switches =
        SwitchSettings.defaults().withBuffer(BufferSettings.dynamic(shared, alpha));
    build(Topologies.single(3 * queues, CABLE), withSwitches(switches));
    for (int i = 0; i < queues; i++) {
      source(3 * i, 3 * i + 2, 0, PACKET_PS).start(3_000, 0);
      source(3 * i + 1, 3 * i + 2, 0, PACKET_PS).start(3_000, 0);
    }
    fabric.runUntilNs(900_000);
    double expected = alpha * shared / (1 + queues * alpha);
    for (int i = 0; i < queues; i++) {
      long queue = fabric.port("s0>h" + (3 * i + 2)).queueBytes();
      assertEquals(expected, (double) queue, 2.0 * WIRE * (1 + alpha), "alpha S / (1 + n alpha)");
    }
    fabric.runUntilNs(3_000_000);
  }

  @Test
  void losslessClassLosesNothingWithFittingHeadroomAndDropsWithLess() {
    incastOfSeven(PfcSettings.defaults().withXoffBytes(50_000));
    assertEquals(0, fabric.counts().droppedPackets());
    assertTrue(fabric.port("s0>h0").pauseFramesSent() > 1, "the senders were paused");
    assertTrue(fabric.host(0).nic(0).pausedNs(TrafficClasses.DATA) > 100_000);
    assertEquals(1, fabric.host(0).nic(0).maxCascadeDepth());
    assertEquals(7 * 1_000, Arrivals.of(ports.get(7)).psns.size());
    long used = fabric.switchOf("s0").buffer().maxHeadroomUse();
    long given =
        PfcSettings.defaults().fittingHeadroomBytes(CABLE, fabric.core().maxWireBytes(), 400);
    assertTrue(used > given / 2, "headroom is needed: " + used + " of " + given);
    everyPacketIsAccountedFor();
    ports.clear();
    incastOfSeven(PfcSettings.defaults().withXoffBytes(50_000).withHeadroomBytes(WIRE));
    assertTrue(fabric.counts().dropped[LinkObserver.HEADROOM_FULL] > 0);
  }

  private void incastOfSeven(PfcSettings pfc) {
    incastOfSeven(lossless(pfc));
  }

  private void incastOfSeven(SwitchSettings switches) {
    build(Topologies.single(8, CABLE), losslessFabric(switches));
    for (int from = 0; from < 7; from++) {
      source(from, 7, DATA_TOS, PACKET_PS).start(1_000, 0);
    }
    fabric.runUntilNs(10_000_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 394})
  void headroomCoversASlowPeerToo(int responseQuanta) {
    incastOfSeven(PfcSettings.defaults().withXoffBytes(50_000).withResponseQuanta(responseQuanta));
    assertEquals(0, fabric.counts().droppedPackets());
  }

  @Test
  void headroomCoversASwitchThatCutsThrough() {
    incastOfSeven(lossless(PfcSettings.defaults().withXoffBytes(50_000)).withCutThrough(true));
    assertEquals(0, fabric.counts().droppedPackets());
    assertTrue(fabric.port("s0>h0").pauseFramesSent() > 1, "the senders were paused");
    assertEquals(7 * 1_000, Arrivals.of(ports.get(7)).psns.size());
  }

  @Test
  void aDynamicThresholdPausesAndLosesNothing() {
    SwitchSettings switches =
        lossless(PfcSettings.defaults())
            .withBuffer(BufferSettings.dynamic(1_500_000, 1.0 / 8).reserving(4_096));
    build(Topologies.single(8, CABLE), losslessFabric(switches));
    for (int from = 0; from < 7; from++) {
      source(from, 7, DATA_TOS, PACKET_PS).start(1_000, 0);
    }
    fabric.runUntilNs(10_000_000);
    assertEquals(0, fabric.counts().droppedPackets());
    assertEquals(7_000, Arrivals.of(ports.get(7)).psns.size());
    assertTrue(fabric.port("s0>h3").pauseFramesSent() > 0);
  }

  @Test
  void marksGrowLinearlyBetweenTheThresholdsAndAreCertainAbove() {
    EcnSettings red = EcnSettings.red(50_000, 150_000, 0.2);
    SwitchSettings switches =
        SwitchSettings.defaults()
            .withClass(TrafficClasses.DATA, TrafficClass.weighted("data", 1).marking(red));
    build(Topologies.single(3, CABLE), withSwitches(switches));
    // 2 x 90% of the line: the queue grows by 0.8 packets each packet time, to about 1 MiB.
    source(0, 2, DATA_ECT, PACKET_PS * 10 / 9).start(150, 0);
    source(1, 2, DATA_ECT, PACKET_PS * 10 / 9).start(150, 0);
    fabric.runUntilNs(1_000_000);
    Arrivals arrivals = Arrivals.of(ports.get(2));
    assertEquals(300, arrivals.psns.size());
    FabricPort port = fabric.port("s0>h2");
    assertEquals(arrivals.marked, port.markedPackets());
    // It passes 50 KB after about 29 packets and 150 KB after 85: 56 x 10% between, all above.
    long above = Math.round(300 - 150_000 / (0.445 * WIRE));
    assertTrue(Math.abs(port.markedPackets() - above - 5) < 16, port.markedPackets() + " " + above);
  }

  @Test
  void packetsThatAreNotEcnCapablePassUnmarkedOrAreDroppedEarly() {
    EcnSettings step = EcnSettings.step(40_000);
    TrafficClass data = TrafficClass.weighted("data", 1);
    build(
        Topologies.single(3, CABLE),
        withSwitches(SwitchSettings.defaults().withClass(TrafficClasses.DATA, data.marking(step))));
    source(0, 2, DATA_TOS, PACKET_PS).start(100, 0);
    source(1, 2, DATA_TOS, PACKET_PS).start(100, 0);
    fabric.runUntilNs(1_000_000);
    assertEquals(0, fabric.counts().marked);
    assertEquals(200, Arrivals.of(ports.get(2)).psns.size());
    everyPacketIsAccountedFor();
    ports.clear();
    build(
        Topologies.single(3, CABLE),
        withSwitches(
            SwitchSettings.defaults()
                .withClass(TrafficClasses.DATA, data.marking(step.droppingNotEct()))));
    source(0, 2, DATA_TOS, PACKET_PS).start(100, 0);
    source(1, 2, DATA_TOS, PACKET_PS).start(100, 0);
    fabric.runUntilNs(1_000_000);
    assertTrue(fabric.counts().dropped[LinkObserver.EARLY_DROP] > 50);
    assertTrue(fabric.port("s0>h2").maxQueueBytes() < 40_000 + 2 * WIRE);
  }

  @Test
  void marksCanBeLeftOutOnTheLastHopTakenAtDequeueAndAveraged() {
    EcnSettings step = EcnSettings.step(40_000);
    assertTrue(marksOf(step) > 60);
    assertEquals(0, marksOf(step.withoutLastHop()));
    assertTrue(Math.abs(marksOf(step) - marksOf(step.markingAtDequeue())) < 30);
    assertTrue(marksOf(step.averaging(6)) < marksOf(step), "the average follows late");
    assertTrue(marksOf(step.measuring(EcnSettings.Scope.POOL)) > 60);
    assertTrue(marksOf(EcnSettings.step(10).countingPackets()) > 60);
  }

  private long marksOf(EcnSettings ecn) {
    TrafficClass data = TrafficClass.weighted("data", 1).marking(ecn);
    build(
        Topologies.single(3, CABLE),
        withSwitches(SwitchSettings.defaults().withClass(TrafficClasses.DATA, data)));
    source(0, 2, DATA_ECT, PACKET_PS).start(100, 0);
    source(1, 2, DATA_ECT, PACKET_PS).start(100, 0);
    fabric.runUntilNs(1_000_000);
    long marks = fabric.counts().marked;
    everyPacketIsAccountedFor();
    fabric = null;
    ports.clear();
    return marks;
  }

  @Test
  void strictPriorityGoesFirstAndWeightsShareTheRest() {
    SwitchSettings switches =
        SwitchSettings.defaults()
            .withQueueBytes(16 << 20)
            .withClass(TrafficClasses.DATA, TrafficClass.weighted("data", 3));
    build(Topologies.single(4, CABLE), withSwitches(switches));
    source(0, 3, DATA_TOS, PACKET_PS).start(2_000, 0);
    source(1, 3, 0, PACKET_PS).start(2_000, 0);
    source(2, 3, CNP_TOS, PACKET_PS * 5).start(200, 0);
    fabric.runUntilNs(330_000);
    FabricPort out = fabric.port("s0>h3");
    // 20% strict; of the rest three quarters data and one quarter best effort.
    assertTrue(out.maxQueueBytes(TrafficClasses.CNP) <= WIRE, "strict waits for one packet only");
    long data = 1_000 - out.queueBytes(TrafficClasses.DATA) / WIRE;
    long other = 1_000 - out.queueBytes(0) / WIRE;
    assertEquals(3.0, data / (double) other, 0.1);
    fabric.runUntilNs(3_000_000);
    assertEquals(4_200, Arrivals.of(ports.get(3)).psns.size());
  }

  @Test
  void aShaperHoldsItsClassToTheRate() {
    TrafficClass shaped = TrafficClass.weighted("data", 1).shapedTo(1_250_000_000L);
    SwitchSettings switches =
        SwitchSettings.defaults().withQueueBytes(16 << 20).withClass(TrafficClasses.DATA, shaped);
    build(Topologies.single(3, CABLE), withSwitches(switches));
    source(0, 2, DATA_TOS, PACKET_PS).start(1_000, 0);
    source(1, 2, 0, PACKET_PS).start(1_000, 0);
    fabric.runUntilNs(350_000);
    FabricPort out = fabric.port("s0>h2");
    long dataSent = 1_000 - out.queueBytes(TrafficClasses.DATA) / WIRE;
    // 10 Gbit/s for 350 us are 106 packets; the rest of the line is the other class's.
    assertTrue(Math.abs(dataSent - 106) <= 4, dataSent + " sent");
    assertTrue(out.sentPackets() > 980);
    fabric.runUntilNs(4_000_000);
    assertEquals(2_000, Arrivals.of(ports.get(2)).psns.size());
  }

  @Test
  void theLongestPauseDependsOnTheRate() {
    assertEquals(335_539_200L, PfcSettings.quantaPs(PfcSettings.MAX_QUANTA, 100_000_000_000L));
    assertEquals(83_884_800L, PfcSettings.quantaPs(PfcSettings.MAX_QUANTA, 400_000_000_000L));
    assertEquals(512_000_000_000_000L, PfcSettings.quantaPs(1, 1), "at a bit per second");
    assertEquals(0, PfcSettings.quantaPs(0, 1));
  }

  @Test
  void aCascadeOfPausesCountsItsDepth() {
    // h0 and h1 on the left send to h2 on the right, which takes a tenth of the line.
    Topology topology =
        Topology.builder("chain", 3, 1)
            .addSwitch("a", 0)
            .addSwitch("b", 0)
            .addSwitch("c", 0)
            .connect("h0", "a", CABLE)
            .connect("h1", "a", CABLE)
            .connect("a", "b", CABLE)
            .connect("b", "c", CABLE)
            .connect("c", "h2", Cable.gbit(10, 100))
            .build();
    PfcSettings pfc = PfcSettings.defaults().withXoffBytes(60_000);
    build(topology, losslessFabric(lossless(pfc)));
    source(0, 2, DATA_TOS, PACKET_PS).start(500, 0);
    source(1, 2, DATA_TOS, PACKET_PS).start(500, 0);
    fabric.runUntilNs(1_000_000);
    assertEquals(0, fabric.counts().droppedPackets());
    assertEquals(1, fabric.port("b>c").maxCascadeDepth());
    assertEquals(2, fabric.port("a>b").maxCascadeDepth());
    assertEquals(3, fabric.host(0).nic(0).maxCascadeDepth());
    fabric.runUntilNs(10_000_000);
    assertEquals(1_000, Arrivals.of(ports.get(2)).psns.size());
  }
}
