// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

import io.roce4j.harness.cli.StopSignal;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.cm.CmSettings;
import io.roce4j.transport.cm.RdmaCm;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.engine.IcrcMode;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.ip.Gid;
import java.util.function.Consumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/** One run over a real port, driven by the caller's thread. */
final class RpingRun {
  private static final long MAX_PARK_NS = 50_000;

  /** What a client that is done still waits for the answer to its farewell. */
  private static final long FAREWELL_NS = 1_000_000_000L;

  /**
   * How the endpoint meets the network.
   *
   * @param io kind of port
   * @param bind local address
   * @param udpPort local UDP port
   * @param peerUdpPort UDP port of the peer
   * @param silenceNs time without progress after which to give up, 0 for never
   */
  record Network(String io, String bind, int udpPort, int peerUdpPort, long silenceNs) {}

  /**
   * What the run came to.
   *
   * @param iterations finished
   * @param durationNs from the start to the end
   * @param fault what went wrong, or null
   * @param portName kind of port
   * @param portReason which port and why
   * @param retransmissions request packets sent again
   * @param transport what the connections spoke
   */
  record Outcome(
      long iterations,
      long durationNs,
      String fault,
      String portName,
      String portReason,
      long retransmissions,
      String transport) {}

  private final RpingPlan plan;
  private final Network network;
  private final Gid peer;
  private final long seed;
  private final Consumer<String> display;
  private final NanoClock clock = SystemNanoClock.INSTANCE;
  private final IdleStrategy idle = new BackoffIdleStrategy(200, 10, 1_000, MAX_PARK_NS);

  RpingRun(RpingPlan plan, Network network, Gid peer, long seed, Consumer<String> display) {
    this.plan = plan;
    this.network = network;
    this.peer = peer;
    this.seed = seed;
    this.display = display;
  }

  /**
   * Runs it.
   *
   * @param stop the user's wish to end
   * @throws ToolException when the port cannot be opened
   */
  Outcome execute(StopSignal stop) {
    SeededStreams streams = new SeededStreams(seed);
    Ports.Opened opened = open();
    // Linux numbers its packets from anywhere, which sockets do not show.
    EndpointSettings engine =
        EndpointSettings.defaults()
            .withIcrcMode(
                opened.port().capabilities().ipHeaderSeen() ? IcrcMode.STRICT : IcrcMode.SOLVE);
    ContextSettings context = new ContextSettings().seed(streams.derive("keys"));
    try (EndpointAgent agent = EndpointAgent.open(context, engine, opened.port(), clock)) {
      CmSettings settings = CmSettings.defaults().withPeerUdpPort(network.peerUdpPort());
      RdmaCm cm = RdmaCm.open(agent.context(), settings, streams.derive("cm"));
      Outcome outcome = run(agent, cm, opened.reason(), stop);
      cm.close();
      bidFarewell(agent, cm);
      return outcome;
    }
  }

  private Outcome run(EndpointAgent agent, RdmaCm cm, String portReason, StopSignal stop) {
    long startNs = clock.nanoTime();
    try (RpingSide side = side(agent, cm)) {
      String silence = drive(agent, side, stop);
      return new Outcome(
          side.iterations(),
          clock.nanoTime() - startNs,
          side.fault() == null ? silence : side.fault(),
          agent.port().capabilities().name(),
          portReason,
          agent.counters().get(CounterId.RETRANSMITTED_PACKETS),
          side.transport());
    }
  }

  private RpingSide side(EndpointAgent agent, RdmaCm cm) {
    try {
      return plan.server()
          ? new RpingServer(plan, agent.context(), cm, display)
          : new RpingClient(plan, agent.context(), cm, peer, display);
    } catch (VerbsException e) {
      throw ToolException.usage("-a: " + e.getMessage(), e);
    }
  }

  private Ports.Opened open() {
    try {
      return Ports.open(
          network.io(), PortSettings.of(network.bind()).withUdpPort(network.udpPort()));
    } catch (PortException e) {
      throw ToolException.machine(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--io " + network.io() + ": " + e.getMessage(), e);
    }
  }

  /** Runs until the side is done; says so when nothing happens for too long. */
  private String drive(EndpointAgent agent, RpingSide side, StopSignal stop) {
    long lastNs = clock.nanoTime();
    long packets = 0;
    while (!side.isDone()) {
      int work = agent.doWork();
      boolean turned = side.turn();
      if (turned || agent.port().counters().rxPackets != packets) {
        packets = agent.port().counters().rxPackets;
        lastNs = clock.nanoTime();
      } else if (network.silenceNs() > 0 && clock.nanoTime() - lastNs > network.silenceNs()) {
        return "nothing was heard of the server for "
            + TimeSpan.format((double) network.silenceNs());
      }
      if (stop.isStopped()) {
        side.stop();
      }
      idle.idle(turned ? work + 1 : work);
    }
    return null;
  }

  /** Lets what was said last leave, and answers what the peer still asks. */
  private void bidFarewell(EndpointAgent agent, RdmaCm cm) {
    long endNs = clock.nanoTime() + FAREWELL_NS;
    while (!cm.isQuiet() && clock.nanoTime() < endNs) {
      idle.idle(agent.doWork());
    }
  }
}
