// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.ConnectionEngine;
import org.junit.jupiter.api.Test;

class HalfTurnTest {
  private final HalfTurn turn = new HalfTurn();

  @Test
  void busyHalvesShareEquallyAndInRuns() {
    int responses = 0;
    int changes = 0;
    boolean last = turn.isOfResponses();
    for (int i = 0; i < 100 * HalfTurn.TRAINS; i++) {
      responses += turn.isOfResponses() ? 1 : 0;
      changes += turn.isOfResponses() == last ? 0 : 1;
      last = turn.isOfResponses();
      turn.after(ConnectionEngine.MORE);
    }
    assertEquals(50 * HalfTurn.TRAINS, responses);
    assertEquals(99, changes);
  }

  @Test
  void halfWithNothingToSendGivesItsWholeTurnAway() {
    turn.after(ConnectionEngine.MORE);
    turn.after(ConnectionEngine.IDLE);
    assertTrue(turn.isOfResponses());
    for (int i = 0; i < HalfTurn.TRAINS - 1; i++) {
      turn.after(ConnectionEngine.MORE);
      assertTrue(turn.isOfResponses());
    }
    turn.after(ConnectionEngine.MORE);
    assertFalse(turn.isOfResponses());
  }
}
