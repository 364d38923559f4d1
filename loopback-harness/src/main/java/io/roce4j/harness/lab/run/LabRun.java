// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.FabricCounts;
import io.roce4j.harness.fabric.FabricPort;
import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.Scheme;
import io.roce4j.harness.lab.scenario.TrafficPlan;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One run of a scenario: a scheme on a seed, single-threaded. */
final class LabRun {
  private static final long ASK_EVERY_NS = 1_000_000;

  private final Scenario scenario;
  private final Scheme scheme;
  private final long seed;
  private final boolean records;
  private final BooleanSupplier cancelled;

  /**
   * Prepares a run.
   *
   * @param scenario what runs
   * @param scheme one of its schemes
   * @param seed of the dice
   * @param records whether to record over time
   * @param cancelled asked now and then; true ends the run as it stands
   */
  LabRun(Scenario scenario, Scheme scheme, long seed, boolean records, BooleanSupplier cancelled) {
    this.scenario = scenario;
    this.scheme = scheme;
    this.seed = seed;
    this.records = records;
    this.cancelled = cancelled;
  }

  /** Runs to the end of the flows or of the time. */
  RunResult run() {
    long began = System.nanoTime();
    Topology topology = scenario.topology();
    try (Fabric fabric = new Fabric(topology, scheme.fabric(), seed, LinkObserver.NONE);
        FabricTraffic traffic =
            new FabricTraffic(fabric, engine(), scenario.traffic().maxMessageBytes())) {
      List<TrafficPlan.Flow> plans =
          scenario.traffic().flows(topology.hosts(), fabric.streams().stream("lab.traffic"));
      for (TrafficPlan.Flow plan : plans) {
        traffic.add(plan.from(), plan.to(), plan(plan));
      }
      fabric.start();
      Sampler sampler = records ? new Sampler(fabric, traffic, scenario.samples()) : null;
      boolean ended = advance(fabric, traffic, sampler);
      String diagnosis = ended ? null : standstill(traffic);
      return result(fabric, traffic, plans, sampler, diagnosis, System.nanoTime() - began);
    }
  }

  private EndpointSettings engine() {
    Topology topology = scenario.topology();
    int last = topology.hosts() - 1;
    long rtt = BaseRtt.between(topology, scheme.fabric(), 0, last, scheme.pathMtuBytes());
    return EndpointSettings.defaults()
        .withWindowPackets(scheme.windowPackets())
        .withTrainPackets(scheme.trainPackets())
        .withLinkBitsPerSecond(scenario.hostBitsPerSecond())
        .withBaseRttNs(Math.max(1, rtt));
  }

  private WritePlan plan(TrafficPlan.Flow flow) {
    TrafficPlan.Group group = flow.group();
    ConnectionSettings connection =
        ConnectionSettings.defaults()
            .withPathMtu(scheme.pathMtuBytes())
            .withCongestion(scheme.congestion())
            .withTimeout(scheme.timeoutCode(), scheme.retryCount())
            .withTrafficClass(group.tos() >= 0 ? group.tos() : scheme.tos());
    return WritePlan.endless(group.messageBytes(), group.depth())
        .withMessages(group.messages(), group.depth())
        .startingAtNs(flow.startNs())
        .over(connection);
  }

  /** Returns whether the run came to its end; false when flows stand still at the limit. */
  private boolean advance(Fabric fabric, FabricTraffic traffic, Sampler sampler) {
    long limitNs = scenario.limitNs();
    long stepNs = sampler == null ? ASK_EVERY_NS : sampler.everyNs();
    while (!cancelled.getAsBoolean()) {
      long until = Math.min(limitNs, fabric.timeline().nowNs() + stepNs);
      boolean done = fabric.run(traffic::isDone, until);
      if (!done) {
        fabric.runUntilNs(until);
      }
      if (sampler != null) {
        sampler.sample();
      }
      if (done) {
        return true;
      }
      if (until == limitNs) {
        return scenario.traffic().isEndless();
      }
    }
    return true;
  }

  private String standstill(FabricTraffic traffic) {
    long waiting = traffic.flows().stream().filter(flow -> !flow.isDone()).count();
    return waiting
        + " of "
        + traffic.flows().size()
        + " flows have not ended after "
        + scenario.limitNs() / 1_000
        + " us";
  }

  private RunResult result(
      Fabric fabric,
      FabricTraffic traffic,
      List<TrafficPlan.Flow> plans,
      Sampler sampler,
      String diagnosis,
      long wallNs) {
    return new RunResult(
        scheme,
        seed,
        flows(traffic, plans, fabric.timeline().nowNs()),
        books(fabric),
        figures(fabric),
        new RunResult.Effort(
            traffic.count(CounterId.RDMA_TX_PACKETS),
            traffic.count(CounterId.RETRANSMITTED_PACKETS),
            traffic.count(CounterId.LOCAL_ACK_TIMEOUT_ERR),
            fabric.timeline().nowNs(),
            fabric.timeline().eventCount(),
            fabric.counts().hops,
            Math.max(1, wallNs)),
        traffic.findings().first(),
        diagnosis,
        sampler == null ? null : sampler.finish());
  }

  private List<FlowResult> flows(FabricTraffic traffic, List<TrafficPlan.Flow> plans, long nowNs) {
    double line = scenario.hostBitsPerSecond();
    List<FlowResult> results = new ArrayList<>();
    for (int i = 0; i < plans.size(); i++) {
      WriteFlow flow = traffic.flows().get(i);
      TrafficPlan.Flow plan = plans.get(i);
      boolean endless = plan.group().messages() == TrafficPlan.FOREVER;
      // A flow without end is measured over the whole time it had.
      long ns = endless ? nowNs - plan.startNs() : flow.completionTimeNs();
      double goodput = ns <= 0 ? 0 : flow.bytesVerified() * 8e9 / ns / line;
      results.add(
          new FlowResult(
              flow.name(),
              plan.group().name(),
              plan.from(),
              plan.to(),
              flow.bytesVerified(),
              flow.completionTimeNs(),
              goodput,
              flow.failure() == 0 && (endless || flow.completed() == plan.group().messages()),
              flow.failure()));
    }
    return results;
  }

  private static Books books(Fabric fabric) {
    FabricCounts counts = fabric.counts();
    Map<String, Long> drops = new LinkedHashMap<>();
    for (int reason = 0; reason < counts.dropped.length; reason++) {
      if (counts.dropped[reason] > 0) {
        drops.put(LinkObserver.reasonName(reason), counts.dropped[reason]);
      }
    }
    return new Books(
        counts.injected,
        counts.duplicated,
        counts.delivered,
        counts.droppedPackets(),
        counts.inFlight(),
        drops);
  }

  private static RunResult.FabricFigures figures(Fabric fabric) {
    FabricPort fullest = null;
    long packets = 0;
    for (FabricPort port : fabric.ports()) {
      if (Sampler.isOfSwitch(port)) {
        packets += port.sentPackets();
        if (fullest == null || port.maxQueueBytes() > fullest.maxQueueBytes()) {
          fullest = port;
        }
      }
    }
    if (fullest == null) {
      throw new IllegalStateException("a fabric has switches");
    }
    return new RunResult.FabricFigures(
        fullest.maxQueueBytes(), fullest.name(), fullest.meanQueueBytes(), 0, 0, 0, packets);
  }
}
