// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The verdict on an emulator in real time, from times by hand [FE 8.7]. */
class LatenessTest {
  private static Lateness with(int late, int inTime, double share) {
    Lateness lateness = new Lateness(1_000, share);
    for (int i = 0; i < inTime; i++) {
      lateness.record(1_000);
    }
    for (int i = 0; i < late; i++) {
      lateness.record(1_001);
    }
    return lateness;
  }

  @Test
  void aRunIsInvalidWhenMorePacketsAreLateThanTolerated() {
    assertTrue(with(1, 99, 0.01).fault().isEmpty());
    assertEquals(0.02, with(2, 98, 0.01).lateShare());
    String fault = with(2, 98, 0.01).fault().orElseThrow();
    assertTrue(fault.contains("more than 1.00us late for 2.00% of the packets"), fault);
    assertTrue(fault.contains("1.00% are tolerated") && fault.contains("--slower"), fault);
    assertTrue(with(1, 1_000_000, 0).fault().isPresent());
    assertTrue(with(10, 0, 1).fault().isEmpty());
    assertTrue(with(0, 0, 0).fault().isEmpty());
  }

  @Test
  void whatIsEarlyCountsAsInTime() {
    Lateness lateness = new Lateness(1, 0);
    lateness.record(-5);
    assertEquals(0, lateness.recorder().maxNs());
    assertTrue(lateness.fault().isEmpty());
  }

  @Test
  void pausesAreTheTimesBetweenTwoTurns() {
    Lateness lateness = new Lateness(1, 1);
    lateness.turn(5_000_000);
    assertEquals(0, lateness.longestPauseNs());
    lateness.turn(5_999_999);
    lateness.turn(6_999_999);
    lateness.turn(9_000_000);
    lateness.turn(9_000_001);
    assertEquals(2_000_001, lateness.longestPauseNs());
    assertEquals(2, lateness.pauses());
  }

  @Test
  void aSlowedClockPassesAFractionOfRealTime() {
    long[] now = {1_000_000};
    WallClock clock = new WallClock(() -> now[0], 20);
    assertEquals(0, clock.nanoTime());
    now[0] = 3_000_000;
    clock.start();
    assertEquals(0, clock.nanoTime());
    now[0] += 2_019;
    assertEquals(100, clock.nanoTime());
    assertEquals(2_019, clock.realNs());
    assertEquals(2_000, clock.toRealNs(100));
  }

  @Test
  void packetsAreLateByHalfARoundTripUnlessSaid() {
    assertEquals(100_000, new RealTimeSettings("nio", 1, 1, 0, 0.01).lateAfterNs(200_000));
    assertEquals(50_000, new RealTimeSettings("nio", 1, 1, 0, 0.01).lateAfterNs(10_000));
    assertEquals(500_000, new RealTimeSettings("nio", 1, 100, 0, 0.01).lateAfterNs(10_000));
    assertEquals(7, new RealTimeSettings("nio", 1, 100, 7, 0.01).lateAfterNs(10_000));
  }
}
