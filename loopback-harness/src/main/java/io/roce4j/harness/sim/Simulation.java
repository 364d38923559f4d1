// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.PortTap;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import org.agrona.concurrent.NanoClock;

/**
 * A run in virtual time: a network, endpoints driven by the very same agents as on real ports, and
 * the applications on top of them.
 *
 * <p>The simulation goes from event to event. At each, the endpoints that have something to do run
 * until they rest, then their applications, until nothing moves; then time goes on to the next
 * arrival or deadline. Single-threaded; the seed and the calls made decide everything.
 */
public final class Simulation implements AutoCloseable {
  private final SeededStreams streams;
  private final Timeline timeline = new Timeline();
  private final EndpointLoop loop = new EndpointLoop(timeline);
  private final SimNetwork network;

  /**
   * Makes a simulation without endpoints.
   *
   * @param streams all dice of the run
   * @param maxDatagramBytes largest UDP payload
   * @param link how links are unless changed one by one
   * @param observers is told what links do, made with the timeline of this run
   */
  public Simulation(
      SeededStreams streams,
      int maxDatagramBytes,
      LinkSettings link,
      LinkObserver.Maker observers) {
    this.streams = streams;
    this.network = new SimNetwork(timeline, streams, maxDatagramBytes, link, observers);
  }

  /**
   * Adds an endpoint.
   *
   * @param name unique
   * @param address its IPv4 or IPv6 address
   * @param portSettings of its port
   * @param engineSettings of its engines
   * @param tap sees its packets, or null
   * @return the endpoint, running
   */
  public SimEndpoint addEndpoint(
      String name,
      Gid address,
      SimPortSettings portSettings,
      EndpointSettings engineSettings,
      PortTap tap) {
    SimPort port = network.addPort(name, address, IpUdpFields.ROCE_PORT, portSettings);
    port.tap(tap);
    ContextSettings context = new ContextSettings().seed(streams.derive("endpoint." + name));
    return loop.add(name, port, context, engineSettings);
  }

  /**
   * Adds an application.
   *
   * @param application has its turn whenever an endpoint made so far did something
   */
  public void addApplication(SimApplication application) {
    loop.addApplication(application);
  }

  /**
   * Virtual time.
   *
   * @return the timeline, on which faults can be scheduled
   */
  public Timeline timeline() {
    return timeline;
  }

  /**
   * Virtual time as endpoints and applications read it.
   *
   * @return the clock
   */
  public NanoClock clock() {
    return loop.clock();
  }

  /**
   * The network.
   *
   * @return its links and ports
   */
  public SimNetwork network() {
    return network;
  }

  /** Lets the applications post what they have to post at the start. */
  public void start() {
    loop.start();
  }

  /**
   * Goes to the next event and lets everything that follows from it at that instant happen.
   *
   * @return false when nothing is to come: no packet, no deadline
   */
  public boolean step() {
    return loop.step();
  }

  /** Closes endpoints and network. */
  @Override
  public void close() {
    loop.close();
    network.close();
  }
}
