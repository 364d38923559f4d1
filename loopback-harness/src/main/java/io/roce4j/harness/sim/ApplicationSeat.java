// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

/** An application's place in a loop: whose work it follows and when it asked to be called. */
final class ApplicationSeat implements Timeline.Occurrence {
  private final EndpointLoop loop;
  private final Timeline timeline;
  private final SimApplication application;
  private final SimEndpoint[] endpoints;
  private long scheduledPs = Timeline.NEVER;
  private boolean isDue;

  ApplicationSeat(
      EndpointLoop loop, Timeline timeline, SimApplication application, SimEndpoint[] endpoints) {
    this.loop = loop;
    this.timeline = timeline;
    this.application = application;
    this.endpoints = endpoints;
  }

  void makeDue() {
    if (!isDue) {
      isDue = true;
      loop.onDue(this);
    }
  }

  void turn() {
    isDue = false;
    if (application.turn() > 0) {
      for (SimEndpoint endpoint : endpoints) {
        endpoint.wake();
      }
    }
    schedule(application.nextTurnNs());
  }

  private void schedule(long nextNs) {
    if (nextNs == Long.MAX_VALUE) {
      return;
    }
    // An earlier turn asks again; only a sooner one needs an event.
    long atPs = Math.max(timeline.nowPs(), nextNs * Timeline.PS_PER_NS);
    if (atPs < scheduledPs) {
      scheduledPs = atPs;
      timeline.schedule(atPs, this, 0, 0);
    }
  }

  @Override
  public void happen(int kind, long argument) {
    if (timeline.nowPs() == scheduledPs) {
      scheduledPs = Timeline.NEVER;
      makeDue();
    }
  }
}
