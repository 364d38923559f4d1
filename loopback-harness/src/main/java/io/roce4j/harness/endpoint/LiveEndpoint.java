// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.endpoint;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.congestion.VisibleSignals;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.PortAttributes;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.wire.ip.Gid;
import java.net.InetAddress;
import java.util.Map;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * One endpoint over a real port, driven by the thread of the tool itself: on a machine with few
 * cores a second thread would only take turns with the first. All methods belong to that thread.
 */
public final class LiveEndpoint implements AutoCloseable {
  private final EndpointAgent agent;
  private final String portReason;
  private final NanoClock clock;
  private final EndpointOptions options;

  private LiveEndpoint(
      EndpointAgent agent, String portReason, NanoClock clock, EndpointOptions options) {
    this.agent = agent;
    this.portReason = portReason;
    this.clock = clock;
    this.options = options;
  }

  /**
   * Opens the endpoint.
   *
   * @param options checked
   * @param tcpAddress local address of the TCP connection to the peer, the GID unless the options
   *     name another
   * @param streams of the run; keys and queue pair numbers come from them
   * @return open
   * @throws ToolException when the machine or an option does not allow it
   */
  public static LiveEndpoint open(
      EndpointOptions options, InetAddress tcpAddress, SeededStreams streams) {
    PortSettings settings = options.settings(tcpAddress);
    NanoClock clock = SystemNanoClock.INSTANCE;
    try {
      Ports.Opened opened = Ports.open(options.io(), settings);
      requireSignals(opened.port(), options);
      return new LiveEndpoint(
          agent(opened.port(), options, streams, clock), opened.reason(), clock, options);
    } catch (PortException e) {
      throw ToolException.machine(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--io " + options.io() + ": " + e.getMessage(), e);
    }
  }

  /** Refuses a controller that would run blind on this port. */
  private static void requireSignals(DatagramPort port, EndpointOptions options) {
    if (options.isForced()) {
      return;
    }
    try {
      VisibleSignals.on(port.capabilities(), "rc").require(options.congestion());
    } catch (ToolException e) {
      port.close();
      throw e;
    }
  }

  private static EndpointAgent agent(
      DatagramPort port, EndpointOptions options, SeededStreams streams, NanoClock clock) {
    ContextSettings context = new ContextSettings().seed(streams.derive("keys"));
    try {
      return EndpointAgent.open(context, options.engine(), port, clock);
    } catch (RuntimeException e) {
      port.close(); // The agent would have owned it.
      throw e;
    }
  }

  /**
   * The verbs of the endpoint.
   *
   * @return its context
   */
  public RdmaContext context() {
    return agent.context();
  }

  /**
   * Tells the time.
   *
   * @return the endpoint's clock
   */
  public NanoClock clock() {
    return clock;
  }

  /**
   * The kind of port.
   *
   * @return its name
   */
  public String portName() {
    return agent.port().capabilities().name();
  }

  /**
   * Which port, and why.
   *
   * @return one line
   */
  public String portReason() {
    return portReason;
  }

  /**
   * The congestion controller of its queue pairs.
   *
   * @return as in the options
   */
  public String congestion() {
    return options.congestion();
  }

  /**
   * What the congestion controller is set to.
   *
   * @return as in the options
   */
  public Map<String, String> congestionParameters() {
    return options.congestionParameters();
  }

  /**
   * The endpoint's GID.
   *
   * @return of the bind address
   */
  public Gid gid() {
    PortAttributes port = agent.context().queryPort();
    return new Gid(port.gidHi(), port.gidLo());
  }

  /**
   * Where a peer is.
   *
   * @param peer its GID, of the same family as {@link #gid}
   * @return its address on the UDP port given in the options
   * @throws ToolException when the families differ
   */
  public AddressVector addressOf(Gid peer) {
    Gid own = gid();
    if (own.isIpv4() != peer.isIpv4()) {
      throw ToolException.check(
          "the peer's GID "
              + peer
              + " and ours, "
              + own
              + ", are not both IPv4 or both IPv6: give each side a matching --gid-index or"
              + " --bind");
    }
    return AddressVector.of(peer.high(), peer.low()).withUdpPort(options.peerUdpPort());
  }

  /**
   * Drives the endpoint once.
   *
   * @return work done
   */
  public int turn() {
    return agent.doWork();
  }

  /**
   * Waits while driving the endpoint; packets that arrive are signs of life.
   *
   * @return of the options' longest silence
   */
  public Patience patience() {
    return new Patience(this::turn, this::packetsReceived, options.silenceNs(), clock);
  }

  /**
   * Goes on answering the peer, which may have lost our last acknowledgement.
   *
   * @param quietNs time without a packet that ends it
   */
  public void linger(long quietNs) {
    new Patience(this::turn, this::packetsReceived, quietNs, clock).await(() -> false);
  }

  /**
   * Packets that the port has received, good ones and others.
   *
   * @return 0 or more
   */
  public long packetsReceived() {
    return agent.port().counters().rxPackets;
  }

  /**
   * A counter of the engines.
   *
   * @param id which
   * @return its value
   */
  public long counter(CounterId id) {
    return agent.counters().get(id);
  }

  /**
   * Why the peer may not be heard, for the line that says it is silent.
   *
   * @return starts with a separator, or is empty
   */
  public String silenceCause() {
    if (counter(CounterId.RX_ICRC_ENCAPSULATED) > 0) {
      return "; "
          + counter(CounterId.RX_ICRC_ENCAPSULATED)
          + " packets were refused for their ICRC (--icrc "
          + options.icrc()
          + ")";
    }
    if (packetsReceived() > 0) {
      return "";
    }
    if (!gid().isIpv4() && portName().equals("nio")) {
      return "; over IPv6 Linux sends UDP checksum 0, which port nio cannot take: use --io linux";
    }
    return "; no packet came at all: look for a firewall on UDP "
        + agent.context().queryPort().udpPort()
        + ", and at ./roce4j doctor";
  }

  @Override
  public void close() {
    agent.close();
  }
}
