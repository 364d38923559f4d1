// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.PortTap;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NanoClock;

/**
 * A run in virtual time: a network, endpoints driven by the very same agents as on real ports, and
 * the applications on top of them.
 *
 * <p>The simulation goes from event to event. At each, the endpoints that have something to do run
 * until they rest, then the applications, again and again until nothing moves; then time goes on to
 * the next arrival or deadline. Single-threaded; the seed and the calls made decide everything.
 */
public final class Simulation implements AutoCloseable {
  private static final int CYCLES_AT_ONE_INSTANT = 1_000_000;
  private static final int OVERDUE_WAKES = 10_000;

  private final SeededStreams streams;
  private final Timeline timeline = new Timeline();
  private final SimClock clock = new SimClock(timeline);
  private final SimNetwork network;
  private final List<SimEndpoint> endpoints = new ArrayList<>();
  private final List<Application> applications = new ArrayList<>();
  private long scheduledTurnNs = Long.MAX_VALUE;

  /** What runs on top of the endpoints and meets them only in their rings. */
  public interface Application {
    /**
     * Takes completions and posts work.
     *
     * @return work done, 0 when there was none
     */
    int turn();

    /**
     * When a turn has something to do although no endpoint did anything.
     *
     * @return time of the clock, ns; {@link Long#MAX_VALUE} for never
     */
    long nextTurnNs();
  }

  /**
   * Makes a simulation without endpoints.
   *
   * @param streams all dice of the run
   * @param maxDatagramBytes largest UDP payload
   * @param link how links are unless changed one by one
   * @param observers is told what links do, made with the timeline of this run
   */
  public Simulation(
      SeededStreams streams, int maxDatagramBytes, LinkSettings link, ObserverMaker observers) {
    this.streams = streams;
    this.network =
        new SimNetwork(timeline, streams, maxDatagramBytes, link, observers.observe(this));
  }

  /** Makes the observer of a simulation's links. */
  @FunctionalInterface
  public interface ObserverMaker {
    /**
     * Makes it.
     *
     * @param simulation whose links are observed; only its timeline and slots may be used yet
     * @return the observer
     */
    LinkObserver observe(Simulation simulation);
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
    SimEndpoint endpoint = new SimEndpoint(name, timeline, port, context, engineSettings, clock);
    endpoints.add(endpoint);
    return endpoint;
  }

  /**
   * Adds an application.
   *
   * @param application has its turn whenever an endpoint did something
   */
  public void addApplication(Application application) {
    applications.add(application);
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
    return clock;
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
    wakeAll();
    settle();
  }

  /**
   * Goes to the next event and lets everything that follows from it at that instant happen.
   *
   * @return false when nothing is to come: no packet, no deadline
   */
  public boolean step() {
    if (!timeline.step()) {
      return false;
    }
    settle();
    return true;
  }

  private void settle() {
    while (runEndpoints()) {
      if (runApplications()) {
        wakeAll();
      }
    }
    for (int i = 0; i < endpoints.size(); i++) {
      endpoints.get(i).scheduleWake(OVERDUE_WAKES);
    }
    scheduleTurn();
  }

  private void scheduleTurn() {
    long nextNs = Long.MAX_VALUE;
    for (int i = 0; i < applications.size(); i++) {
      nextNs = Math.min(nextNs, applications.get(i).nextTurnNs());
    }
    // An earlier turn asks again; only a sooner one needs an event.
    if (nextNs < scheduledTurnNs) {
      scheduledTurnNs = nextNs;
      long atPs = Math.max(timeline.nowPs(), nextNs * Timeline.PS_PER_NS);
      timeline.schedule(atPs, this::onTurn, 0, nextNs);
    }
  }

  private void onTurn(int kind, long turnNs) {
    if (turnNs == scheduledTurnNs) {
      scheduledTurnNs = Long.MAX_VALUE;
      wakeAll();
    }
  }

  private boolean runEndpoints() {
    boolean ran = false;
    for (int i = 0; i < endpoints.size(); i++) {
      ran |= endpoints.get(i).runIfWoken(CYCLES_AT_ONE_INSTANT);
    }
    return ran;
  }

  private boolean runApplications() {
    int work = 0;
    for (int i = 0; i < applications.size(); i++) {
      work += applications.get(i).turn();
    }
    return work > 0;
  }

  private void wakeAll() {
    for (int i = 0; i < endpoints.size(); i++) {
      endpoints.get(i).wake();
    }
  }

  /** Closes endpoints and network. */
  @Override
  public void close() {
    endpoints.forEach(SimEndpoint::close);
    network.close();
  }
}
