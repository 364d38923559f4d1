// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import org.agrona.concurrent.NanoClock;

/** The clock an endpoint reads in the simulator: the present of a {@link Timeline}. */
public final class SimClock implements NanoClock {
  private final Timeline timeline;

  /**
   * Makes a view of virtual time.
   *
   * @param timeline whose present is read
   */
  public SimClock(Timeline timeline) {
    this.timeline = timeline;
  }

  @Override
  public long nanoTime() {
    return timeline.nowNs();
  }
}
