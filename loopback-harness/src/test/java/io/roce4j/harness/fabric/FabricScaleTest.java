// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.wire.memory.NativeMemory;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many hosts: what they cost. Rates are for the benchmarks; here are counts that must not grow. */
class FabricScaleTest {
  private static final Cable CABLE = Cable.gbit(100, 100);
  private static final long MS = 1_000_000;
  private static final ConnectionSettings PATIENT =
      ConnectionSettings.defaults().withTimeout(18, 7);

  private static FabricSettings settings() {
    return FabricSettings.defaults()
        .withSwitches(SwitchSettings.defaults().withQueueBytes(64 << 20))
        .withHosts(
            HostSettings.defaults()
                .withPort(SimPortSettings.defaults().staging(16).receiving(1_024)));
  }

  @Test
  void aThousandHostsFinishAPermutationAndEveryByteIsRight() {
    int hosts = 1_024;
    int bytes = 32_768;
    Topology topology = Topologies.leafSpine(32, 32, 32, CABLE, CABLE);
    long before = NativeMemory.liveBytes();
    try (MessagePattern pattern = new MessagePattern(new SeededStreams(7), bytes);
        Fabric fabric =
            new Fabric(topology, settings(), 7, (timeline, slots) -> LinkObserver.NONE, pattern);
        FabricTraffic traffic =
            new FabricTraffic(fabric, host -> EndpointSettings.defaults(), pattern)) {
      for (int host = 0; host < hosts; host++) {
        int to = (host + 32 * (1 + host % 31)) % hosts;
        traffic.add(host, to, WritePlan.once(bytes).over(PATIENT));
      }
      fabric.start();
      assertTrue(fabric.run(traffic::isDone, 100 * MS));
      assertEquals(List.of(), traffic.findings().first());
      assertTrue(traffic.flows().stream().allMatch(flow -> flow.bytesVerified() == bytes));
      // Four cables for each of eight packets, and for acknowledgements.
      assertTrue(fabric.counts().hops >= hosts * 8L * 4);
      assertEquals(0, fabric.counts().droppedPackets());
      long native1 = NativeMemory.liveBytes() - before;
      assertTrue(native1 < 1L << 30, native1 / 1_000_000 + " MB of packet memory");
    }
    assertEquals(before, NativeMemory.liveBytes());
  }

  @Test
  void nothingIsAllocatedForEachPacket() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Topology topology = Topologies.leafSpine(4, 4, 4, CABLE, CABLE);
    try (Fabric fabric = new Fabric(topology, settings(), 7, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 1 << 16)) {
      for (int host = 0; host < 16; host++) {
        traffic.add(host, (host + 5) % 16, WritePlan.endless(1 << 16, 4).over(PATIENT));
      }
      fabric.start();
      fabric.runUntilNs(MS);
      long least = Long.MAX_VALUE;
      for (int i = 2; i < 5; i++) {
        long hops = fabric.counts().hops;
        long before = threads.getCurrentThreadAllocatedBytes();
        fabric.runUntilNs(i * MS);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        hops = fabric.counts().hops - hops;
        assertTrue(hops > 50_000, hops + " hops");
        least = Math.min(least, allocated * 1_000 / hops);
      }
      assertTrue(least < 200, least / 1_000.0 + " bytes allocated per packet and cable");
      traffic.flows().forEach(WriteFlow::stop);
      assertTrue(fabric.run(traffic::isDone, 100 * MS));
    }
  }
}
