// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PeakTimesTest {
  @Test
  void theBestStretchCounts() {
    PeakTimes times = PeakTimes.of(4);
    for (long postedNs : new long[] {0, 100, 200, 1000}) {
      times.onPosted(postedNs);
    }
    times.onCompleted(1, 500);
    times.onCompleted(2, 600); // Three messages in 600 ns, the last two of them in 500.
    times.onCompleted(1, 2000);
    assertEquals(200, times.bestNsPerMessage());
  }

  @Test
  void nothingKeptIsNothingKnown() {
    PeakTimes times = PeakTimes.of(0);
    times.onPosted(1);
    times.onCompleted(1, 2);
    assertEquals(0, times.bestNsPerMessage());
  }
}
