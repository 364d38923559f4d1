// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every controller over several paths, connection-wise and path-wise. */
class MultipathUseTest {

  private static final long C = 80_000_000_000L;
  private static final CongestionSettings LINK = CongestionSettings.of(C, 1000, 10_000);

  private static MultipathController make(String name, int paths, PathUse use) {
    MultipathController c = CongestionControllers.createMultipath(name, LINK, paths, 1, use);
    for (int i = 0; i < paths; i++) {
      c.onPathOpened(0, i, 0);
    }
    return c;
  }

  @Test
  void connectionWiseOneContextHearsAllPaths() {
    MultipathController c = make("dcqcn", 8, PathUse.CONNECTION_WISE);
    assertEquals(C, c.rateBitsPerSecond());
    assertEquals(CongestionController.UNLIMITED, c.pathRateBitsPerSecond(3));
    assertEquals(CongestionController.UNLIMITED, c.pathWindowBytes(3));
    c.onCnp(1_000, 5);
    assertEquals(C / 2, c.rateBitsPerSecond());
    c.onCnp(60_000, 2);
    // One fast recovery step to 60 Gbit/s at 56 us, then a cut with alpha = 255/256.
    assertEquals(30_117_187_500L, c.rateBitsPerSecond());
    assertEquals(60_000 + 55_000, c.nextDeadlineNs());
  }

  @Test
  void pathWiseEachContextStartsWithItsPartOfTheLink() {
    MultipathController c = make("dcqcn", 8, PathUse.PATH_WISE);
    assertEquals(C, c.rateBitsPerSecond());
    assertEquals(C / 8, c.pathRateBitsPerSecond(3));
    c.onCnp(1_000, 5);
    assertEquals(C / 16, c.pathRateBitsPerSecond(5));
    assertEquals(C / 8, c.pathRateBitsPerSecond(3));
    assertEquals(C - C / 16, c.rateBitsPerSecond());
    c.onPathSuspended(2_000, 5);
    assertEquals(C - C / 8, c.rateBitsPerSecond());
    c.onPathRevived(3_000, 5);
    assertEquals(C / 8, c.pathRateBitsPerSecond(5), "another route starts anew");
    c.onCnp(4_000, 0);
    assertTrue(c.nextDeadlineNs() != CongestionController.NO_DEADLINE);
    c.onTimer(c.nextDeadlineNs());
    assertTrue(c.pathRateBitsPerSecond(0) > C / 16);
  }

  @Test
  void pathWiseWindowsAddUpOverActivePaths() {
    MultipathController c = make("swift", 4, PathUse.PATH_WISE);
    long one = c.pathWindowBytes(0);
    assertEquals(25_000, one);
    assertEquals(4 * one, c.windowBytes());
    c.onPathClosed(0, 1);
    assertEquals(3 * one, c.windowBytes());
    assertEquals(CongestionController.UNLIMITED, c.rateBitsPerSecond());
  }

  @Test
  void aControllerThatKnowsPathsServesBothUsesAlike() {
    for (PathUse use : PathUse.values()) {
      assertTrue(make("mx-aimd", 4, use) instanceof MxAimd);
      assertTrue(make("mx-fair", 4, use) instanceof MxFair);
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> CongestionControllers.createMultipath("mx-fair", LINK, 0, 1, PathUse.PATH_WISE));
  }

  static Stream<Arguments> namesAndUses() {
    return CongestionControllers.names().stream()
        .flatMap(n -> Stream.of(PathUse.values()).map(u -> Arguments.of(n, u)));
  }

  @ParameterizedTest
  @MethodSource("namesAndUses")
  void noEventOnAnyPathYieldsAnImpossibleAnswer(String name, PathUse use) {
    for (long seed = 1; seed <= 3; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int paths = 1 + random.nextInt(20);
      int planes = 1 + random.nextInt(4);
      MultipathController c = CongestionControllers.createMultipath(name, LINK, paths, planes, use);
      long now = -100_000_000L;
      for (int i = 0; i < 10_000; i++) {
        now += random.nextInt(10) == 0 ? random.nextInt(200_000) : 0;
        event(c, random, now, random.nextInt(paths), planes);
        String at = name + " " + use + " seed " + seed + " event " + i;
        assertTrue(c.windowBytes() >= 1, at);
        assertRate(c.rateBitsPerSecond(), at);
        for (int p = 0; p < paths; p++) {
          assertTrue(c.pathWindowBytes(p) >= 1, at);
          assertRate(c.pathRateBitsPerSecond(p), at);
          double loss = c.pathLossFraction(p);
          assertTrue(loss >= 0 && loss <= 1, at);
        }
        for (int m = 0; m < c.metricCount(); m++) {
          assertFalse(Double.isNaN(c.metric(m)), at + " " + c.metricName(m));
        }
        if (c.nextDeadlineNs() <= now) {
          c.onTimer(now);
          assertTrue(c.nextDeadlineNs() > now, at);
        }
      }
    }
  }

  private static void assertRate(long rate, String at) {
    assertTrue(rate >= 1 && (rate <= C || rate == CongestionController.UNLIMITED), at + " " + rate);
  }

  private static void event(
      MultipathController c, SplittableRandom random, long now, int path, int planes) {
    long bytes = 1L + random.nextInt(65_536);
    long inflight = random.nextInt(1 << 20);
    switch (random.nextInt(22)) {
      case 0 -> c.onPathOpened(now, path, random.nextInt(planes));
      case 1 -> c.onPathSuspended(now, path);
      case 2 -> c.onPathRestored(now, path);
      case 3 -> c.onPathRevived(now, path);
      case 4 -> c.onPathMoved(now, path);
      case 5 -> c.onPathClosed(now, path);
      case 6 -> c.onPlane(now, random.nextInt(planes), random.nextBoolean());
      case 7 -> c.onMark(now, path, 1 + random.nextInt(9));
      case 8 -> c.onCnp(now, path);
      case 9 -> c.onLoss(now, path, bytes, inflight / 4, inflight);
      case 10 -> c.onPto(now, path);
      case 11 -> c.onTrim(now, path, bytes);
      case 12 ->
          c.onHint(now, random.nextInt(planes), random.nextInt(256), 1 + random.nextLong(2 * C));
      case 13 -> c.onHostDelay(now, path, random.nextInt(100_000));
      case 14 -> c.onPenalty(now, random.nextInt(128));
      case 15 -> c.onIdle(now);
      case 16, 17 -> c.onSent(now, path, bytes, inflight / 4, inflight);
      default ->
          c.onAck(
              now,
              path,
              bytes,
              random.nextInt(32),
              random.nextInt(8),
              random.nextInt(60_000) - 1_000L,
              random.nextInt(20_000),
              inflight / 4,
              inflight,
              random.nextBoolean());
    }
  }

  @ParameterizedTest
  @EnumSource(PathUse.class)
  void multipathUpdatesAllocateNothing(PathUse use) {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().threadId();
    for (String name : CongestionControllers.names()) {
      MultipathController c = make(name, 8, use);
      steps(c, 0, 20_000);
      long before = threads.getThreadAllocatedBytes(id);
      steps(c, 1_000_000_000L, 100_000);
      long allocated = threads.getThreadAllocatedBytes(id) - before;
      assertTrue(allocated < 4_096, name + " allocated " + allocated + " bytes");
    }
  }

  private static void steps(MultipathController c, long startNs, int count) {
    for (int i = 0; i < count; i++) {
      long now = startNs + i * 500L;
      int path = i % 8;
      c.onSent(now, path, 1000, 5_000, 40_000);
      c.onAck(now, path, 1000, 1, i % 50 == 0 ? 1 : 0, 11_000, 10_000, 4_000, 39_000, false);
      c.onHint(now, 0, i / 100, 10_000_000_000L + i);
      if (i % 100 == 0) {
        c.onLoss(now, path, 1000, 4_000, 39_000);
        c.onCnp(now, path);
      }
      if (c.nextDeadlineNs() <= now) {
        c.onTimer(now);
      }
      if (c.windowBytes() + c.pathWindowBytes(path) + c.trickleNs() == 0) {
        throw new AssertionError("keeps the calls alive");
      }
    }
  }
}
