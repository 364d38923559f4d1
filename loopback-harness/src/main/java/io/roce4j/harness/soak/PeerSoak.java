// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.StopSignal;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.oob.PeerException;
import io.roce4j.harness.oob.PeerLink;
import io.roce4j.harness.oob.PeerMessage;
import io.roce4j.harness.oob.PeerStoppedException;
import io.roce4j.transport.port.PortSettings;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A soak between two processes, seen from one of them: greeting, path, runs. The side that
 * connected proposes the runs, the side that listened accepts or refuses them. The RDMA traffic
 * goes between the two addresses of the TCP connection and nowhere else, whatever a peer says.
 */
final class PeerSoak {
  /** Raised with every change of the exchange, or of what is drawn from a seed. */
  private static final int PROTOCOL = 3;

  private static final long GREETING_LIMIT_NS = 10_000_000_000L;
  private static final long NEXT_RUN_LIMIT_NS = 60_000_000_000L;
  private static final long GOODBYE_LIMIT_NS = 3_000_000_000L;

  private final PeerLink link;
  private final String portName;
  private final PortSettings own;
  private final SoakProgress progress;
  private final StopSignal stop;
  private final CaptureTap tap;
  private final List<SoakResult> results = new ArrayList<>();
  private PortSettings peer;
  private SoakPlan plan;
  private boolean isPeerGone;
  private long waitingSinceNs;
  private boolean isStopSeen;
  private long stopSeenNs;

  /**
   * Prepares a side.
   *
   * @param link to the peer
   * @param portName kind of port here
   * @param udpPort where this side receives
   * @param progress the live line
   * @param stop the user's signal
   * @param tap for the capture, or null
   */
  PeerSoak(
      PeerLink link,
      String portName,
      int udpPort,
      SoakProgress progress,
      StopSignal stop,
      CaptureTap tap) {
    this.link = link;
    this.portName = portName;
    this.own = settings(link.localAddress(), udpPort);
    this.progress = progress;
    this.stop = stop;
    this.tap = tap;
  }

  private static PortSettings settings(InetAddress address, int udpPort) {
    return PortSettings.of(address).withUdpPort(udpPort);
  }

  /**
   * Greets the peer; both sides do it first.
   *
   * @throws PeerException when it is no soak, or not one of this protocol
   */
  void greet() {
    link.send(
        PeerLink.message("roce4j-soak")
            .put("protocol", PROTOCOL)
            .put("version", VersionProvider.version())
            .put("udpPort", own.udpPort()));
    PeerMessage hello = link.await(System.nanoTime(), GREETING_LIMIT_NS, this::isGivenUp);
    PeerWatch.requireType(hello, "roce4j-soak");
    int protocol = hello.integer("protocol", 0, Integer.MAX_VALUE);
    if (protocol != PROTOCOL) {
      throw new PeerException(
          "peer "
              + link.name()
              + " is roce4j "
              + hello.text("version")
              + " with exchange "
              + protocol
              + ", this is "
              + VersionProvider.version()
              + " with "
              + PROTOCOL
              + ": run the same version on both hosts");
    }
    peer = settings(link.remoteAddress(), hello.integer("udpPort", 1, 65535));
  }

  /** Makes the plans once the addresses and the path MTU are known. */
  @FunctionalInterface
  interface PlanMaker {
    /**
     * Makes them.
     *
     * @param own how the port here is opened
     * @param peer where the peer is
     * @param pathMtu as found
     * @return one for each transport
     */
    List<SoakPlan> plans(PortSettings own, PortSettings peer, int pathMtu);
  }

  /**
   * Proposes runs: of each plan one without impairment, and one with it. A run that was not good,
   * or was ended by a user, is the last.
   *
   * @param mtu path MTU, or 0 for the largest that passes
   * @param impairment of the second runs, perhaps none
   * @param maker of the plans
   */
  void lead(int mtu, Impairment impairment, PlanMaker maker) {
    converse(
        () -> {
          int found = new PeerPath(link, own, peer, this::isGivenUp).ask(mtu);
          for (SoakPlan each : maker.plans(own, peer, found)) {
            plan = each;
            propose(Impairment.none());
            if (!impairment.isNone()) {
              propose(impairment);
            }
          }
          if (!isPeerGone) {
            link.send(PeerLink.message("bye"));
          }
        });
  }

  private void propose(Impairment impairment) {
    if (!results.isEmpty() && isOver(results.getLast())) {
      return;
    }
    link.send(PeerPlan.write(plan, impairment));
    PeerMessage answer = link.await(System.nanoTime(), GREETING_LIMIT_NS, this::isGivenUp);
    PeerWatch.requireType(answer, "accept");
    execute(true, plan, impairment);
  }

  private void execute(boolean isFirst, SoakPlan agreed, Impairment impairment) {
    PeerRun run =
        new PeerRun(link, isFirst, agreed, impairment, progress, stop, tap, this::isGivenUp);
    results.add(run.execute());
    isPeerGone = run.isPeerGone();
  }

  private static boolean isOver(SoakResult last) {
    return last.findings().count() > 0 || last.isInterrupted();
  }

  /** Takes the runs that the peer proposes, until it says that there are no more. */
  void follow() {
    converse(
        () -> {
          waitingSinceNs = System.nanoTime();
          boolean goesOn = true;
          while (goesOn && !isPeerGone) {
            goesOn = takeNext();
          }
        });
  }

  /** A peer is told why this side ends; results there are already are not lost with the peer. */
  private void converse(Runnable steps) {
    try {
      steps.run();
    } catch (ToolException e) {
      tellPeer(e);
      throw e;
    } catch (PeerStoppedException e) {
      if (results.isEmpty()) {
        throw e;
      }
      // What has run stands.
    } catch (PeerException e) {
      if (results.isEmpty()) {
        throw e;
      }
      results.getLast().findings().add(e.getMessage());
    }
  }

  /**
   * Whether the user ended the waiting. After a run the peer has a little time for its goodbye, so
   * that both sides end alike.
   */
  private boolean isGivenUp() {
    if (!stop.isStopped()) {
      return false;
    }
    if (!isStopSeen) {
      isStopSeen = true;
      stopSeenNs = System.nanoTime();
    }
    return results.isEmpty() || System.nanoTime() - stopSeenNs > GOODBYE_LIMIT_NS;
  }

  private boolean takeNext() {
    PeerMessage message = link.await(waitingSinceNs, NEXT_RUN_LIMIT_NS, this::isGivenUp);
    switch (message.type()) {
      case "probe" -> new PeerPath(link, own, peer, this::isGivenUp).answer(message);
      case "run" -> takeRun(message);
      case "bye" -> {
        return false;
      }
      case "alive" -> {
        // Left over from the run before.
      }
      default -> PeerWatch.requireType(message, "run");
    }
    return true;
  }

  private void takeRun(PeerMessage message) {
    SoakPlan proposed;
    Impairment impairment;
    try {
      proposed = PeerPlan.read(message, portName, own, peer);
      impairment = PeerPlan.readImpairment(message);
    } catch (PeerException e) {
      link.send(PeerLink.message("refuse").put("reason", e.getMessage()));
      throw e;
    }
    plan = proposed;
    link.send(PeerLink.message("accept"));
    try {
      execute(false, proposed, impairment);
    } catch (PeerException e) {
      tellPeer(e);
      throw e;
    }
    waitingSinceNs = System.nanoTime();
  }

  /** The peer is told why it goes no further here, if it still listens. */
  private void tellPeer(RuntimeException reason) {
    try {
      link.send(PeerLink.message("refuse").put("reason", reason.getMessage()));
    } catch (PeerException e) {
      reason.addSuppressed(e);
    }
  }

  /** What the runs came to. */
  List<SoakResult> results() {
    return results;
  }

  /** The plan of the last run; null before the first. */
  SoakPlan plan() {
    return plan;
  }
}
