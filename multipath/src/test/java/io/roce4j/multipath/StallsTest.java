// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What must not wait for a probe timer, and what a probe timer must not conclude. */
class StallsTest {
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final int PACKETS = 4_000;
  private static final int RTT = 60;
  private static final int FIRST_CPSN = 77;

  /**
   * Loses the first transmission of every tenth packet, but for the last ninety: their losses would
   * be repeated behind the last one and show its loss. And that of the last one.
   */
  private static Weather everyTenthAndTheLast() {
    return new Weather(Transfer.oneWayNs(RTT)) {
      @Override
      int fate(Packet packet) {
        boolean first = packet.from == 0 && packet.isNumbered() && !packet.isRetransmission();
        int left = FIRST_CPSN + PACKETS - 1 - packet.psn();
        return first && ((packet.pseq() % 10 == 9 && left > 90) || left == 0) ? DROP : PASS;
      }
    };
  }

  @Test
  void aLossyPathIsAskedAtOnceForWhatTheEndOfATransferLost() {
    try (Transfer t =
        new Transfer(RandomLossTest.settings(1), "none", RTT, everyTenthAndTheLast(), PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      MxCounters counters = t.connection().counters;
      assertEquals(0, counters.ptos, "probe timers");
      assertEquals(0, counters.spurious);
      assertEquals(t.net.dropped, counters.retransmissions);
    }
  }

  @Test
  void aCleanPathIsNotAsked() {
    Weather clean = new Weather(Transfer.oneWayNs(RTT));
    try (Transfer t = new Transfer(RandomLossTest.settings(1), "none", RTT, clean, PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertEquals(0, t.connection().counters.probes);
    }
  }

  @Test
  void aSuspectPathThatAnswersItsProbesDoesNotFail() {
    boolean[] silent = new boolean[1];
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            boolean ofPath = packet.isNumbered() || packet.isProbe() || packet.isSack();
            return silent[0] && ofPath && packet.path() == 3 ? DROP : PASS;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(8), "none", RTT, weather, PACKETS)) {
      MxCounters counters = t.connection().counters;
      t.net.everyStep(
          () -> silent[0] = counters.dataPackets > PACKETS / 4 && counters.suspects == 0);
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertEquals(1, counters.suspects);
      assertEquals(0, counters.pathFailures, "failures");
      assertEquals(0, counters.entropyMoves, "moves");
      assertEquals(PathState.ACTIVE, t.connection().requestSend().paths.get(3).state);
    }
  }

  @Test
  void timeInWhichThisSideDidNotRunIsNoSilenceOfThePathOnce() {
    Weather clean = new Weather(Transfer.oneWayNs(RTT));
    try (Transfer t = new Transfer(RandomLossTest.settings(1), "none", RTT, clean, PACKETS)) {
      SendHalf half = t.connection().requestSend();
      SendPath path = half.paths.get(0);
      assertTrue(
          t.net.run(
              LIMIT_NS,
              () -> {
                t.pump();
                return path.ring.liveCount() > 20;
              }));
      long lateNs = path.ptoDeadlineNs + half.monitor.ptoNs(path);
      half.monitor.onTimer(lateNs);
      assertEquals(0, path.ptos, "late: it waits once more");
      assertEquals(lateNs + half.monitor.ptoNs(path), path.ptoDeadlineNs);
      half.monitor.onTimer(2 * lateNs);
      assertEquals(1, path.ptos, "late again: it asks");
    }
  }
}
