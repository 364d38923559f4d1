// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import org.agrona.concurrent.NanoClock;

/**
 * The time of a run as its endpoints and its fabric read it: that of the machine, or a fraction of
 * it, so that a fabric that is too fast for the machine is slowed down as a whole.
 */
final class WallClock implements NanoClock {
  private final NanoClock machine;
  private final long slower;
  private long beganNs;
  private boolean isRunning;

  /**
   * Makes a clock that stands at 0.
   *
   * @param machine real time
   * @param slower real nanoseconds in one of this clock, 1 or more
   */
  WallClock(NanoClock machine, long slower) {
    this.machine = machine;
    this.slower = slower;
  }

  /** Lets time begin. */
  void start() {
    beganNs = machine.nanoTime();
    isRunning = true;
  }

  @Override
  public long nanoTime() {
    return isRunning ? realNs() / slower : 0;
  }

  /** Real nanoseconds since the start. */
  long realNs() {
    return isRunning ? machine.nanoTime() - beganNs : 0;
  }

  /** When a time of this clock is, in real nanoseconds since the start. */
  long toRealNs(long ns) {
    return ns * slower;
  }
}
