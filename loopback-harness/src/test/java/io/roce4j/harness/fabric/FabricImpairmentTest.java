// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.JitterModel;
import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PacketMatch;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.sim.WireFates;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each way in which a cable can spoil packets, seen from both ends. */
class FabricImpairmentTest {
  private static final Cable CABLE = Cable.gbit(100, 100);
  private static final long US = 1_000;
  private static final long MS = 1_000_000;
  private static final PortImpairment NONE = PortImpairment.none();

  /** What came of numbered packets, one each 100 ns, over some source ports. */
  private record Run(Arrivals arrivals, FabricCounts counts, long lastNs) {}

  private static Run send(PortImpairment impairment, int packets, int bytes, int paths) {
    SimPortSettings port = SimPortSettings.defaults().countingIpIds(true).receiving(1 << 17);
    FabricSettings settings =
        FabricSettings.defaults()
            .withSwitches(SwitchSettings.defaults().withQueueBytes(1 << 28))
            .withHosts(HostSettings.defaults().withPort(port.staging(64)));
    try (Fabric fabric = new Fabric(Topologies.single(2, CABLE), settings, 8, LinkObserver.NONE)) {
      SimPort receiver = fabric.host(1).openPort();
      fabric.impair("s0>h1", impairment);
      long intervalPs = 100_000L + bytes * 80L;
      new PacketSource(fabric, fabric.host(0).openPort(), 1, 0, bytes, intervalPs)
          .overPaths(paths)
          .start(packets, 0);
      fabric.runUntilNs(packets * intervalPs / 1_000 + 100 * MS);
      assertEquals(0, fabric.counts().inFlight());
      assertTrue(fabric.judgeImpairments().isValid(), fabric.judgeImpairments().faults()::toString);
      long lastNs = fabric.port("s0>h1").impairmentCounts().delayNsSum;
      return new Run(Arrivals.of(receiver), fabric.counts(), lastNs);
    }
  }

  @Test
  void oneOf256IsLostByItsIdentification() {
    LossRule livelock = new LossRule(PacketMatch.all(), new LossRule.IpIdentification(0xFF));
    Run run = send(NONE.losing(livelock), 2_560, 64, 1);
    assertEquals(10, run.counts().dropped[LinkObserver.LOST]);
    assertTrue(!run.arrivals().distinct().contains(255));
  }

  @Test
  void certainPacketsAreLostOnce() {
    LossRule third = new LossRule(PacketMatch.all(), new LossRule.FirstOf(1, Set.of(3, 7)));
    Run run = send(NONE.losing(third), 10, 64, 1);
    assertEquals(List.of(0, 1, 2, 4, 5, 6, 8, 9), run.arrivals().psns);
  }

  @Test
  void badTimesTakeTheirShareOfTheTime() {
    LossRule times = new LossRule(PacketMatch.all(), new LossRule.BadTimes(90 * US, 10 * US));
    Run run = send(NONE.losing(times), 60_000, 64, 1);
    assertEquals(0.1, run.counts().dropped[LinkObserver.LOST] / 60_000.0, 0.025);
  }

  @Test
  void lossCanBeForSomeSizesOnly() {
    LossRule large = LossRule.everyNth(2).matching(PacketMatch.all().ofBytes(1_000, 4_096));
    assertEquals(50, send(NONE.losing(large), 100, 1_000, 1).arrivals().psns.size());
    LossRule rule = LossRule.everyNth(2).matching(PacketMatch.all().ofBytes(0, 999));
    // A rule that meets nothing would be INVALID: the other size is lost instead.
    assertEquals(50, send(NONE.losing(rule), 100, 999, 1).arrivals().psns.size());
  }

  @Test
  void bitErrorsLoseLongPacketsMoreOften() {
    double rate = 1e-5;
    int wire = 1_000 + 28 + 38;
    double expected = 1 - Math.pow(1 - rate, 8 * wire);
    Run run = send(NONE.withBitErrorRate(rate), 20_000, 1_000, 1);
    double share = run.counts().dropped[LinkObserver.FRAME_ERROR] / 20_000.0;
    assertEquals(expected, share, 0.006);
    assertEquals(0, run.arrivals().damaged, "the FCS shows them");
  }

  static List<Arguments> jitters() {
    List<Long> samples = List.of(1_000L, 3_000L, 5_000L);
    return List.of(
        Arguments.of(new JitterModel.Constant(2_000), 2_000.0),
        Arguments.of(new JitterModel.Uniform(1_000, 5_000), 3_000.0),
        Arguments.of(new JitterModel.Normal(5_000, 1_000), 5_000.0),
        Arguments.of(new JitterModel.Pareto(1_000, 3), 1_500.0),
        Arguments.of(new JitterModel.Measured(samples), 3_000.0));
  }

  @ParameterizedTest
  @MethodSource("jitters")
  void jitterHasItsMeanAndReordersOnlyAsItMay(JitterModel model, double meanNs) {
    int packets = 20_000;
    for (WireFates.Order order : WireFates.Order.values()) {
      Run run = send(NONE.delaying(model, order), packets, 64, 4);
      assertEquals(packets, run.arrivals().distinct().size());
      assertEquals(1, run.lastNs() / (packets * meanNs), 0.05, model + " " + order);
      boolean varies = !(model instanceof JitterModel.Constant);
      int all = displaced(run.arrivals().psns, 1);
      int inPaths = displaced(run.arrivals().psns, 4);
      assertEquals(varies && order != WireFates.Order.KEPT, all > 0, model + " " + order);
      assertEquals(varies && order == WireFates.Order.FREE, inPaths > 0, model + " " + order);
    }
  }

  /** Packets behind a later one of their path; packet i took path i modulo the paths. */
  private static int displaced(List<Integer> psns, int paths) {
    int[] highest = new int[paths];
    int displaced = 0;
    for (int psn : psns) {
      int path = psn % paths;
      displaced += psn < highest[path] ? 1 : 0;
      highest[path] = Math.max(highest[path], psn);
    }
    return displaced;
  }

  @Test
  void aReorderWindowDrawsHowManyOvertake() {
    Run fixed = send(NONE.reordering(0.05, 4, false, 100 * US), 5_000, 64, 1);
    Run drawn = send(NONE.reordering(0.05, 4, true, 100 * US), 5_000, 64, 1);
    assertTrue(reaches(fixed.arrivals().psns).stream().allMatch(reach -> reach >= 3));
    List<Integer> window = reaches(drawn.arrivals().psns);
    assertTrue(window.contains(1) && window.stream().anyMatch(reach -> reach >= 3));
  }

  /** For each displaced packet, how many later ones came before it. */
  private static List<Integer> reaches(List<Integer> psns) {
    List<Integer> reaches = new ArrayList<>();
    for (int i = 0; i < psns.size(); i++) {
      int psn = psns.get(i);
      int before = 0;
      for (int j = Math.max(0, i - 32); j < i; j++) {
        before += psns.get(j) > psn ? 1 : 0;
      }
      if (before > 0) {
        reaches.add(before);
      }
    }
    return reaches;
  }

  @Test
  void copiesComeLaterByTheirDelay() {
    Run run = send(NONE.duplicating(0.2, 1_000), 1_000, 64, 1);
    List<Integer> psns = run.arrivals().psns;
    assertEquals(1_000, run.arrivals().distinct().size());
    assertTrue(psns.size() > 1_140 && psns.size() < 1_260, psns.size() + " arrived");
    // A microsecond is more than nine packets.
    for (int i = 1; i < psns.size(); i++) {
      assertTrue(!psns.get(i).equals(psns.get(i - 1)), "the copy of " + psns.get(i));
    }
  }

  private static FabricTraffic traffic(Fabric fabric) {
    return new FabricTraffic(fabric, EndpointSettings.defaults(), 1 << 20);
  }

  private static Fabric fabric() {
    return new Fabric(Topologies.single(2, CABLE), FabricSettings.defaults(), 8, LinkObserver.NONE);
  }

  @Test
  void lossOfAcknowledgementsAloneCostsTimeAndNoData() {
    try (Fabric fabric = fabric();
        FabricTraffic traffic = traffic(fabric)) {
      WriteFlow flow = traffic.add(0, 1, WritePlan.once(8_192).withMessages(400, 2));
      LossRule acks = LossRule.independent(0.2).matching(PacketMatch.acknowledgements());
      fabric.impair("s0>h0", NONE.losing(acks));
      fabric.impair("h0>s0", NONE.losing(acks.matching(PacketMatch.ofOpcodes(0x24))));
      fabric.start();
      assertTrue(fabric.run(traffic::isDone, 1_000 * MS));
      assertEquals(List.of(), traffic.findings().first());
      assertEquals(400, flow.completed());
      assertEquals(0, fabric.port("h0>s0").impairmentCounts().lost, "no packet of that opcode");
      assertTrue(fabric.port("s0>h0").impairmentCounts().lost > 10);
      assertEquals(0, traffic.count(CounterId.PACKET_SEQ_ERR));
      assertTrue(traffic.count(CounterId.LOCAL_ACK_TIMEOUT_ERR) > 0);
    }
  }

  @Test
  void silentCorruptionIsFoundByTheIcrcAndHealed() {
    try (Fabric fabric = fabric();
        FabricTraffic traffic = traffic(fabric)) {
      traffic.add(0, 1, WritePlan.once(1 << 20));
      fabric.impair("h0>s0", NONE.corrupting(0.03, 3));
      fabric.start();
      assertTrue(fabric.run(traffic::isDone, 1_000 * MS));
      assertEquals(List.of(), traffic.findings().first());
      assertTrue(traffic.count(CounterId.RX_ICRC_ENCAPSULATED) > 3);
      assertTrue(fabric.judgeImpairments().isValid());
    }
  }

  @Test
  void aCableThatFallsToATenthCarriesATenth() {
    try (Fabric fabric = fabric();
        FabricTraffic traffic = traffic(fabric)) {
      WriteFlow flow = traffic.add(0, 1, WritePlan.endless(65_536, 8));
      fabric.faults().cable("h0>s0", MS, Cable.gbit(10, 100));
      fabric.start();
      fabric.runUntilNs(MS);
      long full = flow.bytesVerified();
      fabric.runUntilNs(2 * MS);
      long tenth = flow.bytesVerified() - full;
      assertEquals(0.1, tenth / (double) full, 0.015);
      flow.stop();
      assertTrue(fabric.run(traffic::isDone, 100 * MS));
    }
  }

  @Test
  void aSwitchThatIsOffCutsItsHostsOffUntilItIsBack() {
    try (Fabric fabric = fabric();
        FabricTraffic traffic = traffic(fabric)) {
      WriteFlow flow = traffic.add(0, 1, WritePlan.endless(65_536, 8));
      fabric.faults().switchOff("s0", MS, 2 * MS);
      fabric.start();
      fabric.runUntilNs(MS + 100 * US);
      long before = flow.bytesVerified();
      fabric.runUntilNs(2 * MS);
      assertEquals(before, flow.bytesVerified());
      assertTrue(fabric.counts().dropped[LinkObserver.LINK_DOWN] > 0);
      fabric.runUntilNs(80 * MS);
      assertTrue(flow.bytesVerified() > before);
      flow.stop();
      assertTrue(fabric.run(traffic::isDone, 200 * MS));
    }
  }

  @Test
  void planesCarryWhatTheirPathSlotsSay() {
    try (Fabric fabric =
        new Fabric(
            Topologies.multiPlane(4, 2, 1, 1, CABLE, CABLE),
            FabricSettings.defaults(),
            8,
            LinkObserver.NONE)) {
      SimPort receiver = fabric.host(1).openPort();
      new PacketSource(fabric, fabric.host(0).openPort(), 1, 0, 64, 100_000)
          .overPaths(8)
          .start(80, 0);
      fabric.runUntilNs(MS);
      assertEquals(80, Arrivals.of(receiver).psns.size());
      for (int plane = 0; plane < 4; plane++) {
        assertEquals(20, fabric.host(0).nic(plane).sentPackets());
        assertEquals(20, fabric.port("p" + plane + ".leaf0>p" + plane + ".spine0").sentPackets());
      }
    }
  }

  @Test
  void aSwitchExtensionCanTrimWhatFindsNoRoomAndSeeWhatLeaves() {
    SwitchSettings shallow = SwitchSettings.defaults().withQueueBytes(20_000);
    HostSettings hosts =
        HostSettings.defaults().withPort(SimPortSettings.defaults().receiving(1 << 15).staging(64));
    try (Fabric fabric =
        new Fabric(
            Topologies.single(3, CABLE),
            FabricSettings.defaults().withSwitches(shallow).withHosts(hosts),
            8,
            LinkObserver.NONE)) {
      int[] seen = new int[2];
      fabric.extend(
          "s0",
          new SwitchExtension() {
            @Override
            public int onOverflow(FabricPort out, int trafficClass, int slot) {
              if (fabric.slots().length(slot) <= 64) {
                return DROP;
              }
              seen[0]++;
              fabric.slots().truncate(slot, 64);
              return 6;
            }

            @Override
            public void onDeparture(FabricPort out, int trafficClass, int slot) {
              seen[1]++;
            }
          });
      fabric.host(2).openPort();
      for (int from = 0; from < 2; from++) {
        new PacketSource(fabric, fabric.host(from).openPort(), 2, 0, 4_058, 330_000).start(200, 0);
      }
      fabric.runUntilNs(MS);
      assertTrue(seen[0] > 150, seen[0] + " trimmed");
      assertEquals(seen[0], fabric.counts().trimmed);
      assertEquals(400, seen[1]);
      assertEquals(400, fabric.counts().delivered);
      assertEquals(0, fabric.counts().droppedPackets());
      // Trimmed packets wait in a class of their own and overtake.
      assertTrue(fabric.port("s0>h2").maxQueueBytes(6) > 0);
    }
  }
}
