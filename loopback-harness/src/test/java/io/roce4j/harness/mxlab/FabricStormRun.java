// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.EcmpSettings;
import io.roce4j.harness.fabric.topology.EcnSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.fabric.topology.TrafficClass;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimApplication;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.SizeMix;
import io.roce4j.harness.workload.VerifiedConnection;
import io.roce4j.harness.workload.VerifiedFlow;
import io.roce4j.multipath.MxReport;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.wire.mx.NegotiationBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * One seed: a drawn fabric with drawn faults, MX connections between drawn hosts and drawn
 * operations over them both ways. Faults first, then none: then everything must finish in bounded
 * time, once, in order and with the right bytes, and no packet may be left over.
 */
final class FabricStormRun implements AutoCloseable {
  /** Longest message, which the pattern must have. */
  static final int MESSAGE_MAX = 12_000;

  private static final int DATA_TOS = 26 << 2;
  private static final long FAULTS_NS = 2_000_000;
  private static final long HEAL_NS = 2_000_000_000L;
  private static final long QUIET_NS = 20_000_000;
  private static final String[] SELECTORS = {
    "least-of-two", "round-robin", "weighted", "ecn-delay", "burst", "flowlet", "fastest-rtx",
  };

  private final long seed;
  private final SplittableRandom random;
  private final MessagePattern pattern;
  private final Fabric fabric;
  private final FabricStorm storm;
  private final Findings findings = new Findings();
  private final FlowSide[] sides;
  private final List<VerifiedConnection> connections = new ArrayList<>();
  private final List<VerifiedFlow> flows = new ArrayList<>();

  FabricStormRun(long seed, MessagePattern pattern) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    this.pattern = pattern;
    Topology topology = topology();
    this.fabric = new Fabric(topology, settings(), seed, LinkObserver.NONE);
    this.sides = new FlowSide[topology.hosts()];
    this.storm = new FabricStorm(fabric, random.split(), FAULTS_NS);
    storm.brew(1 + random.nextInt(6));
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      connect(i);
    }
  }

  // ---- What is drawn ----

  private Cable cable() {
    long[] rates = {10_000_000_000L, 25_000_000_000L, 100_000_000_000L};
    return new Cable(rates[random.nextInt(rates.length)], 50 + random.nextInt(5_000));
  }

  private Topology topology() {
    return switch (random.nextInt(5)) {
      case 0 -> Topologies.single(2 + random.nextInt(3), cable());
      case 1 -> Topologies.dumbbell(1 + random.nextInt(2), cable(), cable());
      case 2, 3 ->
          Topologies.leafSpine(
              2 + random.nextInt(2),
              1 + random.nextInt(2),
              1 + random.nextInt(4),
              cable(),
              cable());
      default ->
          Topologies.multiPlane(
              2 + random.nextInt(3),
              1 + random.nextInt(2),
              2,
              1 + random.nextInt(2),
              cable(),
              cable());
    };
  }

  private FabricSettings settings() {
    EcmpSettings ecmp =
        EcmpSettings.perFlow()
            .reconvergingAfterNs(
                random.nextInt(3) == 0 ? EcmpSettings.NEVER : 1 + random.nextInt(500_000));
    ecmp =
        switch (random.nextInt(6)) {
          case 0 -> ecmp.withMode(EcmpSettings.Mode.RANDOM_SPRAY);
          case 1 -> ecmp.byFlowlet(1 + random.nextInt(50_000));
          case 2 -> ecmp.resilient(16);
          default -> ecmp;
        };
    SwitchSettings switches =
        SwitchSettings.defaults().withQueueBytes(30_000L << random.nextInt(7)).withEcmp(ecmp);
    if (random.nextBoolean()) {
      TrafficClass data = TrafficClasses.roce().get(TrafficClasses.DATA);
      EcnSettings red = EcnSettings.red(10_000 + random.nextInt(50_000), 200_000, 0.5);
      switches = switches.withClass(TrafficClasses.DATA, data.marking(red));
    }
    HostSettings hosts =
        HostSettings.defaults()
            .withNicQueuePackets(1 + random.nextInt(16))
            .withReactNs(random.nextInt(3) == 0 ? random.nextInt(5_000) : 0)
            .withPort(SimPortSettings.defaults().staging(64));
    return FabricSettings.defaults().withSwitches(switches).withHosts(hosts);
  }

  private MxSettings mx() {
    int planes = fabric.topology().planes();
    MxSettings mx =
        MxSettings.defaults()
            .withPlanes(planes)
            .withPaths(planes * (1 + random.nextInt(6)))
            .withTrackerUnits(1 + random.nextInt(4))
            .withAckEvery(1 + random.nextInt(8))
            .withMaxAckDelayUs(5 + random.nextInt(20))
            .withAckDelayFloorNs(5_000)
            .withTrainPackets(1 + random.nextInt(8))
            .withSelector(SELECTORS[random.nextInt(SELECTORS.length)]);
    int without = random.nextInt(4) == 0 ? NegotiationBlock.CAP_HOST_PENALTY : 0;
    without |= random.nextInt(8) == 0 ? NegotiationBlock.CAP_HINT : 0;
    return mx.withCapabilities(MxSettings.ALL_CAPABILITIES & ~without);
  }

  private ConnectionSettings connection() {
    String[] controllers = {"none", "mx-aimd", "mx-fair"};
    // Eight timeouts of 0.27 s: no fault lasts as long.
    return ConnectionSettings.defaults()
        .withPathMtu(random.nextBoolean() ? 1024 : 4096)
        .withCongestion(controllers[random.nextInt(controllers.length)])
        .withTimeout(16, 7)
        .withReads(1 + random.nextInt(16))
        .withTrafficClass(DATA_TOS)
        .withProfile("mx", mx());
  }

  private FlowSettings load() {
    int depth = 1 + random.nextInt(12);
    int largest = random.nextInt(3) == 0 ? MESSAGE_MAX : 1 + random.nextInt(3_000);
    FlowSettings load =
        FlowSettings.mixed(SizeMix.between(0, largest), depth).limitedTo(10 + random.nextInt(120));
    if (random.nextBoolean()) {
      load = load.withReceives(1 + random.nextInt(2 * depth));
    }
    if (random.nextInt(3) == 0) {
      load = load.takingReceivesAfter(random.nextInt(50_000));
    }
    int reads = random.nextInt(4);
    return load.withShares(random.nextInt(4), 1 + random.nextInt(4), reads);
  }

  // ---- The run ----

  private FlowSide side(int host) {
    if (sides[host] == null) {
      EndpointSettings engine =
          EndpointSettings.defaults()
              .withLinkBitsPerSecond(25_000_000_000L)
              .withBaseRttNs(10_000 + random.nextInt(40_000))
              .withTrainPackets(1 + random.nextInt(16))
              .withWindowPackets(16 << random.nextInt(8));
      SimEndpoint endpoint = fabric.host(host).open(engine, null);
      sides[host] = new FlowSide(endpoint.name(), endpoint.context(), endpoint.address(), pattern);
    }
    return sides[host];
  }

  private void connect(int number) {
    int hosts = sides.length;
    int from = random.nextInt(hosts);
    int to = (from + 1 + random.nextInt(hosts - 1)) % hosts;
    VerifiedConnection connection =
        new VerifiedConnection(
            "c" + number,
            connection(),
            load(),
            fabric.streams(),
            pattern,
            side(from),
            side(to),
            fabric.clock(),
            findings);
    connections.add(connection);
    for (VerifiedFlow flow : connection.flows()) {
      flows.add(flow);
      fabric.addApplication(
          new SimApplication() {
            @Override
            public int turn() {
              return flow.turn();
            }

            @Override
            public long nextTurnNs() {
              return flow.nextTurnNs();
            }
          });
    }
  }

  private boolean isDone() {
    for (VerifiedFlow flow : flows) {
      if (!flow.isDone()) {
        return false;
      }
    }
    return true;
  }

  /** Runs; returns what is wrong, or null. */
  String run() {
    fabric.start();
    fabric.run(() -> isDone() || findings.count() > 0, FAULTS_NS);
    boolean done = fabric.run(() -> isDone() || findings.count() > 0, FAULTS_NS + HEAL_NS);
    if (findings.count() == 0 && !done) {
      findings.add("not finished at " + fabric.clock().nanoTime() + " ns: " + progress());
    }
    if (findings.count() == 0) {
      fabric.runUntilNs(Math.max(FAULTS_NS, fabric.clock().nanoTime()) + QUIET_NS);
      flows.forEach(VerifiedFlow::finish);
      checkRest();
    }
    return findings.count() == 0
        ? null
        : "seed " + seed + ", " + fabric.topology() + storm + ": " + findings.first();
  }

  private String progress() {
    StringBuilder text = new StringBuilder();
    for (VerifiedFlow flow : flows) {
      text.append(flow.progress()).append('/').append(flow.settings().messageLimit()).append(' ');
    }
    for (VerifiedConnection connection : connections) {
      MxReport.of(connection.first())
          .ifPresent(r -> r.paths().forEach(p -> text.append(p.state()).append(' ')));
    }
    return text.toString();
  }

  /** Long after the last completion nothing moves, no packet is missing, no source was written. */
  private void checkRest() {
    long inside = fabric.packetsInside();
    if (inside != 0 || fabric.counts().inFlight() != 0) {
      findings.add(inside + " packets inside, " + fabric.counts().inFlight() + " by the books");
    }
    if (pattern.firstChange() >= 0) {
      findings.add("a source of messages was written at byte " + pattern.firstChange());
    }
    for (VerifiedConnection connection : connections) {
      if (MxReport.of(connection.first()).isEmpty() || MxReport.of(connection.second()).isEmpty()) {
        findings.add("a connection did not speak MX");
      }
    }
  }

  /** Packets the fabric lost. */
  long dropped() {
    return fabric.counts().droppedPackets();
  }

  /** A counter of all connections, both ends. */
  long count(String counter) {
    long sum = 0;
    for (VerifiedConnection connection : connections) {
      sum += MxReport.of(connection.first()).map(report -> report.counter(counter)).orElse(0L);
      sum += MxReport.of(connection.second()).map(report -> report.counter(counter)).orElse(0L);
    }
    return sum;
  }

  /** What was drawn, for people. */
  String about() {
    return String.format(Locale.ROOT, "%d: %s%s", seed, fabric.topology(), storm);
  }

  @Override
  public void close() {
    connections.forEach(VerifiedConnection::close);
    for (FlowSide side : sides) {
      if (side != null) {
        side.close();
      }
    }
    fabric.close();
  }
}
