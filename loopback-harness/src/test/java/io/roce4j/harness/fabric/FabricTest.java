// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.engine.EndpointSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FabricTest {
  private static final Cable HUNDRED_GBIT = Cable.gbit(100, 100);
  private static final long MS = 1_000_000;

  private static Fabric fabric(Topology topology, FabricSettings settings) {
    return new Fabric(topology, settings, 7, LinkObserver.NONE);
  }

  private static void runAndCheck(Fabric fabric, FabricTraffic traffic, long limitNs) {
    fabric.start();
    assertTrue(fabric.run(traffic::isDone, limitNs), "flows are done");
    assertEquals("", String.join("\n", traffic.findings().first()));
    fabric.runUntilNs(fabric.clock().nanoTime() + MS);
    assertEquals(0, fabric.counts().inFlight());
    assertEquals(0, fabric.slots().live());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void writesCrossALeafSpineAndEveryByteArrives(boolean ipv6) {
    Topology topology = Topologies.leafSpine(2, 4, 4, HUNDRED_GBIT, HUNDRED_GBIT);
    // Flows that meet on one spine need room for their windows.
    SwitchSettings deep = SwitchSettings.defaults().withQueueBytes(8 << 20);
    FabricSettings settings = FabricSettings.defaults().withSwitches(deep).withIpv6(ipv6);
    try (Fabric fabric = fabric(topology, settings);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 1 << 20)) {
      for (int host = 0; host < 8; host++) {
        traffic.add(host, (host + 3) % 8, WritePlan.once(1 << 20));
      }
      runAndCheck(fabric, traffic, 100 * MS);
      for (WriteFlow flow : traffic.flows()) {
        assertEquals(1L << 20, flow.bytesVerified(), flow.name());
      }
      long up = 0;
      for (int spine = 0; spine < 4; spine++) {
        up += fabric.port("leaf0>spine" + spine).sentPackets();
      }
      assertTrue(up >= 3 * 256, "three of four messages leave the leaf");
      assertEquals(0, fabric.counts().droppedPackets());
    }
  }

  @Test
  void anUnloadedMessageTakesPropagationAndSerialisationOfEachHop() {
    Topology topology = Topologies.single(2, Cable.gbit(100, 200));
    FabricSettings settings =
        FabricSettings.defaults().withSwitches(SwitchSettings.defaults().withLatencyNs(0));
    try (Fabric fabric = fabric(topology, settings);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 4096)) {
      WriteFlow flow = traffic.add(0, 1, WritePlan.once(4096));
      runAndCheck(fabric, traffic, MS);
      // Data: payload, BTH, RETH, ICRC, UDP, IP and framing; acknowledgement: BTH, AETH, ICRC.
      long dataPs = (4096 + 12 + 16 + 4 + 28 + 38) * 80L;
      long ackPs = (12 + 4 + 4 + 28 + 38) * 80L;
      long expectedNs = (2 * dataPs + 2 * ackPs) / 1_000 + 4 * 1_000;
      assertTrue(
          Math.abs(expectedNs - flow.completionTimeNs()) <= 2, flow.completionTimeNs() + " ns");
    }
  }

  @Test
  void anUnknownHostPortOrTopologyIsNamedWithWhatIsAllowed() {
    Topology topology = Topologies.single(2, HUNDRED_GBIT);
    try (Fabric fabric = fabric(topology, FabricSettings.defaults())) {
      assertMessage("host 2: allowed 0 to 1", () -> fabric.host(2));
      assertMessage("port s0>h9 is not in the fabric", () -> fabric.port("s0>h9"));
    }
    assertMessage("hosts 0: allowed 1 to", () -> Topologies.single(0, HUNDRED_GBIT));
    assertMessage("k 5: must be even", () -> Topologies.fatTree(5, HUNDRED_GBIT));
    assertMessage("bitsPerSecond -1: allowed 1", () -> new Cable(-1, 0));
    assertMessage(
        "host h1 has 0 cables in plane 0: needs 1",
        () ->
            Topology.builder("t", 2, 1).addSwitch("s", 0).connect("h0", "s", HUNDRED_GBIT).build());
    assertMessage(
        "node leaf9 is not in topology",
        () ->
            fabric(
                    topology,
                    FabricSettings.defaults().withSwitch("leaf9", SwitchSettings.defaults()))
                .close());
  }

  private static void assertMessage(String start, Runnable call) {
    String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
    assertTrue(message.startsWith(start), message);
  }
}
