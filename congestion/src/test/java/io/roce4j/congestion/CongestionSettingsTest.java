// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CongestionSettingsTest {

  private static final CongestionSettings LINK_100G =
      CongestionSettings.of(100_000_000_000L, 4096, 10_000);

  @ParameterizedTest
  @CsvSource({
    "BITS_PER_SECOND, 40Mbit, 40e6",
    "BITS_PER_SECOND, 2.5Gbit/s, 2.5e9",
    "BITS_PER_SECOND, 1e9, 1e9",
    "BITS_PER_SECOND, 10g, 10e9",
    "BYTES, 64K, 65536",
    "BYTES, 1MiB, 1048576",
    "BYTES, 200kB, 200000",
    "BYTES, 10MB, 10000000",
    "BYTES, 1500, 1500",
    "NANOSECONDS, 55us, 55000",
    "NANOSECONDS, 1.5ms, 1500000",
    "NANOSECONDS, 2s, 2e9",
    "NANOSECONDS, 300, 300",
    "RATIO, 1/256, 0.00390625",
    "RATIO, 5%, 0.05",
    "RATIO, 0.875, 0.875",
    "COUNT, 5, 5",
    "FLAG, on, 1",
    "FLAG, false, 0"
  })
  void valuesAreReadInTheirUnitsAndWrittenBack(ParameterUnit unit, String text, double value) {
    assertEquals(value, unit.parse(text), 1e-12 * value);
    assertEquals(value, unit.parse(unit.format(value)), 1e-12 * value);
  }

  @ParameterizedTest
  @CsvSource({
    "BITS_PER_SECOND, 40MB",
    "BITS_PER_SECOND, fast",
    "BYTES, 10us",
    "NANOSECONDS, 10bit",
    "RATIO, 1/x",
    "COUNT, 2.5",
    "FLAG, maybe",
    "BYTES, ''"
  })
  void valuesOfAnotherUnitAreRefused(ParameterUnit unit, String text) {
    assertThrows(IllegalArgumentException.class, () -> unit.parse(text));
  }

  @Test
  void messagesNameTheParameterTheValueAndTheLimits() {
    CongestionParameter g =
        CongestionParameter.of("g", ParameterUnit.RATIO, 0.001, 1, 1.0 / 256, "gain", "paper");
    assertEquals(
        "g=2: must be from 0.001 to 1",
        assertThrows(IllegalArgumentException.class, () -> g.parse("2")).getMessage());
    assertEquals(
        "g=much: 'much' is not a number such as 0.5, 1/256 or 5%",
        assertThrows(IllegalArgumentException.class, () -> g.parse("much")).getMessage());
    CongestionParameter variant =
        CongestionParameter.choice("variant", List.of("alg1", "authors"), "which", "paper");
    assertEquals(
        "variant=alg2: must be one of alg1, authors",
        assertThrows(IllegalArgumentException.class, () -> variant.parse("alg2")).getMessage());
    assertEquals("authors", LINK_100G.with("variant=authors").choice(variant));
    assertEquals("alg1", LINK_100G.choice(variant));
  }

  @Test
  void linkPacketAndRoundTripAreChecked() {
    assertEquals(
        "link rate 5 bit/s: must be from 1000 to 100000000000000",
        assertThrows(IllegalArgumentException.class, () -> CongestionSettings.of(5, 1024, 1))
            .getMessage());
    assertThrows(IllegalArgumentException.class, () -> CongestionSettings.of(1_000_000, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> CongestionSettings.of(1_000_000, 64, 0));
    assertThrows(IllegalArgumentException.class, () -> LINK_100G.with("g"));
    assertThrows(IllegalArgumentException.class, () -> LINK_100G.with("=3"));
    assertEquals(125_000, LINK_100G.bdpBytes());
  }

  @Test
  void laterAssignmentsReplaceEarlierOnesAndTheOriginalStays() {
    CongestionSettings changed = LINK_100G.with("window=64K").withAll(Map.of("window", "32K"));
    assertEquals(32_768, changed.longValue(FixedProvider.WINDOW));
    assertTrue(LINK_100G.parameters().isEmpty());
    assertEquals(50_000_000_000L, changed.withLink(50_000_000_000L).longValue(FixedProvider.RATE));
  }

  @Test
  void registryListsFindsAndExplains() {
    assertTrue(CongestionControllers.names().containsAll(List.of("fixed", "none")));
    CongestionController none = CongestionControllers.create("none", LINK_100G);
    assertEquals(CongestionController.UNLIMITED, none.windowBytes());
    assertEquals(CongestionController.UNLIMITED, none.rateBitsPerSecond());
    CongestionController fixed =
        CongestionControllers.create("fixed", LINK_100G.with("window=64K").with("rate=10Gbit"));
    assertEquals(65_536, fixed.windowBytes());
    assertEquals(10_000_000_000L, fixed.rateBitsPerSecond());
    assertEquals(CongestionController.NO_DEADLINE, fixed.nextDeadlineNs());

    String unknown =
        assertThrows(
                IllegalArgumentException.class,
                () -> CongestionControllers.create("cubic", LINK_100G))
            .getMessage();
    assertTrue(unknown.startsWith("no congestion controller 'cubic'; there are: "), unknown);
    assertEquals(
        "congestion controller fixed has no parameter 'cwnd'; it has: window, rate",
        assertThrows(
                IllegalArgumentException.class,
                () -> CongestionControllers.create("fixed", LINK_100G.with("cwnd=3")))
            .getMessage());
    assertThrows(
        IllegalArgumentException.class,
        () -> CongestionControllers.create("fixed", LINK_100G.with("rate=200Gbit")));
    assertThrows(
        IllegalArgumentException.class,
        () -> CongestionControllers.create("fixed", LINK_100G.with("window=0")));
    assertEquals(
        Set.of(),
        CongestionControllers.missingSignals("none", EnumSet.noneOf(CongestionSignal.class)));
  }

  /** [FC-36]: marking on, reaction off is visible. */
  @Test
  void ignoredNotificationsAreCounted() {
    CongestionController none = CongestionControllers.create("none", LINK_100G);
    none.onCnp(1);
    none.onCnp(2);
    assertEquals("ignoredCnps", none.metricName(0));
    assertEquals(2, none.metric(0));
  }
}
