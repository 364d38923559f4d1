// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.wire.packet.Bth;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** [mx B.7] The life of a path, step by step: each transition when it is due and not before. */
class PathLifeTest {
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final int RTT = 60;
  private static final int SICK = 1;
  private static final long FAIL_LEAST_NS = 100_000;

  /** Cuts what leaves from one source port off, from a time on; others are not touched. */
  private static class Cut extends Weather {
    int slot = -1;

    Cut() {
      super(Transfer.oneWayNs(RTT));
    }

    @Override
    int fate(Packet packet) {
      return packet.from == 0 && packet.slot == slot ? DROP : PASS;
    }
  }

  private static Transfer transfer(int paths, Weather weather, int packets) {
    return new Transfer(RandomLossTest.settings(paths), "none", RTT, weather, packets);
  }

  private static SendPath sick(Transfer t) {
    return t.connection().requestSend().paths.get(SICK);
  }

  /** Lets the transfer run until something holds. */
  private static void runUntil(Transfer t, BooleanSupplier what) {
    assertTrue(
        t.net.run(
            LIMIT_NS,
            () -> {
              t.pump();
              return what.getAsBoolean();
            }));
  }

  @Test
  void aDeadPathIsSuspectAtTheSecondTimerFailsInTimeAndComesBackAfterThreeAnswers() {
    Cut cut = new Cut();
    try (Transfer t = transfer(4, cut, 60_000)) {
      SendPath path = sick(t);
      MxCounters counters = t.connection().counters;
      runUntil(t, () -> path.ring.next() > 500);
      cut.slot = path.slot;
      runUntil(t, () -> path.ptosInARow == 1);
      assertEquals(PathState.ACTIVE, path.state, "one timer is no proof");
      runUntil(t, () -> path.ptosInARow == 2);
      final long suspectNs = t.net.nowNs();
      assertEquals(PathState.SUSPECT, path.state);
      assertTrue(path.ring.liveCount() > 0, "what is under way stays on the books");
      final long sent = path.sentPackets;
      runUntil(t, () -> path.failures == 1);
      assertEquals(sent, path.sentPackets, "a suspect path carries nothing");
      long silenceNs = t.net.nowNs() - suspectNs;
      assertTrue(silenceNs >= FAIL_LEAST_NS, "after " + silenceNs);
      assertTrue(silenceNs < FAIL_LEAST_NS * 3 / 2, "after " + silenceNs);
      assertEquals(PathState.PROBING, path.state);
      assertEquals(0, path.ring.liveCount(), "its books are cleared");
      assertEquals(1, path.moves);
      final long answered = path.probesAnswered;
      runUntil(t, path::isActive);
      assertEquals(3, path.probesAnswered - answered, "three answers in a row");
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertTrue(counters.tailCopies > 10, "copies went over the others: " + counters.tailCopies);
      assertTrue(counters.tailCopies < 700, "each is copied once: " + counters.tailCopies);
    }
  }

  /** One path that loses much is suspect until a probe is answered; when all do nobody is. */
  @ParameterizedTest
  @CsvSource({"true, 0.6", "false, 0.35"})
  void manyLossesMakeAPathSuspectOnlyWhileTheOthersAreFine(boolean alone, double loss) {
    RandomLoss weather =
        new RandomLoss(Transfer.oneWayNs(RTT), 101, 0, 0) {
          @Override
          int fate(Packet packet) {
            boolean hit = packet.from == 0 && packet.isNumbered();
            hit &= !alone || packet.path() == SICK;
            return hit && random.nextDouble() < loss ? DROP : PASS;
          }
        };
    MxSettings mx = RandomLossTest.settings(4).withSelector("round-robin");
    try (Transfer t = new Transfer(mx, "none", RTT, weather, 8_000)) {
      SendPath path = sick(t);
      MxCounters counters = t.connection().counters;
      if (alone) {
        runUntil(t, () -> path.state == PathState.SUSPECT);
        final long suspectNs = t.net.nowNs();
        runUntil(t, path::isActive);
        long waitedNs = t.net.nowNs() - suspectNs;
        assertTrue(waitedNs < 4 * path.rtt.smoothedNs(), "one answered probe: " + waitedNs);
        assertEquals(0, path.failures + path.moves);
      } else {
        runUntil(t, () -> t.a.sent.size() > 400);
        assertEquals(0, counters.suspects);
      }
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
    }
  }

  /** Ports of three epochs in a row are dead: the fourth is reached without anybody's help. */
  @Test
  void aPathWhoseProbesAreNotAnsweredTriesTheNextSourcePort() {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            boolean own = packet.from == 0 && (packet.isNumbered() || packet.isProbe());
            if (!own || packet.path() != SICK || packet.sentNs < 1_500_000) {
              return PASS;
            }
            int at = Bth.LENGTH + (packet.isProbe() ? 1 : 2);
            return packet.bytes.getByte(at) < 3 ? DROP : PASS;
          }
        };
    try (Transfer t = transfer(4, weather, 60_000)) {
      SendPath path = sick(t);
      runUntil(t, () -> path.failures == 1);
      runUntil(t, () -> path.isActive() || t.net.nowNs() > 10_000_000);
      assertTrue(path.isActive(), "state " + PathState.name(path.state));
      assertEquals(3, path.epoch);
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
    }
  }

  /** Sixty-four probes at the pace of the round trip, then fewer and fewer. */
  @Test
  void aDeadPathIsProbedFastAtFirstAndSlowlyInTheEnd() {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            boolean own = packet.from == 0 && (packet.isNumbered() || packet.isProbe());
            return own && packet.path() == SICK && packet.sentNs > 1_500_000 ? DROP : PASS;
          }
        };
    try (Transfer t = transfer(4, weather, 8_000)) {
      SendPath path = sick(t);
      runUntil(t, () -> path.failures == 1);
      long failedNs = t.net.nowNs();
      final long before = path.probesSent;
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      t.net.run(failedNs + 1_000_000 - t.net.nowNs(), () -> false);
      long fast = path.probesSent - before;
      assertTrue(fast >= 30, fast + " probes in the first 50 round trips");
      t.net.run(failedNs + 500_000_000 - t.net.nowNs(), () -> false);
      long slow = path.probesSent - before;
      assertTrue(slow >= 100 && slow <= 140, slow + " probes in half a second");
    }
  }

  /** A plane dies: it is known to be down, its paths keep their ports, and it comes back. */
  @Test
  void pathsOfADeadPlaneAreNotGivenNewPorts() {
    boolean[] dead = new boolean[1];
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            return dead[0] && packet.slot % 2 == 1 ? DROP : PASS;
          }
        };
    MxSettings mx = RandomLossTest.settings(4).withPlanes(2);
    try (Transfer t = new Transfer(mx, "none", RTT, weather, 12_000)) {
      SendHalf half = t.connection().requestSend();
      runUntil(t, () -> t.a.sent.size() > 50);
      dead[0] = true;
      runUntil(t, () -> t.connection().counters.planeFailures == 1);
      long moves = half.paths.get(1).moves + half.paths.get(3).moves;
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      t.net.run(30_000_000, () -> false);
      assertEquals(moves, half.paths.get(1).moves + half.paths.get(3).moves);
      assertEquals(0, half.paths.get(0).failures + half.paths.get(2).failures);
      dead[0] = false;
      assertTrue(t.net.run(100_000_000, () -> half.paths.activeCount() == 4));
    }
  }

  /** A path that is drained sends nothing more and closes when all it carried is in. */
  @Test
  void aPathThatIsDrainedClosesWhenWhatItCarriedIsIn() {
    try (Transfer t = transfer(4, new Weather(Transfer.oneWayNs(RTT)), 6_000)) {
      SendHalf half = t.connection().requestSend();
      SendPath path = sick(t);
      runUntil(t, () -> path.ring.next() > 300 && path.ring.liveCount() > 4);
      half.monitor.drain(path, t.net.nowNs());
      final long sent = path.sentPackets;
      assertEquals(PathState.DRAIN, path.state);
      t.net.everyStep(
          () -> assertTrue(path.state == PathState.DRAIN || path.ring.liveCount() == 0));
      runUntil(t, () -> path.state == PathState.CLOSED);
      t.net.everyStep(() -> {});
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertEquals(sent, path.sentPackets);
      assertEquals(0, t.connection().counters.retransmissions);
    }
  }

  /** Marks on one route alone move its path; marks everywhere move nobody. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aPathThatAloneIsMarkedMoves(boolean alone) {
    int[] slot = {-1};
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            boolean data = packet.from == 0 && packet.isNumbered();
            return data && (!alone || packet.slot == slot[0]) ? MARK : PASS;
          }
        };
    try (Transfer t = transfer(4, weather, 6_000)) {
      slot[0] = sick(t).slot;
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertEquals(alone ? 1 : 0, t.connection().counters.entropyMoves);
      assertEquals(alone ? 1 : 0, sick(t).moves);
      assertEquals(0, t.connection().counters.retransmissions);
    }
  }

  /** Few source ports, many moves: no two paths ever share one. */
  @Test
  void sourcePortsOfLivePathsDiffer() {
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    try (ModelNet net = new ModelNet(Transfer.LINE, new Weather(5_000), 8, 12, settings)) {
      ModelSide a = new ModelSide(net, 0, RandomLossTest.settings(8), "none", 1 << 14, 5);
      ModelSide b = new ModelSide(net, 1, RandomLossTest.settings(8), "none", 1 << 14, 5);
      ModelSide.connect(a, b, 1024, 14, 7);
      SendHalf half = OperationsTest.connection(a).requestSend();
      for (int i = 0; i < 400; i++) {
        half.monitor.move(half.paths.get(i % 8), net.nowNs());
        Set<Integer> slots = new HashSet<>();
        for (int p = 0; p < 8; p++) {
          assertTrue(slots.add(half.paths.get(p).slot), "move " + i);
        }
      }
      a.close();
      b.close();
    }
  }

  /** [mx B.5] No more is under way on a path than one acknowledgement can tell of, and no less. */
  @Test
  void aPathCarriesAsMuchAsOneVectorCovers() {
    boolean[] deaf = new boolean[1];
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            return deaf[0] && packet.from == 1 ? DROP : PASS;
          }
        };
    // With more than 16 paths the span is the vector of 256 less a guard of 32.
    MxSettings mx = RandomLossTest.settings(20).withSelector("single");
    try (Transfer t = new Transfer(mx, "none", RTT, weather, 4_000)) {
      PathRing ring = t.connection().requestSend().paths.get(0).ring;
      int[] most = new int[1];
      t.net.everyStep(() -> most[0] = Math.max(most[0], ring.next() - ring.oldestLive()));
      runUntil(t, () -> ring.next() > 300);
      deaf[0] = true;
      long endNs = t.net.nowNs() + 80_000;
      runUntil(t, () -> t.net.nowNs() >= endNs);
      assertEquals(225, most[0]);
      deaf[0] = false;
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
    }
  }
}
