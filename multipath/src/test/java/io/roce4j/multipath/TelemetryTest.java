// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.mx.ControlTlv;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.MxPacketView;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What a connection tells of itself: to its peer, and to whoever asks why it is slow. */
class TelemetryTest {
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final int PACKETS = 6_000;
  private static final int RTT = 60;

  /** Loses a fifth of what goes over the given paths. */
  private static Weather lossOn(java.util.function.IntPredicate paths) {
    SplittableRandom random = new SplittableRandom(3);
    return new Weather(Transfer.oneWayNs(RTT)) {
      @Override
      int fate(Packet packet) {
        boolean bad = packet.isNumbered() && paths.test(packet.path());
        return bad && random.nextInt(5) == 0 ? DROP : PASS;
      }
    };
  }

  private static List<String> why(MxSettings settings, Weather weather) {
    try (Transfer t = new Transfer(settings, "none", RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      return WhySlow.explain(MxReport.of(t.a.queuePair).orElseThrow());
    }
  }

  @Test
  void theOneBadPathIsNamed() {
    List<String> why = why(RandomLossTest.settings(8), lossOn(path -> path == 3));
    assertTrue(why.stream().anyMatch(line -> line.startsWith("path 3 loses ")), why::toString);
    assertTrue(why.stream().noneMatch(line -> line.startsWith("path 4")), why::toString);
  }

  @Test
  void aPlaneWhosePathsAreBadIsNamedOnce() {
    MxSettings settings = RandomLossTest.settings(16).withPlanes(4);
    List<String> why = why(settings, lossOn(path -> path % 4 == 2));
    assertEquals(
        1,
        why.stream().filter(line -> line.startsWith("plane 2: 4 of its 4")).count(),
        why::toString);
    assertTrue(why.stream().noneMatch(line -> line.contains("plane 1")), why::toString);
  }

  @Test
  void nothingStandsOutWhereAllPathsAreEqual() {
    assertEquals(List.of(), why(RandomLossTest.settings(8), lossOn(path -> true)));
  }

  @Test
  void theReportAddsUpToWhatWasSent() {
    try (Transfer t =
        new Transfer(RandomLossTest.settings(8), "none", RTT, lossOn(path -> path == 1), PACKETS)) {
      assertTrue(t.run(LIMIT_NS));
      MxReport report = MxReport.of(t.a.queuePair).orElseThrow();
      long packets = 0;
      double share = 0;
      for (PathReport path : report.paths()) {
        if (!path.responseHalf()) {
          packets += path.sentPackets();
          share += path.share();
          assertTrue(path.smoothedRttNs() >= path.minimumRttNs() && path.minimumRttNs() > 0);
          assertEquals("active", path.state());
        }
      }
      assertEquals(report.counter("dataPackets"), packets);
      assertEquals(PACKETS + report.counter("retransmissions"), packets);
      assertEquals(1.0, share, 1e-9);
      assertThrows(IllegalArgumentException.class, () -> report.counter("bogus"));
    }
  }

  @Test
  void thePeerIsToldOfEntropyMovesButNotOfEachOfMany() {
    try (Transfer t =
        new Transfer(
            RandomLossTest.settings(4),
            "none",
            RTT,
            new Weather(Transfer.oneWayNs(RTT)),
            PACKETS)) {
      SendHalf half = t.connection().requestSend();
      t.net.everyStep(() -> half.monitor.move(half.paths.get(2), t.net.nowNs()));
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      t.net.everyStep(() -> {});
      t.net.run(50_000_000, () -> false);
      MxCounters peer = OperationsTest.counters(t.b);
      MxCounters own = t.connection().counters;
      assertTrue(own.entropyMoves > 1_000, "moves " + own.entropyMoves);
      assertTrue(peer.peerMoves > 0 && peer.peerMoves < own.entropyMoves / 10);
      assertEquals(own.moveNotices, peer.peerMoves);
      assertEquals(0, own.retransmissions, "a move loses nothing");
    }
  }

  /** A share that the test moves. */
  private static final class Share implements InboundShare {
    int generation;

    @Override
    public void onData(MxPacketView view, ReceivePath path, int stamp, long nowNs) {}

    @Override
    public int hint(int plane, long nowNs) {
      return 100 + generation;
    }

    @Override
    public int generation(int plane) {
      return generation;
    }

    @Override
    public void release() {}
  }

  @Test
  void aShareThatChangedAfterTheLastAcknowledgementIsToldTwoRoundTripsLater() {
    Share share = new Share();
    ReceivePath[] paths = {new ReceivePath(0, 0, 0), new ReceivePath(1, 1, 0)};
    HintAnnouncer hints = new HintAnnouncer(share, 2, paths);
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
    assertEquals(SendPath.NEVER, hints.deadlineNs(), "nothing was ever acknowledged");
    hints.onCarried(1, share.generation(1), 1_000, 500);
    assertEquals(2_000, hints.deadlineNs());
    assertEquals(0, hints.write(buffer, 0, 64, 2_000), "no news");
    hints.onCarried(1, share.generation(1), 3_000, 500);
    share.generation = 7;
    assertEquals(0, hints.write(buffer, 0, 64, 3_999), "an acknowledgement may still carry it");
    int length = hints.write(buffer, 0, 64, 4_000);
    ControlTlv items = new ControlTlv();
    assertEquals(MxFault.OK, items.wrap(buffer, 0, length));
    assertTrue(items.next());
    assertEquals(ControlTlv.HINT_UPDATE, items.type());
    assertEquals(1, items.path());
    assertEquals(107, items.hint());
    assertEquals(7, items.hintGeneration());
    assertTrue(!items.next());
    assertEquals(0, hints.write(buffer, 0, 64, 9_000), "once");
  }
}
