// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.RdmaContext;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NanoClock;

/** An endpoint of a {@link Simulation}: the agent, its port, and when it has to run. */
public final class SimEndpoint implements Timeline.Occurrence, AutoCloseable {
  private final String name;
  private final Timeline timeline;
  private final SimPort port;
  private final EndpointAgent agent;
  private final EndpointLoop loop;
  private final List<ApplicationSeat> seats = new ArrayList<>();
  private long wakeDelayPs;
  private long wakePs = Timeline.NEVER;
  private int overdueWakes;
  private boolean isWoken;
  private boolean hasRun;

  SimEndpoint(
      String name,
      Timeline timeline,
      SimPort port,
      ContextSettings contextSettings,
      EndpointSettings engineSettings,
      NanoClock clock,
      EndpointLoop loop) {
    this.loop = loop;
    this.name = name;
    this.timeline = timeline;
    this.port = port;
    this.agent = EndpointAgent.open(contextSettings, engineSettings, port, clock);
    port.onArrival(this::onArrival);
  }

  /**
   * The endpoint's name.
   *
   * @return as given
   */
  public String name() {
    return name;
  }

  /**
   * The agent, which the simulation drives.
   *
   * @return for its counters and deadlines
   */
  public EndpointAgent agent() {
    return agent;
  }

  /**
   * Where applications make their verbs objects.
   *
   * @return the context
   */
  public RdmaContext context() {
    return agent.context();
  }

  /**
   * The endpoint's port.
   *
   * @return open until the simulation closes
   */
  public SimPort port() {
    return port;
  }

  /**
   * Where peers send to.
   *
   * @return the address vector of the endpoint's port
   */
  public AddressVector address() {
    return AddressVector.of(port.localGidHi(), port.localGidLo());
  }

  /**
   * Lets the endpoint notice packets late, as a polling or interrupted host does, so that they come
   * in bursts.
   *
   * @param ns from arrival to the agent's cycle, 0 or more
   */
  public void reactAfterNs(long ns) {
    wakeDelayPs = ns * Timeline.PS_PER_NS;
  }

  private void onArrival() {
    if (wakeDelayPs == 0) {
      wake();
    } else {
      wakeAt(timeline.nowPs() + wakeDelayPs);
    }
  }

  void addSeat(ApplicationSeat seat) {
    seats.add(seat);
  }

  /** Lets the agent run before time goes on: a verb was called, or its port has room again. */
  public void wake() {
    if (!isWoken) {
      isWoken = true;
      loop.onWoken(this);
    }
  }

  /** Runs the agent until it rests. */
  void run(int cycleLimit) {
    isWoken = false;
    int cycles = 0;
    long packets = port.packetsMoved();
    while (agent.doWork() > 0) {
      // An agent never rests while the port has no room; here nothing changes before time goes on.
      boolean isStuck = port.isWaitingForRoom() && port.packetsMoved() == packets;
      if (isStuck) {
        break;
      }
      packets = port.packetsMoved();
      if (port.isQuiet() && agent.isAtRest()) {
        break; // What most cycles are for is one packet: the one that would follow finds nothing.
      }
      if (++cycles > cycleLimit) {
        throw new IllegalStateException(
            "endpoint " + name + " works for ever at " + timeline.nowPs() + " ps");
      }
    }
    for (int i = 0; i < seats.size(); i++) {
      seats.get(i).makeDue();
    }
  }

  /** Whether this is the first rest since the last deadline was asked for. */
  boolean rests() {
    boolean first = !hasRun;
    hasRun = true;
    return first;
  }

  /** Asks the agent for its deadline; an agent at rest whose deadline has passed is told so. */
  void scheduleWake(int overdueLimit) {
    hasRun = false;
    long deadlineNs = agent.nextDeadlineNs();
    if (deadlineNs == Long.MAX_VALUE) {
      return;
    }
    long deadlinePs = deadlineNs * Timeline.PS_PER_NS;
    if (deadlinePs > timeline.nowPs()) {
      overdueWakes = 0;
      wakeAt(deadlinePs);
      return;
    }
    if (++overdueWakes > overdueLimit) {
      throw new IllegalStateException(
          "endpoint " + name + " rests although its deadline " + deadlineNs + " ns has passed");
    }
    wakeAt(timeline.nowPs() + Timeline.PS_PER_NS);
  }

  private void wakeAt(long atPs) {
    // An earlier wake asks for the next deadline again; only a sooner one needs an event.
    if (atPs < wakePs) {
      wakePs = atPs;
      timeline.schedule(atPs, this, 0, 0);
    }
  }

  @Override
  public void happen(int kind, long argument) {
    if (timeline.nowPs() == wakePs) {
      wakePs = Timeline.NEVER;
      wake();
    }
  }

  @Override
  public void close() {
    agent.close();
  }
}
