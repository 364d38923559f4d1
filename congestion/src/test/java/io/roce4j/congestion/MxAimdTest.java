// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Rules of the windows per path and per connection, one by one. */
class MxAimdTest {

  private static final long RTT = 10_000;

  /** 100 Gbit/s, 10 us, 4096 bytes: 125000 bytes of bandwidth-delay product. */
  private static final CongestionSettings LINK = CongestionSettings.of(100_000_000_000L, 4096, RTT);

  private static MxAimd opened(int paths) {
    return opened(LINK, paths);
  }

  private static MxAimd opened(CongestionSettings settings, int paths) {
    MxAimd mx = new MxAimd(settings, paths, 1);
    for (int i = 0; i < paths; i++) {
      mx.onPathOpened(0, i, 0);
    }
    return mx;
  }

  /** One round trip of a path: packets sent at its start, acknowledged at its end. */
  private static void round(MxAimd mx, int path, long endNs, long packets, long marked) {
    round(mx, path, endNs, packets, marked, RTT, true);
  }

  private static void round(
      MxAimd mx, int path, long endNs, long packets, long marked, long rttNs, boolean full) {
    long inflight = full ? mx.pathWindowBytes(path) : 0;
    mx.onSent(endNs - rttNs, path, packets * 4096, inflight, inflight);
    mx.onAck(endNs, path, packets * 4096, packets, marked, rttNs, RTT, 0, 0, false);
  }

  @Test
  void startsAtOneBandwidthDelayProductOr64KiBAPathSharedAmongThePaths() {
    assertEquals(65_536, opened(1).windowBytes());
    assertEquals(125_000, opened(4).windowBytes());
    assertEquals(125_000 / 4, opened(4).pathWindowBytes(0));
    assertEquals(2 * 4096, opened(64).pathWindowBytes(0), "never below two packets");
    assertEquals(16 * 4096, opened(LINK.with("train=16"), 64).pathWindowBytes(0), "nor a train");
  }

  @Test
  void marksTrimOnlyThePathThatSawThem() {
    MxAimd mx = opened(4);
    double before = (double) mx.pathWindowBytes(1);
    round(mx, 1, RTT, 8, 4);
    // F = 1/2: a = 1/32, cut by max(a, F/2)/2 = 1/8.
    assertNear(before * 7 / 8, mx.pathWindowBytes(1), 1);
    assertEquals(1.0 / 32, mx.pathMarking(1), 1e-12);
    assertNear(before, mx.pathWindowBytes(0), 1);
    assertTrue(mx.windowBytes() >= 125_000);
  }

  @Test
  void aUsedCleanPathGrowsByOnePacketARoundTripAndAnUnusedOneStays() {
    MxAimd mx = opened(2);
    long before = mx.pathWindowBytes(0);
    round(mx, 0, RTT, 8, 0);
    assertEquals(before + 4096, mx.pathWindowBytes(0));
    round(mx, 1, RTT, 1, 0, RTT, false);
    assertEquals(before, mx.pathWindowBytes(1), "less than half full");
  }

  @Test
  void aPathWindowNeverGrowsAboveTheConnections() {
    MxAimd mx = opened(1);
    for (int i = 1; i <= 1000; i++) {
      round(mx, 0, i * RTT, 8, 0);
    }
    assertEquals(2 * 125_000, mx.windowBytes(), "two bandwidth-delay products");
    assertEquals(mx.windowBytes(), mx.pathWindowBytes(0));
  }

  @Test
  void manyPathsShareTheIncreaseOfEight() {
    MxAimd mx = opened(LINK.with("minPackets=1"), 16);
    double before = (double) mx.pathWindowBytes(0);
    round(mx, 0, RTT, 8, 0);
    assertNear(before + 2048, mx.pathWindowBytes(0), 1);
  }

  @Test
  void theConnectionFallsOnlyWhenHalfOfTheActivePathsAreMarked() {
    MxAimd mx = opened(4);
    double before = (double) mx.windowBytes();
    round(mx, 0, RTT, 8, 8);
    assertTrue(mx.windowBytes() >= before, "one of four");
    before = (double) mx.windowBytes();
    round(mx, 1, 2 * RTT, 8, 8);
    // Two of four marked, a = 1/16 each: mean over the active 1/32, cut by half of it.
    assertNear(before * (1 - 1.0 / 64), mx.windowBytes(), 2);
  }

  @Test
  void suspendedPathsDoNotCountAsActive() {
    MxAimd mx = opened(4);
    mx.onPathSuspended(0, 2);
    mx.onPathSuspended(0, 3);
    double before = (double) mx.windowBytes();
    round(mx, 0, RTT, 8, 8);
    assertTrue(mx.windowBytes() < before, "one of two active");
  }

  @Test
  void randomLossChangesNoWindowButIsRemembered() {
    MxAimd mx = opened(4);
    long path = mx.pathWindowBytes(0);
    for (int i = 1; i <= 50; i++) {
      mx.onSent(i * RTT, 0, 4096, 4096, 4096);
      mx.onLoss(i * RTT + 1, 0, 4096, 0, 0);
      mx.onAck(i * RTT + 5_000, 0, 8 * 4096, 8, 0, RTT, RTT, 0, 0, false);
    }
    assertTrue(mx.pathWindowBytes(0) >= path);
    assertEquals(1.0 / 9, mx.pathLossFraction(0), 0.03);
    assertEquals(0, mx.pathLossFraction(1));
  }

  @Test
  void aLossWithAMarkOrAQueueOrATrimHalvesThePathOncePerRound() {
    MxAimd marked = opened(4);
    double before = (double) marked.pathWindowBytes(0);
    marked.onSent(0, 0, 4096, 4096, 4096);
    marked.onMark(10, 0, 1);
    marked.onLoss(20, 0, 4096, 0, 0);
    marked.onLoss(30, 0, 4096, 0, 0);
    marked.onAck(RTT + 10, 0, 4096, 1, 0, RTT, RTT, 0, 0, false);
    assertNear(before / 2, marked.pathWindowBytes(0), 1);

    MxAimd queued = opened(4);
    queued.onSent(0, 0, 4096, 4096, 4096);
    queued.onAck(100, 0, 4096, 1, 0, RTT + 4_000, RTT, 0, 0, false);
    queued.onLoss(200, 0, 4096, 0, 0);
    queued.onAck(2 * RTT, 0, 4096, 1, 0, RTT, RTT, 0, 0, false);
    assertNear(before / 2, queued.pathWindowBytes(0), 1);

    MxAimd trimmed = opened(4);
    trimmed.onSent(0, 0, 4096, 4096, 4096);
    trimmed.onTrim(100, 0, 4096);
    trimmed.onAck(2 * RTT, 0, 4096, 1, 0, RTT, RTT, 0, 0, false);
    assertNear(before / 2, trimmed.pathWindowBytes(0), 1);
    assertEquals(0, trimmed.pathLossFraction(0));
  }

  @Test
  void coincidentLossesOnSeveralPathsAreNotCongestion() {
    MxAimd mx = opened(8);
    double before = (double) mx.windowBytes();
    for (int p = 0; p < 8; p++) {
      mx.onSent(0, p, 4096, 4096, 4096);
      mx.onLoss(100, p, 4096, 0, 0);
      mx.onAck(RTT, p, 4096, 1, 0, RTT, RTT, 0, 0, false);
    }
    assertTrue(mx.windowBytes() >= before);
  }

  @Test
  void theFirstTimeoutIsAProbeAndTheSecondInARowHalves() {
    MxAimd mx = opened(2);
    double before = (double) mx.pathWindowBytes(0);
    mx.onPto(0, 0);
    assertNear(before, mx.pathWindowBytes(0), 1);
    mx.onPto(RTT, 0);
    assertNear(before / 2, mx.pathWindowBytes(0), 1);
    mx.onAck(2 * RTT, 0, 4096, 1, 0, 0, RTT, 0, 0, false);
    mx.onPto(3 * RTT, 0);
    assertNear(before / 2, mx.pathWindowBytes(0), 1);
  }

  @Test
  void pathsKeepHalfWhenRestoredOrMovedAndStartSmallWhenRevived() {
    MxAimd mx = opened(2);
    double before = (double) mx.pathWindowBytes(0);
    mx.onPathSuspended(0, 0);
    mx.onPathRestored(0, 0);
    assertNear(before / 2, mx.pathWindowBytes(0), 1);
    mx.onPathMoved(0, 0);
    assertNear(before / 4, mx.pathWindowBytes(0), 1);
    mx.onPathSuspended(0, 0);
    mx.onPathRevived(0, 0);
    assertEquals(2 * 4096, mx.pathWindowBytes(0));
  }

  @Test
  void theCapFollowsTheLongestActivePathAndThePlanesThatAreUp() {
    MxAimd mx = new MxAimd(LINK, 2, 2);
    mx.onPathOpened(0, 0, 0);
    mx.onPathOpened(0, 1, 1);
    for (int i = 1; i <= 300; i++) {
      mx.onSent(i * 100_000L, 0, 4096, 1, 1);
      mx.onAck(i * 100_000L + 30_000, 0, 4096, 1, 0, 30_000, 30_000, 0, 0, false);
    }
    assertNear(2 * 375_000, mx.windowBytes(), 4096);
    mx.onPlane(0, 1, false);
    mx.onSent(40_000_000, 0, 4096, 1, 1);
    mx.onAck(41_000_000, 0, 4096, 1, 0, 30_000, 30_000, 0, 0, false);
    assertNear(375_000, mx.windowBytes(), 4096);
  }

  @Test
  void aSlowHostScalesTheWindowDownToOnePacket() {
    MxAimd mx = opened(4);
    mx.onPenalty(0, 64);
    assertEquals(62_500, mx.windowBytes());
    mx.onPenalty(0, 127);
    assertEquals(4096, mx.windowBytes());
    mx.onPenalty(0, 0);
    assertEquals(125_000, mx.windowBytes());
  }

  @Test
  void onOnePathBothWindowsBind() {
    CongestionController plain = CongestionControllers.create("mx-aimd", LINK);
    assertEquals(65_536, plain.windowBytes());
    long now = -5_000_000;
    plain.onSent(now, 65_536, 65_536);
    plain.onAck(now + RTT, 65_536, 16, 16, RTT, RTT, 0, false);
    // F = 1: a = 1/16, cut by max(a, F/2)/2 = 1/4; the connection by a/2.
    assertEquals(65_536 * 3 / 4, plain.windowBytes());
    assertEquals(CongestionController.UNLIMITED, plain.rateBitsPerSecond());
  }

  private static void assertNear(double expected, long actual, double tolerance) {
    assertEquals(expected, (double) actual, tolerance);
  }
}
