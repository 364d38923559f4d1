// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static io.roce4j.congestion.Vectors.micros;
import static io.roce4j.congestion.Vectors.number;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every row of the DCQCN reference tables. Tolerances: paper reaction point 1e-9 relative on rates
 * and 1e-9 absolute on alpha; adapter flavour 1e-6 and 1e-6.
 */
class DcqcnOracleTest {

  private static final String EVENTS = "dcqcn_rp_events.csv";
  private static final String TIMELINE = "dcqcn_rp_timeline.csv";
  private static final String NIC = "dcqcn_nic_timeline.csv";

  private static CongestionSettings paper() {
    return CongestionSettings.of(100_000_000_000L, 1000, 4_000)
        .with("g=1/256")
        .with("F=5")
        .with("Rai=40Mbit")
        .with("Rhai=400Mbit")
        .with("Rmin=100Mbit")
        .with("K=55us")
        .with("T=55us");
  }

  static Stream<String> eventSequences() {
    return Vectors.groups(EVENTS, "sequence").keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("eventSequences")
  void everyExplicitEventGivesTheTablesState(String sequence) {
    for (boolean constantStep : new boolean[] {false, true}) {
      List<Map<String, String>> rows = Vectors.groups(EVENTS, "sequence").get(sequence);
      Dcqcn point =
          new Dcqcn(
              paper()
                  .with("Rmin", rows.getFirst().get("rmin_bps"))
                  .with("hyper", constantStep ? "constant" : "growing"));
      String suffix = constantStep ? "_const_hai" : "";
      for (Map<String, String> row : rows) {
        switch (row.get("event")) {
          case "INIT" -> {}
          case "CNP" -> point.cnp();
          case "ALPHA_TIMER" -> point.alphaTimer();
          case "RATE_TIMER" -> point.rateTimer();
          case "BYTE_COUNTER" -> point.byteCounterEvent();
          default -> throw new AssertionError(row.get("event"));
        }
        String at = sequence + " step " + row.get("step") + suffix;
        assertRelative(number(row, "rc_bps" + suffix), point.currentRate(), 1e-9, at);
        assertRelative(number(row, "rt_bps" + suffix), point.targetRate(), 1e-9, at);
        assertEquals(number(row, "alpha"), point.alpha(), 1e-9, at);
        assertEquals(number(row, "T"), point.metric(3), at);
        assertEquals(number(row, "BC"), point.metric(4), at);
        assertEquals(number(row, "rc_bps" + suffix), (double) point.rateBitsPerSecond(), 20, at);
      }
    }
  }

  static Stream<String> timelineSequences() {
    return Vectors.groups(TIMELINE, "sequence").keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("timelineSequences")
  void ownTimersAndByteCounterFireWhenTheTableSays(String sequence) {
    List<Map<String, String>> rows = Vectors.groups(TIMELINE, "sequence").get(sequence);
    String counter = rows.getFirst().get("byte_counter_B");
    Dcqcn point = new Dcqcn(paper().with("B", counter.equals("off") ? "unlimited" : counter + "B"));
    long packetBytes = 1000;
    double nextSendNs = (double) micros(rows.getFirst(), "t_us");
    for (int i = 0; i < rows.size(); i++) {
      Map<String, String> row = rows.get(i);
      long now = micros(row, "t_us");
      boolean lastAtThisTime = i + 1 == rows.size() || micros(rows.get(i + 1), "t_us") > now;
      // The table's byte counter counts a fluid; here packets of one microsecond or less count.
      double untilNs = now + (row.get("event").equals("BYTE_COUNTER") ? 1_000 : 0);
      while (nextSendNs < untilNs) {
        point.onSent(Math.round(nextSendNs), packetBytes, 0);
        nextSendNs += packetBytes * 8e9 / point.rateBitsPerSecond();
      }
      String at = sequence + " " + row.get("t_us") + " " + row.get("event");
      if (row.get("event").equals("CNP")) {
        point.onCnp(now);
      } else if (!row.get("event").equals("BYTE_COUNTER") && lastAtThisTime) {
        assertTrue(point.nextDeadlineNs() <= now, at);
        point.onTimer(now);
      } else if (!row.get("event").equals("BYTE_COUNTER")) {
        // The alpha timer that ties with the rate timer: rates as before, alpha as in the next row.
        assertEquals("ALPHA_TIMER", row.get("event"), at);
        assertRelative(number(row, "rc_bps"), point.currentRate(), 1e-9, at);
        assertRelative(number(row, "rt_bps"), point.targetRate(), 1e-9, at);
        assertEquals(number(rows.get(i + 1), "alpha"), number(row, "alpha"), at);
        continue;
      }
      assertRelative(number(row, "rc_bps"), point.currentRate(), 1e-9, at);
      assertRelative(number(row, "rt_bps"), point.targetRate(), 1e-9, at);
      assertEquals(number(row, "alpha"), point.alpha(), 1e-9, at);
      assertEquals(number(row, "T"), point.metric(3), at);
      assertEquals(number(row, "BC"), point.metric(4), at);
    }
  }

  static Stream<String> nicRuns() {
    return Vectors.groups(NIC, "params", "cnp_script", "clamp_target").keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("nicRuns")
  void adapterFlavourFollowsTheTableAndTheSimulator(String run) {
    List<Map<String, String>> rows =
        Vectors.groups(NIC, "params", "cnp_script", "clamp_target").get(run);
    Map<String, String> first = rows.getFirst();
    DcqcnNic point =
        new DcqcnNic(
            CongestionSettings.of(100_000_000_000L, 1000, 4_000)
                .with("preset", first.get("params").equals("fast") ? "hpcc" : "slow")
                .with("clampTarget", first.get("clamp_target")));
    List<Long> cnps = new ArrayList<>();
    for (Map<String, String> cnp : Vectors.read("dcqcn_cnp_scripts.csv")) {
      if (cnp.get("cnp_script").equals(first.get("cnp_script"))) {
        cnps.add(micros(cnp, "cnp_time_us"));
      }
    }
    int nextCnp = 0;
    for (Map<String, String> row : rows) {
      long now = micros(row, "t_us");
      while (nextCnp < cnps.size() && cnps.get(nextCnp) <= now) {
        point.onTimer(cnps.get(nextCnp) - 1);
        point.onCnp(cnps.get(nextCnp));
        nextCnp++;
      }
      String at = run + " " + row.get("t_us") + " " + row.get("event");
      assertTrue(point.nextDeadlineNs() <= now, at);
      point.onTimer(now);
      assertRelative(number(row, "rc_bps"), point.currentRate(), 1e-6, at);
      assertRelative(number(row, "rt_bps"), point.targetRate(), 1e-6, at);
      assertRelative(number(row, "ns3_rc_bps"), point.currentRate(), 1e-6, at);
      assertRelative(number(row, "ns3_rt_bps"), point.targetRate(), 1e-6, at);
      assertEquals(number(row, "alpha"), point.alpha(), 1e-6, at);
      assertEquals(number(row, "stage"), point.metric(3), at);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "hpcc, 1us, 4us, 300us, 1, 20Mbit, 200Mbit",
    "slow, 55us, 50us, 55us, 5, 40Mbit, 400Mbit"
  })
  void presetsAt100GAreTheReferenceSets(
      String preset, String ta, String td, String ti, String f, String rai, String rhai) {
    CongestionSettings settings =
        CongestionSettings.of(100_000_000_000L, 1000, 4_000).with("preset", preset);
    assertEquals(DcqcnNicProvider.TA.parse(ta), settings.value(DcqcnNicProvider.TA));
    assertEquals(DcqcnNicProvider.TD.parse(td), settings.value(DcqcnNicProvider.TD));
    assertEquals(DcqcnNicProvider.TI.parse(ti), settings.value(DcqcnNicProvider.TI));
    assertEquals(DcqcnNicProvider.F.parse(f), settings.value(DcqcnNicProvider.F));
    assertEquals(DcqcnNicProvider.RAI.parse(rai), settings.value(DcqcnNicProvider.RAI), 1e-3);
    assertEquals(DcqcnNicProvider.RHAI.parse(rhai), settings.value(DcqcnNicProvider.RHAI), 1e-3);
    assertEquals(1.0 / 256, settings.value(DcqcnNicProvider.G));
    assertEquals(100e6, settings.value(DcqcnNicProvider.RMIN), 1e-3);
  }

  /** [FC-34]: the paper cuts with the alpha from before; the other order has a name. */
  @Test
  void aNotificationCutsFirstAndUpdatesAlphaAfterwards() {
    CongestionSettings half = paper().with("alpha0=0.5");
    Dcqcn point = new Dcqcn(half);
    point.onCnp(1_000);
    assertEquals(75_000_000_000L, point.rateBitsPerSecond());
    assertEquals(100e9, point.targetRate());
    assertEquals(0.501953125, point.alpha());
    point.onTimer(1_000 + 55_000);
    assertEquals(0.501953125 * 255 / 256, point.alpha(), 1e-15);

    Dcqcn other = new Dcqcn(half.with("order=alpha-first"));
    other.onCnp(1_000);
    assertEquals(74.90234375e9, other.currentRate(), 1e-3);
  }

  /** One notification per 50 us at alpha 1 halves each time: 1/16 after four of them. */
  @Test
  void fourNotificationsCutLineRateToASixteenth() {
    Dcqcn point = new Dcqcn(paper());
    for (int i = 0; i < 4; i++) {
      point.onTimer(i * 50_000L);
      point.onCnp(i * 50_000L);
      assertEquals(100e9 / (2 << i), point.currentRate(), 100e9 / (2 << i) * 1e-9);
    }
    assertEquals(6_250_000_000L, point.rateBitsPerSecond());
  }

  @Test
  void nothingRunsBeforeTheFirstNotificationNorOnceBackAtTheLine() {
    Dcqcn point = new Dcqcn(paper());
    assertEquals(CongestionController.NO_DEADLINE, point.nextDeadlineNs());
    point.onSent(5, 1 << 20, 0);
    point.onCnp(1_000);
    long steps = 0;
    while (point.nextDeadlineNs() != CongestionController.NO_DEADLINE) {
      point.onTimer(point.nextDeadlineNs());
      steps++;
      assertTrue(steps < 100_000);
    }
    assertEquals(100_000_000_000L, point.rateBitsPerSecond());
    // The next cut finds alpha decayed over the whole pause, however late it comes.
    point.onCnp(3_600_000_000_000L);
    assertTrue(point.currentRate() > 99.9e9, "alpha decayed: " + point.currentRate());
  }

  @Test
  void marksInAcknowledgementsCutAtMostOncePerInterval() {
    Dcqcn point = new Dcqcn(paper());
    for (long now = 0; now < 200_000; now += 1_000) {
      point.onAck(now, 1000, 1, 1, 10_000, 4_000, 50_000, false);
    }
    assertEquals(4, point.metric(5));
    assertEquals(6.25e9, point.currentRate(), 1);
  }

  @Test
  void adapterOptionsActAsTheirNamesSay() {
    CongestionSettings settings =
        CongestionSettings.of(100_000_000_000L, 1000, 4_000).with("preset=hpcc");
    DcqcnNic first = new DcqcnNic(settings.with("rateOnFirstCnp=0.1"));
    first.onCnp(0);
    assertEquals(10_000_000_000L, first.rateBitsPerSecond());

    DcqcnNic shallow = new DcqcnNic(settings.with("maxCut=20%"));
    shallow.onCnp(0);
    shallow.onTimer(4_000);
    assertEquals(80e9, shallow.currentRate(), 1);

    DcqcnNic lossy = new DcqcnNic(settings.with("cutOnLoss=true"));
    lossy.onLoss(0, 1000, 0);
    lossy.onTimer(4_000);
    assertTrue(lossy.currentRate() < 60e9);
    assertEquals(0, lossy.metric(5));
    DcqcnNic deaf = new DcqcnNic(settings);
    deaf.onLoss(0, 1000, 0);
    deaf.onPto(0);
    deaf.onTimer(4_000);
    assertEquals(100e9, deaf.currentRate());

    DcqcnNic coarse = new DcqcnNic(settings.with("alphaBits=10").with("g=5/1024"));
    coarse.onCnp(0);
    coarse.onTimer(1_000);
    assertEquals(1019.0 / 1024, coarse.alpha());
    coarse.onTimer(2_000);
    assertEquals(1014.0 / 1024, coarse.alpha());
  }

  private static void assertRelative(double expected, double actual, double tolerance, String at) {
    assertEquals(expected, actual, Math.abs(expected) * tolerance + 1e-3, at);
  }
}
