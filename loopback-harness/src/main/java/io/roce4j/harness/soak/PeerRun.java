// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.cli.StopSignal;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.oob.PeerException;
import io.roce4j.harness.oob.PeerLink;
import io.roce4j.harness.oob.PeerMessage;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.workload.Flow;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.PeerConnection;
import io.roce4j.harness.workload.RemoteMemory;
import io.roce4j.transport.engine.AckTimeout;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.mx.NegotiationBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * One run between two processes, seen from one of them. Both do the same: open an endpoint, tell
 * the other where to reach it, load every connection in their own direction, check the other
 * direction, and exchange what they counted. The calling thread is the application; one more thread
 * runs the endpoint.
 *
 * <p>A peer that dies, falls silent or talks nonsense ends the run with a finding: what is in
 * flight then completes in error, bounded by the connection's retries.
 */
final class PeerRun {
  private static final long SETTLE_NS = 20_000_000;
  private static final long SETUP_LIMIT_NS = 30_000_000_000L;
  private static final long SUMMARY_LIMIT_NS = 10_000_000_000L;
  private static final long FAILED_LIMIT_NS = 3_000_000_000L;
  private static final String SOURCE_PORTS = "sourcePorts";
  private static final int MAX_QPN = (1 << 24) - 1;

  private final PeerLink link;
  private final boolean isFirst;
  private final SoakPlan plan;
  private final Impairment impairment;
  private final SoakProgress progress;
  private final StopSignal stop;
  private final CaptureTap tap;
  private final SeededStreams streams;
  private final NanoClock clock = SystemNanoClock.INSTANCE;
  private final Findings findings = new Findings();
  private final List<PeerConnection> connections = new ArrayList<>();
  private final List<Flow> flows = new ArrayList<>();
  private final PeerWatch watch;
  private final BooleanSupplier isToEnd;
  private final long setUpSinceNs = System.nanoTime();
  private HostChanges.Reading host;

  /**
   * Prepares a run.
   *
   * @param link to the peer
   * @param isFirst whether this side proposed the run
   * @param plan agreed on; {@code first} is the port here, {@code second} the peer's
   * @param impairment of what this side sends
   * @param progress the live line
   * @param stop the user's signal
   * @param tap for the capture, or null
   * @param isToEnd whether the user gives up what has not begun
   */
  PeerRun(
      PeerLink link,
      boolean isFirst,
      SoakPlan plan,
      Impairment impairment,
      SoakProgress progress,
      StopSignal stop,
      CaptureTap tap,
      BooleanSupplier isToEnd) {
    this.isToEnd = isToEnd;
    this.link = link;
    this.isFirst = isFirst;
    this.plan = plan;
    this.impairment = impairment;
    this.progress = progress;
    this.stop = stop;
    this.tap = tap;
    this.streams = new SeededStreams(plan.seed());
    this.watch = new PeerWatch(link, connections, findings);
  }

  /**
   * Runs it.
   *
   * @return what it came to, both sides together
   * @throws ToolException when a port cannot be opened or a setting does not fit the port
   * @throws PeerException when the peer fails before the run has begun
   */
  SoakResult execute() {
    long liveBefore = NativeMemory.liveBytes();
    SoakResult result;
    try (SoakEndpoint endpoint = endpoint();
        MessagePattern pattern = new MessagePattern(streams, plan.load().sizes().largest())) {
      result = run(endpoint, pattern);
    }
    if (NativeMemory.liveBytes() != liveBefore) {
      findings.add("off-heap memory is still allocated: " + NativeMemory.report());
    }
    return result;
  }

  private SoakEndpoint endpoint() {
    SoakEndpoint endpoint =
        new SoakEndpoint(
            isFirst ? "a" : "b",
            plan,
            plan.first(),
            impairment,
            tap,
            SoakEndpoint.Attachment.IN_FRONT,
            clock);
    try {
      endpoint.requireSignals(plan);
    } catch (ToolException e) {
      endpoint.close();
      throw isFirst ? e : refusal(e.getMessage(), e);
    }
    return endpoint;
  }

  /** What cannot run ends the side that proposed it; the other refuses that peer and goes on. */
  private RuntimeException refusal(String reason, RuntimeException cause) {
    return isFirst
        ? ToolException.usage(reason, cause)
        : new PeerException(
            "what " + link.name() + " proposes does not run here: " + reason, cause);
  }

  /** Whether the peer was lost in the run. */
  boolean isPeerGone() {
    return watch.isPeerGone();
  }

  private SoakResult run(SoakEndpoint endpoint, MessagePattern pattern) {
    FlowSide side = endpoint.side(pattern);
    host = new HostChanges.Reading(plan.first().bindAddress());
    EndpointsAgent endpoints = new EndpointsAgent(endpoint);
    List<AutoCloseable> running = new ArrayList<>();
    SoakResult result;
    try {
      open(side, pattern);
      exchangeKeys(side, endpoint);
      SoakMeasurement measurement =
          new SoakMeasurement(
              endpoints, flows, findings, progress, clock, () -> stop.isStopped() || watch.look());
      AgentRunner runner =
          new AgentRunner(
              SoakMeasurement.idleStrategy(),
              failure -> onAgentFailure(measurement, failure),
              null,
              endpoints);
      running.add(runner);
      AgentRunner.startOnThread(runner);
      link.send(PeerLink.message("ready"));
      expect("ready");
      result = measure(measurement, endpoint);
    } catch (RuntimeException | Error e) {
      // What closing then finds follows from this, and must not hide it.
      CloseHelper.closeAll(e::addSuppressed, inClosingOrder(side, running));
      throw e;
    }
    CloseHelper.closeAll(inClosingOrder(side, running));
    if (pattern.firstChange() >= 0) {
      findings.add("a source of messages was written at byte " + pattern.firstChange());
    }
    return result;
  }

  private List<AutoCloseable> inClosingOrder(FlowSide side, List<AutoCloseable> running) {
    List<AutoCloseable> all = new ArrayList<>(connections);
    all.add(side);
    all.addAll(running);
    return all;
  }

  private void open(FlowSide side, MessagePattern pattern) {
    try {
      for (int i = 0; i < plan.queuePairs(); i++) {
        PeerConnection connection =
            new PeerConnection(
                "qp" + i,
                isFirst,
                plan.connection(),
                plan.load(),
                streams,
                pattern,
                side,
                clock,
                findings);
        connections.add(connection);
        flows.addAll(connection.flows());
      }
    } catch (RuntimeException e) {
      throw refusal("a connection cannot be set up: " + e.getMessage(), e);
    }
  }

  /** One side sends all before it reads, the other reads all before it sends. */
  private void exchangeKeys(FlowSide side, SoakEndpoint endpoint) {
    if (isFirst) {
      sendKeys(side, endpoint);
      receiveKeys(endpoint);
    } else {
      receiveKeys(endpoint);
      sendKeys(side, endpoint);
    }
  }

  private void sendKeys(FlowSide side, SoakEndpoint endpoint) {
    ObjectNode keys =
        PeerLink.message("side")
            .put("patternAddress", side.patternRegion().address())
            .put("patternRkey", side.patternRegion().rkey());
    PortRanges.write(endpoint.sourcePorts(), keys.putArray(SOURCE_PORTS));
    link.send(keys);
    for (int i = 0; i < connections.size(); i++) {
      PeerConnection connection = connections.get(i);
      ObjectNode qp =
          PeerLink.message("qp")
              .put("number", i)
              .put("qpn", connection.qpNum())
              .put("targetAddress", connection.targetAddress())
              .put("targetRkey", connection.targetRkey());
      if (connection.block() != null) {
        qp.put("negotiation", NegotiationText.write(connection.block()));
      }
      link.send(qp);
    }
  }

  private void receiveKeys(SoakEndpoint endpoint) {
    PeerMessage side = expect("side");
    long patternAddress = side.integer("patternAddress", Long.MIN_VALUE, Long.MAX_VALUE);
    int patternRkey = side.integer("patternRkey", Integer.MIN_VALUE, Integer.MAX_VALUE);
    Gid gid = Gid.ofAddress(plan.second().bindAddress().getAddress());
    endpoint.watch().expect(gid, PortRanges.read(side, SOURCE_PORTS));
    AddressVector address = SoakEndpoint.address(gid.high(), gid.low(), plan.second().udpPort());
    for (int i = 0; i < connections.size(); i++) {
      PeerMessage qp = expect("qp");
      qp.integer("number", i, i);
      int qpn = qp.integer("qpn", 2, MAX_QPN - 1);
      RemoteMemory granted =
          new RemoteMemory(
              patternAddress,
              patternRkey,
              qp.integer("targetAddress", Long.MIN_VALUE, Long.MAX_VALUE),
              qp.integer("targetRkey", Integer.MIN_VALUE, Integer.MAX_VALUE));
      try {
        connections.get(i).connect(address, qpn, block(qp, connections.get(i)));
      } catch (PeerException e) {
        throw e;
      } catch (RuntimeException e) {
        throw refusal("connection " + i + " to the peer: " + e.getMessage(), e);
      }
      connections.get(i).start(granted);
    }
  }

  /** The peer's part of an MX connection; a peer that is to speak MX must send one. */
  private static NegotiationBlock block(PeerMessage qp, PeerConnection connection) {
    if (connection.block() == null) {
      return null;
    }
    NegotiationBlock block = NegotiationText.read(qp.text("negotiation"));
    if (block == null) {
      throw qp.refuse("negotiation", "64 hexadecimal digits of an MX negotiation block");
    }
    return block;
  }

  private PeerMessage expect(String type) {
    PeerMessage message = link.await(setUpSinceNs, SETUP_LIMIT_NS, isToEnd);
    PeerWatch.requireType(message, type);
    return message;
  }

  private void onAgentFailure(SoakMeasurement measurement, Throwable failure) {
    measurement.onAgentFailure(failure);
    findings.add("the endpoints' thread failed: " + failure);
  }

  private SoakResult measure(SoakMeasurement measurement, SoakEndpoint endpoint) {
    SoakMeasurement.Counted counted =
        measurement.count(
            plan.connection().profile() + ", " + SoakPlan.describe(impairment),
            plan.warmUpNs(),
            plan.durationNs());
    drain(measurement);
    connections.forEach(connection -> connection.finish(watch.isPeerGone()));
    measurement.settle(SETTLE_NS + impairment.delayNs() + impairment.reorderHoldNs());
    PeerSummary own =
        new PeerSummary(
            counted.counters(),
            measurement.snapshot(),
            endpoint.network(),
            endpoint.packetsInside(),
            counted.bytesDelivered(),
            counted.bytesVerified(),
            measurement.bytesVerified(),
            counted.messages(),
            stop.isStopped(),
            findings.count(),
            findings.first());
    PeerSummary peers = exchangeSummaries(own);
    return result(counted, endpoint, own, peers);
  }

  /** Own work requests first, then what the peer still sends. */
  private void drain(SoakMeasurement measurement) {
    flows.forEach(Flow::stop);
    measurement.turnWhile(
        () -> !watch.look(false) && !connections.stream().allMatch(PeerConnection::isDrained),
        drainLimitNs());
    if (watch.isPeerGone()) {
      measurement.turnWhile(
          () -> !connections.stream().allMatch(PeerConnection::isDrained), giveUpNs());
      return;
    }
    watch.sendEnd();
    measurement.turnWhile(
        () ->
            !watch.look(false) && !(watch.hasPeerEnded() && flows.stream().allMatch(Flow::isDone)),
        drainLimitNs());
  }

  private long drainLimitNs() {
    return findings.count() > 0 ? giveUpNs() : SoakMeasurement.drainLimitNs(impairment.delayNs());
  }

  /** How long what is in flight may take to complete in error, with room for a busy host. */
  private long giveUpNs() {
    int code = plan.connection().timeoutCode();
    long ns = 2 * AckTimeout.giveUpNs(code, plan.connection().retryCount());
    return Math.clamp(ns, 1_000_000_000L, SoakMeasurement.drainLimitNs(impairment.delayNs()));
  }

  /** The peer's, or null when it is gone. */
  private PeerSummary exchangeSummaries(PeerSummary own) {
    if (watch.isPeerGone()) {
      return null;
    }
    try {
      link.send(own.write());
      // After a finding the peer may well be the one that does not answer any more.
      long limitNs = findings.count() > 0 ? FAILED_LIMIT_NS : SUMMARY_LIMIT_NS;
      return PeerSummary.read(watch.awaitSummary(limitNs));
    } catch (PeerException e) {
      findings.addCause(e.getMessage());
      return null;
    }
  }

  /**
   * The order of the packets of both links as they leave the impairments: what one process sends
   * cannot be recognised in another.
   */
  private static LinkOrder order(ImpairmentCounts network) {
    return new LinkOrder(network.offered - network.lost, network.displaced);
  }

  private SoakResult result(
      SoakMeasurement.Counted counted, SoakEndpoint endpoint, PeerSummary own, PeerSummary peers) {
    CounterSnapshot counters = own.counted();
    CounterSnapshot total = own.total();
    // As the peer was told: both sides judge the same figures.
    ImpairmentCounts network = new ImpairmentCounts();
    network.add(own.network());
    long inside = own.inside();
    long delivered = own.bytesDelivered();
    long verified = own.bytesVerified();
    long totalVerified = own.totalVerified();
    long messages = own.messages();
    if (peers != null) {
      counters = counters.plus(peers.counted());
      total = total.plus(peers.total());
      network.add(peers.network());
      inside += peers.inside();
      delivered += peers.bytesDelivered();
      verified += peers.bytesVerified();
      totalVerified += peers.totalVerified();
      messages += peers.messages();
      peers.findings().forEach(finding -> findings.add("peer: " + finding));
      if (peers.errors() > peers.findings().size()) {
        findings.add("peer: " + peers.errors() + " errors in all");
      }
      SoakRun.checkPlaced(findings, total, totalVerified);
    }
    MeasuredImpairment measured =
        MeasuredImpairment.of(impairment, network, order(network), inside, total);
    long countedNs = counted.durationNs();
    boolean isCut = peers != null && peers.cutShort(countedNs, plan.durationNs());
    boolean isExcused =
        measured.verdict().isExcusedBy(stop.isStopped())
            || (peers != null && peers.excuses(countedNs, plan.durationNs(), measured.verdict()));
    return new SoakResult(
        plan.connection().profile(),
        plan.paths(),
        endpoint.portName(),
        endpoint.portReason(),
        impairment,
        network,
        measured,
        findings,
        counters,
        counted.durationNs(),
        delivered,
        verified,
        totalVerified,
        messages,
        counted.latencies(),
        PathTelemetry.of(
            isFirst ? "a" : "b", connections.stream().map(PeerConnection::queuePair).toList()),
        host.end(),
        stop.isStopped() || isCut,
        isExcused);
  }
}
