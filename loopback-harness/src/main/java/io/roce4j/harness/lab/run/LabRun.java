// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.FabricCapture;
import io.roce4j.harness.fabric.FabricCounts;
import io.roce4j.harness.fabric.FabricPort;
import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.Scheme;
import io.roce4j.harness.lab.scenario.TrafficPlan;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One run of a scenario: a scheme on a seed, single-threaded. */
final class LabRun {
  private static final int DIAGNOSIS_LINES = 40;

  private final Scenario scenario;
  private final Scheme scheme;
  private final long seed;
  private final boolean records;
  private final BooleanSupplier cancelled;
  private final Capture pcap;

  /**
   * Prepares a run.
   *
   * @param scenario what runs
   * @param scheme one of its schemes
   * @param seed of the dice
   * @param records whether to record over time
   * @param cancelled asked now and then; true ends the run as it stands
   * @param pcap where packets are written, or null
   */
  LabRun(
      Scenario scenario,
      Scheme scheme,
      long seed,
      boolean records,
      BooleanSupplier cancelled,
      Capture pcap) {
    this.scenario = scenario;
    this.scheme = scheme;
    this.seed = seed;
    this.records = records;
    this.cancelled = cancelled;
    this.pcap = pcap;
  }

  /** Runs to the end of the flows or of the time. */
  RunResult run() {
    RunClock clock = new RunClock();
    try (MessagePattern pattern = new MessagePattern(new SeededStreams(seed), maxMessageBytes());
        Fabric fabric = fabric(pattern);
        FabricTraffic traffic = new FabricTraffic(fabric, host -> engine(), pattern)) {
      int hosts = scenario.topology().hosts();
      List<TrafficPlan.Flow> plans =
          scenario.traffic().flows(hosts, fabric.streams().stream("lab.traffic"));
      for (TrafficPlan.Flow plan : plans) {
        traffic.add(plan.from(), plan.to(), plan(plan));
      }
      scenario.faults().forEach(fault -> fault.plan().accept(fabric.faults()));
      scheme.faults().forEach(fault -> fault.plan().accept(fabric.faults()));
      FabricCapture capture = capture(fabric);
      clock.begin();
      fabric.start();
      Sampler sampler = new Sampler(fabric, traffic, scenario.samples());
      FabricTraffic.End end = advance(fabric, traffic, sampler);
      clock.end();
      List<String> diagnosis = isAsItShould(end) ? List.of() : diagnosis(end, traffic);
      close(capture);
      return result(fabric, traffic, plans, sampler, diagnosis, clock);
    }
  }

  private int maxMessageBytes() {
    return scenario.traffic().maxMessageBytes();
  }

  private Fabric fabric(MessagePattern pattern) {
    MessagePattern leftOut = scenario.payload() == Scenario.Payload.PATTERN ? pattern : null;
    return new Fabric(
        scenario.topology(),
        scheme.fabric(),
        seed,
        (timeline, slots) -> LinkObserver.NONE,
        leftOut);
  }

  EndpointSettings engine() {
    Topology topology = scenario.topology();
    int last = topology.hosts() - 1;
    long rtt = BaseRtt.between(topology, scheme.fabric(), 0, last, scheme.pathMtuBytes());
    return EndpointSettings.defaults()
        .withWindowPackets(scheme.windowPackets())
        .withTrainPackets(scheme.trainPackets())
        .withLinkBitsPerSecond(scenario.hostBitsPerSecond())
        .withBaseRttNs(Math.max(1, rtt));
  }

  WritePlan plan(TrafficPlan.Flow flow) {
    TrafficPlan.Group group = flow.group();
    ConnectionSettings connection =
        ConnectionSettings.defaults()
            .withPathMtu(scheme.pathMtuBytes())
            .withCongestion(scheme.congestion(), scheme.congestionParameters())
            .withTimeout(scheme.timeoutCode(), scheme.retryCount())
            .withTrafficClass(group.tos() >= 0 ? group.tos() : scheme.tos());
    if (scheme.transport().equals("mx")) {
      connection = connection.withProfile("mx", mx());
    }
    return WritePlan.endless(group.messageBytes(), group.depth())
        .withMessages(group.messages(), (int) Math.min(group.messages(), group.depth()))
        .startingAtNs(flow.startNs())
        .over(connection);
  }

  private MxSettings mx() {
    return MxSettings.defaults()
        .withPaths(scheme.paths())
        .withPlanes(scenario.topology().planes())
        .withTrainPackets(scheme.trainPackets());
  }

  private boolean isAsItShould(FabricTraffic.End end) {
    boolean timeIsUp = end == FabricTraffic.End.TIME_OVER && scenario.traffic().isEndless();
    return end == FabricTraffic.End.DONE || timeIsUp;
  }

  private FabricTraffic.End advance(Fabric fabric, FabricTraffic traffic, Sampler sampler) {
    long limitNs = scenario.limitNs();
    long stepNs = sampler.everyNs();
    long movedNs = 0;
    long completed = 0;
    while (!cancelled.getAsBoolean()) {
      long untilNs = Math.min(limitNs, fabric.timeline().nowNs() + stepNs);
      boolean done = fabric.run(traffic::isDone, untilNs);
      boolean atRest = !done && fabric.isAtRest();
      if (!done) {
        fabric.runUntilNs(untilNs);
      }
      sampler.sample();
      if (done) {
        return FabricTraffic.End.DONE;
      }
      long now = completed(traffic);
      if (now != completed || !hasBegun(traffic, fabric.timeline().nowNs())) {
        completed = now;
        movedNs = untilNs;
      }
      if (atRest) {
        return FabricTraffic.End.STANDSTILL;
      }
      if (untilNs == limitNs) {
        return FabricTraffic.End.TIME_OVER;
      }
      if (untilNs - movedNs >= scenario.standstillNs()) {
        return FabricTraffic.End.STANDSTILL;
      }
    }
    return FabricTraffic.End.DONE;
  }

  private static long completed(FabricTraffic traffic) {
    return traffic.flows().stream().mapToLong(WriteFlow::completed).sum();
  }

  private static boolean hasBegun(FabricTraffic traffic, long nowNs) {
    return traffic.flows().stream()
        .anyMatch(flow -> !flow.isDone() && flow.plan().startNs() <= nowNs);
  }

  /** Who waits for whom. A deadlock is told first: it is the reason for all the rest. */
  private List<String> diagnosis(FabricTraffic.End end, FabricTraffic traffic) {
    long waiting = traffic.flows().stream().filter(flow -> !flow.isDone()).count();
    String what =
        waiting
            + " of "
            + traffic.flows().size()
            + " flows have not ended"
            + (end == FabricTraffic.End.TIME_OVER
                ? " after " + scenario.limitNs() / 1_000 + " us"
                : ", and nothing moves");
    List<String> lines = new ArrayList<>(List.of(what));
    traffic.explain().stream().limit(DIAGNOSIS_LINES).forEach(lines::add);
    return lines;
  }

  private FabricCapture capture(Fabric fabric) {
    if (pcap == null) {
      return null;
    }
    return fabric.capture(pcap.ports().stream().map(fabric::port).toList(), pcap.sink());
  }

  private static void close(FabricCapture capture) {
    if (capture != null) {
      capture.close();
    }
  }

  private RunResult result(
      Fabric fabric,
      FabricTraffic traffic,
      List<TrafficPlan.Flow> plans,
      Sampler sampler,
      List<String> diagnosis,
      RunClock clock) {
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
            clock.setUpNs(),
            clock.wallNs(),
            clock.cpuNs()),
        traffic.findings().first(),
        fabric.judgeImpairments().faults(),
        diagnosis,
        overTime(sampler),
        records ? sampler.finish() : null);
  }

  /** Flows that end are told by their times, not by how they came to share. */
  private RunResult.OverTime overTime(Sampler sampler) {
    boolean endless = scenario.traffic().isEndless();
    FlowShares shares = sampler.shares();
    return new RunResult.OverTime(
        endless,
        endless ? shares.convergenceNs() : Double.NaN,
        endless ? shares.lateJain() : Double.NaN,
        sampler.queueP99Bytes());
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

  static Books books(Fabric fabric) {
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
        fabric.packetsInside(),
        drops);
  }

  static RunResult.FabricFigures figures(Fabric fabric) {
    FabricPort fullest = null;
    long pausedNs = 0;
    for (FabricPort port : fabric.ports()) {
      if (Sampler.isOfSwitch(port)) {
        pausedNs += port.pausedNs();
        if (fullest == null || port.maxQueueBytes() > fullest.maxQueueBytes()) {
          fullest = port;
        }
      }
    }
    if (fullest == null) {
      throw new IllegalStateException("a fabric has switches");
    }
    return new RunResult.FabricFigures(
        fullest.maxQueueBytes(),
        fullest.name(),
        fullest.meanQueueBytes(),
        fabric.counts().marked,
        fabric.counts().pauseFrames,
        pausedNs,
        fabric.counts().markable);
  }
}
