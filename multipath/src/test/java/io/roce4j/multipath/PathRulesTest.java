// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules of paths, probes and control that cost time and not bytes when they are broken. */
class PathRulesTest {
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final int RTT = 60;
  private static final int PACKETS = 3_000;

  /**
   * [mx B.7] A single path, or one of the last two, does all that a failed one does, the move
   * included: its own probes would come to that only eight round trips later.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aPathThatIsKeptMovesWhenItFails(int paths) {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          private final Set<Integer> dead = new HashSet<>();

          @Override
          int fate(Packet packet) {
            if (packet.from == 0 && packet.isNumbered() && packet.sentNs < 2_000_000) {
              dead.add(packet.slot);
            }
            boolean late = packet.from == 0 && packet.sentNs >= 2_000_000;
            return late && dead.contains(packet.slot) ? DROP : PASS;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(paths), "none", RTT, weather, 12_000)) {
      SendHalf half = t.connection().requestSend();
      int[] slots = new int[paths];
      for (int p = 0; p < paths; p++) {
        slots[p] = half.paths.get(p).slot;
      }
      t.net.everyStep(
          () -> {
            for (int p = 0; p < paths; p++) {
              SendPath path = half.paths.get(p);
              if (path.failures == 1 && slots[p] >= 0) {
                assertTrue(path.kept, "too few others");
                assertEquals(1, path.moves, "it moves at once");
                assertNotEquals(slots[p], path.slot);
                assertTrue(
                    path.ring.liveCount() <= 1, "its books are cleared, one may be out again");
                slots[p] = -1;
              }
            }
          });
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      for (int p = 0; p < paths; p++) {
        assertEquals(-1, slots[p], "path " + p + " never failed");
        assertTrue(half.paths.get(p).isActive());
      }
    }
  }

  /**
   * [mx B.4] A queue that holds data back for longer than a probe timer: a probe that overtook the
   * data would make all of it look lost.
   */
  @Test
  void probesQueueBehindTheDataTheyAskFor() {
    long baseNs = Transfer.oneWayNs(RTT);
    Weather weather =
        new Weather(baseNs) {
          private int dataTos = -1;
          private long jamNs;

          @Override
          long delayNs(Packet packet) {
            if (packet.from == 0 && packet.isNumbered()) {
              dataTos = packet.tos;
              jamNs = jamNs == 0 ? packet.sentNs + 300_000 : jamNs;
            }
            boolean inQueue = packet.from == 0 && packet.tos == dataTos;
            long waitNs = jamNs + 400_000 - packet.sentNs;
            return baseNs + (inQueue && packet.sentNs > jamNs && waitNs > 0 ? waitNs : 0);
          }
        };
    MxSettings mx = RandomLossTest.settings(2).withControlTos(0xC0);
    try (Transfer t = new Transfer(mx, "none", RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      MxCounters counters = t.connection().counters;
      assertTrue(counters.ptos > 0, "the case did not come up");
      assertTrue(counters.probes > 0);
      assertEquals(0, counters.losses, "nothing was lost");
      assertEquals(0, counters.spurious);
    }
  }

  /** [mx B.4] What the receiver counts is every packet that arrived: late ones and duplicates. */
  @Test
  void everyPacketThatArrivesOnAPathIsCounted() {
    long[] arrived = new long[4];
    RandomLoss weather =
        new RandomLoss(Transfer.oneWayNs(RTT), 81, 0.03, 0.03) {
          @Override
          int fate(Packet packet) {
            int fate = super.fate(packet);
            if (packet.from != 0 || !packet.isNumbered() || fate == DROP) {
              return fate;
            }
            boolean twin = random.nextInt(10) == 0;
            arrived[packet.path()] += twin ? 2 : 1;
            return twin ? TWIN : PASS;
          }

          @Override
          long delayNs(Packet packet) {
            return super.delayNs(packet) + (random.nextInt(20) == 0 ? 2_000 : 0);
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
      t.net.run(5_000_000, () -> false);
      ReceiveHalf half = OperationsTest.connection(t.b).requestReceive();
      for (int p = 0; p < 4; p++) {
        assertEquals(arrived[p], half.paths[p].rxPackets);
      }
    }
  }

  /**
   * [mx B.4] Control may be all that moves: here the credit a sender waits for, while every source
   * port this side's paths have is dead. No data shows that, so control itself leaves them.
   */
  @Test
  void controlLeavesSourcePortsThatAreDeadWithoutAnyDataToShowIt() {
    Set<Integer> dead = new HashSet<>();
    Weather weather =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            return packet.from == 1 && dead.contains(packet.slot) ? DROP : PASS;
          }
        };
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    try (ModelNet net = new ModelNet(Transfer.LINE, weather, 8, 256, settings)) {
      ModelSide a = new ModelSide(net, 0, RandomLossTest.settings(2), "none", 1 << 16, 5);
      ModelSide b = new ModelSide(net, 1, RandomLossTest.settings(2), "none", 1 << 16, 5);
      ModelSide.connect(a, b, 1024, 0, 7);
      assertTrue(net.run(1_000_000, () -> OperationsTest.connection(b).streams.get(0).open));
      PathSet paths = OperationsTest.connection(b).requestSend().paths;
      for (int p = 0; p < paths.count(); p++) {
        dead.add(paths.get(p).slot);
      }
      a.post(WorkRequestOpcode.SEND, 1, 0, b, 0, 100);
      net.run(1_000_000, () -> false);
      b.receive(1, 0, 100);
      boolean done =
          net.run(
              LIMIT_NS,
              () -> {
                a.poll();
                return a.sent.size() == 1;
              });
      assertTrue(done, "the credit never arrived");
      assertTrue(OperationsTest.counters(b).controlRepeated >= 3);
      a.close();
      b.close();
    }
  }

  /**
   * [mx B.4] The answer to the opening of a stream carries the peer's credit: a SEND whose receive
   * is there goes at once, and no message of its own has to say so.
   */
  @Test
  void theAnswerToAnOpeningCarriesTheCredit() {
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    try (ModelNet net = new ModelNet(Transfer.LINE, new Weather(5_000), 8, 256, settings)) {
      ModelSide a = new ModelSide(net, 0, RandomLossTest.settings(2), "none", 1 << 16, 5);
      ModelSide b = new ModelSide(net, 1, RandomLossTest.settings(2), "none", 1 << 16, 5);
      ModelSide.connect(a, b, 1024, 14, 7);
      ModelSide opener = OperationsTest.connection(a).streams.get(0).openWanted ? a : b;
      ModelSide other = opener == a ? b : a;
      other.receive(1, 0, 100);
      opener.receive(1, 0, 100);
      opener.post(WorkRequestOpcode.SEND, 1, 0, other, 0, 100);
      other.post(WorkRequestOpcode.SEND, 1, 0, opener, 0, 100);
      assertTrue(
          net.run(
              LIMIT_NS,
              () -> {
                a.poll();
                b.poll();
                return a.sent.size() == 1 && b.sent.size() == 1;
              }));
      assertEquals(1, OperationsTest.counters(opener).controlSent, "the opening");
      assertEquals(0, OperationsTest.counters(other).controlSent, "credit of its own");
      a.close();
      b.close();
    }
  }
}
