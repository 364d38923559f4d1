// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.cli.StopSignal;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.VerifiedConnection;
import io.roce4j.harness.workload.VerifiedFlow;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * One run within this process: opens both endpoints, warms up, counts, drains, judges, closes. The
 * calling thread is the application; one more thread runs the endpoints.
 */
final class SoakRun {
  private static final long SETTLE_NS = 20_000_000;

  private final SoakPlan plan;
  private final Impairment impairment;
  private final SoakProgress progress;
  private final StopSignal stop;
  private final CaptureTap tap;
  private final SoakEndpoint.Attachment attachment;
  private final SeededStreams streams;
  private final NanoClock clock = SystemNanoClock.INSTANCE;
  private final Findings findings = new Findings();
  private final List<VerifiedFlow> flows = new ArrayList<>();
  private final List<VerifiedConnection> connections = new ArrayList<>();

  SoakRun(
      SoakPlan plan,
      Impairment impairment,
      SoakProgress progress,
      StopSignal stop,
      CaptureTap tap) {
    this(plan, impairment, progress, stop, tap, SoakEndpoint.Attachment.IN_FRONT);
  }

  SoakRun(
      SoakPlan plan,
      Impairment impairment,
      SoakProgress progress,
      StopSignal stop,
      CaptureTap tap,
      SoakEndpoint.Attachment attachment) {
    this.attachment = attachment;
    this.plan = plan;
    this.impairment = impairment;
    this.progress = progress;
    this.stop = stop;
    this.tap = tap;
    this.streams = new SeededStreams(plan.seed());
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
    try (SoakEndpoint a = endpoint("a", plan.first());
        SoakEndpoint b = endpoint("b", plan.second());
        MessagePattern pattern = new MessagePattern(streams, plan.load().sizes().largest())) {
      a.requireSignals(plan);
      b.requireSignals(plan);
      a.meet(b);
      b.meet(a);
      result = run(a, b, pattern);
    }
    if (NativeMemory.liveBytes() != liveBefore) {
      findings.add("off-heap memory is still allocated: " + NativeMemory.report());
    }
    return result;
  }

  private SoakEndpoint endpoint(String name, PortSettings settings) {
    return new SoakEndpoint(name, plan, settings, impairment, tap, attachment, clock);
  }

  private SoakResult run(SoakEndpoint a, SoakEndpoint b, MessagePattern pattern) {
    FlowSide sideA = a.side(pattern);
    FlowSide sideB = b.side(pattern);
    for (int i = 0; i < plan.queuePairs(); i++) {
      VerifiedConnection connection = connect(i, sideA, sideB, pattern);
      connections.add(connection);
      flows.addAll(connection.flows());
    }
    HostChanges.Reading host =
        new HostChanges.Reading(plan.first().bindAddress(), plan.second().bindAddress());
    EndpointsAgent endpoints = new EndpointsAgent(a, b);
    SoakMeasurement measurement =
        new SoakMeasurement(endpoints, flows, findings, progress, clock, stop::isStopped);
    AgentRunner runner =
        new AgentRunner(
            SoakMeasurement.idleStrategy(),
            failure -> onAgentFailure(measurement, failure),
            null,
            endpoints);
    AgentRunner.startOnThread(runner);
    SoakResult result;
    try {
      result = measure(measurement, a, b, host);
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

  private void onAgentFailure(SoakMeasurement measurement, Throwable failure) {
    measurement.onAgentFailure(failure);
    findings.add("the endpoints' thread failed: " + failure);
  }

  private SoakResult measure(
      SoakMeasurement measurement, SoakEndpoint a, SoakEndpoint b, HostChanges.Reading host) {
    SoakMeasurement.Counted counted =
        measurement.count(
            plan.connection().profile() + ", " + SoakPlan.describe(impairment),
            plan.warmUpNs(),
            plan.durationNs());
    measurement.drain(impairment.delayNs());
    measurement.finish();
    measurement.settle(SETTLE_NS + impairment.delayNs() + impairment.reorderHoldNs());
    CounterSnapshot total = measurement.snapshot();
    checkPlaced(findings, total, measurement.bytesVerified());
    ImpairmentCounts network = a.network();
    network.add(b.network());
    LinkOrder order = a.watch().order().plus(b.watch().order());
    long inside = a.packetsInside() + b.packetsInside();
    MeasuredImpairment measured = MeasuredImpairment.of(impairment, network, order, inside, total);
    return new SoakResult(
        plan.connection().profile(),
        plan.paths(),
        a.portName(),
        a.portReason(),
        impairment,
        network,
        measured,
        findings,
        counted.counters(),
        counted.durationNs(),
        counted.bytesDelivered(),
        counted.bytesVerified(),
        measurement.bytesVerified(),
        counted.messages(),
        counted.latencies(),
        PathTelemetry.of(connections),
        host.end(),
        stop.isStopped(),
        measured.verdict().isExcusedBy(stop.isStopped()));
  }

  /** What the endpoints say they placed is what the application found, counted independently. */
  static void checkPlaced(Findings findings, CounterSnapshot total, long bytesVerified) {
    if (findings.count() == 0 && total.payloadBytes() != bytesVerified) {
      findings.add(
          "the endpoints placed "
              + total.payloadBytes()
              + " message bytes, the application verified "
              + bytesVerified);
    }
  }
}
