// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** [mx B.5] How losses, tails and late packets are found, each rule where only it can act. */
class LossRulesTest {
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final int RTT = 60;
  private static final int PACKETS = 3_000;

  private static Transfer transfer(int paths, int rtt, Weather weather, int packets) {
    return new Transfer(RandomLossTest.settings(paths), "none", rtt, weather, packets);
  }

  private static boolean isFirst(Packet packet, int pseq) {
    return packet.from == 0 && packet.isNumbered() && packet.pseq() == pseq;
  }

  /**
   * A hole that has left the vector, because all acknowledgements for longer than it were lost, is
   * asked for by a probe: no timer fires, since the path goes on.
   */
  @Test
  void aHoleThatHasLeftTheVectorIsAskedFor() {
    Weather weather =
        new Weather(Transfer.oneWayNs(400)) {
          @Override
          int fate(Packet packet) {
            boolean answer = packet.from == 1 && packet.opcode() == Opcode.MX_SACK;
            int hi = packet.bytes.getInt(Bth.LENGTH + 4, ByteOrder.BIG_ENDIAN);
            return isFirst(packet, 520) || (answer && hi > 520 && hi < 800) ? DROP : PASS;
          }
        };
    try (Transfer t = transfer(1, 400, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded(), () -> t.a.sent.size() + " done");
      MxCounters counters = t.connection().counters;
      assertEquals(1, counters.retransmissions, "the one that was lost");
      assertTrue(counters.probes >= 1);
      assertEquals(0, counters.ptos);
    }
  }

  /**
   * The tail is lost: one probe timer, its probe, one retransmission, and behind that one a probe,
   * since the path is then one that loses.
   */
  @Test
  void aLostTailCostsOneTimerAndTwoProbes() {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          private boolean lost;

          @Override
          int fate(Packet packet) {
            boolean last = packet.from == 0 && packet.isNumbered() && packet.psn() == 77 + 799;
            boolean drop = last && !lost;
            lost |= last;
            return drop ? DROP : PASS;
          }
        };
    try (Transfer t = transfer(1, RTT, weather, 800)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      MxCounters counters = t.connection().counters;
      assertEquals(1, counters.ptos);
      assertEquals(2, counters.probes);
      assertEquals(1, counters.losses);
      assertEquals(1, counters.retransmissions);
      assertEquals(0, counters.tailCopies);
    }
  }

  /** The tail is lost and so is every probe: the second timer in a row repeats the oldest. */
  @Test
  void aTailWhoseProbesAreLostIsRepeatedByTheSecondTimer() {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          private boolean lost;

          @Override
          int fate(Packet packet) {
            boolean last = packet.from == 0 && packet.isNumbered() && packet.psn() == 77 + 799;
            boolean drop = last && !lost;
            lost |= last;
            return drop || packet.isProbe() ? DROP : PASS;
          }
        };
    try (Transfer t = transfer(1, RTT, weather, 800)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      MxCounters counters = t.connection().counters;
      assertEquals(2, counters.ptos);
      assertEquals(1, counters.tailCopies);
      assertEquals(0, counters.suspects);
    }
  }

  /** Timers in a row double. */
  @Test
  void timersInARowDouble() {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            return packet.from == 0 && packet.sentNs > 1_600_000 ? DROP : PASS;
          }
        };
    try (Transfer t = transfer(1, RTT, weather, 20_000)) {
      SendPath path = t.connection().requestSend().paths.get(0);
      List<Long> fired = new ArrayList<>();
      t.net.everyStep(
          () -> {
            if (path.ptos > fired.size()) {
              fired.add(t.net.nowNs());
            }
          });
      t.run(5_000_000);
      t.net.everyStep(() -> {});
      assertTrue(fired.size() >= 3);
      double first = fired.get(1) - fired.get(0);
      double second = fired.get(2) - fired.get(1);
      assertEquals(2.0, second / first, 0.01);
    }
  }

  /**
   * All acknowledgements of one path are lost. What those of the others say of its packets is
   * progress of that path and takes them off its books: it is not suspected.
   */
  @Test
  void cumulativeNumbersAreProgressOfThePathThatCarriedThePacket() {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            return packet.isSack() && packet.path() == 0 ? DROP : PASS;
          }
        };
    try (Transfer t = transfer(4, RTT, weather, PACKETS)) {
      SendPath path = t.connection().requestSend().paths.get(0);
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      MxCounters counters = t.connection().counters;
      assertEquals(0, counters.ptos);
      assertEquals(0, counters.suspects);
      assertEquals(0, counters.retransmissions);
      assertEquals(0, path.ring.liveCount());
      assertTrue(path.sentPackets > PACKETS / 8);
    }
  }

  /**
   * A fabric that sprays inside a path: the tolerance grows until late packets are no losses, never
   * beyond 64, and decays when order returns.
   */
  @Test
  void toleranceGrowsWithSpuriousLossesAndDecays() {
    long base = Transfer.oneWayNs(RTT);
    boolean[] calm = new boolean[1];
    RandomLoss weather =
        new RandomLoss(base, 95, 0, 0) {
          @Override
          long delayNs(Packet packet) {
            boolean late = !calm[0] && packet.from == 0 && random.nextInt(10) == 0;
            return base + (late ? (long) (8 * Transfer.PACKET_NS) : 0);
          }
        };
    try (Transfer t = transfer(1, RTT, weather, 40_000)) {
      SendPath path = t.connection().requestSend().paths.get(0);
      int[] most = new int[1];
      t.net.everyStep(
          () -> {
            most[0] = Math.max(most[0], path.reorderTolerance);
            calm[0] |= path.ring.next() > 10_000;
          });
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      MxCounters counters = t.connection().counters;
      assertTrue(counters.spurious > 0 && counters.spurious < 60, "spurious " + counters.spurious);
      assertTrue(most[0] >= 8 && most[0] <= 64, "tolerance " + most[0]);
      // 7,500 acknowledgements in order since then, each thousandth takes one off.
      assertTrue(path.reorderTolerance <= most[0] - 5, "decayed to " + path.reorderTolerance);
    }
  }

  /** Whatever the disorder, the tolerance has an end. */
  @Test
  void toleranceIsAtMostSixtyFour() {
    long base = Transfer.oneWayNs(RTT);
    RandomLoss weather =
        new RandomLoss(base, 96, 0, 0) {
          @Override
          long delayNs(Packet packet) {
            boolean late = packet.from == 0 && random.nextInt(50) == 0;
            return base + (late ? (long) (200 * Transfer.PACKET_NS) : 0);
          }
        };
    try (Transfer t = transfer(1, RTT, weather, 10_000)) {
      SendPath path = t.connection().requestSend().paths.get(0);
      int[] most = new int[1];
      t.net.everyStep(() -> most[0] = Math.max(most[0], path.reorderTolerance));
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertEquals(64, most[0]);
    }
  }

  /**
   * From a short route to a long one: late answers about the old route are no samples of the new.
   */
  @Test
  void samplesOfTheOldRouteAreNotTakenForTheNewOne() {
    Weather weather =
        new Weather(0) {
          @Override
          long delayNs(Packet packet) {
            boolean data = packet.from == 0 && (packet.isNumbered() || packet.isProbe());
            int epoch = packet.bytes.getByte(Bth.LENGTH + (packet.isProbe() ? 1 : 2));
            return data && epoch != 0 ? 60_000 : 6_000;
          }
        };
    try (Transfer t = transfer(1, RTT, weather, PACKETS)) {
      SendHalf half = t.connection().requestSend();
      SendPath path = half.paths.get(0);
      boolean[] moved = new boolean[1];
      t.net.everyStep(
          () -> {
            if (!moved[0] && path.ring.next() > 1_000) {
              moved[0] = true;
              half.monitor.move(path, t.net.nowNs());
            }
          });
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertTrue(moved[0]);
      assertTrue(path.rtt.minimumNs() >= 66_000, "least of the new route " + path.rtt.minimumNs());
    }
  }

  /** Counters of an acknowledgement that was overtaken by a later one are those of the past. */
  @Test
  void countersOfAcknowledgementsThatAreLateAreSkipped() {
    long base = Transfer.oneWayNs(RTT);
    RandomLoss weather =
        new RandomLoss(base, 97, 0, 0) {
          @Override
          int fate(Packet packet) {
            return packet.from == 0 && packet.isNumbered() && packet.pseq() % 7 == 0 ? MARK : PASS;
          }

          @Override
          long delayNs(Packet packet) {
            return base + (packet.isSack() && random.nextInt(4) == 0 ? 5_000 : 0);
          }
        };
    try (Transfer t = transfer(2, RTT, weather, PACKETS)) {
      SendPath path = t.connection().requestSend().paths.get(1);
      int[] seen = new int[2];
      t.net.everyStep(
          () -> {
            assertTrue(path.rxSeen >= seen[0] && path.ceSeen >= seen[1], "counters went back");
            assertTrue(path.markFraction >= 0);
            seen[0] = path.rxSeen;
            seen[1] = path.ceSeen;
          });
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertTrue(seen[0] > 1_000 && seen[1] > 100);
    }
  }

  /** A fragment whose copy is still under way is not sent a third time when the first is lost. */
  @Test
  void nothingIsQueuedAgainWhileATransmissionIsUnderWay() {
    RandomLoss weather =
        new RandomLoss(Transfer.oneWayNs(RTT), 98, 0.02, 0.02) {
          @Override
          int fate(Packet packet) {
            boolean bad = packet.from == 0 && packet.slot % 5 == 2 && packet.sentNs > 1_500_000;
            return bad && packet.sentNs < 3_000_000 ? DROP : super.fate(packet);
          }
        };
    try (Transfer t = transfer(8, RTT, weather, 10_000)) {
      SendHalf half = t.connection().requestSend();
      t.net.everyStep(
          () -> {
            FragmentQueue queue = half.retransmissions;
            int at = queue.isEmpty() ? -1 : queue.first();
            for (int left = queue.size(); left > 0; left--) {
              boolean copy = half.fragments.has(at, FragmentTable.TAIL_COPY);
              assertTrue(half.fragments.liveCount(at) <= (copy ? 1 : 0), "under way");
              at = queue.after(at);
            }
          });
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertTrue(t.connection().counters.tailCopies > 0, "the case did not come up");
    }
  }
}
