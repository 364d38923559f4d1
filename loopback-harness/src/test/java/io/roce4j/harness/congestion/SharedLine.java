// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.congestion;

import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.FabricPort;
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
import java.util.List;
import java.util.Map;

/** N hosts that write to one without end, over one switch: 100 Gbit/s, no framing, no latency. */
final class SharedLine implements AutoCloseable {
  static final long LINE = 100_000_000_000L;
  static final int MESSAGE = 16_384;
  private static final int DATA_TOS = 26 << 2;

  private final Witnesses witnesses = new Witnesses();
  private final Fabric fabric;
  private final FabricTraffic traffic;
  private final int flows;
  private final int mtu;

  private SharedLine(int flows, int mtu, long delayNs, EcnSettings marking) {
    this.flows = flows;
    this.mtu = mtu;
    FabricSettings settings = FabricSettings.defaults().withFramingBytes(0);
    SwitchSettings switches = SwitchSettings.defaults().withLatencyNs(0).withQueueBytes(32L << 20);
    switches =
        switches.withClass(
            TrafficClasses.DATA, switches.classes().get(TrafficClasses.DATA).marking(marking));
    fabric =
        new Fabric(
            Topologies.single(flows + 1, new Cable(LINE, delayNs)),
            settings.withSwitches(switches),
            1,
            LinkObserver.NONE);
    EndpointSettings engine =
        EndpointSettings.defaults()
            .withTrainPackets(1)
            .withWindowPackets(1 << 14)
            .withLinkBitsPerSecond(LINE)
            .withBaseRttNs(4 * delayNs + 4L * mtu / 25);
    traffic = new FabricTraffic(fabric, engine, MESSAGE);
  }

  static SharedLine of(int flows, long delayNs, EcnSettings marking) {
    return new SharedLine(flows, 4096, delayNs, marking);
  }

  /** With a slow cable to the host that all write to, and small packets. */
  static SharedLine slow(int flows, long delayNs, EcnSettings marking, long lastBitsPerSecond) {
    SharedLine line = new SharedLine(flows, 256, delayNs, marking);
    line.fabric.setCable("s0>h0", new Cable(lastBitsPerSecond, delayNs));
    return line;
  }

  /** Starts the flows, each some time after the one before. */
  void start(String controller, Map<String, String> set, long apartNs) {
    WitnessedController.takeAll();
    ConnectionSettings connection =
        ConnectionSettings.defaults()
            .withPathMtu(mtu)
            .withTrafficClass(DATA_TOS)
            .withCongestion(controller, set);
    for (int i = 0; i < flows; i++) {
      traffic.add(
          i + 1, 0, WritePlan.endless(MESSAGE, 1024).startingAtNs(i * apartNs).over(connection));
    }
    fabric.start();
  }

  /** The controllers of those that sent. */
  List<WitnessedController> senders() {
    return WitnessedController.takeAll().stream()
        .filter(controller -> !controller.samples().isEmpty())
        .toList();
  }

  void run(long untilNs) {
    fabric.runUntilNs(untilNs);
  }

  /** The port of the switch that all share. */
  FabricPort port() {
    return fabric.port("s0>h0");
  }

  double jain() {
    return Statistics.jain(
        traffic.flows().stream().mapToDouble(WriteFlow::bytesVerified).toArray());
  }

  @Override
  public void close() {
    traffic.close();
    fabric.close();
    witnesses.close();
  }
}
