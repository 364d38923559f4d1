// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.lab.run.BaseRtt;
import io.roce4j.harness.lab.run.Books;
import io.roce4j.harness.lab.run.RunParts;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.Scheme;
import io.roce4j.harness.lab.scenario.TrafficPlan;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.ContextSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.SystemNanoClock;

/**
 * One run of a scenario in real time. Endpoints, emulator and flows take turns on one thread: on a
 * machine with few cores a second one would only take turns with the first.
 */
final class RealTimeRun implements AutoCloseable {
  private static final int NIC_PACKETS = 4_096;
  private static final int LEAST_SOURCE_PORTS = 16;
  private static final int IDLE_TURNS = 100;
  private static final long NAP_NS = 20_000;
  private static final long LEAST_STANDSTILL_NS = 2_000_000_000;

  private final Scenario scenario;
  private final Scheme scheme;
  private final long seed;
  private final RealTimeSettings settings;
  private final BooleanSupplier cancelled;
  private final WallClock clock;
  private final Lateness lateness;
  private final Fabric fabric;
  private final Map<Integer, LiveHost> hosts = new TreeMap<>();
  private final Map<Integer, FlowSide> sides = new TreeMap<>();
  private final List<WriteFlow> flows = new ArrayList<>();
  private final List<LiveHost> running = new ArrayList<>();
  private final Findings findings = new Findings();
  private MessagePattern pattern;
  private FabricGateway gateway;
  private int idleTurns;

  /**
   * Prepares a run.
   *
   * @param scenario what runs
   * @param scheme one of its schemes
   * @param seed of the dice
   * @param settings of real time
   * @param cancelled asked at each turn; true ends the run as it stands
   */
  RealTimeRun(
      Scenario scenario,
      Scheme scheme,
      long seed,
      RealTimeSettings settings,
      BooleanSupplier cancelled) {
    this.scenario = scenario;
    this.scheme = scheme;
    this.seed = seed;
    this.settings = settings;
    this.cancelled = cancelled;
    this.clock = new WallClock(SystemNanoClock.INSTANCE, settings.slower());
    int last = scenario.topology().hosts() - 1;
    long rttNs =
        BaseRtt.between(scenario.topology(), scheme.fabric(), 0, last, scheme.pathMtuBytes());
    this.lateness = new Lateness(settings.lateAfterNs(rttNs), settings.lateShare());
    FabricSettings base = scheme.fabric();
    // A socket cannot hold its sender back: the NIC takes what it can instead.
    this.fabric =
        new Fabric(
            scenario.topology(),
            base.withHosts(base.hosts().withNicQueuePackets(NIC_PACKETS)),
            seed,
            LinkObserver.NONE);
  }

  /** Runs to the end of the flows or of the time. */
  RealTimeResult run() {
    List<TrafficPlan.Flow> plans =
        scenario
            .traffic()
            .flows(scenario.topology().hosts(), fabric.streams().stream("lab.traffic"));
    pattern = new MessagePattern(fabric.streams(), scenario.traffic().maxMessageBytes());
    EndpointSettings engine = RunParts.engine(scenario, scheme);
    plans.forEach(plan -> open(plan.from(), engine));
    plans.forEach(plan -> open(plan.to(), engine));
    running.addAll(hosts.values());
    gateway = new FabricGateway(fabric, running, settings, clock, lateness, scheme.tos());
    LatencyRecorder latencies = new LatencyRecorder();
    for (TrafficPlan.Flow plan : plans) {
      flows.add(
          new WriteFlow(
              "f" + flows.size() + ".h" + plan.from() + ">h" + plan.to(),
              RunParts.plan(scenario, scheme, plan),
              fabric.streams(),
              pattern,
              sides.get(plan.from()),
              sides.get(plan.to()),
              clock,
              latencies,
              findings));
    }
    scenario.faults().forEach(fault -> fault.plan().accept(fabric.faults()));
    scheme.faults().forEach(fault -> fault.plan().accept(fabric.faults()));
    clock.start();
    boolean ended = turnUntilDone();
    return result(ended);
  }

  private void open(int number, EndpointSettings engine) {
    if (!hosts.containsKey(number)) {
      ContextSettings context =
          new ContextSettings().seed(fabric.streams().derive("endpoint.h" + number));
      int ports = Math.max(LEAST_SOURCE_PORTS, scheme.paths());
      LiveHost host = LiveHost.open(number, settings, ports, context, engine, clock);
      hosts.put(number, host);
      sides.put(
          number,
          new FlowSide(
              "h" + number,
              host.agent().context(),
              host.addressBehind(settings.udpPort() + 1),
              pattern));
    }
  }

  /** Turns until all flows are done, the time is over, or nothing gets any further. */
  private boolean turnUntilDone() {
    long standstillNs = Math.max(scenario.standstillNs(), LEAST_STANDSTILL_NS / settings.slower());
    long completed = 0;
    long movedNs = 0;
    while (!isDone() && !cancelled.getAsBoolean()) {
      long nowNs = turn();
      long now = completed();
      if (now != completed || !hasBegun(nowNs)) {
        completed = now;
        movedNs = nowNs;
      }
      boolean isOver = nowNs >= scenario.limitNs();
      if (isOver || nowNs - movedNs >= standstillNs) {
        return isOver && scenario.traffic().isEndless();
      }
    }
    return true;
  }

  /** Everyone has a turn. Returns the time of the run. */
  private long turn() {
    long turnNs = clock.realNs();
    lateness.turn(turnNs);
    int work = 0;
    for (int i = 0; i < running.size(); i++) {
      work += running.get(i).agent().doWork();
    }
    for (int i = 0; i < flows.size(); i++) {
      work += flows.get(i).turn();
    }
    long nowNs = clock.nanoTime();
    long eventsBefore = fabric.timeline().eventCount();
    fabric.runUntilNs(nowNs);
    work += gateway.flush();
    work += gateway.receive(turnNs);
    idleTurns = work > 0 || fabric.timeline().eventCount() != eventsBefore ? 0 : idleTurns + 1;
    if (idleTurns > 0) {
      rest();
    }
    return nowNs;
  }

  /** Lets others have the processor, but not while packets are on their way. */
  private void rest() {
    if (idleTurns > IDLE_TURNS && fabric.packetsInside() == 0) {
      LockSupport.parkNanos(NAP_NS);
    } else {
      Thread.onSpinWait();
    }
  }

  private boolean isDone() {
    for (int i = 0; i < flows.size(); i++) {
      if (!flows.get(i).isDone()) {
        return false;
      }
    }
    return true;
  }

  private long completed() {
    long sum = 0;
    for (int i = 0; i < flows.size(); i++) {
      sum += flows.get(i).completed();
    }
    return sum;
  }

  private boolean hasBegun(long nowNs) {
    for (int i = 0; i < flows.size(); i++) {
      if (!flows.get(i).isDone() && flows.get(i).plan().startNs() <= nowNs) {
        return true;
      }
    }
    return false;
  }

  private long count(CounterId id) {
    return hosts.values().stream().mapToLong(host -> host.agent().counters().get(id)).sum();
  }

  private RealTimeResult result(boolean ended) {
    boolean endless = scenario.traffic().isEndless();
    int done =
        (int)
            flows.stream()
                .filter(flow -> flow.failure() == 0 && (endless || flow.isDone()))
                .count();
    Books books = RunParts.books(fabric);
    List<String> notes = new ArrayList<>();
    if (cancelled.getAsBoolean()) {
      notes.add("ended by the user");
    }
    if (!gateway.showsMarks()) {
      notes.add("this kind of port shows no marks: endpoints do not see those of the switches");
    }
    if (gateway.refusedAtNic() > 0) {
      notes.add(gateway.refusedAtNic() + " packets found no room in a NIC");
    }
    if (gateway.strangers() > 0) {
      notes.add(gateway.strangers() + " packets came from no endpoint of this run");
    }
    return new RealTimeResult(
        scheme,
        seed,
        running.get(0).agent().port().capabilities().name(),
        flows.size(),
        done,
        flows.stream().mapToLong(WriteFlow::bytesVerified).sum(),
        clock.nanoTime(),
        books,
        RunParts.figures(fabric),
        count(CounterId.RDMA_TX_PACKETS),
        count(CounterId.RETRANSMITTED_PACKETS),
        count(CounterId.LOCAL_ACK_TIMEOUT_ERR),
        count(CounterId.NP_ECN_MARKED_ROCE_PACKETS),
        count(CounterId.RX_ICRC_ENCAPSULATED),
        gateway.refusedAtNic(),
        gateway.strangers(),
        lateness,
        faults(ended, done, books),
        invalid(),
        notes);
  }

  private List<String> faults(boolean ended, int done, Books books) {
    List<String> faults = new ArrayList<>(findings.first());
    if (!books.isBalanced()) {
      faults.add("the books do not balance: " + books);
    }
    boolean stopped = cancelled.getAsBoolean();
    if (!stopped && !scheme.mayStall() && (!ended || done < flows.size())) {
      faults.add(flows.size() - done + " of " + flows.size() + " flows have not ended");
      fabric.diagnose().lines().forEach(faults::add);
    }
    return faults;
  }

  private List<String> invalid() {
    List<String> invalid = new ArrayList<>();
    lateness.fault().ifPresent(invalid::add);
    long lost = gateway.lostBySockets();
    if (lost > 0) {
      invalid.add(
          lost
              + " packets were lost by sockets of this machine, not by the scenario: run it"
              + " --slower");
    }
    if (!cancelled.getAsBoolean()) {
      invalid.addAll(fabric.judgeImpairments().faults());
    }
    return invalid;
  }

  @Override
  public void close() {
    flows.forEach(WriteFlow::close);
    sides.values().forEach(FlowSide::close);
    if (gateway != null) {
      gateway.close();
    }
    hosts.values().forEach(LiveHost::close);
    if (pattern != null) {
      pattern.close();
    }
    fabric.close();
  }
}
