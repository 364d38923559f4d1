// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RttEstimatorTest {

  @Test
  void firstSampleSetsAndLaterOnesSmoothAsRfc6298() {
    RttEstimator rtt = new RttEstimator(0, 100_000);
    assertEquals(100_000, rtt.smoothedNs());
    assertEquals(0, rtt.minimumNs());
    assertTrue(rtt.onSample(1_000_000, 80_000));
    assertEquals(80_000, rtt.smoothedNs());
    assertEquals(40_000, rtt.variationNs());
    assertTrue(rtt.onSample(1_100_000, 96_000));
    assertEquals(82_000, rtt.smoothedNs());
    assertEquals(34_000, rtt.variationNs());
    assertEquals(80_000, rtt.minimumNs());
    assertEquals(96_000, rtt.latestNs());
    assertEquals(82_000 + 4 * 34_000 + 5_000, rtt.probeTimeoutNs(5_000));
  }

  /** [FC-35]: a send time that was never set would make the clock itself the sample. */
  @Test
  void impossibleAndAmbiguousSamplesAreRefusedAndCounted() {
    RttEstimator rtt = new RttEstimator(1_000_000_000L, 20_000);
    for (int i = 1; i <= 1000; i++) {
      long sentNs = 1_000_000_000L + i * 10_000L;
      assertEquals(20_000, rtt.onAcknowledged(sentNs + 20_000, sentNs, 0, false));
    }
    long now = 1_020_000_000L;
    assertEquals(0, rtt.onAcknowledged(now, 0, 0, false), "sent time never set");
    assertEquals(0, rtt.onAcknowledged(now, now, 0, false));
    assertEquals(0, rtt.onAcknowledged(now, now - 20_000, 20_001, false));
    assertEquals(0, rtt.onAcknowledged(now, now - 90_000, 0, true));
    assertFalse(rtt.onSample(now, -1));
    assertEquals(1, rtt.refusedTooLong());
    assertEquals(3, rtt.refusedNotPositive());
    assertEquals(1, rtt.refusedAmbiguous());
    assertEquals(1000, rtt.samples());
    assertEquals(20_000, rtt.smoothedNs());
    assertEquals(20_000, rtt.minimumNs());
  }

  @Test
  void minimumForgetsAfterAThousandRoundTripsAndAtANewEpoch() {
    RttEstimator rtt = new RttEstimator(0, 10_000);
    long now = 1_000_000;
    rtt.onSample(now, 5_000);
    for (int i = 0; i < 400; i++) {
      now += 10_000;
      rtt.onSample(now, 10_000);
    }
    assertEquals(5_000, rtt.minimumNs());
    for (int i = 0; i < 1_200; i++) {
      now += 10_000;
      rtt.onSample(now, 10_000);
    }
    assertEquals(10_000, rtt.minimumNs());
    rtt.newEpoch(now);
    assertEquals(0, rtt.minimumNs());
    rtt.onSample(now + 1, 30_000);
    assertEquals(30_000, rtt.minimumNs());
  }

  @Test
  void steadyPathKeepsAQuarterOfSlackInTheProbeTimeout() {
    RttEstimator rtt = new RttEstimator(0, 10_000);
    for (int i = 1; i < 500; i++) {
      rtt.onSample(i * 100_000L, 40_000);
    }
    assertTrue(rtt.variationNs() < 10);
    assertEquals(50_000 + 7, rtt.probeTimeoutNs(7));
  }

  @Test
  void clocksBelowZeroWork() {
    RttEstimator rtt = new RttEstimator(-1_000_000_000L, 10_000);
    assertTrue(rtt.onSample(-999_000_000L, 900_000));
    assertFalse(rtt.onSample(-999_000_000L, 1_100_000));
    assertEquals(900_000, rtt.minimumNs());
  }
}
