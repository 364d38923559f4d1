// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bursts, skew, lost acknowledgements and a dead source port, at small size. */
class PathCasesTest {
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final int PACKETS = 8_000;
  private static final int RTT = 60;

  /** Gilbert-Elliott, packet-clocked, a state of its own for each path. */
  private static Weather bursts(long seed, double loss, double burst) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean[] bad = new boolean[256];
    double back = 1 / burst;
    double into = back * loss / (1 - loss);
    return new Weather(Transfer.oneWayNs(RTT)) {
      @Override
      int fate(Packet packet) {
        if (!packet.isNumbered() && !packet.isProbe()) {
          return PASS;
        }
        int path = packet.path();
        bad[path] = bad[path] ? random.nextDouble() >= back : random.nextDouble() < into;
        return bad[path] ? DROP : PASS;
      }
    };
  }

  @ParameterizedTest(name = "{0} paths, bursts of {1}")
  @CsvSource({"1, 8", "1, 32", "8, 8", "8, 32"})
  void burstsCostNoMoreThanThreePointsBeyondWhatTheyDrop(int paths, double burst) {
    Weather weather = bursts(21, 0.01, burst);
    try (Transfer t = new Transfer(RandomLossTest.settings(paths), "none", RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      double dropped = (double) t.net.dropped / PACKETS;
      assertTrue(
          t.steadyGoodput() >= 1 - 1.5 * dropped - 0.03,
          "goodput " + t.steadyGoodput() + " with " + dropped + " dropped");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "mx-aimd", "mx-fair"})
  void pathsOfOneToTenLengthCauseNoRetransmission(String congestion) {
    Weather weather =
        new Weather(0) {
          @Override
          long delayNs(Packet packet) {
            long shortest = Transfer.oneWayNs(RTT / 5.0);
            return packet.isControl() ? shortest : shortest + shortest * 9 * packet.path() / 7;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(8), congestion, RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertEquals(0, t.connection().counters.retransmissions);
      assertEquals(0, t.connection().counters.losses);
    }
  }

  @Test
  void halfOfTheAcknowledgementsLostCostsNothingOnACleanPath() {
    RandomLoss weather = new RandomLoss(Transfer.oneWayNs(RTT), 22, 0, 0.5);
    try (Transfer t = new Transfer(RandomLossTest.settings(8), "none", RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      assertTrue(t.steadyGoodput() > 0.95, "goodput " + t.steadyGoodput());
      assertEquals(0, t.connection().counters.losses);
    }
  }

  @Test
  void aSourcePortThatSwallowsEverythingIsLeftForAnotherOne() {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          private int dead = -1;

          @Override
          int fate(Packet packet) {
            boolean starts = packet.isNumbered() && packet.path() == 3 && packet.pseq() > 200;
            if (packet.from == 0 && starts && dead < 0) {
              dead = packet.slot;
            }
            return packet.from == 0 && packet.slot == dead ? DROP : PASS;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(8), "none", RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      SendPath path = t.connection().requestSend().paths.get(3);
      assertTrue(path.moves >= 1, "moves " + path.moves);
      assertEquals(PathState.ACTIVE, path.state);
      assertTrue(t.goodput() > 7.0 / 8 - 0.05, "goodput " + t.goodput());
    }
  }
}
