// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.EcnSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimApplication;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.SizeMix;
import io.roce4j.harness.workload.VerifiedConnection;
import io.roce4j.harness.workload.VerifiedFlow;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.PortTap;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * [FC-36] Two hosts and one exchange SENDs, WRITEs and READs through a port that marks between 5
 * and 200 kB: what the packets carry, with the two halves of ECN control on and off.
 */
class ControlledDataTest {
  private static final int MESSAGE = 65_536;
  private static final long END_NS = 3_000_000;
  private static final int NOT_ECT_TOS = 26 << 2;
  private static final int CE = 3;

  /** What passed the ports of all hosts. */
  private static final class Seen implements PortTap {
    private final Map<String, Long> notCapable = new HashMap<>();
    private final Map<String, Long> capable = new HashMap<>();
    private final Map<List<Object>, Long> lastNotified = new HashMap<>();
    private long leastGapNs = Long.MAX_VALUE;
    private long notifications;
    private long marked;

    private static String kind(int opcode) {
      return Opcode.isReadResponse(opcode)
          ? "READ response"
          : Opcode.isSend(opcode) ? "SEND" : Opcode.isWrite(opcode) ? "WRITE" : "";
    }

    @Override
    public void onTransmit(
        long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
      int opcode = Bth.opcode(buffer, offset);
      if (Opcode.isCnp(opcode)) {
        notifications++;
        List<Object> queuePair = List.of(meta.ip.destinationLow(), Bth.destQp(buffer, offset));
        Long before = lastNotified.put(queuePair, nowNs);
        leastGapNs = before == null ? leastGapNs : Math.min(leastGapNs, nowNs - before);
      } else if (!kind(opcode).isEmpty()) {
        (meta.ecn == 0 ? notCapable : capable).merge(kind(opcode), 1L, Long::sum);
      }
    }

    @Override
    public void onReceive(
        long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
      marked += meta.ecn == CE ? 1 : 0;
    }
  }

  /** The run of one setting. */
  private static final class Run implements AutoCloseable {
    private final Seen seen = new Seen();
    private final Findings findings = new Findings();
    private final Fabric fabric;
    private final MessagePattern pattern;
    private final List<SimEndpoint> endpoints = new ArrayList<>();
    private final List<FlowSide> sides = new ArrayList<>();
    private final List<VerifiedConnection> connections = new ArrayList<>();

    Run(String congestion, int tos) {
      SwitchSettings switches = SwitchSettings.defaults().withQueueBytes(32L << 20);
      EcnSettings marks = EcnSettings.red(5_000, 200_000, 0.01);
      switches =
          switches.withClass(
              TrafficClasses.DATA, switches.classes().get(TrafficClasses.DATA).marking(marks));
      FabricSettings settings = FabricSettings.defaults().withSwitches(switches);
      fabric =
          new Fabric(Topologies.single(3, Cable.gbit(100, 1_000)), settings, 1, LinkObserver.NONE);
      pattern = new MessagePattern(fabric.streams(), MESSAGE);
      EndpointSettings engine =
          EndpointSettings.defaults().withTrainPackets(1).withBaseRttNs(5_000);
      for (int host = 0; host < 3; host++) {
        SimEndpoint endpoint = fabric.host(host).open(engine, seen);
        endpoints.add(endpoint);
        sides.add(new FlowSide(endpoint.name(), endpoint.context(), endpoint.address(), pattern));
      }
      ConnectionSettings connection =
          ConnectionSettings.defaults()
              .withTrafficClass(tos)
              .withTimeout(14, 7)
              .withCongestion(congestion);
      for (int host = 1; host < 3; host++) {
        connections.add(
            new VerifiedConnection(
                "c" + host,
                connection,
                FlowSettings.mixed(SizeMix.between(MESSAGE, MESSAGE), 16).withShares(1, 1, 2),
                fabric.streams(),
                pattern,
                sides.get(host),
                sides.get(0),
                fabric.clock(),
                findings));
      }
      connections.forEach(each -> each.flows().forEach(this::add));
      fabric.start();
      fabric.runUntilNs(END_NS);
      assertEquals(0, findings.count(), () -> findings.first().toString());
    }

    private void add(VerifiedFlow flow) {
      fabric.addApplication(
          new SimApplication() {
            @Override
            public int turn() {
              return flow.turn();
            }

            @Override
            public long nextTurnNs() {
              return flow.nextTurnNs();
            }
          });
    }

    private long count(CounterId id) {
      return endpoints.stream().mapToLong(each -> each.agent().counters().get(id)).sum();
    }

    @Override
    public void close() {
      connections.forEach(VerifiedConnection::close);
      sides.forEach(FlowSide::close);
      pattern.close();
      fabric.close();
    }
  }

  @Test
  void allControlledDataIsCapableAndItsNotificationsKeepTheirDistance() {
    try (Run run = new Run("dcqcn", NOT_ECT_TOS)) {
      assertEquals(Map.of(), run.seen.notCapable);
      for (String kind : List.of("SEND", "WRITE", "READ response")) {
        assertTrue(run.seen.capable.getOrDefault(kind, 0L) > 100, kind + run.seen.capable);
      }
      assertTrue(run.seen.marked > 0);
      // Each of the four queue pairs is told at most once in 50 us.
      assertTrue(run.seen.leastGapNs >= 50_000, "gap " + run.seen.leastGapNs);
      assertTrue(run.seen.leastGapNs < Long.MAX_VALUE, "one was told twice");
      assertEquals(0, run.count(CounterId.RP_CNP_IGNORED));
      assertEquals(run.count(CounterId.NP_CNP_SENT), run.seen.notifications);
      try (Run blind = new Run("none", NOT_ECT_TOS)) {
        double controlled = run.fabric.port("s0>h0").meanQueueBytes();
        double free = blind.fabric.port("s0>h0").meanQueueBytes();
        assertTrue(controlled < 0.5 * free, controlled + " of " + free + " bytes queue");
      }
    }
  }

  @Test
  void adaptersAreToldAsOftenAsTheyLook() {
    try (Run run = new Run("dcqcn-nic", NOT_ECT_TOS)) {
      assertTrue(run.seen.leastGapNs >= 4_000, "gap " + run.seen.leastGapNs);
      assertTrue(run.seen.leastGapNs < 50_000, "gap " + run.seen.leastGapNs);
    }
  }

  @Test
  void withoutCapableDataNothingIsMarkedAndWithoutReactionNotificationsCountAsIgnored() {
    try (Run run = new Run("none", NOT_ECT_TOS)) {
      assertEquals(Map.of(), run.seen.capable);
      assertEquals(0, run.seen.marked);
      assertEquals(0, run.seen.notifications);
    }
    try (Run run = new Run("none", NOT_ECT_TOS | 2)) {
      assertEquals(Map.of(), run.seen.notCapable);
      assertTrue(run.seen.marked > 0);
      assertTrue(run.count(CounterId.RP_CNP_IGNORED) > 0);
      assertEquals(0, run.count(CounterId.RP_CNP_HANDLED));
    }
  }
}
