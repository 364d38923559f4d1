// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.simulate;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.Journal;
import io.roce4j.harness.check.LivenessChecker;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.EndpointJournal;
import io.roce4j.harness.sim.LinkSettings;
import io.roce4j.harness.sim.SimApplication;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.sim.Simulation;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.OperationMix;
import io.roce4j.harness.workload.VerifiedConnection;
import io.roce4j.harness.workload.VerifiedFlow;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * One run of the whole stack in virtual time: two endpoints, some connections with verified traffic
 * both ways; beside them two endpoints that mix all operations; the faults of a plan, then perfect
 * links. First safety: every byte, order, exactly one completion a work request, memory. Then
 * liveness: once healed, the work must be done.
 */
public final class SimulatedRun {
  private static final long LEAST_STANDSTILL_BOUND_NS = 50_000_000;
  private static final long TIME_LIMIT_NS = 30_000_000_000L;
  private static final int MAX_DATAGRAM_BYTES = 4_224;

  private final SeededStreams streams;
  private final RunPlan plan;
  private final Journal journal;
  private final Findings findings = new Findings();
  private final List<VerifiedConnection> connections = new ArrayList<>();
  private final List<VerifiedFlow> flows = new ArrayList<>();
  private OperationMix mix;

  /**
   * What a run came to.
   *
   * @param seed of the run
   * @param findings what was wrong, nothing when all is well
   * @param digest SHA-256 of the journal
   * @param journalLines lines of the journal
   * @param tail the journal's last lines
   * @param virtualNs virtual time at the end
   * @param events events of the timeline
   * @param bytesVerified message bytes compared
   * @param network what the links did to packets
   * @param recovery how often the endpoints had to recover
   */
  public record Outcome(
      long seed,
      Findings findings,
      String digest,
      long journalLines,
      String tail,
      long virtualNs,
      long events,
      long bytesVerified,
      ImpairmentCounts network,
      Recovery recovery) {}

  /**
   * How often the endpoints had to recover, all together.
   *
   * @param retransmissions request packets sent again
   * @param timeouts ACK timers that fired
   * @param sequenceNaks sequence NAKs received
   * @param rnrNaks RNR NAKs received
   * @param impliedNaks lost READ responses noticed
   * @param duplicateRequests requests received again
   * @param icrcErrors packets refused for their ICRC
   */
  public record Recovery(
      long retransmissions,
      long timeouts,
      long sequenceNaks,
      long rnrNaks,
      long impliedNaks,
      long duplicateRequests,
      long icrcErrors) {

    static Recovery of(SimEndpoint... endpoints) {
      return new Recovery(
          sum(endpoints, CounterId.RETRANSMITTED_PACKETS),
          sum(endpoints, CounterId.LOCAL_ACK_TIMEOUT_ERR),
          sum(endpoints, CounterId.PACKET_SEQ_ERR),
          sum(endpoints, CounterId.RNR_NAK_RETRY_ERR),
          sum(endpoints, CounterId.IMPLIED_NAK_SEQ_ERR),
          sum(endpoints, CounterId.DUPLICATE_REQUEST),
          sum(endpoints, CounterId.RX_ICRC_ENCAPSULATED));
    }

    private static long sum(SimEndpoint[] endpoints, CounterId id) {
      long sum = 0;
      for (SimEndpoint endpoint : endpoints) {
        sum += endpoint.agent().counters().get(id);
      }
      return sum;
    }
  }

  private SimulatedRun(long seed, RunPlan plan, OutputStream journalSink) {
    this.streams = new SeededStreams(seed);
    this.plan = plan;
    this.journal = new Journal(journalSink);
  }

  /**
   * Runs the plan that a seed draws.
   *
   * @param seed decides everything
   * @param journalSink gets the journal's bytes
   * @return the outcome
   */
  public static Outcome of(long seed, OutputStream journalSink) {
    return of(seed, RunPlan.draw(new SeededStreams(seed)), journalSink);
  }

  /**
   * Runs a plan.
   *
   * @param seed draws contents, sizes and the dice of the links
   * @param plan everything else
   * @param journalSink gets the journal's bytes
   * @return the outcome
   */
  public static Outcome of(long seed, RunPlan plan, OutputStream journalSink) {
    return new SimulatedRun(seed, plan, journalSink).run();
  }

  private Outcome run() {
    long liveBefore = NativeMemory.liveBytes();
    LinkSettings link = plan.faults().forth();
    Simulation simulation =
        new Simulation(streams, MAX_DATAGRAM_BYTES, link, EndpointJournal.links(journal));
    Outcome outcome;
    try (simulation;
        MessagePattern pattern = new MessagePattern(streams, plan.load().sizes().largest())) {
      SimEndpoint a = endpoint(simulation, "a", plan.ipv6() ? "fd00::1" : "10.0.0.1");
      SimEndpoint b = endpoint(simulation, "b", plan.ipv6() ? "fd00::2" : "10.0.0.2");
      applyFaults(simulation, a, b, streams);
      // The mix has links of its own, so that its packets do not change the fate of the flows'.
      SimEndpoint c = endpoint(simulation, "c", plan.ipv6() ? "fd00::3" : "10.0.0.3");
      SimEndpoint d = endpoint(simulation, "d", plan.ipv6() ? "fd00::4" : "10.0.0.4");
      applyFaults(simulation, c, d, streams.child("mix"));
      try (FlowSide sideA = new FlowSide("a", a.context(), a.address(), pattern);
          FlowSide sideB = new FlowSide("b", b.context(), b.address(), pattern);
          FlowSide sideC = new FlowSide("c", c.context(), c.address(), pattern);
          FlowSide sideD = new FlowSide("d", d.context(), d.address(), pattern);
          OperationMix everything =
              new OperationMix(sideC, sideD, plan.connection(), streams, findings)) {
        mix = everything;
        connect(simulation, pattern, sideA, sideB);
        simulation.addApplication(applicationOf(mix::turn, () -> Long.MAX_VALUE));
        drive(simulation);
        outcome = conclude(simulation, pattern, Recovery.of(a, b, c, d));
        connections.forEach(VerifiedConnection::close);
      }
    }
    if (NativeMemory.liveBytes() != liveBefore) {
      findings.add("off-heap memory is still allocated: " + NativeMemory.report());
    }
    return outcome;
  }

  private void applyFaults(
      Simulation simulation, SimEndpoint one, SimEndpoint other, SeededStreams dice) {
    plan.faults()
        .apply(
            simulation.timeline(),
            dice,
            simulation.network().link(one.port(), other.port()),
            simulation.network().link(other.port(), one.port()));
  }

  private SimEndpoint endpoint(Simulation simulation, String name, String address) {
    EndpointJournal events = new EndpointJournal(journal, simulation.timeline(), name);
    SimEndpoint endpoint =
        simulation.addEndpoint(
            name, Gid.parse(address), plan.port(), plan.engine().withEvents(events), events);
    endpoint.reactAfterNs(plan.reactNs());
    return endpoint;
  }

  private void connect(
      Simulation simulation, MessagePattern pattern, FlowSide sideA, FlowSide sideB) {
    for (int i = 0; i < plan.connections(); i++) {
      VerifiedConnection connection =
          new VerifiedConnection(
              "c" + i,
              plan.connection(),
              plan.load(),
              streams,
              pattern,
              sideA,
              sideB,
              simulation.clock(),
              findings);
      connections.add(connection);
      flows.addAll(connection.flows());
      connection
          .flows()
          .forEach(flow -> simulation.addApplication(applicationOf(flow::turn, flow::nextTurnNs)));
    }
  }

  private static SimApplication applicationOf(IntSupplier turn, LongSupplier nextTurnNs) {
    return new SimApplication() {
      @Override
      public int turn() {
        return turn.getAsInt();
      }

      @Override
      public long nextTurnNs() {
        return nextTurnNs.getAsLong();
      }
    };
  }

  private void drive(Simulation simulation) {
    Timeline timeline = simulation.timeline();
    // A timer may be at the start of its longest wait, four times its setting, when all is whole.
    long timeoutNs = 4_096L << plan.connection().timeoutCode();
    long boundNs = LEAST_STANDSTILL_BOUND_NS + 8 * timeoutNs + plan.longestMessageNs();
    LivenessChecker liveness = new LivenessChecker("whole stack", boundNs, 0, findings);
    simulation.start();
    while (!isDone() && timeline.nowNs() < TIME_LIMIT_NS) {
      if (!simulation.step()) {
        findings.add("nothing is to come although work is left, at " + timeline.nowNs() + " ns");
        return;
      }
      if (timeline.nowNs() < plan.faults().healNs()) {
        liveness.restart(timeline.nowNs());
      } else if (!liveness.inspect(timeline.nowNs(), progress(), false)) {
        return;
      }
      if (findings.count() > 0) {
        return; // What follows a fault only hides it.
      }
    }
    // Late packets and timers may still do harm: let them.
    long quietNs = timeline.nowNs() + boundNs;
    while (timeline.nextPs() / Timeline.PS_PER_NS < quietNs && simulation.step()) {}
  }

  private boolean isDone() {
    for (VerifiedFlow flow : flows) {
      if (!flow.isDone()) {
        return false;
      }
    }
    return mix.isDone();
  }

  private long progress() {
    long progress = mix.progress();
    for (VerifiedFlow flow : flows) {
      progress += flow.progress();
    }
    return progress;
  }

  private Outcome conclude(Simulation simulation, MessagePattern pattern, Recovery recovery) {
    if (findings.count() == 0) {
      flows.forEach(VerifiedFlow::finish);
      mix.finish();
    }
    if (pattern.firstChange() >= 0) {
      findings.add("a source of messages was written at byte " + pattern.firstChange());
    }
    ImpairmentCounts network = simulation.network().counts();
    int inside = simulation.network().packetsInside();
    if (findings.count() == 0 && (network.balance() != 0 || inside != 0)) {
      findings.add(
          "packets do not balance at rest: "
              + network.balance()
              + " on links, "
              + inside
              + " kept");
    }
    long bytes = 0;
    for (VerifiedFlow flow : flows) {
      bytes += flow.bytesVerified();
    }
    String tail = journal.tail(40);
    return new Outcome(
        streams.seed(),
        findings,
        journal.finish(),
        journal.lines(),
        tail,
        simulation.timeline().nowNs(),
        simulation.timeline().eventCount(),
        bytes,
        network,
        recovery);
  }
}
