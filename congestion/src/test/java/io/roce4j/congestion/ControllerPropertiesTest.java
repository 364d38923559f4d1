// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What must hold for every controller whatever happens to it. */
class ControllerPropertiesTest {

  private static final int EVENTS = 20_000;

  static Stream<Arguments> namesAndSeeds() {
    return CongestionControllers.names().stream()
        .flatMap(n -> Stream.of(1L, 2L, 3L, 4L, 5L).map(s -> Arguments.of(n, s)));
  }

  static List<String> names() {
    return CongestionControllers.names();
  }

  private static CongestionSettings anySettings(SplittableRandom random) {
    long link = 1_000L << random.nextInt(27);
    int mtu = 64 + random.nextInt(9_000);
    long rtt = 1L << (3 + random.nextInt(26));
    return CongestionSettings.of(link + random.nextLong(link), mtu, rtt);
  }

  /** One random event, wild numbers included. */
  private static void event(CongestionController c, SplittableRandom random, long now, long rtt) {
    boolean wild = random.nextInt(50) == 0;
    long bytes = wild ? random.nextLong(Long.MAX_VALUE / 2) : 1 + random.nextInt(65_536);
    long inflight = wild ? random.nextLong(Long.MAX_VALUE / 2) : random.nextInt(1 << 20);
    long packets = 1L + random.nextInt(64);
    switch (random.nextInt(18)) {
      case 0, 1, 2 -> c.onSent(now, bytes, inflight);
      case 3 -> c.onCnp(now);
      case 4 -> c.onMark(now, packets);
      case 5 -> c.onLoss(now, bytes, inflight);
      case 6 -> c.onPto(now);
      case 7 -> c.onTrim(now, bytes);
      case 8 -> c.onHint(now, wild ? Long.MAX_VALUE : 1 + random.nextLong(400_000_000_000L));
      case 9 -> c.onIdle(now);
      case 10 -> c.onTimer(now);
      case 11 -> c.onHostDelay(now, random.nextLong(10 * rtt));
      case 12 -> c.onPenalty(now, random.nextInt(128));
      case 13 -> c.onCredit(now, bytes);
      case 14 -> c.onIntHop(now, random.nextInt(4), bytes, bytes, now, 100_000_000_000L);
      default -> {
        long sample =
            random.nextInt(8) == 0 ? -(long) random.nextInt(3) : 1 + random.nextLong(6 * rtt);
        sample = wild ? random.nextLong(Long.MAX_VALUE / 2) : sample;
        long ce = random.nextInt(3) == 0 ? random.nextLong(packets + 1) : 0;
        c.onAck(
            now,
            bytes,
            packets,
            ce,
            sample,
            random.nextLong(2 * rtt),
            inflight,
            random.nextBoolean());
      }
    }
  }

  private static void check(CongestionController c, CongestionSettings settings, String at) {
    long window = c.windowBytes();
    assertTrue(window >= 1, at + ": window " + window);
    long rate = c.rateBitsPerSecond();
    assertTrue(rate >= 1, at + ": rate " + rate);
    assertTrue(
        rate == CongestionController.UNLIMITED || rate <= settings.linkBitsPerSecond(),
        at + ": rate above line " + rate);
    for (int i = 0; i < c.metricCount(); i++) {
      double value = c.metric(i);
      assertFalse(Double.isNaN(value), at + ": " + c.metricName(i));
      assertTrue(Double.isFinite(value), at + ": " + c.metricName(i) + " " + value);
    }
  }

  @ParameterizedTest
  @MethodSource("namesAndSeeds")
  void noEventYieldsANegativeNaNZeroOrAboveLineAnswer(String name, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    CongestionSettings settings = anySettings(random);
    CongestionController c = CongestionControllers.create(name, settings);
    long now = seed % 2 == 0 ? -1_000_000_000L : 1_000_000_000L;
    String at = name + " seed " + seed + " " + settings;
    check(c, settings, at);
    for (int i = 0; i < EVENTS; i++) {
      now += random.nextInt(20) == 0 ? random.nextLong(1 + 20 * settings.baseRttNs()) : 0;
      event(c, random, now, settings.baseRttNs());
      check(c, settings, at + " event " + i);
      long deadline = c.nextDeadlineNs();
      if (deadline <= now) {
        c.onTimer(now);
        assertTrue(c.nextDeadlineNs() > now, at + ": timer does not make progress");
      }
    }
  }

  /** However badly it was treated, a controller that sees a free network opens up again. */
  @ParameterizedTest
  @MethodSource("names")
  void noControllerStaysDownForEver(String name) {
    CongestionSettings settings = CongestionSettings.of(10_000_000_000L, 1000, 20_000);
    CongestionController c = CongestionControllers.create(name, settings);
    long now = 0;
    for (int i = 0; i < 2_000; i++) {
      now += 20_000;
      c.onSent(now, 1000, 1000);
      c.onCnp(now);
      c.onMark(now, 1);
      c.onLoss(now, 1000, 0);
      c.onPto(now);
      c.onAck(now, 1000, 1, 1, 5_000_000, 20_000, 0, false);
      c.onTimer(now);
    }
    double floor = speed(c, settings);
    for (int i = 0; i < 400_000; i++) {
      now += 20_000;
      c.onTimer(now);
      long window = Math.min(c.windowBytes(), 1 << 20);
      c.onSent(now, window, window);
      c.onAck(now, window, Math.max(1, window / 1000), 0, 20_000, 20_000, 0, false);
    }
    double open = speed(c, settings);
    assertTrue(open >= 0.5, name + " from " + floor + " only to " + open);
  }

  /** Part of the link that window and rate together allow at the base round trip. */
  private static double speed(CongestionController c, CongestionSettings settings) {
    double byWindow = Math.min(1e18, (double) c.windowBytes()) * 8e9 / settings.baseRttNs();
    return Math.min(byWindow, (double) c.rateBitsPerSecond()) / settings.linkBitsPerSecond();
  }

  @ParameterizedTest
  @MethodSource("namesAndSeeds")
  void theSameEventsGiveTheSameNumbers(String name, long seed) {
    CongestionSettings settings = anySettings(new SplittableRandom(seed));
    CongestionController one = CongestionControllers.create(name, settings);
    CongestionController two = CongestionControllers.create(name, settings);
    SplittableRandom first = new SplittableRandom(seed);
    SplittableRandom second = new SplittableRandom(seed);
    long now = 0;
    for (int i = 0; i < 5_000; i++) {
      now += 1 + i % 7 * settings.baseRttNs() / 3;
      event(one, first, now, settings.baseRttNs());
      event(two, second, now, settings.baseRttNs());
      assertEquals(one.windowBytes(), two.windowBytes());
      assertEquals(one.rateBitsPerSecond(), two.rateBitsPerSecond());
      assertEquals(one.nextDeadlineNs(), two.nextDeadlineNs());
      for (int m = 0; m < one.metricCount(); m++) {
        assertEquals(
            Double.doubleToRawLongBits(one.metric(m)), Double.doubleToRawLongBits(two.metric(m)));
      }
    }
  }

  /** Calling the timer early or more often changes nothing. */
  @ParameterizedTest
  @MethodSource("namesAndSeeds")
  void extraTimerCallsDoNoHarm(String name, long seed) {
    CongestionSettings settings = anySettings(new SplittableRandom(seed));
    CongestionController rare = CongestionControllers.create(name, settings);
    CongestionController often = CongestionControllers.create(name, settings);
    SplittableRandom first = new SplittableRandom(seed);
    SplittableRandom second = new SplittableRandom(seed);
    long now = 0;
    for (int i = 0; i < 5_000; i++) {
      long gap = 1 + i % 7 * settings.baseRttNs() / 3;
      often.onTimer(now + gap / 3);
      often.onTimer(now + gap / 2);
      now += gap;
      event(rare, first, now, settings.baseRttNs());
      event(often, second, now, settings.baseRttNs());
      rare.onTimer(now);
      often.onTimer(now);
      assertEquals(rare.windowBytes(), often.windowBytes(), name + " event " + i);
      assertEquals(rare.rateBitsPerSecond(), often.rateBitsPerSecond(), name + " event " + i);
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyParameterHasAWordAndASourceAndADefaultThatReadsBack(String name) {
    CongestionControllerProvider provider = CongestionControllers.provider(name);
    CongestionSettings settings = CongestionSettings.of(25_000_000_000L, 4096, 12_345);
    CongestionSettings spelledOut = settings;
    for (CongestionParameter parameter : provider.parameters()) {
      assertFalse(parameter.description().isBlank(), parameter.name());
      assertFalse(parameter.source().isBlank(), parameter.name());
      double value = settings.value(parameter);
      String text = parameter.format(value);
      assertEquals(value, parameter.parse(text), Math.abs(value) * 1e-12, parameter.name());
      spelledOut = spelledOut.with(parameter.name(), text);
    }
    CongestionController implicit = CongestionControllers.create(name, settings);
    CongestionController explicit = CongestionControllers.create(name, spelledOut);
    assertEquals(implicit.windowBytes(), explicit.windowBytes());
    assertEquals(implicit.rateBitsPerSecond(), explicit.rateBitsPerSecond());
    assertFalse(provider.description().isBlank());
  }

  /** Every preset of every controller works on any link. */
  @ParameterizedTest
  @MethodSource("names")
  void everyPresetWorksOnSlowAndFastLinks(String name) {
    for (CongestionParameter parameter : CongestionControllers.provider(name).parameters()) {
      for (String choice : parameter.choices()) {
        for (long link : new long[] {1_000, 1_000_000, 1_000_000_000L, 1_600_000_000_000L}) {
          for (long rtt : new long[] {1, 1_000, 100_000, 100_000_000}) {
            CongestionSettings settings =
                CongestionSettings.of(link, 1024, rtt).with(parameter.name(), choice);
            CongestionController c = CongestionControllers.create(name, settings);
            check(c, settings, name + " " + settings);
          }
        }
      }
    }
  }

  /** One hundred thousand events of each controller allocate nothing. */
  @Test
  void updatesAllocateNothing() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (String name : CongestionControllers.names()) {
      CongestionSettings settings = CongestionSettings.of(100_000_000_000L, 4096, 10_000);
      CongestionController c = CongestionControllers.create(name, settings);
      long now = steps(c, 1_000_000, 20_000);
      long id = Thread.currentThread().threadId();
      long before = threads.getThreadAllocatedBytes(id);
      steps(c, now, 100_000);
      long allocated = threads.getThreadAllocatedBytes(id) - before;
      assertTrue(allocated < 4_096, name + " allocated " + allocated + " bytes");
    }
  }

  private static long steps(CongestionController c, long startNs, int count) {
    long now = startNs;
    for (int i = 0; i < count; i++) {
      now += 500;
      c.onSent(now, 4096, 40_960);
      c.onHint(now, 10_000_000_000L);
      c.onAck(now, 4096, 1, i % 16 == 0 ? 1 : 0, 10_000 + i % 5_000, 10_000, 36_864, false);
      if (i % 64 == 0) {
        c.onCnp(now);
        c.onLoss(now, 4096, 32_768);
      }
      if (c.nextDeadlineNs() <= now) {
        c.onTimer(now);
      }
      now += c.windowBytes() + c.rateBitsPerSecond() == 0 ? 1 : 0;
    }
    return now;
  }
}
