// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.ContextSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.NanoClock;

/**
 * Endpoints and applications in virtual time: after each event those run that have something to do,
 * in the order in which they were woken, until nothing moves; then time goes on.
 *
 * <p>The cost of an event that wakes nobody does not grow with the number of endpoints.
 * Single-threaded; nothing is allocated once everything has run.
 */
public final class EndpointLoop implements AutoCloseable {
  private static final int CYCLES_AT_ONE_INSTANT = 1_000_000;
  private static final int OVERDUE_WAKES = 10_000;

  private final Timeline timeline;
  private final SimClock clock;
  private final List<SimEndpoint> endpoints = new ArrayList<>();
  private final List<ApplicationSeat> seats = new ArrayList<>();
  private SimEndpoint[] woken = new SimEndpoint[16];
  private SimEndpoint[] running = new SimEndpoint[16];
  private SimEndpoint[] rested = new SimEndpoint[16];
  private ApplicationSeat[] due = new ApplicationSeat[16];
  private ApplicationSeat[] turning = new ApplicationSeat[16];
  private int wokenCount;
  private int restedCount;
  private int dueCount;

  /**
   * Makes a loop without endpoints.
   *
   * @param timeline virtual time
   */
  public EndpointLoop(Timeline timeline) {
    this.timeline = timeline;
    this.clock = new SimClock(timeline);
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
   * Opens an endpoint over a port.
   *
   * @param name unique
   * @param port its port, which the endpoint owns from now on
   * @param context limits and the seed of keys
   * @param engine how its engines behave
   * @return the endpoint, running
   */
  public SimEndpoint add(
      String name, SimPort port, ContextSettings context, EndpointSettings engine) {
    SimEndpoint endpoint = new SimEndpoint(name, timeline, port, context, engine, clock, this);
    endpoints.add(endpoint);
    return endpoint;
  }

  /**
   * Adds an application that has its turn whenever one of its endpoints did something, and at the
   * times it asks for.
   *
   * @param application the application
   * @param own the endpoints it posts to and polls; none for all endpoints of the loop so far
   */
  public void addApplication(SimApplication application, SimEndpoint... own) {
    SimEndpoint[] ends = own.length == 0 ? endpoints.toArray(SimEndpoint[]::new) : own;
    ApplicationSeat seat = new ApplicationSeat(this, timeline, application, ends);
    seats.add(seat);
    for (SimEndpoint end : ends) {
      end.addSeat(seat);
    }
  }

  /** Lets the applications post what they have to post at the start. */
  public void start() {
    endpoints.forEach(SimEndpoint::wake);
    seats.forEach(ApplicationSeat::makeDue);
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
    if ((wokenCount | dueCount) != 0) {
      settle();
    }
    return true;
  }

  /** Runs whoever was woken from outside, such as by a verb called between two steps. */
  public void settle() {
    while ((wokenCount | dueCount) != 0) {
      runEndpoints();
      runApplications();
    }
    for (int i = 0; i < restedCount; i++) {
      rested[i].scheduleWake(OVERDUE_WAKES);
    }
    restedCount = 0;
  }

  private void runEndpoints() {
    SimEndpoint[] now = woken;
    int count = wokenCount;
    woken = running;
    running = now;
    wokenCount = 0;
    for (int i = 0; i < count; i++) {
      SimEndpoint endpoint = now[i];
      endpoint.run(CYCLES_AT_ONE_INSTANT);
      if (endpoint.rests()) {
        if (restedCount == rested.length) {
          rested = Arrays.copyOf(rested, restedCount * 2);
        }
        rested[restedCount++] = endpoint;
      }
    }
  }

  private void runApplications() {
    ApplicationSeat[] now = due;
    int count = dueCount;
    due = turning;
    turning = now;
    dueCount = 0;
    for (int i = 0; i < count; i++) {
      now[i].turn();
    }
  }

  void onWoken(SimEndpoint endpoint) {
    if (wokenCount == woken.length) {
      woken = Arrays.copyOf(woken, wokenCount * 2);
    }
    woken[wokenCount++] = endpoint;
  }

  void onDue(ApplicationSeat seat) {
    if (dueCount == due.length) {
      due = Arrays.copyOf(due, dueCount * 2);
    }
    due[dueCount++] = seat;
  }

  /** Closes the endpoints. */
  @Override
  public void close() {
    endpoints.forEach(SimEndpoint::close);
  }
}
