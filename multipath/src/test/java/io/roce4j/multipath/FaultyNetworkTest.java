// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.sequence.Psn;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the network, or a peer that does not keep the rules, can do to a transfer: old packets
 * again, acknowledgements that cannot be, limits that lie, routes that die. Books and windows are
 * checked after every step, bytes at the end.
 */
class FaultyNetworkTest {
  private static final long LIMIT_NS = 3_000_000_000L;
  private static final int PACKETS = 2_000;
  private static final int RTT = 60;

  /** Runs to the end under checks of the books; all must have succeeded with the right bytes. */
  private static void runChecked(Transfer t) {
    SendHalf half = t.connection().requestSend();
    Runnable before = t.net.everyStep();
    t.net.everyStep(
        () -> {
          before.run();
          checkBooks(t, half);
        });
    assertTrue(t.run(LIMIT_NS), () -> "not done: " + half.outstanding() + " outstanding");
    t.net.everyStep(() -> {});
    assertTrue(t.allSucceeded(), () -> t.a.sent.toString());
    for (int i = 0; i < 64 * 1024; i += 8) {
      long word = NativeMemory.getLong(t.a.memory.address() + i);
      for (int slot = 0; slot < 15; slot++) {
        assertEquals(word, NativeMemory.getLong(t.b.memory.address() + slot * 65_536L + i));
      }
    }
  }

  private static void checkBooks(Transfer t, SendHalf half) {
    long bytes = 0;
    for (int p = 0; p < half.paths.count(); p++) {
      bytes += half.paths.get(p).ring.liveBytes();
    }
    assertEquals(half.inflightBytes, bytes, "bytes in flight [mx B.11-5]");
    int window = half.parameters.trackerWindow();
    assertTrue(half.outstanding() >= 0 && half.outstanding() <= window, "outstanding");
    assertTrue(Psn.distance(half.una, half.cpsnLimit) <= window + half.outstanding() + 1, "limit");
    Tracker tracker = OperationsTest.connection(t.b).requestReceive().tracker;
    int una = half.una;
    if (una != half.nextCpsn) {
      // Everything before the oldest outstanding one counts as acknowledged [mx B.11-10].
      assertTrue(
          Psn.distance(tracker.cumulative(), una) <= 1 || tracker.contains(Psn.add(una, -1)));
    }
  }

  /** Remembers what passed and lets it pass again, any number of packets later. */
  private static final class Replay extends RandomLoss {
    private final List<Packet> past = new ArrayList<>();
    private boolean again;

    Replay(double loss) {
      super(Transfer.oneWayNs(RTT), 17, loss, loss);
    }

    @Override
    int fate(Packet packet) {
      if (again) {
        return PASS;
      }
      Packet copy = new Packet();
      copy.bytes.putBytes(0, packet.bytes, 0, packet.length);
      copy.length = packet.length;
      copy.from = packet.from;
      copy.slot = packet.slot;
      copy.tos = packet.tos;
      copy.sentNs = packet.sentNs;
      if (past.size() < 4_000) {
        past.add(copy);
      } else {
        past.set(random.nextInt(past.size()), copy);
      }
      return super.fate(packet);
    }

    void replayOne(ModelNet net) {
      if (!past.isEmpty()) {
        Packet old = past.get(random.nextInt(past.size()));
        if (old.sentNs >= net.nowNs()) {
          return; // still on its way out: its copy must not overtake it
        }
        again = true;
        net.carry(old.from, old.slot, old.tos, old.bytes, 0, old.length, net.nowNs());
        again = false;
      }
    }
  }

  /** [mx B.11-2] [mx B.11-10] */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.03})
  void packetsOfEveryKindThatComeAgainMuchLaterChangeNothing(double loss) {
    Replay weather = new Replay(loss);
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "mx-fair", RTT, weather, PACKETS)) {
      t.net.everyStep(() -> weather.replayOne(t.net));
      runChecked(t);
      assertTrue(OperationsTest.counters(t.b).rxDuplicates > 300);
      if (loss == 0) {
        assertEquals(0, t.connection().counters.losses, "an old gap is no loss");
      }
    }
  }

  /** Changes acknowledgements on their way, as a peer would that does not keep the rules. */
  private abstract static class Liar extends Weather {
    final SplittableRandom random = new SplittableRandom(23);
    long told;

    Liar() {
      super(Transfer.oneWayNs(RTT));
    }

    abstract void lie(UnsafeBuffer bytes, int at);

    boolean lies() {
      return random.nextInt(3) == 0;
    }

    @Override
    int fate(Packet packet) {
      if (packet.isSack() && lies()) {
        lie(packet.bytes, Bth.LENGTH);
        told++;
      }
      return PASS;
    }
  }

  @Test
  void acknowledgementsThatCannotBeAreDroppedAndCounted() {
    Liar liar =
        new Liar() {
          @Override
          void lie(UnsafeBuffer bytes, int at) {
            if (random.nextBoolean()) {
              bytes.putByte(at, (byte) 200); // a path there is not
            } else {
              int hi = bytes.getInt(at + 4, ByteOrder.BIG_ENDIAN);
              bytes.putInt(at + 4, hi + 5_000 + random.nextInt(1 << 30), ByteOrder.BIG_ENDIAN);
            }
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, liar, PACKETS)) {
      runChecked(t);
      assertTrue(t.connection().counters.strangeAcks > 100);
      assertEquals(liar.told, t.connection().counters.strangeAcks, "every lie, nothing else");
    }
  }

  @Test
  void cumulativeNumbersOutsideOfWhatWasSentSayNothing() {
    Liar liar =
        new Liar() {
          @Override
          void lie(UnsafeBuffer bytes, int at) {
            Bth.psn(bytes, 0, random.nextInt(1 << 24));
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, liar, PACKETS)) {
      SendHalf half = t.connection().requestSend();
      // A number that by chance lies in the window is the peer's word; this seed draws none.
      assertTrue(half.parameters.trackerWindow() * 3L < 1 << 14);
      runChecked(t);
    }
  }

  /** The peer promises more than its tracker holds: what is outstanding stays within it. */
  @Test
  void aWindowThatLiesBuysNothing() {
    Liar liar =
        new Liar() {
          @Override
          void lie(UnsafeBuffer bytes, int at) {
            int limit = Bth.psn(bytes, 0) + 1 + random.nextInt(1 << 22);
            bytes.putByte(at + 32, (byte) (limit >> 16));
            bytes.putShort(at + 33, (short) limit, ByteOrder.BIG_ENDIAN);
          }

          @Override
          boolean lies() {
            return true;
          }
        };
    MxSettings small = RandomLossTest.settings(4).withTrackerUnits(1);
    try (Transfer t = new Transfer(small, "none", RTT, liar, PACKETS)) {
      runChecked(t);
      assertEquals(0, OperationsTest.counters(t.b).rxBeyond, "nothing was sent beyond the tracker");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mx-fair", "mx-aimd", "none"})
  void hintsOfAnyValueAndAgeNeverStopATransfer(String congestion) {
    Liar liar =
        new Liar() {
          @Override
          void lie(UnsafeBuffer bytes, int at) {
            int hint = random.nextInt(4) == 0 ? 1 : random.nextInt(1 << 16);
            bytes.putShort(at + 28, (short) hint, ByteOrder.BIG_ENDIAN);
            bytes.putByte(at + 30, (byte) random.nextInt(256));
            bytes.putByte(at + 31, (byte) random.nextInt(256));
            int flags = bytes.getShort(at + 2, ByteOrder.BIG_ENDIAN);
            int lied = flags | Sackh.HINT_VALID | (random.nextInt(8) == 0 ? Sackh.HOST_PENALTY : 0);
            bytes.putShort(at + 2, (short) lied, ByteOrder.BIG_ENDIAN);
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), congestion, RTT, liar, 600)) {
      assertTrue(t.run(30_000_000_000L), "a hint of 1 kbit/s must not last");
      assertTrue(t.allSucceeded());
    }
  }

  /** [mx B.11-9] 5% of the packets lost and a new source port after every single step. */
  @Test
  void entropyMovesAtEveryPacketLoseNothingForGood() {
    RandomLoss weather = new RandomLoss(Transfer.oneWayNs(RTT), 31, 0.05, 0.05);
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, weather, PACKETS)) {
      SendHalf half = t.connection().requestSend();
      t.net.everyStep(
          () -> half.monitor.move(half.paths.get((int) (t.net.carried % 4)), t.net.nowNs()));
      runChecked(t);
      MxCounters counters = t.connection().counters;
      assertTrue(counters.entropyMoves > 1_000, "epochs wrapped");
      assertEquals(0, counters.spurious);
    }
  }

  /** [mx B.11-9] From a long route to a short one and back: what is later is not lost. */
  @Test
  void movesBetweenRoutesOfDifferentLengthRepeatNothing() {
    Weather weather =
        new Weather(0) {
          @Override
          long delayNs(Packet packet) {
            boolean data = packet.isNumbered() || packet.isProbe();
            return data && packet.slot % 2 == 0 ? 20_000 : 6_000;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, weather, PACKETS)) {
      SendHalf half = t.connection().requestSend();
      int[] steps = new int[1];
      t.net.everyStep(
          () -> {
            if (++steps[0] % 400 == 0) {
              half.monitor.move(half.paths.get(steps[0] / 400 % 4), t.net.nowNs());
            }
          });
      runChecked(t);
      assertTrue(t.connection().counters.entropyMoves > 4, "moves");
      assertEquals(0, t.connection().counters.losses);
      assertEquals(0, t.connection().counters.retransmissions);
    }
  }

  /** A hash bucket that swallows one direction, silently: data, or only the answers. */
  @ParameterizedTest(name = "direction {0}, {1} paths")
  @CsvSource({"0, 8", "1, 8", "0, 1", "1, 1"})
  void aBucketThatSwallowsOneDirectionIsLeft(int direction, int paths) {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          private int bucket = -1;

          @Override
          int fate(Packet packet) {
            boolean chooses = packet.from == direction && !packet.isControl();
            if (bucket < 0 && chooses && packet.sentNs > 2_000_000) {
              bucket = packet.slot % 8;
            }
            return packet.from == direction && packet.slot % 8 == bucket ? DROP : PASS;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(paths), "none", RTT, weather, 20_000)) {
      runChecked(t);
      // Where only answers are lost, those of the other paths may settle all, and nothing moves.
      assertTrue((direction == 1 && paths > 1) || t.connection().counters.entropyMoves >= 1);
      SendHalf half = t.connection().requestSend();
      assertEquals(paths, half.paths.activeCount(), "all paths carry data again");
    }
  }

  /** [mx B.11-12] [mx B.11-13] */
  @ParameterizedTest
  @CsvSource({"1, 5", "2, 5", "8, 5", "8, 60"})
  void allPathsDeadAndAliveAgainCostTimeAndNothingElse(int paths, int deadMs) {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            long from = 1_500_000;
            return packet.sentNs > from && packet.sentNs < from + deadMs * 1_000_000L ? DROP : PASS;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(paths), "none", RTT, weather, 8_000)) {
      runChecked(t);
      assertTrue(t.net.run(100_000_000, () -> allActive(t)), "paths come back");
    }
  }

  private static boolean allActive(Transfer t) {
    PathSet paths = t.connection().requestSend().paths;
    return paths.activeCount() == paths.count();
  }

  /** Transmission numbers, fragments and the clock of the packets come round in mid-transfer. */
  @Test
  void numbersThatWrapInMidTransferAreNoticedByNobody() {
    RandomLoss weather = new RandomLoss(Transfer.oneWayNs(RTT), 41, 0.02, 0.02);
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, weather, PACKETS)) {
      // The clock of the packets wraps after 2^32 units of 8 ns: be 100 us before it.
      long wrapNs = (1L << 32) * 8;
      t.net.run(wrapNs - 100_000 - t.net.nowNs(), () -> false);
      SendHalf half = t.connection().requestSend();
      ReceiveHalf peer = OperationsTest.connection(t.b).requestReceive();
      for (int p = 0; p < 4; p++) {
        int first = -100 - 50 * p;
        half.paths.get(p).ring.startAt(first);
        half.paths.get(p).hiAcked = first - 1;
        peer.paths[p].hi = first - 1;
      }
      int firstCpsn = half.nextCpsn;
      runChecked(t);
      assertTrue(half.nextCpsn < 0x800000 || firstCpsn < 0x800000);
      for (int p = 0; p < 4; p++) {
        assertTrue(half.paths.get(p).ring.next() > 0, "pseq wrapped");
      }
      assertEquals(0, t.connection().counters.spurious);
      assertTrue(t.net.nowNs() > wrapNs);
    }
  }

  @Test
  void fragmentNumbersWrapInMidTransfer() {
    RandomLoss weather = new RandomLoss(Transfer.oneWayNs(RTT), 43, 0.02, 0.02);
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, weather, PACKETS, 77)) {
      runChecked(t);
    }
    try (Transfer t =
        new Transfer(RandomLossTest.settings(4), "none", RTT, weather, PACKETS, 0xFFFE00)) {
      runChecked(t);
      assertTrue(t.connection().requestSend().nextCpsn < 0x1000, "CPSN wrapped");
    }
  }

  @Test
  void aPeerThatIsGoneForGoodEndsInOneErrorAndFlushes() {
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            return packet.sentNs > 1_200_000 ? DROP : PASS;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, weather, 8_000)) {
      t.net.run(
          3_000_000_000L,
          () -> {
            t.pump();
            return t.a.sent.stream().anyMatch(d -> d.status() != WorkCompletionStatus.SUCCESS);
          });
      t.a.poll();
      t.net.run(10_000_000, () -> false);
      t.a.poll();
      assertTrue(t.net.nowNs() < 1_000_000_000L, "retries 8 of 67 ms, not for ever");
      long exceeded =
          t.a.sent.stream().filter(d -> d.status() == WorkCompletionStatus.RETRY_EXC_ERR).count();
      assertEquals(1, exceeded);
      assertTrue(t.a.sent.stream().anyMatch(d -> d.status() == WorkCompletionStatus.WR_FLUSH_ERR));
    }
  }

  /**
   * [mx B.11-10] The peer promises receives it has not posted, and every NACK is lost: a fragment
   * that was refused is not in, whatever the highest number says.
   */
  @Test
  void whatIsRefusedIsNeverAcknowledgedAlthoughEveryNackIsLost() {
    Weather weather =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            if (packet.opcode() == Opcode.MX_NACK) {
              return DROP;
            }
            if (packet.from == 1 && packet.isSack()) {
              packet.bytes.putByte(Bth.LENGTH + 37, (byte) 50); // rq_limit
            }
            return PASS;
          }
        };
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    try (ModelNet net = new ModelNet(Transfer.LINE, weather, 8, 256, settings)) {
      ModelSide a = new ModelSide(net, 0, RandomLossTest.settings(4), "none", 1 << 16, 5);
      ModelSide b = new ModelSide(net, 1, RandomLossTest.settings(4), "none", 1 << 16, 5);
      ModelSide.connect(a, b, 1024, 18, 7);
      for (int i = 0; i < 8192; i++) {
        NativeMemory.putByte(a.memory.address() + i, (byte) (i * 7 + 1));
      }
      a.write(1, 0, b, 32_768, 4096);
      assertTrue(net.run(5_000_000, () -> polled(a, b, 1)));
      a.post(WorkRequestOpcode.SEND, 2, 0, b, 0, 8192);
      assertFalse(net.run(2_000_000, () -> polled(a, b, 2)), "nothing is posted to receive it");
      assertTrue(OperationsTest.counters(b).rxRefused > 0, "the case did not come up");
      b.receive(9, 0, 8192);
      assertTrue(net.run(100_000_000, () -> polled(a, b, 2) && b.received.size() == 1));
      for (int i = 0; i < 8192; i++) {
        assertEquals((byte) (i * 7 + 1), NativeMemory.getByte(b.memory.address() + i));
      }
      a.close();
      b.close();
    }
  }

  private static boolean polled(ModelSide a, ModelSide b, int sends) {
    a.poll();
    b.poll();
    return a.sent.size() >= sends;
  }
}
