// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.live.ImpairedPort;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.VerifiedConnection;
import io.roce4j.harness.workload.VerifiedFlow;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * One run: opens both endpoints, warms up, counts, drains, judges, closes. The calling thread is
 * the application; one more thread runs the endpoints.
 */
final class SoakRun {
  private static final int STAGE_PACKETS = 2048;
  private static final int DELAY_STAGE_PACKETS = 16_384;
  private static final long DRAIN_LIMIT_NS = 15_000_000_000L;
  private static final long FAILED_DRAIN_NS = 1_000_000_000L;
  private static final long SNAPSHOT_LIMIT_NS = 5_000_000_000L;
  private static final long SETTLE_NS = 20_000_000;
  private static final int TRAINS_A_CYCLE = 16;
  private static final int RECEIVE_BURST_PACKETS = 2_048;
  private static final long MAX_PARK_NS = 50_000;
  private static final int CLOCK_PERIOD_TURNS = 64;

  /** Where impairments sit. There is one right place; a test has another [FC-56]. */
  interface Attachment {
    /** In front of the port that carries the packets. */
    Attachment IN_FRONT = (wire, impaired) -> impaired;

    /** Returns the port that the endpoint uses. */
    DatagramPort top(DatagramPort wire, ImpairedPort impaired);
  }

  private final SoakPlan plan;
  private final Impairment impairment;
  private final SoakProgress progress;
  private final StopSignal stop;
  private final CaptureTap tap;
  private final Attachment attachment;
  private final SeededStreams streams;
  private final NanoClock clock = SystemNanoClock.INSTANCE;
  private final Findings findings = new Findings();
  private final List<ImpairedPort> impaired = new ArrayList<>();
  private final List<VerifiedFlow> flows = new ArrayList<>();
  private final List<VerifiedConnection> connections = new ArrayList<>();
  private final IdleStrategy idle = idleStrategy();
  private volatile Throwable agentFailure;
  private String portName;
  private String portReason;

  SoakRun(
      SoakPlan plan,
      Impairment impairment,
      SoakProgress progress,
      StopSignal stop,
      CaptureTap tap) {
    this(plan, impairment, progress, stop, tap, Attachment.IN_FRONT);
  }

  SoakRun(
      SoakPlan plan,
      Impairment impairment,
      SoakProgress progress,
      StopSignal stop,
      CaptureTap tap,
      Attachment attachment) {
    this.attachment = attachment;
    this.plan = plan;
    this.impairment = impairment;
    this.progress = progress;
    this.stop = stop;
    this.tap = tap;
    this.streams = new SeededStreams(plan.seed());
  }

  private static IdleStrategy idleStrategy() {
    return new BackoffIdleStrategy(100, 10, 1_000, MAX_PARK_NS);
  }

  /**
   * Runs it.
   *
   * @return what it came to
   * @throws ToolException when a port cannot be opened or a setting does not fit the port
   */
  SoakResult execute() {
    long liveBefore = NativeMemory.liveBytes();
    SoakResult result;
    try (EndpointAgent a = endpoint("a", plan.first());
        EndpointAgent b = endpoint("b", plan.second());
        MessagePattern pattern = new MessagePattern(streams, plan.load().sizes().largest())) {
      result = run(new EndpointPairAgent(a, b), pattern);
    }
    impaired.forEach(ImpairedPort::close); // Again, or for the first time when no endpoint has it.
    if (NativeMemory.liveBytes() != liveBefore) {
      findings.add("off-heap memory is still allocated: " + NativeMemory.report());
    }
    return result;
  }

  private EndpointAgent endpoint(String name, PortSettings settings) {
    DatagramPort port = open(settings);
    port.tap(tap);
    if (!impairment.isNone()) {
      PacketDice dice = new PacketDice(impairment, streams.child("link." + name));
      int stage = impairment.delayNs() > 0 ? DELAY_STAGE_PACKETS : STAGE_PACKETS;
      ImpairedPort wrapped = new ImpairedPort(port, dice, stage);
      impaired.add(wrapped);
      port = attachment.top(port, wrapped);
    }
    EndpointSettings engine =
        EndpointSettings.defaults()
            .withTrainPackets(plan.trainPackets())
            .withWindowPackets(plan.windowPackets())
            // One thread drives both ends: what one sends in a cycle the other must take in the
            // next, or the socket between them overflows and this host adds losses of its own.
            .withTransmitTrains(TRAINS_A_CYCLE)
            .withReceiveBurstPackets(RECEIVE_BURST_PACKETS);
    ContextSettings context = new ContextSettings().seed(streams.derive("keys." + name));
    return EndpointAgent.open(context, engine, port, clock);
  }

  private DatagramPort open(PortSettings settings) {
    try {
      Ports.Opened opened = Ports.open(plan.portName(), settings);
      portName = opened.port().capabilities().name();
      portReason = opened.reason();
      return opened.port();
    } catch (PortException e) {
      throw ToolException.machine(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--io " + plan.portName() + ": " + e.getMessage(), e);
    }
  }

  private static FlowSide side(
      String name, EndpointAgent agent, PortSettings settings, MessagePattern pattern) {
    DatagramPort port = agent.port();
    AddressVector base = AddressVector.of(port.localGidHi(), port.localGidLo());
    AddressVector address =
        new AddressVector(
            base.gidHi(),
            base.gidLo(),
            settings.udpPort(),
            base.trafficClass(),
            base.flowLabel(),
            base.hopLimit(),
            base.udpSourcePort());
    return new FlowSide(name, agent.context(), address, pattern);
  }

  private SoakResult run(EndpointPairAgent pair, MessagePattern pattern) {
    FlowSide sideA = side("a", pair.first(), plan.first(), pattern);
    FlowSide sideB = side("b", pair.second(), plan.second(), pattern);
    for (int i = 0; i < plan.queuePairs(); i++) {
      VerifiedConnection connection = connect(i, sideA, sideB, pattern);
      connections.add(connection);
      flows.addAll(connection.flows());
    }
    AgentRunner runner = new AgentRunner(idleStrategy(), this::onAgentFailure, null, pair);
    AgentRunner.startOnThread(runner);
    SoakResult result;
    try {
      result = measure(pair);
    } finally {
      connections.forEach(VerifiedConnection::close);
      sideA.close();
      sideB.close();
      runner.close();
    }
    if (pattern.firstChange() >= 0) {
      findings.add("a source of messages was written at byte " + pattern.firstChange());
    }
    return result;
  }

  private VerifiedConnection connect(
      int number, FlowSide sideA, FlowSide sideB, MessagePattern pattern) {
    try {
      return new VerifiedConnection(
          "qp" + number,
          plan.connection(),
          plan.load(),
          streams,
          pattern,
          sideA,
          sideB,
          clock,
          findings);
    } catch (RuntimeException e) {
      throw ToolException.usage("a connection cannot be set up: " + e.getMessage(), e);
    }
  }

  private void onAgentFailure(Throwable failure) {
    agentFailure = failure;
    findings.add("the endpoints' thread failed: " + failure);
  }

  private SoakResult measure(EndpointPairAgent pair) {
    long startNs = clock.nanoTime();
    progress.begin(plan.connection().profile() + ", " + SoakPlan.describe(impairment), startNs);
    turnUntil(startNs + plan.warmUpNs(), pair);
    CounterSnapshot before = snapshot(pair);
    long verifiedBefore = bytesVerified();
    long deliveredBefore = bytesDelivered();
    long completedBefore = completed();
    flows.forEach(flow -> flow.latencies().reset());
    long countedFromNs = clock.nanoTime();
    turnUntil(countedFromNs + plan.durationNs(), pair);
    CounterSnapshot counted = snapshot(pair).since(before);
    long countedNs = clock.nanoTime() - countedFromNs;
    long verified = bytesVerified() - verifiedBefore;
    long delivered = bytesDelivered() - deliveredBefore;
    long messages = completed() - completedBefore;
    LatencyRecorder latencies = new LatencyRecorder();
    flows.forEach(flow -> latencies.add(flow.latencies()));
    drain();
    settle();
    CounterSnapshot total = snapshot(pair);
    checkPlaced(total);
    MeasuredImpairment measured = measure(total);
    progress.end();
    return new SoakResult(
        plan.connection().profile(),
        plan.paths(),
        portName,
        portReason,
        impairment,
        network(),
        measured,
        findings,
        counted,
        countedNs,
        delivered,
        verified,
        bytesVerified(),
        messages,
        latencies,
        PathTelemetry.of(connections),
        stop.isStopped());
  }

  private void turnUntil(long endNs, EndpointPairAgent pair) {
    int turns = 0;
    while (true) {
      idle.idle(turnOnce());
      if (++turns % CLOCK_PERIOD_TURNS != 0) {
        continue;
      }
      long nowNs = clock.nanoTime();
      if (nowNs - endNs >= 0 || isOver()) {
        return;
      }
      if (progress.isDue(nowNs)) {
        CounterSnapshot now = snapshot(pair);
        progress.show(
            nowNs, bytesVerified(), now.retransmissions(), now.timeouts(), findings.count());
      }
    }
  }

  private boolean isOver() {
    return stop.isStopped() || agentFailure != null || findings.count() > 0;
  }

  private int turnOnce() {
    int work = 0;
    for (VerifiedFlow flow : flows) {
      work += flow.turn();
    }
    return work;
  }

  /** The flows go on meanwhile: a pause would be seen in their latencies. */
  private CounterSnapshot snapshot(EndpointPairAgent pair) {
    pair.requestSnapshot();
    long sinceNs = clock.nanoTime();
    CounterSnapshot taken = pair.takeSnapshot();
    while (taken == null) {
      idle.idle(turnOnce());
      if (agentFailure != null || clock.nanoTime() - sinceNs > SNAPSHOT_LIMIT_NS) {
        throw new IllegalStateException("the endpoints' thread does not answer", agentFailure);
      }
      taken = pair.takeSnapshot();
    }
    return taken;
  }

  /** Posts nothing more and waits for what is in flight: every work request must complete. */
  private void drain() {
    flows.forEach(VerifiedFlow::stop);
    // After a finding what else is missing proves nothing more.
    long limitNs = clock.nanoTime() + (findings.count() > 0 ? FAILED_DRAIN_NS : DRAIN_LIMIT_NS);
    while (!flows.stream().allMatch(VerifiedFlow::isDone)) {
      if (turnOnce() == 0) {
        LockSupport.parkNanos(MAX_PARK_NS);
      }
      if (clock.nanoTime() - limitNs > 0 || agentFailure != null) {
        break; // finish() names what is missing
      }
    }
    flows.forEach(VerifiedFlow::finish);
  }

  /** Late copies and delayed packets still count as received. */
  private void settle() {
    long sinceNs = clock.nanoTime();
    long settleNs = SETTLE_NS + impairment.delayNs() + impairment.reorderHoldNs();
    while (clock.nanoTime() - sinceNs < settleNs) {
      idle.idle(turnOnce());
    }
  }

  /** What the endpoints say they placed is what the application found, counted independently. */
  private void checkPlaced(CounterSnapshot total) {
    if (findings.count() == 0 && total.payloadBytes() != bytesVerified()) {
      findings.add(
          "the endpoints placed "
              + total.payloadBytes()
              + " message bytes, the application verified "
              + bytesVerified());
    }
  }

  private long bytesDelivered() {
    return flows.stream().mapToLong(VerifiedFlow::bytesDelivered).sum();
  }

  private long bytesVerified() {
    return flows.stream().mapToLong(VerifiedFlow::bytesVerified).sum();
  }

  private long completed() {
    return flows.stream().mapToLong(VerifiedFlow::completed).sum();
  }

  private ImpairmentCounts network() {
    ImpairmentCounts sum = new ImpairmentCounts();
    impaired.forEach(port -> sum.add(port.impairmentCounts()));
    return sum;
  }

  private MeasuredImpairment measure(CounterSnapshot total) {
    long inside = 0;
    for (ImpairedPort port : impaired) {
      inside += port.packetsInside();
    }
    return MeasuredImpairment.of(impairment, network(), inside, total);
  }
}
