// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.AckTimeout;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.wire.packet.Bth;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a right build must show, as formulas say it, on the real stack in the fabric. */
class ClosedFormsTest {
  private static final long MS = 1_000_000;
  private static final int MTU = 1_024;
  private static final int MESSAGE = 64 * MTU;
  // A middle packet of a WRITE: payload, BTH, ICRC, UDP, IP, framing.
  private static final int WIRE = MTU + 12 + 4 + 28 + 38;
  private static final double PACKET_NS = WIRE * 0.08;
  private static final int NIC_PACKETS = 4;
  // What waits in the NIC when a sequence NAK comes is sent all the same and counts as flight, and
  // so do the packet that is being sent and part of the next.
  private static final double UNDER_WAY = NIC_PACKETS + 1.4;

  /** Payload rate of one flow over a path of W packets, as a share of that without loss. */
  private static Result goBackN(int window, PortImpairment impairment, int timeoutCode, long ns) {
    // Of the round trip the rest is serialisation: a packet twice and an acknowledgement twice.
    double delayNs = ((window - UNDER_WAY) * PACKET_NS - 2 * PACKET_NS - 2 * 6.9) / 4;
    Cable cable = new Cable(100_000_000_000L, Math.round(delayNs));
    FabricSettings settings =
        FabricSettings.defaults()
            .withSwitches(SwitchSettings.defaults().withLatencyNs(0))
            .withHosts(HostSettings.defaults().withNicQueuePackets(NIC_PACKETS));
    EndpointSettings engine = EndpointSettings.defaults().withTrainPackets(1);
    try (Fabric fabric = new Fabric(Topologies.single(2, cable), settings, 9, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, engine, MESSAGE)) {
      ConnectionSettings connection =
          ConnectionSettings.defaults().withPathMtu(MTU).withTimeout(timeoutCode, 7);
      WriteFlow flow = traffic.add(0, 1, WritePlan.endless(MESSAGE, 32).over(connection));
      fabric.impair("h0>s0", impairment);
      fabric.start();
      fabric.runUntilNs(MS / 2);
      long before = flow.bytesVerified();
      fabric.runUntilNs(MS / 2 + ns);
      assertEquals(List.of(), traffic.findings().first());
      double share = (flow.bytesVerified() - before) * (double) WIRE / MTU * 0.08 / ns;
      return new Result(
          share,
          traffic.count(CounterId.PACKET_SEQ_ERR),
          traffic.count(CounterId.LOCAL_ACK_TIMEOUT_ERR));
    }
  }

  private record Result(double share, long naks, long timeouts) {}

  @ParameterizedTest
  @CsvSource({
    "30, 0.0",
    "30, 0.001",
    "30, 0.005",
    "30, 0.01",
    "30, 0.02",
    "120, 0.001",
    "120, 0.005",
    "120, 0.01"
  })
  void goBackNLosesAWindowForEachLossAndATimeoutForEachLostRetransmission(int window, double p) {
    int code = 5;
    PortImpairment loss = PortImpairment.none().losing(LossRule.independent(p));
    long ns = p >= 0.01 ? 30 * MS : 15 * MS;
    Result result = goBackN(window, p == 0 ? PortImpairment.none() : loss, code, ns);
    // The sequence NAK has cost a retry: the timer of the lost retransmission is the second, 2 T.
    double timeoutShare = 2.0 * AckTimeout.timeoutNs(code) * result.timeouts() / ns;
    double lost = p * result.naks();
    assertTrue(Math.abs(result.timeouts() - lost) <= 1 + 3 * Math.sqrt(lost), result.toString());
    // (1 - p) / (1 - p + p W + p^2 T), with the time-outs that came instead of those expected.
    double formula = (1 - timeoutShare) * (1 - p) / (1 - p + p * window);
    // Losses come by chance: two standard deviations of their number beside the 2%.
    double losses = Math.max(1, result.naks());
    double chance = p == 0 ? 0.005 : 2 / Math.sqrt(losses) * (1 - formula);
    assertEquals(formula, result.share(), 0.02 + chance, result + " of " + formula);
    assertTrue(p == 0 || result.naks() > 10);
  }

  @ParameterizedTest
  @CsvSource({"30, 200", "30, 100", "60, 200"})
  void goBackNOverALinkThatDropsEveryKthPacketLosesAWindowOfEachK(int window, int k) {
    PortImpairment everyKth = PortImpairment.none().losing(LossRule.everyNth(k));
    Result result = goBackN(window, everyKth, 8, 5 * MS);
    assertEquals((k - 1.0 - window) / k, result.share(), 0.02);
  }

  @Test
  void burstsCostGoBackNByEpisodeAndNotByPacket() {
    // Bursts shorter than a quarter of the window: p / L episodes.
    double p = 0.01;
    double burst = 2;
    Result single = goBackN(120, PortImpairment.none().losing(LossRule.independent(p)), 5, 20 * MS);
    Result bursts =
        goBackN(120, PortImpairment.none().losing(LossRule.bursts(p, burst)), 5, 20 * MS);
    assertTrue(bursts.share() > 1.2 * single.share(), bursts + " against " + single);
  }

  @ParameterizedTest
  @CsvSource({"8, 262144", "32, 65536"})
  void theLastFlowOfAnIncastTakesTheIdealTime(int senders, int bytes) {
    Cable cable = Cable.gbit(100, 200);
    FabricSettings settings =
        FabricSettings.defaults()
            .withSwitches(SwitchSettings.defaults().withLatencyNs(0).withQueueBytes(64 << 20));
    try (Fabric fabric =
            new Fabric(Topologies.single(senders + 1, cable), settings, 2, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), bytes)) {
      List<WriteFlow> flows = new ArrayList<>();
      ConnectionSettings patient = ConnectionSettings.defaults().withTimeout(16, 7);
      for (int i = 0; i < senders; i++) {
        flows.add(traffic.add(i, senders, WritePlan.once(bytes).over(patient)));
      }
      fabric.start();
      assertTrue(fabric.run(traffic::isDone, 100 * MS));
      int wire = 4_096 + 12 + 4 + 28 + 38;
      double baseRttNs = 4_000 + 2 * wire * 0.08 + 2 * 6.88;
      double ideal = senders * Math.ceilDiv(bytes, 4_096) * wire * 0.08 + baseRttNs;
      double last = flows.stream().mapToLong(WriteFlow::completionTimeNs).max().orElseThrow();
      assertEquals(1.0, last / ideal, 0.01);
      assertEquals(0, fabric.counts().droppedPackets());
      // Whatever the first window brings beyond one packet at a time has to stand in the queue.
      assertTrue(fabric.port("s0>h" + senders).maxQueueBytes() > 0.8 * (senders - 1) * bytes);
    }
  }

  @ParameterizedTest
  @CsvSource({"0.01, 8", "0.05, 4", "0.002, 3", "0.1, 20"})
  void lossInBurstsHasTheShareTheMeanLengthAndTheMeanGapOfItsParameters(double loss, double burst) {
    int packets = 120_000;
    HostSettings hosts =
        HostSettings.defaults().withPort(SimPortSettings.defaults().receiving(1 << 18).staging(8));
    List<Integer> psns = new ArrayList<>();
    try (Fabric fabric =
        new Fabric(
            Topologies.single(2, Cable.gbit(100, 1)),
            FabricSettings.defaults().withHosts(hosts),
            4,
            (timeline, slots) -> new DropNumbers(slots, psns))) {
      fabric.host(1).openPort();
      fabric.impair("h0>s0", PortImpairment.none().losing(LossRule.bursts(loss, burst)));
      new PacketSource(fabric, fabric.host(0).openPort(), 1, 0, 64, 20_000).start(packets, 0);
      fabric.runUntilNs(10 * MS);
      assertEquals(packets, fabric.counts().injected);
      assertTrue(fabric.judgeImpairments().isValid());
    }
    int bursts = 0;
    for (int i = 0; i < psns.size(); i++) {
      bursts += i == 0 || psns.get(i) != psns.get(i - 1) + 1 ? 1 : 0;
    }
    // The number of bursts scatters by its root, their mean length likewise.
    double chance = 3 / Math.sqrt(bursts);
    double share = psns.size() / (double) packets;
    assertEquals(1, share / loss, 1.5 * chance, "share " + share);
    assertEquals(1, psns.size() / (double) bursts / burst, chance, "mean burst");
    double gap = (packets - psns.size()) / (double) bursts;
    double toBad = loss / (1 - loss) / burst;
    assertEquals(1, gap * toBad, chance, "mean gap " + gap);
  }

  /** Notes the PSN of each packet that is dropped. */
  private record DropNumbers(PacketSlots slots, List<Integer> psns) implements LinkObserver {
    @Override
    public void onDropped(String link, int slot, int reason) {
      psns.add(Bth.psn(slots.buffer(slot), slots.bth(slot)));
    }

    @Override
    public void onDuplicated(String link, int slot) {}

    @Override
    public void onCorrupted(String link, int slot, int bit) {}

    @Override
    public void onHeld(String link, int slot) {}
  }
}
