// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What a sender does with the receiver's hints. */
class MxFairTest {

  private static final long RTT = 10_000;
  private static final long C = 100_000_000_000L;
  private static final CongestionSettings LINK = CongestionSettings.of(C, 4096, RTT);

  /** baseRtt + targetQ/2 + maxAckDelay = 10 + 3.75 + 5 us. */
  private static final double WINDOW_NS = 18_750;

  private static MxFair opened(int paths, int planes) {
    MxFair mx = new MxFair(LINK, paths, planes);
    for (int i = 0; i < paths; i++) {
      mx.onPathOpened(0, i, i % planes);
    }
    return mx;
  }

  private static void round(MxFair mx, int path, long endNs, long marked) {
    mx.onSent(endNs - RTT, path, 4096, mx.pathWindowBytes(path), mx.pathWindowBytes(path));
    mx.onAck(endNs, path, 8 * 4096, 8, marked, RTT, RTT, 0, 0, false);
  }

  @Test
  void startsAtHalfABandwidthDelayProductAndUnpaced() {
    MxFair mx = opened(8, 1);
    assertEquals(62_500, mx.windowBytes());
    assertEquals(CongestionController.UNLIMITED, mx.rateBitsPerSecond());
    assertEquals(CongestionController.NO_DEADLINE, mx.trickleNs());
    assertEquals(CongestionController.NO_DEADLINE, mx.nextDeadlineNs());
  }

  @Test
  void aShareSetsRateAndWindowAtOnceDownAndUp() {
    MxFair mx = opened(4, 1);
    mx.onHint(1_000, 0, 1, C / 8);
    assertEquals(C / 8, mx.rateBitsPerSecond());
    assertNear(C / 64.0 * WINDOW_NS / 1e9, mx.windowBytes(), 1);
    mx.onHint(2_000, 0, 2, C / 2);
    assertEquals(C / 2, mx.rateBitsPerSecond());
    assertNear(C / 16.0 * WINDOW_NS / 1e9, mx.windowBytes(), 1);
    assertTrue(mx.pathWindowBytes(3) >= mx.windowBytes() / 4, "paths need not search");
  }

  @Test
  void withHalfOfThePathsMarkedAShareDoesNotRaise() {
    MxFair mx = opened(4, 1);
    mx.onHint(1_000, 0, 1, C / 8);
    long low = mx.windowBytes();
    round(mx, 0, 12_000, 8);
    round(mx, 1, 12_000, 8);
    mx.onHint(12_500, 0, 2, C);
    assertTrue(mx.windowBytes() <= low);
    assertEquals(C, mx.rateBitsPerSecond());
  }

  @Test
  void anOlderShareIsIgnoredUnlessThePresentOneExpired() {
    MxFair mx = opened(1, 1);
    mx.onHint(1_000, 0, 250, C / 2);
    mx.onHint(1_100, 0, 249, C / 4);
    assertEquals(C / 2, mx.rateBitsPerSecond());
    mx.onHint(1_200, 0, 3, C / 4);
    assertEquals(C / 4, mx.rateBitsPerSecond(), "3 is newer than 250 modulo 256");
    mx.onHint(101_200 + 1, 0, 200, C / 3);
    assertEquals(C / 3, mx.rateBitsPerSecond(), "any share wins over an expired one");
  }

  @Test
  void planesAddUpAndOneThatIsSilentCountsAsASixteenth() {
    MxFair mx = opened(8, 8);
    mx.onHint(1_000, 0, 1, C / 8);
    assertEquals(C / 8 + 7 * C / 8 / 16, mx.rateBitsPerSecond());
    for (int plane = 1; plane < 8; plane++) {
      mx.onHint(1_000, plane, 1, C / 8);
    }
    assertEquals(C, mx.rateBitsPerSecond(), "eight planes give eight times one");
    double window = (double) mx.windowBytes();
    mx.onPlane(2_000, 3, false);
    assertEquals(C * 7 / 8, mx.rateBitsPerSecond());
    assertNear(window * 7 / 8, mx.windowBytes(), 1);
    mx.onPlane(3_000, 3, true);
    assertEquals(C, mx.rateBitsPerSecond());
  }

  @Test
  void aShareAgesByHalvesIsForgottenBelowASixteenthAndAimdTakesOver() {
    MxFair mx = opened(1, 1);
    mx.onHint(0, 0, 1, C / 2);
    long life = 100_000;
    assertEquals(life, mx.nextDeadlineNs());
    mx.onTimer(life - 1);
    assertEquals(C / 2, mx.rateBitsPerSecond());
    assertTrue(mx.trickleNs() != CongestionController.NO_DEADLINE);
    mx.onTimer(life);
    assertEquals(C / 4, mx.rateBitsPerSecond());
    assertEquals(CongestionController.NO_DEADLINE, mx.trickleNs(), "no longer fresh");
    mx.onTimer(2 * life);
    assertEquals(C / 8, mx.rateBitsPerSecond());
    mx.onTimer(3 * life);
    assertEquals(C / 16, mx.rateBitsPerSecond());
    mx.onTimer(4 * life);
    assertEquals(CongestionController.UNLIMITED, mx.rateBitsPerSecond());
    assertEquals(CongestionController.NO_DEADLINE, mx.nextDeadlineNs());
  }

  /** Without hints the same events give the same windows as mx-aimd from the same start. */
  @Test
  void withAllHintsExpiredItBehavesAsAimd() {
    MxFair fair = opened(4, 1);
    fair.onHint(0, 0, 1, C / 2);
    fair.onTimer(10_000_000);
    MxAimd aimd = new MxAimd(LINK, 4, 1);
    for (int i = 0; i < 4; i++) {
      aimd.onPathOpened(0, i, 0);
    }
    long startOffset = fair.windowBytes() - aimd.windowBytes();
    long now = 20_000_000;
    for (int i = 0; i < 10; i++) {
      now += RTT;
      for (MxAimd mx : new MxAimd[] {fair, aimd}) {
        mx.onSent(now - RTT, 0, 4096, 1 << 20, 1 << 20);
        mx.onAck(now, 0, 4096, 1, 0, RTT, RTT, 0, 0, false);
      }
    }
    assertEquals(startOffset, fair.windowBytes() - aimd.windowBytes(), "one packet a round");
    assertEquals(CongestionController.UNLIMITED, fair.rateBitsPerSecond());
  }

  @Test
  void onePacketMayTrickleEveryTwoPacketTimesOfTheShare() {
    MxFair mx = opened(1, 1);
    mx.onHint(0, 0, 1, C / 8);
    assertTrue(mx.trickleNs() <= 0, "nothing sent yet");
    mx.onSent(5_000, 0, 4096, 4096, 4096);
    assertEquals(5_000 + (long) Math.ceil(2 * 4096 * 8e9 / (C / 8.0)), mx.trickleNs());
  }

  @Test
  void aLongPauseForgetsHintsAndStartsSmallerAfterACrowd() {
    for (long share : new long[] {C / 2, C / 8}) {
      MxFair mx = opened(8, 1);
      mx.onHint(0, 0, 1, share);
      mx.onSent(1_000, 0, 4096, 4096, 4096);
      mx.onIdle(50_000);
      assertEquals(share, mx.rateBitsPerSecond(), "5 round trips are no pause");
      mx.onIdle(1_000 + 101_000);
      assertEquals(CongestionController.UNLIMITED, mx.rateBitsPerSecond());
      assertEquals(share == C / 2 ? 62_500 : 31_250, mx.windowBytes());
      assertEquals(8192, mx.pathWindowBytes(0));
    }
  }

  @Test
  void unlimitedAndAboveLineSharesMeanTheLine() {
    MxFair mx = opened(1, 1);
    mx.onHint(0, 0, 1, CongestionController.UNLIMITED);
    assertEquals(C, mx.rateBitsPerSecond());
    mx.onHint(0, 0, 2, 5 * C);
    assertEquals(C, mx.rateBitsPerSecond());
    mx.onHint(0, 0, 3, 1);
    assertTrue(mx.rateBitsPerSecond() >= 1);
    assertEquals(2 * 4096, mx.windowBytes());
  }

  @Test
  void aSlowHostScalesTheShareToo() {
    MxFair mx = opened(1, 1);
    mx.onHint(0, 0, 1, C / 2);
    mx.onPenalty(0, 96);
    assertEquals(C / 8, mx.rateBitsPerSecond());
  }

  @Test
  void onAPlainConnectionEachHintIsTheNewest() {
    CongestionController plain = CongestionControllers.create("mx-fair", LINK);
    for (int i = 0; i < 1000; i++) {
      plain.onHint(i, C / (i % 7 + 1));
      assertEquals(C / (i % 7 + 1), plain.rateBitsPerSecond());
    }
  }

  private static void assertNear(double expected, long actual, double tolerance) {
    assertEquals(expected, (double) actual, tolerance);
  }
}
