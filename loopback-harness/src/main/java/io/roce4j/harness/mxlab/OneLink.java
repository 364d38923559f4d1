// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.LossModel;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.LinkSettings;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.sim.SimLink;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.sim.Simulation;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.multipath.MxReport;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.ip.Gid;
import java.util.function.Function;

/**
 * Two hosts and one link each way: a saturated sender whose own link is the bottleneck, losses in
 * its direction, in the other, or both. Goodput is measured from the first eighth of the messages
 * to seven eighths, without start-up and tail.
 *
 * @param bdpPackets round trip time in times of one full packet
 * @param transport {@code rc} or {@code mx}
 * @param paths of an mx connection
 * @param congestion name of the controller
 * @param packets full packets to send
 * @param loss makes the loss of the data's direction
 * @param lossPerPath true when each source port has that loss for itself, clocked by its packets
 * @param reverseLoss makes the loss of the acknowledgements' direction
 */
record OneLink(
    int bdpPackets,
    String transport,
    int paths,
    String congestion,
    int packets,
    Function<SeededStreams, LossModel> loss,
    boolean lossPerPath,
    Function<SeededStreams, LossModel> reverseLoss) {
  static final int MTU = 4096;
  static final long LINE = 100_000_000_000L;

  /** BTH, MXTH, MXMH, RETH and ICRC, IP and UDP, Ethernet with preamble and gap. */
  private static final int MX_OVERHEAD = 12 + 16 + 8 + 16 + 4 + 28 + LinkSettings.ETHERNET_OVERHEAD;

  private static final int MAX_DATAGRAM = 4_224;
  private static final int MESSAGE = 16 * MTU;
  private static final int NIC_PACKETS = 4;
  private static final long LIMIT_NS = 20_000_000_000L;

  /** Loses nothing. */
  static LossModel never(SeededStreams streams) {
    return () -> false;
  }

  /** Loses each packet with a probability. */
  static Function<SeededStreams, LossModel> independent(double probability) {
    return streams -> LossModel.independent(probability, streams.stream("loss"));
  }

  /**
   * What a run came to.
   *
   * @param payloadBitsPerSecond between the marks
   * @param retransmissions of the sender
   * @param timeouts of the sender
   * @param spurious transmissions declared lost that arrived, 0 for rc
   * @param lossShare part of the packets the link lost
   */
  record Result(
      double payloadBitsPerSecond,
      long retransmissions,
      long timeouts,
      long spurious,
      double lossShare) {
    /** Of what an ideal line carries of payload. */
    double ofLine() {
      return payloadBitsPerSecond / LINE * (MTU + MX_OVERHEAD) / MTU;
    }
  }

  /** Runs one seed. */
  Result run(long seed) {
    SeededStreams streams = new SeededStreams(seed);
    double packetNs = (MTU + MX_OVERHEAD) * 8e9 / LINE;
    long rttNs = Math.round(bdpPackets * packetNs);
    LinkSettings link =
        LinkSettings.perfect(LINE, rttNs / 2, (long) NIC_PACKETS * (MTU + MX_OVERHEAD));
    Findings findings = new Findings();
    try (Simulation simulation =
            new Simulation(streams, MAX_DATAGRAM, link, (time, slots) -> LinkObserver.NONE);
        MessagePattern pattern = new MessagePattern(streams, MESSAGE)) {
      SimEndpoint a = endpoint(simulation, "a", 0x0A000001, rttNs);
      SimEndpoint b = endpoint(simulation, "b", 0x0A000002, rttNs);
      FlowSide from = new FlowSide("a", a.context(), a.address(), pattern);
      FlowSide to = new FlowSide("b", b.context(), b.address(), pattern);
      WriteFlow flow =
          new WriteFlow(
              "f",
              plan(),
              streams,
              pattern,
              from,
              to,
              simulation.clock(),
              new LatencyRecorder(),
              findings);
      simulation.addApplication(flow);
      impair(simulation, link, streams, a, b);
      Result result = measure(simulation, flow, a, b);
      if (findings.count() > 0 || flow.failure() != WorkCompletionStatus.SUCCESS) {
        throw new IllegalStateException(
            this + " seed " + seed + ": " + findings.first() + ", failure " + flow.failure());
      }
      flow.close();
      from.close();
      to.close();
      return result;
    }
  }

  private SimEndpoint endpoint(Simulation simulation, String name, int address, long rttNs) {
    EndpointSettings settings =
        EndpointSettings.defaults()
            .withLinkBitsPerSecond(LINE)
            .withBaseRttNs(rttNs)
            .withTrainPackets(1)
            .withWindowPackets(Math.max(2, 4 * bdpPackets));
    // The bound of the window is that of RC; MX is bound by its controller and tracker.
    if (isMx()) {
      settings = settings.withWindowPackets(1 << 20);
    }
    return simulation.addEndpoint(
        name, Gid.ofIpv4(address), SimPortSettings.defaults().staging(64), settings, null);
  }

  private boolean isMx() {
    return transport.equals("mx");
  }

  private WritePlan plan() {
    MxSettings mx =
        MxSettings.defaults()
            .withPaths(paths)
            .withTrainPackets(1)
            .withMaxAckDelayUs(10)
            .withAckDelayFloorNs(5_000);
    ConnectionSettings connection =
        ConnectionSettings.defaults()
            .withCongestion(congestion)
            .withTimeout(isMx() ? 14 : timeoutCode(), 7)
            .withProfile(transport, isMx() ? mx : null);
    return WritePlan.once(MESSAGE).withMessages(Math.max(16, packets / 16), 256).over(connection);
  }

  /** RC's timer: the shortest that is ten round trips or more. */
  private int timeoutCode() {
    double rttNs = bdpPackets * (MTU + MX_OVERHEAD) * 8e9 / LINE;
    int code = 1;
    while (4096L << code < 10 * rttNs) {
      code++;
    }
    return code;
  }

  private void impair(
      Simulation simulation,
      LinkSettings link,
      SeededStreams streams,
      SimEndpoint a,
      SimEndpoint b) {
    SeededStreams forth = streams.child("forth");
    SeededStreams back = streams.child("back");
    PacketDice dice =
        new PacketDice(Impairment.none(), lossPerPath ? () -> false : loss.apply(forth), forth);
    SimLink way = simulation.network().link(a.port(), b.port());
    if (lossPerPath) {
      way.reconfigure(link, dice, port -> loss.apply(forth.child("port" + port)));
    } else {
      way.reconfigure(link, dice);
    }
    simulation
        .network()
        .link(b.port(), a.port())
        .reconfigure(link, new PacketDice(Impairment.none(), reverseLoss.apply(back), back));
  }

  private Result measure(Simulation simulation, WriteFlow flow, SimEndpoint a, SimEndpoint b) {
    long messages = flow.plan().messages();
    simulation.start();
    runUntil(simulation, flow, messages / 8);
    long fromNs = simulation.clock().nanoTime();
    long fromBytes = flow.bytesVerified();
    long timeouts = a.agent().counters().get(CounterId.LOCAL_ACK_TIMEOUT_ERR);
    runUntil(simulation, flow, messages * 7 / 8);
    long toNs = simulation.clock().nanoTime();
    double bits = (flow.bytesVerified() - fromBytes) * 8e9 / (toNs - fromNs);
    timeouts = a.agent().counters().get(CounterId.LOCAL_ACK_TIMEOUT_ERR) - timeouts;
    runUntil(simulation, flow, messages);
    var counts = simulation.network().link(a.port(), b.port()).counts();
    return new Result(
        bits,
        a.agent().counters().get(CounterId.RETRANSMITTED_PACKETS),
        timeouts,
        MxReport.of(flow.sender()).map(report -> report.counter("spurious")).orElse(0L),
        (double) counts.lost / counts.offered);
  }

  private void runUntil(Simulation simulation, WriteFlow flow, long messages) {
    while (flow.completed() < messages) {
      boolean over =
          simulation.clock().nanoTime() > LIMIT_NS
              || flow.failure() != WorkCompletionStatus.SUCCESS
              || !simulation.step();
      if (over) {
        throw new IllegalStateException(
            this
                + ": "
                + flow.completed()
                + " of "
                + messages
                + " messages after "
                + simulation.clock().nanoTime()
                + " ns, status "
                + WorkCompletionStatus.name(flow.failure()));
      }
    }
  }
}
