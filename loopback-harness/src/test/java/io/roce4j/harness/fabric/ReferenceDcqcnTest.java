// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.EcnSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.lab.run.Statistics;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.engine.EndpointSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Two flows of NIC-style DCQCN into one port against a public simulator: 100 Gbit/s and 1 us on
 * each cable, marks at dequeue from 400 to 1600 kB with 0.2, both from time 0 at line rate. What is
 * compared are figures over time, not traces: marking is random.
 */
class ReferenceDcqcnTest {
  private static final long LINE = 100_000_000_000L;
  private static final int MESSAGE = 65_536;
  private static final long STEP_NS = 5_000;
  private static final long END_NS = 24_000_000;
  private static final double MS = 1e6;

  /** A column of the simulator's five seeds, its mean. */
  private static double reference(String column) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                ReferenceDcqcnTest.class.getResourceAsStream("scenario2_two_dcqcn_flows.csv"),
                StandardCharsets.UTF_8))) {
      List<String[]> rows = lines.lines().map(line -> line.split(",", -1)).toList();
      int index = List.of(rows.get(0)).indexOf(column);
      return rows.stream()
          .skip(1)
          .mapToDouble(row -> Double.parseDouble(row[index]))
          .average()
          .orElseThrow();
    }
  }

  private static FabricSettings settings() {
    SwitchSettings switches = SwitchSettings.defaults().withLatencyNs(0).withQueueBytes(32L << 20);
    EcnSettings marks = EcnSettings.red(400_000, 1_600_000, 0.2).markingAtDequeue();
    return FabricSettings.defaults()
        .withFramingBytes(0)
        .withSwitches(
            switches.withClass(
                TrafficClasses.DATA, switches.classes().get(TrafficClasses.DATA).marking(marks)));
  }

  private static WritePlan plan() {
    return WritePlan.endless(MESSAGE, 1024)
        .over(
            ConnectionSettings.defaults()
                .withPathMtu(1024)
                .withTrafficClass(26 << 2)
                .withCongestion("dcqcn-nic", Map.of("preset", "hpcc")));
  }

  /** Acceptance: aggregate 3%, mean queue 30%, p99 20%, shares 10%, fair within 6 ms. */
  @Test
  void twoFlowsShareAndQueueAsInTheSimulator() throws IOException {
    EndpointSettings engine =
        EndpointSettings.defaults()
            .withTrainPackets(1)
            .withAckRequestPackets(1)
            .withWindowPackets(1 << 16)
            .withLinkBitsPerSecond(LINE)
            .withBaseRttNs(4_200);
    Cable cable = new Cable(LINE, 1_000);
    try (Fabric fabric = new Fabric(Topologies.single(3, cable), settings(), 1, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, engine, MESSAGE)) {
      traffic.add(1, 0, plan());
      traffic.add(2, 0, plan());
      fabric.start();
      double[] queue = new double[(int) (END_NS / STEP_NS / 2)];
      double fairNs = Double.NaN;
      long[] before = new long[2];
      for (int i = 1; i * STEP_NS <= END_NS; i++) {
        fabric.runUntilNs(i * STEP_NS);
        if (i > queue.length) {
          queue[i - queue.length - 1] = fabric.port("s0>h0").queueBytes();
        }
        if (i * STEP_NS % MS == 0) {
          long[] now = traffic.flows().stream().mapToLong(WriteFlow::bytesVerified).toArray();
          double share = (now[0] - before[0]) / (double) (now[0] + now[1] - before[0] - before[1]);
          fairNs = Double.isNaN(fairNs) && Math.abs(share - 0.5) < 0.05 ? i * STEP_NS : fairNs;
          before = now;
        }
      }
      judge(traffic, queue, fairNs);
      assertEquals(0, fabric.counts().droppedPackets());
      assertTrue(fabric.counts().marked > 0);
    }
  }

  private static void judge(FabricTraffic traffic, double[] queue, double fairNs)
      throws IOException {
    long[] bytes = traffic.flows().stream().mapToLong(WriteFlow::bytesVerified).toArray();
    double goodput = (bytes[0] + bytes[1]) * 8.0 / END_NS;
    assertWithin(reference("agg_goodput_gbps"), goodput, 0.03, "aggregate, Gbit/s");
    assertWithin(reference("q_mean_2h_B"), Statistics.mean(queue), 0.30, "mean queue");
    assertWithin(reference("q_p99_2h_B"), Statistics.percentile(queue, 99), 0.20, "p99 of queue");
    for (long each : bytes) {
      assertWithin(0.5, each / (double) (bytes[0] + bytes[1]), 0.10, Arrays.toString(bytes));
    }
    assertTrue(fairNs <= 6 * MS, "fair over a millisecond after " + fairNs + " ns");
  }

  private static void assertWithin(double expected, double actual, double part, String what) {
    assertEquals(expected, actual, part * expected, what);
  }
}
