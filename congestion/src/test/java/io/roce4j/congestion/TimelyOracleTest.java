// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static io.roce4j.congestion.Vectors.number;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row of the TIMELY reference table, both published forms, within 1e-6 relative. */
class TimelyOracleTest {

  private static final String EVENTS = "timely_rtt_events.csv";

  private static CongestionSettings reference() {
    return CongestionSettings.of(100_000_000_000L, 1000, 20_000)
        .with("alpha=0.875")
        .with("beta=0.8")
        .with("Tlow=50us")
        .with("Thigh=500us")
        .with("minRtt=20us")
        .with("delta=100Mbit")
        .with("N=5")
        .with("Rmin=100Mbit")
        .with("segment=1");
  }

  static Stream<Arguments> sequences() {
    return Vectors.groups(EVENTS, "sequence").keySet().stream()
        .flatMap(s -> Stream.of(Arguments.of(s, "alg1"), Arguments.of(s, "authors")));
  }

  @ParameterizedTest
  @MethodSource("sequences")
  void everySampleGivesTheTablesRate(String sequence, String variant) {
    List<Map<String, String>> rows = Vectors.groups(EVENTS, "sequence").get(sequence);
    Timely timely = new Timely(reference().with("variant", variant));
    long now = 1_000_000_000L;
    for (Map<String, String> row : rows) {
      now += 2_000_000;
      timely.onAck(now, 1000, 1, 0, (long) number(row, "new_rtt_ns"), 0, 0, false);
      String at = sequence + " " + variant + " step " + row.get("step");
      double rate = number(row, variant + "_rate_bps");
      assertEquals(rate, timely.rate(), rate * 1e-6, at);
      assertEquals(rate, (double) timely.rateBitsPerSecond(), rate * 1e-6 + 1, at);
      assertEquals(number(row, "rtt_diff_ns"), timely.rttDifferenceNs(), 1e-3, at);
      assertEquals(number(row, "gradient"), timely.gradient(), 1e-6, at);
    }
  }

  @Test
  void updatesCloserThanTheMinimumRttWeighLessInTheAuthorsForm() {
    CongestionSettings settings = reference().with("start=0.5").with("Rmin=1Mbit");
    Timely authors = new Timely(settings.with("variant=authors"));
    Timely paper = new Timely(settings);
    for (Timely timely : List.of(authors, paper)) {
      timely.onAck(0, 1000, 1, 0, 30_000, 0, 0, false);
      timely.onAck(5_000, 1000, 1, 0, 30_000, 0, 0, false);
    }
    assertEquals(50e9 + 100e6, paper.rate(), 1);
    assertEquals(50e9 + 25e6, authors.rate(), 1);
  }

  @Test
  void completionEventsComePerSegmentOrPerRoundTrip() {
    Timely segments = new Timely(reference().with("segment=4000"));
    Timely roundTrips = new Timely(reference().with("update=rtt"));
    for (int i = 0; i < 100; i++) {
      segments.onAck(i * 1_000L, 1000, 1, 0, 20_000, 0, 0, false);
      roundTrips.onAck(i * 1_000L, 1000, 1, 0, 20_000, 0, 0, false);
    }
    assertEquals(24, segments.metric(4), "25 completions, the first sets the base");
    assertEquals(4, roundTrips.metric(4), "at 0, 20, 40, 60, 80 us, the first sets the base");
  }

  @Test
  void aPauseIsNoGradient() {
    Timely timely = new Timely(reference().with("start=0.5"));
    timely.onAck(0, 1000, 1, 0, 60_000, 0, 0, false);
    timely.onAck(100_000, 1000, 1, 0, 60_000, 0, 0, false);
    double before = timely.rate();
    timely.onIdle(1_000_000_000L);
    timely.onAck(1_000_100_000L, 1000, 1, 0, 400_000, 0, 0, false);
    assertEquals(before, timely.rate());
  }

  /** [FC-35]: with checked samples a constant RTT never lowers the rate. */
  @Test
  void constantRoundTripsNeverLowerTheRateEvenWhenStampsAreMissing() {
    for (String variant : List.of("alg1", "authors")) {
      long start = 1_000_000_000L;
      RttEstimator rtt = new RttEstimator(start, 20_000);
      Timely timely = new Timely(reference().with("variant", variant).with("start=0.2"));
      double startRate = timely.rate();
      for (int i = 0; i < 1000; i++) {
        long sent = start + i * 1_000L;
        boolean neverStamped = i % 10 == 9;
        long sample = rtt.onAcknowledged(sent + 20_000, neverStamped ? 0 : sent, 0, i == 500);
        timely.onAck(sent + 20_000, 1000, 1, 0, sample, rtt.minimumNs(), 20_000, false);
        assertTrue(timely.rate() >= startRate, variant + " packet " + i);
      }
      assertEquals(100, rtt.refusedTooLong());
      assertEquals(1, rtt.refusedAmbiguous());
      assertEquals(20_000, rtt.smoothedNs());
    }
  }
}
