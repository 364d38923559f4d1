// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.StopSignal;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.oob.PeerException;
import io.roce4j.harness.oob.PeerLink;
import io.roce4j.harness.oob.PeerListener;
import io.roce4j.harness.oob.PeerStoppedException;
import io.roce4j.transport.port.PortSettings;
import java.io.PrintWriter;
import java.net.InetAddress;

/**
 * Finds the other side of a soak between two processes, and says to the user what happens. A
 * listening side stays, whoever connects, until a peer has run with it.
 */
final class PeerSession {
  private static final long CONNECT_LIMIT_NS = 10_000_000_000L;

  private final String portName;
  private final InetAddress bind;
  private final int udpPort;
  private final PrintWriter text;
  private final PrintWriter errors;
  private final StopSignal stop;
  private final CaptureTap tap;

  /**
   * Prepares a session.
   *
   * @param portName kind of port here
   * @param bind address of this side, or null for the one the connection gives
   * @param udpPort where this side receives, and its TCP port when it listens
   * @param text for the user
   * @param errors for progress, and for peers that were sent away
   * @param stop the user's signal
   * @param tap for the capture, or null
   */
  PeerSession(
      String portName,
      InetAddress bind,
      int udpPort,
      PrintWriter text,
      PrintWriter errors,
      StopSignal stop,
      CaptureTap tap) {
    this.portName = portName;
    this.bind = bind;
    this.udpPort = udpPort;
    this.text = text;
    this.errors = errors;
    this.stop = stop;
    this.tap = tap;
  }

  /**
   * Connects to a listening peer and proposes the runs.
   *
   * @param options where it listens
   * @param transports in words
   * @param mtu path MTU, or 0 for the largest that passes
   * @param impairment of the second run
   * @param maker of the plans
   * @return the report, or null when the user gave up before a run
   * @throws ToolException when there is no such peer, or it refuses
   */
  SoakReport lead(
      PeerOptions options,
      String transports,
      int mtu,
      Impairment impairment,
      PeerSoak.PlanMaker maker) {
    try (PeerLink link =
        PeerLink.connect(
            bind, options.address(), options.port(), CONNECT_LIMIT_NS, stop::isStopped)) {
      PeerSoak soak = soak(link, transports);
      soak.greet();
      soak.lead(mtu, impairment, maker);
      return new SoakReport(soak.plan(), soak.results());
    } catch (PeerStoppedException e) {
      return null; // The user knows why.
    } catch (PeerException e) {
      throw ToolException.machine(e.getMessage(), e);
    }
  }

  /**
   * Waits for a peer and takes its runs.
   *
   * @return the report, or null when the user gave up waiting
   * @throws ToolException when this side cannot run
   */
  SoakReport follow() {
    try (PeerListener listener = new PeerListener(bind, udpPort)) {
      text.println(
          "soak: waiting for a peer on TCP port "
              + udpPort
              + (bind == null ? "" : " of " + bind.getHostAddress())
              + "; there: ./roce4j soak --peer "
              + (bind == null ? "THIS_HOST" : bind.getHostAddress())
              + (udpPort == PortSettings.DEFAULT_UDP_PORT ? "" : ":" + udpPort));
      text.flush();
      while (true) {
        try (PeerLink link = listener.accept(stop::isStopped)) {
          if (link == null) {
            return null;
          }
          SoakReport report = follow(link);
          if (report != null) {
            return report;
          }
        }
      }
    } catch (PeerException e) {
      throw ToolException.machine(e.getMessage(), e);
    }
  }

  /** The report, or null when the peer was none to run with. */
  private SoakReport follow(PeerLink link) {
    PeerSoak soak = soak(link, "what the peer proposes,");
    try {
      soak.greet();
      soak.follow();
    } catch (PeerStoppedException e) {
      return null; // The listener gives up as well.
    } catch (PeerException e) {
      errors.println("soak: " + e.getMessage() + "; still waiting");
      return null;
    }
    return soak.results().isEmpty() ? null : new SoakReport(soak.plan(), soak.results());
  }

  private PeerSoak soak(PeerLink link, String transports) {
    SoakProgress progress = new SoakProgress(errors);
    PeerSoak soak = new PeerSoak(link, portName, udpPort, progress, stop, tap);
    progress.announce(
        () -> text.println(soak.plan().title(transports) + "; latencies are of this side"));
    return soak;
  }
}
