// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SilenceClockTest {
  private static final long ALLOWED_NS = 8_000;

  /** Looks whenever the clock asks for it; returns when the peer counts as dead. */
  private static long deathNs(SilenceClock clock, long waitingSinceNs) {
    for (int looks = 0; looks < 100; looks++) {
      long nowNs = clock.deadlineNs(waitingSinceNs, ALLOWED_NS);
      if (clock.isOver(nowNs, waitingSinceNs, ALLOWED_NS)) {
        return nowNs;
      }
    }
    return Long.MAX_VALUE;
  }

  @Test
  void aSilentPeerIsDeadAfterTheTimeAllowed() {
    assertEquals(100 + ALLOWED_NS, deathNs(new SilenceClock(100), 0));
    assertEquals(5_000 + ALLOWED_NS, deathNs(new SilenceClock(100), 5_000), "from the first wait");
  }

  @Test
  void aSignOfLifeStartsTheTimeAnew() {
    SilenceClock clock = new SilenceClock(0);
    assertFalse(clock.isOver(7_000, 0, ALLOWED_NS));
    clock.heard(7_100);
    assertEquals(7_100 + ALLOWED_NS, deathNs(clock, 0));
  }

  /** A host that did not run its thread for a second heard nothing, and lost one slice by it. */
  @Test
  void timeInWhichNobodyListenedCostsOneSlice() {
    SilenceClock clock = new SilenceClock(0);
    assertFalse(clock.isOver(1_000_000_000, 0, ALLOWED_NS));
    assertEquals(1_000_000_000 + ALLOWED_NS / 8 * 7, deathNs(clock, 0));
    assertTrue(clock.isOver(3_000_000_000L, 0, ALLOWED_NS));
  }

  /** [mx B.5] Seven probe timers, each twice the one before, always fit. */
  @Test
  void aShortTimeoutOfTheQueuePairLeavesTimeForTheProbeTimers() {
    SilenceClock clock = new SilenceClock(0);
    clock.configure(1, 0);
    assertEquals(127 * 125_000L, clock.allowedNs(100_000, 10_000));
  }
}
