// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.control;

import org.agrona.concurrent.NanoClock;

/** A clock that stands still until it is moved, and never goes back. Starts at 0. One thread. */
public final class ManualClock implements NanoClock {
  private long nowNs;

  /** A clock at 0. */
  public ManualClock() {}

  @Override
  public long nanoTime() {
    return nowNs;
  }

  /**
   * Moves the clock.
   *
   * @param toNs new time, ns, not before the present one
   * @throws IllegalArgumentException when it would go back
   */
  public void moveTo(long toNs) {
    if (toNs < nowNs) {
      throw new IllegalArgumentException("clock at " + nowNs + " ns cannot go back to " + toNs);
    }
    nowNs = toNs;
  }
}
