// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.BufferSettings;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.EcnSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.JitterModel;
import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PfcSettings;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.fabric.topology.TrafficClass;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.fabric.topology.WatchdogSettings;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.sim.WireFates;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.engine.EndpointSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Problems that people had with fabrics and their emulators. */
class FabricFieldCasesTest {
  private static final Cable CABLE = Cable.gbit(100, 100);
  private static final long US = 1_000;
  private static final long MS = 1_000_000;
  private static final int DATA = TrafficClasses.DATA;
  private static final int DATA_TOS = 26 << 2;
  private static final int LENGTH = 4_058;

  private static FabricSettings lossless(SwitchSettings switches, TrafficClass data) {
    return FabricSettings.defaults()
        .withSwitches(switches.withClass(DATA, data))
        .withHosts(
            HostSettings.defaults()
                .withClasses(TrafficClasses.roce().with(DATA, data))
                .withPort(SimPortSettings.defaults().receiving(1 << 15).staging(64)));
  }

  private static TrafficClass losslessData() {
    return TrafficClass.weighted("data", 1).lossless(true);
  }

  /** [FC-44] */
  @Test
  void earlyDropBelowThePauseThresholdIsRefusedAndEarlyMarkingIsNot() {
    PfcSettings pfc = PfcSettings.defaults().withXoffBytes(200_000).withHeadroomBytes(100_000);
    EcnSettings early = EcnSettings.red(100_000, 110_000, 1);
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    SwitchSettings.defaults()
                        .withPfc(pfc)
                        .withClass(DATA, losslessData().marking(early.droppingNotEct())))
            .getMessage();
    assertTrue(message.contains("kmin 100000") && message.contains("200000"), message);

    SwitchSettings switches =
        SwitchSettings.defaults().withPfc(pfc).withBuffer(BufferSettings.dynamic(32 << 20, 1));
    FabricSettings settings = lossless(switches, losslessData().marking(early));
    try (Fabric fabric = new Fabric(Topologies.single(2, CABLE), settings, 1, LinkObserver.NONE)) {
      SimPort sender = fabric.host(0).openPort();
      fabric.host(1).openPort();
      fabric.faults().pauseStorm(1, 1 << DATA, 0xFFFF, 200 * US, 0, FabricFaults.NEVER);
      // 10 Gbit/s towards a port that is paused for ever.
      PacketSource source =
          new PacketSource(fabric, sender, 1, DATA_TOS | 2, LENGTH, 3_299_200)
              .start(1_000, 10 * US);
      FabricPort egress = fabric.port("s0>h1");
      while (egress.queueBytes() < 90_000) {
        fabric.step();
      }
      assertEquals(0, egress.markedPackets());
      assertEquals(0, fabric.port("s0>h0").pauseFramesSent());
      fabric.runUntilNs(3 * MS);
      assertTrue(egress.markedPackets() > 15, "marks from 100 KB on");
      assertTrue(fabric.port("s0>h0").pauseFramesSent() > 0, "pause at 200 KB");
      assertTrue(egress.maxQueueBytes() >= 200_000 && egress.maxQueueBytes() < 300_000);
      assertEquals(0, fabric.counts().droppedPackets());
      assertTrue(source.refused() > 0, "the sender stands still");
    }
  }

  /** [FC-45] */
  @Test
  void aPausePriorityIsAClassAndNoQueuePairIndex() {
    FabricSettings settings =
        lossless(
            SwitchSettings.defaults().withBuffer(BufferSettings.dynamic(32 << 20, 1)),
            losslessData());
    try (Fabric fabric = new Fabric(Topologies.single(2, CABLE), settings, 1, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 65_536)) {
      ConnectionSettings data =
          ConnectionSettings.defaults().withTrafficClass(DATA_TOS).withTimeout(18, 7);
      WriteFlow inClass3 = traffic.add(0, 1, WritePlan.endless(65_536, 4).over(data));
      WriteFlow inClass0 = traffic.add(0, 1, WritePlan.endless(65_536, 4));
      fabric.start();
      fabric.runUntilNs(100 * US);
      FabricPort toHost = fabric.port("s0>h0");
      FabricPort nic = fabric.host(0).nic(0);
      for (int classes : new int[] {1 << 3, 1 << 7, 0xFF}) {
        toHost.sendPause(classes, 0xFFFF, 1, 0);
        fabric.runUntilNs(fabric.clock().nanoTime() + 30 * US);
        long stopped = inClass3.bytesVerified();
        long running = inClass0.bytesVerified();
        fabric.runUntilNs(fabric.clock().nanoTime() + 100 * US);
        if (classes == 1 << 7) {
          assertTrue(inClass3.bytesVerified() > stopped, "class 7 is nobody's");
        } else {
          assertEquals(stopped, inClass3.bytesVerified(), "class 3 stands still");
          assertTrue(nic.isPaused(DATA));
        }
        // Best effort is not lossless here: it does not obey, not even a frame for all classes.
        assertTrue(inClass0.bytesVerified() - running > 450_000, "class 0 goes on");
        toHost.sendPause(classes, 0, 0, 0);
        fabric.runUntilNs(fabric.clock().nanoTime() + 2 * US);
        assertTrue(!nic.isPaused(DATA));
        fabric.runUntilNs(fabric.clock().nanoTime() + 30 * US);
        assertTrue(inClass3.bytesVerified() > stopped, "resumed");
      }
      assertEquals(List.of(), traffic.findings().first());
      inClass3.stop();
      inClass0.stop();
      assertTrue(fabric.run(traffic::isDone, 20 * MS));
    }
  }

  /** [FC-46] Without a watchdog one host that pauses for ever stops everyone in that class. */
  @Test
  void oneBrokenHostStopsTheFabricAndAWatchdogFreesIt() {
    long[] without = storm(null);
    assertTrue(without[0] > 100 * 65_536, "before the storm");
    assertEquals(0, without[1], "the whole class stands still");
    assertTrue(without[3] > 50 * 4_096 && without[4] > 50 * 4_096, "class 0 does not notice");
    long[] with = storm(WatchdogSettings.of(100 * MS, WatchdogSettings.Action.DROP));
    assertEquals(0, with[1]);
    assertTrue(with[2] >= 0.9 * with[0], with[2] + " after, " + with[0] + " before");
    assertTrue(with[5] > 0, "counted at the port that leads to the broken host");
  }

  /**
   * Bytes in class 3 between hosts that are not broken: in a millisecond before the storm, in one
   * within, in one after 100 ms of it; in class 0 within and after; drops at the watchdog.
   */
  private long[] storm(WatchdogSettings watchdog) {
    SwitchSettings switches =
        SwitchSettings.defaults()
            .withBuffer(BufferSettings.dynamic(4 << 20, 1.0 / 8))
            .withPfc(PfcSettings.defaults().withXoffBytes(60_000))
            .withWatchdog(watchdog);
    Topology topology = Topologies.leafSpine(2, 2, 2, CABLE, CABLE);
    Spread spread = new Spread();
    try (Fabric fabric = new Fabric(topology, lossless(switches, losslessData()), 3, spread);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 65_536)) {
      ConnectionSettings data =
          ConnectionSettings.defaults().withTrafficClass(DATA_TOS).withTimeout(19, 7);
      List<WriteFlow> healthy = new ArrayList<>();
      for (int from = 0; from < 4; from++) {
        for (int to = 0; to < 4; to++) {
          if (from != to) {
            WriteFlow flow = traffic.add(from, to, WritePlan.endless(65_536, 8).over(data));
            if (from != 0 && to != 0) {
              healthy.add(flow);
            }
          }
        }
      }
      WriteFlow bestEffort = traffic.add(1, 3, WritePlan.endless(4_096, 1));
      fabric.faults().stall(0, 2 * MS, FabricFaults.NEVER);
      fabric.faults().pauseStorm(0, 1 << DATA, 0xFFFF, 200 * US, 2 * MS, FabricFaults.NEVER);
      fabric.start();
      fabric.runUntilNs(MS);
      long start = sum(healthy);
      fabric.runUntilNs(2 * MS);
      long before = sum(healthy) - start;
      fabric.runUntilNs(4 * MS);
      long within = sum(healthy);
      long effort = bestEffort.bytesVerified();
      fabric.runUntilNs(5 * MS);
      within = sum(healthy) - within;
      long effortWithin = bestEffort.bytesVerified() - effort;
      assertTrue(
          spread.paused.stream().anyMatch(port -> port.startsWith("leaf1>h")),
          "the pause has spread to the other leaf's hosts: " + spread.paused);
      assertTrue(fabric.host(2).nic(0).maxCascadeDepth() >= 3, "deep, from hop to hop");
      fabric.runUntilNs(116 * MS);
      long after = sum(healthy);
      effort = bestEffort.bytesVerified();
      fabric.runUntilNs(117 * MS);
      after = sum(healthy) - after;
      long effortAfter = bestEffort.bytesVerified() - effort;
      assertEquals(List.of(), traffic.findings().first());
      return new long[] {
        before,
        within,
        after,
        effortWithin,
        effortAfter,
        fabric.counts().dropped[LinkObserver.WATCHDOG]
      };
    }
  }

  private static long sum(List<WriteFlow> flows) {
    return flows.stream().mapToLong(WriteFlow::bytesVerified).sum();
  }

  /** Notes which ports have paused their peers. */
  private static final class Spread implements LinkObserver {
    private final List<String> paused = new ArrayList<>();

    @Override
    public void onPauseSent(String port, int classes, int quanta, int depth) {
      paused.add(port);
    }

    @Override
    public void onDropped(String link, int slot, int reason) {}

    @Override
    public void onDuplicated(String link, int slot) {}

    @Override
    public void onCorrupted(String link, int slot, int bit) {}

    @Override
    public void onHeld(String link, int slot) {}
  }

  /** [FC-39] A window for each flow bounds the queue; a rate alone does not. */
  @Test
  void windowsKeepAnIncastBelowThePauseThresholdAndRatesAloneDoNot() {
    long[] rateOnly = incastOf64(512);
    assertTrue(rateOnly[0] > 0, "pauses");
    assertEquals(0, rateOnly[1]);
    long[] windowed = incastOf64(4);
    assertEquals(0, windowed[0]);
    assertEquals(0, windowed[1]);
    // 64 windows of 20 KB, one packet of each is on its way elsewhere.
    assertTrue(windowed[2] <= 1_280_000, windowed[2] + " bytes queued");
    assertTrue(rateOnly[2] > 2 * windowed[2]);
  }

  /** Pauses, drops and the longest queue of 64 DCQCN flows into one host. */
  private long[] incastOf64(int windowPackets) {
    // Pause when 64 senders have about 3 MB in the switch.
    PfcSettings pfc = PfcSettings.defaults().withXoffBytes(47_000);
    TrafficClass data = losslessData().marking(EcnSettings.red(400_000, 1_600_000, 0.2));
    SwitchSettings switches =
        SwitchSettings.defaults().withPfc(pfc).withBuffer(BufferSettings.dynamic(32 << 20, 1));
    EndpointSettings engine = EndpointSettings.defaults().withWindowPackets(windowPackets);
    try (Fabric fabric =
            new Fabric(
                Topologies.single(65, Cable.gbit(100, 350)),
                lossless(switches, data),
                1,
                LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, engine, 1 << 18)) {
      ConnectionSettings dcqcn =
          ConnectionSettings.defaults()
              .withTrafficClass(DATA_TOS)
              .withCongestion("dcqcn")
              .withTimeout(18, 7);
      for (int from = 0; from < 64; from++) {
        traffic.add(from, 64, WritePlan.once(1 << 18).over(dcqcn));
      }
      fabric.start();
      assertTrue(fabric.run(traffic::isDone, 1_000 * MS));
      assertEquals(List.of(), traffic.findings().first());
      return new long[] {
        fabric.counts().pauseFrames,
        fabric.counts().droppedPackets(),
        fabric.port("s0>h64").maxQueueBytes()
      };
    }
  }

  /** [FC-47] */
  @ParameterizedTest
  @ValueSource(longs = {0, 500})
  void reorderingReordersAndLosesNothingWhateverTheDelay(long delayUs) {
    PortImpairment reorder =
        PortImpairment.none()
            .reordering(0.5, 2, false, 100 * US)
            .delaying(new JitterModel.Constant(delayUs * US), WireFates.Order.FREE);
    Arrivals alone = tenThousandThrough(reorder, 10_000, 10_000, 0);
    assertEquals(10_000, alone.distinct().size());
    assertTrue(displaced(alone) > 1_000, displaced(alone) + " displaced");
  }

  /** [FC-47] */
  @Test
  void everyMixOfImpairmentsBalancesAndRepeats() {
    PortImpairment loss = PortImpairment.none().losing(LossRule.independent(0.01));
    PortImpairment duplicate = PortImpairment.none().duplicating(0.01, 0);
    PortImpairment corrupt = PortImpairment.none().corrupting(0.01, 1);
    PortImpairment all =
        loss.duplicating(0.01, 10 * US).corrupting(0.01, 1).reordering(0.5, 2, false, 100 * US);
    Arrivals lossy = tenThousandThrough(loss, 9_850, 9_950, 0);
    assertEquals(lossy.distinct().size(), lossy.psns.size());
    tenThousandThrough(duplicate, 10_050, 10_150, 0);
    tenThousandThrough(corrupt, 9_850, 9_950, 100);
    assertEquals(
        tenThousandThrough(all, 9_700, 10_100, 100).psns,
        tenThousandThrough(all, 9_700, 10_100, 100).psns);
  }

  private static Arrivals tenThousandThrough(
      PortImpairment impairment, int least, int most, int damaged) {
    FabricSettings settings =
        FabricSettings.defaults()
            .withHosts(
                HostSettings.defaults()
                    .withPort(SimPortSettings.defaults().receiving(1 << 15).staging(64)));
    try (Fabric fabric = new Fabric(Topologies.single(2, CABLE), settings, 5, LinkObserver.NONE)) {
      SimPort sender = fabric.host(0).openPort();
      SimPort receiver = fabric.host(1).openPort();
      fabric.impair("s0>h1", impairment);
      new PacketSource(fabric, sender, 1, 0, 128, US * 1_000).start(10_000, 0);
      fabric.runUntilNs(20 * MS);
      Arrivals arrivals = Arrivals.of(receiver);
      FabricCounts counts = fabric.counts();
      assertEquals(10_000, counts.delivered + counts.droppedPackets() - counts.duplicated);
      assertEquals(0, counts.inFlight());
      assertEquals(counts.delivered, arrivals.psns.size() + (long) arrivals.damaged);
      assertTrue(
          arrivals.psns.size() >= least && arrivals.psns.size() <= most,
          arrivals.psns.size() + " arrived");
      assertEquals(damaged, arrivals.damaged, 40);
      assertTrue(fabric.judgeImpairments().isValid(), fabric.judgeImpairments().faults()::toString);
      return arrivals;
    }
  }

  private static int displaced(Arrivals arrivals) {
    int displaced = 0;
    int highest = -1;
    for (int psn : arrivals.psns) {
      displaced += psn < highest ? 1 : 0;
      highest = Math.max(highest, psn);
    }
    return displaced;
  }

  /** [FC-48] */
  @ParameterizedTest
  @CsvSource({
    "0, 1, 1",
    "0, 2, 2",
    "0, 255, 255",
    "0, 0, 64",
    "1, 1, -1",
    "1, 2, 1",
    "1, 64, 63",
    "1, 0, 63",
    "3, 1, -1",
    "3, 2, -1",
    "3, 64, 61",
    "3, 255, 252",
    "3, 0, 61"
  })
  void eachRouterTakesOneFromTheHopLimitAndTheIcrcStillFits(int routers, int sent, int arrives) {
    for (boolean ipv6 : new boolean[] {false, true}) {
      SwitchSettings router = SwitchSettings.defaults();
      Topology topology =
          routers == 3 ? Topologies.leafSpine(2, 1, 1, CABLE, CABLE) : Topologies.single(2, CABLE);
      FabricSettings settings =
          FabricSettings.defaults()
              .withSwitches(routers == 0 ? router.bridging() : router)
              .withIpv6(ipv6);
      try (Fabric fabric = new Fabric(topology, settings, 1, LinkObserver.NONE)) {
        SimPort sender = fabric.host(0).openPort();
        SimPort receiver = fabric.host(1).openPort();
        new PacketSource(fabric, sender, 1, 2, 256, 1, sent).start(1, 0);
        fabric.runUntilNs(MS);
        Arrivals arrivals = Arrivals.of(receiver);
        assertEquals(0, arrivals.damaged);
        assertEquals(arrives, arrivals.hopLimit);
        assertEquals(arrives < 0 ? 1 : 0, fabric.counts().dropped[LinkObserver.TTL_EXPIRED]);
      }
    }
  }
}
