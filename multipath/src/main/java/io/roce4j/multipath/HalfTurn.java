// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.multipath;

import io.roce4j.transport.engine.ConnectionEngine;

/**
 * Whose turn it is to send, the requests' or the answers'. A turn lasts for some trains, since the
 * halves have source ports of their own: a port that sends trains of one source port by one system
 * call would, with a change at every train, make a call for each.
 */
final class HalfTurn {
  /** Trains of a turn: as many as the burst of a path has, 256 packets in trains of 16. */
  static final int TRAINS = 16;

  private boolean ofResponses;
  private int sent;

  /** True when the answers go first. */
  boolean isOfResponses() {
    return ofResponses;
  }

  /**
   * The half whose turn it is was asked to send; with nothing to send, or with enough sent, the
   * other one's turn begins.
   *
   * @param result of {@link ConnectionEngine#transmit}
   */
  void after(int result) {
    sent++;
    if (result == ConnectionEngine.IDLE || sent >= TRAINS) {
      ofResponses = !ofResponses;
      sent = 0;
    }
  }
}
