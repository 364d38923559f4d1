// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

/** What runs on top of simulated endpoints and meets them only in their rings. */
public interface SimApplication {
  /**
   * Takes completions and posts work.
   *
   * @return work done, 0 when there was none
   */
  int turn();

  /**
   * When a turn has something to do although no endpoint of its own did anything. Asked after each
   * turn.
   *
   * @return time of the clock, ns; {@link Long#MAX_VALUE} for never
   */
  long nextTurnNs();
}
