// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.EcnSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.fabric.topology.TrafficClass;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.mx.NegotiationBlock;

/**
 * One run of MX flows over a fabric: 4 KiB packets, trains of one packet.
 *
 * @param topology of the fabric
 * @param settings of its switches and hosts
 * @param mx of the connections
 * @param congestion name of the controller
 * @param baseRttNs round trip time without queues that the endpoints assume
 */
record FabricRun(
    Topology topology, FabricSettings settings, MxSettings mx, String congestion, long baseRttNs) {
  static final int MTU = 4096;
  static final long LINE = 100_000_000_000L;
  private static final int DATA_TOS = 26 << 2;
  private static final long QUEUE_BYTES = 2_000_000;

  /** Connections are there before their flows begin. */
  private static final long START_NS = 100_000;

  private static final long KMIN = 100_000;
  private static final long KMAX = 400_000;
  private static final double PMAX = 0.2;
  private static final long LIMIT_NS = 1_000_000_000L;

  /** Adds the flows of a run. */
  interface Flows {
    /** Adds them to the traffic. */
    void addTo(FabricTraffic traffic, ConnectionSettings connection);
  }

  /** Drives a run that was prepared. */
  interface Driver<T> {
    /** Runs it and says what it came to. */
    T drive(Fabric fabric, FabricTraffic traffic);
  }

  /** What a run came to, flow by flow. */
  static final class Result {
    /** Payload of each flow over its time, bit/s. */
    private final double[] rates;

    /** When the last flow was done, from the common start. */
    private final long lastNs;

    /** Packets dropped anywhere. */
    private final long drops;

    Result(double[] rates, long lastNs, long drops) {
      this.rates = rates;
      this.lastNs = lastNs;
      this.drops = drops;
    }

    long lastNs() {
      return lastNs;
    }

    long drops() {
      return drops;
    }

    double mean() {
      double sum = 0;
      for (double rate : rates) {
        sum += rate;
      }
      return sum / rates.length;
    }

    double least() {
      double least = Double.MAX_VALUE;
      for (double rate : rates) {
        least = Math.min(least, rate);
      }
      return least;
    }

    /** Jain's index of the rates. */
    double jain() {
      double sum = 0;
      double squares = 0;
      for (double rate : rates) {
        sum += rate;
        squares += rate * rate;
      }
      return squares == 0 ? 0 : sum * sum / (rates.length * squares);
    }
  }

  /** Switches of 2 MB a queue that mark data from 100 to 400 kB. */
  static FabricSettings marking() {
    TrafficClasses classes = TrafficClasses.roce();
    TrafficClass data = classes.get(TrafficClasses.DATA).marking(EcnSettings.red(KMIN, KMAX, PMAX));
    return FabricSettings.defaults()
        .withSwitches(
            SwitchSettings.defaults()
                .withQueueBytes(QUEUE_BYTES)
                .withClasses(classes.with(TrafficClasses.DATA, data)));
  }

  /** Settings for hosts in virtual time. */
  static MxSettings virtualTime(int paths) {
    return MxSettings.defaults()
        .withPaths(paths)
        .withTrainPackets(1)
        .withMaxAckDelayUs(5)
        .withAckDelayFloorNs(5_000)
        .withCapabilities(MxSettings.ALL_CAPABILITIES & ~NegotiationBlock.CAP_HOST_PENALTY);
  }

  /** Runs one seed to the end of its flows. */
  Result run(long seed, int maxMessageBytes, Flows flows) {
    return drive(
        seed,
        maxMessageBytes,
        flows,
        (fabric, traffic) -> {
          fabric.start();
          boolean done = fabric.run(traffic::isDone, LIMIT_NS);
          check(seed, traffic, done);
          return result(fabric, traffic);
        });
  }

  /** Prepares a run and leaves it to a driver. */
  <T> T drive(long seed, int maxMessageBytes, Flows flows, Driver<T> driver) {
    EndpointSettings engine =
        EndpointSettings.defaults()
            .withLinkBitsPerSecond(LINE)
            .withBaseRttNs(baseRttNs)
            .withTrainPackets(1)
            .withWindowPackets(1 << 20);
    ConnectionSettings connection =
        ConnectionSettings.defaults()
            .withCongestion(congestion)
            .withTimeout(14, 7)
            .withTrafficClass(DATA_TOS)
            .withProfile("mx", mx);
    try (Fabric fabric = new Fabric(topology, settings, seed, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, engine, maxMessageBytes)) {
      flows.addTo(traffic, connection);
      return driver.drive(fabric, traffic);
    }
  }

  void check(long seed, FabricTraffic traffic, boolean done) {
    if (traffic.findings().count() > 0) {
      throw new IllegalStateException(
          topology.name() + " seed " + seed + ": " + traffic.findings().first());
    }
    for (WriteFlow flow : traffic.flows()) {
      if (flow.failure() != WorkCompletionStatus.SUCCESS || !done) {
        throw new IllegalStateException(
            topology.name()
                + " seed "
                + seed
                + ": "
                + flow.name()
                + (done ? " failed: " : " is not done: ")
                + WorkCompletionStatus.name(flow.failure()));
      }
    }
  }

  private static Result result(Fabric fabric, FabricTraffic traffic) {
    int count = traffic.flows().size();
    double[] rates = new double[count];
    long last = 0;
    for (int i = 0; i < count; i++) {
      WriteFlow flow = traffic.flows().get(i);
      rates[i] = flow.goodputBitsPerSecond();
      last = Math.max(last, flow.completionTimeNs());
    }
    return new Result(rates, last, fabric.counts().droppedPackets());
  }

  /** A plan over a connection, whose stream is open when it begins. */
  static WritePlan plan(int bytes, long messages, int depth, ConnectionSettings connection) {
    return WritePlan.once(bytes)
        .withMessages(messages, depth)
        .startingAtNs(START_NS)
        .over(connection);
  }
}
