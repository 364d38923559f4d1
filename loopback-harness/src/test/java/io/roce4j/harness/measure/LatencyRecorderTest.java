// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LatencyRecorderTest {
  private static final double MS = 1e6;

  /** [FC-60] */
  @Test
  void valuesOutOfRangeAreClampedAndCountedAndNothingIsThrown() {
    LatencyRecorder recorder = new LatencyRecorder();
    recorder.record(1);
    recorder.record(3_600_000_000_000L);
    assertFalse(recorder.isSaturated());
    recorder.record(36_000_000_000_000L);
    recorder.record(Long.MAX_VALUE);
    recorder.record(-5);
    recorder.record(Long.MIN_VALUE);
    assertEquals(6, recorder.count());
    assertEquals(4, recorder.clamped());
    assertTrue(recorder.isSaturated());
    assertEquals(3_600_000_000_000L, recorder.maxNs());
  }

  /** [FC-60] Ten times the capacity for 60 s: latencies grow without limit. */
  @Test
  void anImpossibleRateSaturatesTheReportAndNotTheRecorder() {
    LatencyRecorder recorder = new LatencyRecorder();
    long intendedNs = 0;
    long endNs = 0;
    for (int i = 0; i < 600_000; i++) {
      endNs += 100_000_000;
      recorder.record(endNs - intendedNs);
      intendedNs += 100_000;
    }
    assertEquals(600_000, recorder.count());
    assertTrue(recorder.isSaturated());
    assertTrue(recorder.percentileNs(50) > 0);
  }

  /**
   * [FC-59] One operation a ms for 10 s, one stall of 1000 ms, recorded from the intended start.
   */
  @Test
  void intendedStartsNeedNoSecondCorrection() {
    LatencyRecorder recorder = new LatencyRecorder();
    long freeNs = 0;
    for (int i = 0; i < 10_000; i++) {
      long intendedNs = i * 1_000_000L;
      long startNs = Math.max(intendedNs, freeNs);
      if (i == 5_000) {
        startNs += 1_000_000_000L;
      }
      // Service time ~0: after the stall everything that waited completes at once.
      freeNs = startNs;
      recorder.record(freeNs - intendedNs);
    }
    assertEquals(10_000, recorder.count());
    assertEquals(500 * MS, (double) recorder.percentileNs(95), 10 * MS);
    assertEquals(900 * MS, (double) recorder.percentileNs(99), 18 * MS);
    assertEquals(1_000 * MS, (double) recorder.maxNs(), 20 * MS);
  }

  /** [FC-57] 57 hours at 100 Gbit/s, 3 billion iterations, 6 x 10^18 ns in all. */
  @Test
  void runsOfDaysHavePositiveRatesAndLatencies() {
    double rate = Throughput.bitsPerSecond(2_565_000_000_000_000L, 205_200_000_000_000L);
    assertEquals(100e9, rate, 1);
    LatencyRecorder recorder = new LatencyRecorder();
    recorder.record(2_000_000_000L, 3_000_000_000L);
    assertEquals(2e9, recorder.meanNs(), 2e7);
    assertEquals(2e9, (double) recorder.percentileNs(99.9), 2e6);
    assertEquals(3_000_000_000L, recorder.count());
  }

  /** [FC-57] */
  @Test
  void aClockThatStartsNearItsEndGivesTheSameRate() {
    long startNs = Long.MAX_VALUE - 5;
    long endNs = startNs + 2_000_000_000L;
    assertTrue(endNs < 0, "it wraps");
    assertEquals(8e9, Throughput.bitsPerSecond(2_000_000_000L, endNs - startNs), 1e-3);
    assertEquals(0, Throughput.bitsPerSecond(1, 0));
    assertEquals(0, Throughput.perSecond(-1, 10));
    assertEquals(0, Throughput.fraction(1, 0));
    assertEquals(
        8e18 * 8, Throughput.bitsPerSecond(8_000_000_000_000_000_000L, 1_000_000_000), 1e6);
  }

  @Test
  void anEmptyRecorderReportsZero() {
    LatencyRecorder recorder = new LatencyRecorder();
    assertEquals(0, recorder.percentileNs(99));
    assertEquals(0, recorder.maxNs());
    assertEquals(0, recorder.meanNs());
    LatencyRecorder other = new LatencyRecorder();
    other.record(-1);
    recorder.add(other);
    assertEquals(1, recorder.clamped());
    recorder.reset();
    assertEquals(0, recorder.count());
  }
}
