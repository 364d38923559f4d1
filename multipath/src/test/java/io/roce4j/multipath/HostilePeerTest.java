// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.mx.Mxmh;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.mx.NackReason;
import io.roce4j.wire.mx.Nackh;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.sequence.Psn;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A peer that does not keep the rules, or somebody who forges its packets: what is not as it must
 * be is refused and counted, memory stays what it was, and nothing succeeds that did not happen.
 */
class HostilePeerTest {
  private static final long LIMIT_NS = 3_000_000_000L;
  private static final int RTT = 60;
  private static final int PACKETS = 1_500;
  private static final int DATA_AT = Bth.LENGTH + Mxth.LENGTH;

  private static Packet copy(Packet packet) {
    Packet copy = new Packet();
    copy.bytes.putBytes(0, packet.bytes, 0, packet.length);
    copy.length = packet.length;
    copy.from = packet.from;
    copy.slot = packet.slot;
    copy.tos = packet.tos;
    return copy;
  }

  private static void checkBytes(Transfer t) {
    assertTrue(t.allSucceeded(), () -> t.a.sent.toString());
    for (int i = 0; i < 64 * 1024; i += 8) {
      long word = NativeMemory.getLong(t.a.memory.address() + i);
      for (int slot = 0; slot < 15; slot++) {
        assertEquals(word, NativeMemory.getLong(t.b.memory.address() + slot * 65_536L + i));
      }
    }
  }

  /** Looks at packets of the sender and has others follow them. */
  private abstract static class Forger extends RandomLoss {
    private final ArrayDeque<Packet> forged = new ArrayDeque<>();
    private boolean forging;
    long sent;

    Forger(double loss) {
      super(Transfer.oneWayNs(RTT), 71, loss, loss);
    }

    /** A packet that passes; forge with {@link #send}. */
    abstract void see(Packet packet);

    void send(Packet packet) {
      forged.addLast(packet);
      sent++;
    }

    @Override
    int fate(Packet packet) {
      if (forging) {
        return PASS;
      }
      see(packet);
      return super.fate(packet);
    }

    void deliver(ModelNet net) {
      forging = true;
      while (!forged.isEmpty()) {
        Packet next = forged.pollFirst();
        net.carry(next.from, next.slot, next.tos, next.bytes, 0, next.length, net.nowNs());
      }
      forging = false;
    }
  }

  private static Packet nack(
      Packet about, int reason, int epoch, int pseq, int cpsn, int destination) {
    Packet nack = new Packet();
    nack.from = 1;
    nack.slot = about.slot;
    nack.length = Bth.LENGTH + Nackh.LENGTH + PacketWriter.ICRC_LENGTH;
    Bth.write(nack.bytes, 0, Opcode.MX_NACK, false, true, 0, 0xFFFF, destination, false, cpsn);
    Nackh.write(nack.bytes, Bth.LENGTH, reason, about.path(), epoch, 0, pseq, 10);
    return nack;
  }

  /** Which part of a negative acknowledgement does not agree with what was sent. */
  enum Lie {
    FRAGMENT,
    EPOCH,
    TRANSMISSION,
    NEVER_SENT,
    PATH
  }

  /** [mx B.4] A NACK counts only when path, epoch, transmission and fragment agree. */
  @ParameterizedTest
  @EnumSource(Lie.class)
  void negativeAcknowledgementsThatDoNotAgreeWithTheBooksAreCountedAndNothingElse(Lie lie) {
    int[] destination = new int[1];
    int[] reasons = {
      NackReason.TRIMMED,
      NackReason.RECEIVER_NOT_READY,
      NackReason.OUTSIDE_TRACKER,
      NackReason.REMOTE_ACCESS,
      NackReason.OPERATION,
      NackReason.UNKNOWN_STREAM
    };
    Forger forger =
        new Forger(0) {
          @Override
          void see(Packet packet) {
            if (packet.from != 0 || !packet.isNumbered() || packet.pseq() % 3 != 1) {
              return;
            }
            int reason = reasons[random.nextInt(reasons.length)];
            int epoch = Mxth.epoch(packet.bytes, Bth.LENGTH);
            int cpsn = packet.psn();
            int pseq = packet.pseq();
            Packet made =
                switch (lie) {
                  case FRAGMENT ->
                      nack(packet, reason, epoch, pseq, Psn.add(cpsn, 1), destination[0]);
                  case EPOCH -> nack(packet, reason, epoch + 1 & 0xFF, pseq, cpsn, destination[0]);
                  case TRANSMISSION -> nack(packet, reason, epoch, pseq - 1, cpsn, destination[0]);
                  case NEVER_SENT ->
                      nack(packet, reason, epoch, pseq + 100_000, cpsn, destination[0]);
                  case PATH -> nack(packet, reason, epoch, pseq, cpsn, destination[0]);
                };
            if (lie == Lie.PATH) {
              made.bytes.putByte(Bth.LENGTH + 1, (byte) (packet.path() + 1 + random.nextInt(250)));
            }
            send(made);
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, forger, PACKETS)) {
      destination[0] = t.a.queuePair.qpNum();
      t.net.everyStep(() -> forger.deliver(t.net));
      assertTrue(t.run(LIMIT_NS));
      checkBytes(t);
      t.net.run(1_000_000, () -> false);
      MxCounters counters = t.connection().counters;
      assertTrue(forger.sent > 300);
      assertEquals(forger.sent, counters.strangeNacks + counters.nacks);
      // By chance another path has that transmission with that fragment in its books: hardly.
      assertEquals(0, counters.nacks);
      assertEquals(0, counters.retransmissions);
    }
  }

  /**
   * [mx B.5] An acknowledgement from long ago whose numbers have come round says that everything is
   * in, while nothing has arrived: it must not be believed.
   */
  @Test
  void anAcknowledgementOfLongAgoCompletesNothing() {
    List<Packet> past = new ArrayList<>();
    boolean[] dead = new boolean[1];
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            if (packet.isSack() && packet.opcode() == Opcode.MX_SACK && past.size() < 50) {
              past.add(copy(packet));
            }
            return dead[0] && packet.from == 0 ? DROP : PASS;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(2), "none", RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS));
      MxCounters counters = t.connection().counters;
      t.net.run(1_500_000_000L, () -> false);
      dead[0] = true;
      int before = t.a.sent.size();
      assertEquals(0, t.a.write(9_999, 0, t.b, 0, 4_096));
      t.net.run(1_000, () -> false);
      SendHalf half = t.connection().requestSend();
      assertEquals(1, half.outstanding());
      int sacks = 0;
      for (Packet old : past) {
        SendPath path = half.paths.get(old.path());
        int at = Bth.LENGTH;
        Bth.psn(old.bytes, 0, Psn.add(half.nextCpsn, -1));
        old.bytes.putInt(at + 4, path.ring.next() - 1, ByteOrder.BIG_ENDIAN);
        for (int word = 0; word < Sackh.VECTOR_WORDS; word++) {
          Sackh.vectorWord(old.bytes, at, word, -1L);
        }
        t.net.carry(1, old.slot, old.tos, old.bytes, 0, old.length, t.net.nowNs());
        sacks++;
      }
      t.net.run(50_000, () -> false);
      t.a.poll();
      assertEquals(before, t.a.sent.size(), "nothing has arrived");
      assertEquals(1, half.outstanding());
      assertEquals(sacks, counters.staleAcks);
      dead[0] = false;
      assertTrue(
          t.net.run(
              LIMIT_NS,
              () -> {
                t.a.poll();
                return t.a.sent.size() == before + 1;
              }));
      checkBytes(t);
    }
  }

  /**
   * [mx B.6] A packet from long ago whose CPSN has come round and is expected again must not be
   * placed. After eight seconds without a packet there is nothing to compare with: then any is the
   * newest.
   */
  @ParameterizedTest
  @ValueSource(longs = {1_500, 20_000})
  void aPacketOfLongAgoIsNotPlacedThoughItsNumberIsExpectedAgain(long pauseMs) {
    List<Packet> past = new ArrayList<>();
    Weather weather =
        new Weather(Transfer.oneWayNs(RTT)) {
          @Override
          int fate(Packet packet) {
            if (packet.from == 0 && packet.isNumbered() && past.size() < 20) {
              past.add(copy(packet));
            }
            return PASS;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(2), "none", RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS));
      t.net.run(pauseMs * 1_000_000L, () -> false);
      MxCounters peer = OperationsTest.counters(t.b);
      ReceiveHalf half = OperationsTest.connection(t.b).requestReceive();
      int before = t.a.sent.size();
      assertEquals(0, t.a.write(9_999, 0, t.b, 0, 4_096));
      assertTrue(
          t.net.run(
              LIMIT_NS,
              () -> {
                t.a.poll();
                return t.a.sent.size() == before + 1;
              }),
          "what is new is taken after any pause");
      assertEquals(0, peer.rxStale);
      if (pauseMs > 17_000) {
        return; // so old that its time stamp has come round, too
      }
      for (int i = 0; i < t.b.region.length(); i += 8) {
        NativeMemory.putLong(t.b.memory.address() + i, 0);
      }
      int cumulative = half.tracker.cumulative();
      for (int i = 0; i < past.size(); i++) {
        Packet old = past.get(i);
        Bth.psn(old.bytes, 0, Psn.add(cumulative, 1 + i));
        t.net.carry(0, old.slot, old.tos, old.bytes, 0, old.length, t.net.nowNs());
      }
      t.net.run(1_000_000, () -> false);
      assertEquals(past.size(), peer.rxStale);
      assertEquals(cumulative, half.tracker.cumulative());
      for (int i = 0; i < t.b.region.length(); i += 8) {
        assertEquals(0, NativeMemory.getLong(t.b.memory.address() + i));
      }
    }
  }

  /**
   * Epochs that are not those of the transmissions: what is in still counts, no loss is made up.
   */
  @Test
  void epochsThatLieLoseNothingAndMakeNothingUp() {
    RandomLoss weather =
        new RandomLoss(Transfer.oneWayNs(RTT), 72, 0.02, 0.02) {
          @Override
          int fate(Packet packet) {
            if (packet.isSack() && random.nextInt(3) == 0) {
              packet.bytes.putByte(Bth.LENGTH + 1, (byte) (1 + random.nextInt(255)));
            }
            return super.fate(packet);
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS));
      checkBytes(t);
      assertEquals(0, t.connection().counters.spurious);
      assertEquals(t.connection().counters.losses, t.connection().counters.retransmissions);
    }
  }

  /** Data of streams there are not is refused, takes no number and no memory. */
  @Test
  void dataOfUnknownStreamsIsRefusedAndCounted() {
    Forger forger =
        new Forger(0) {
          @Override
          void see(Packet packet) {
            if (packet.from == 0 && packet.isNumbered() && packet.pseq() % 4 == 1) {
              Packet made = copy(packet);
              int stream = 1 + random.nextInt(65_535);
              made.bytes.putShort(Bth.LENGTH + 12, (short) stream, ByteOrder.BIG_ENDIAN);
              Bth.psn(made.bytes, 0, Psn.add(packet.psn(), 200));
              made.bytes.setMemory(made.length - 200, 100, (byte) 0x5A);
              send(made);
            }
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, forger, PACKETS)) {
      t.net.everyStep(() -> forger.deliver(t.net));
      assertTrue(t.run(LIMIT_NS));
      checkBytes(t);
      assertTrue(forger.sent > 200);
      t.net.run(1_000_000, () -> false);
      assertTrue(OperationsTest.counters(t.b).rxRefused > 0);
      assertEquals(0, t.connection().counters.nacks, "refusals of what was not sent so");
    }
  }

  /** What a sender can say of a fragment that is not so. */
  enum Malformed {
    OFFSET_BEYOND_THE_LENGTH,
    ANOTHER_LENGTH,
    NO_LAST,
    LAST_TOO_EARLY,
    MESSAGE_FAR_AHEAD,
    MESSAGE_OF_THE_PAST
  }

  private static void malform(Malformed kind, Packet packet) {
    UnsafeBuffer bytes = packet.bytes;
    int flags = bytes.getByte(DATA_AT) & 0xFF;
    int msn = Mxmh.msn(bytes, DATA_AT);
    switch (kind) {
      case OFFSET_BEYOND_THE_LENGTH -> bytes.putInt(DATA_AT + 4, 0x7FFF_F000, ByteOrder.BIG_ENDIAN);
      case ANOTHER_LENGTH -> bytes.putInt(DATA_AT + 20, 1 << 20, ByteOrder.BIG_ENDIAN);
      case NO_LAST -> bytes.putByte(DATA_AT, (byte) (flags & ~Mxmh.LAST));
      case LAST_TOO_EARLY -> bytes.putByte(DATA_AT, (byte) (flags | Mxmh.LAST));
      case MESSAGE_FAR_AHEAD -> putMsn(bytes, msn + 100_000);
      case MESSAGE_OF_THE_PAST -> putMsn(bytes, msn - 2);
    }
  }

  private static void putMsn(UnsafeBuffer bytes, int msn) {
    bytes.putByte(DATA_AT + 1, (byte) (msn >> 16));
    bytes.putShort(DATA_AT + 2, (short) msn, ByteOrder.BIG_ENDIAN);
  }

  /**
   * One fragment of the fourth of eight WRITEs contradicts itself or the others, in every
   * transmission: that message and the later ones fail, the first three are in place, and the
   * memory around them is untouched.
   */
  @ParameterizedTest
  @EnumSource(Malformed.class)
  void aFragmentThatCannotBeFailsItsMessageAndTouchesNothing(Malformed kind) {
    int mtu = 1024;
    int length = 3 * mtu;
    boolean first = kind == Malformed.LAST_TOO_EARLY;
    int bad = 5 + 3 * 3 + (first ? 0 : kind == Malformed.NO_LAST ? 2 : 1);
    Weather weather =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            if (packet.from == 0 && packet.isNumbered() && packet.psn() == bad) {
              if (packet.opcode() == Opcode.MX_WRITE) {
                malform(kind, packet);
              }
            }
            return PASS;
          }
        };
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    try (ModelNet net = new ModelNet(Transfer.LINE, weather, 8, 256, settings)) {
      ModelSide a = new ModelSide(net, 0, RandomLossTest.settings(2), "none", 1 << 16, 5);
      ModelSide b = new ModelSide(net, 1, RandomLossTest.settings(2), "none", 1 << 16, 5);
      ModelSide.connect(a, b, mtu, 14, 7);
      for (int i = 0; i < length; i++) {
        NativeMemory.putByte(a.memory.address() + i, (byte) (i * 7 + 1 | 1));
      }
      // Every second slot stays free.
      for (int n = 0; n < 8; n++) {
        assertEquals(0, a.write(n, 0, b, 2L * n * length, length));
      }
      assertTrue(
          net.run(
              100_000_000,
              () -> {
                a.poll();
                return a.sent.size() == 8;
              }));
      for (int n = 0; n < 8; n++) {
        int status = a.sent.get(n).status();
        if (n < 3) {
          assertEquals(WorkCompletionStatus.SUCCESS, status);
        } else if (n == 3) {
          assertNotEquals(WorkCompletionStatus.SUCCESS, status);
          assertNotEquals(WorkCompletionStatus.WR_FLUSH_ERR, status, "a clear error");
        } else {
          assertEquals(WorkCompletionStatus.WR_FLUSH_ERR, status);
        }
        for (int i = 0; i < length; i++) {
          long at = b.memory.address() + 2L * n * length + i;
          byte here = NativeMemory.getByte(at);
          byte source = NativeMemory.getByte(a.memory.address() + i);
          assertTrue(n < 3 ? here == source : here == 0 || here == source);
          assertEquals(0, NativeMemory.getByte(at + length), "between the messages");
        }
      }
      a.close();
      b.close();
    }
  }

  /** [mx B.5] Limits that go back, or stand still, are those of an old acknowledgement. */
  @Test
  void aWindowThatIsTakenBackStaysGranted() {
    RandomLoss weather =
        new RandomLoss(Transfer.oneWayNs(RTT), 73, 0.01, 0) {
          @Override
          int fate(Packet packet) {
            if (packet.isSack() && random.nextInt(2) == 0) {
              int limit = Psn.add(packet.psn(), 1 - random.nextInt(100));
              packet.bytes.putByte(Bth.LENGTH + 32, (byte) (limit >> 16));
              packet.bytes.putShort(Bth.LENGTH + 33, (short) limit, ByteOrder.BIG_ENDIAN);
            }
            return super.fate(packet);
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, weather, PACKETS)) {
      SendHalf half = t.connection().requestSend();
      int[] limit = {half.cpsnLimit};
      t.net.everyStep(
          () -> {
            assertTrue(Psn.distance(limit[0], half.cpsnLimit) >= 0, "the limit went back");
            limit[0] = half.cpsnLimit;
          });
      assertTrue(t.run(LIMIT_NS));
      checkBytes(t);
    }
  }

  /**
   * Credit of any value: receives that are not there, that were taken back, of streams unknown.
   * Every SEND still lands in the receive of its number.
   */
  @Test
  void creditThatLiesOnlyCostsTime() {
    SplittableRandom random = new SplittableRandom(74);
    Weather weather =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            if (packet.from == 1 && packet.isSack() && random.nextBoolean()) {
              int at = Bth.LENGTH + 35;
              int limit = random.nextInt(3) == 0 ? random.nextInt(1 << 24) : random.nextInt(80);
              packet.bytes.putByte(at, (byte) (limit >> 16));
              packet.bytes.putShort(at + 1, (short) limit, ByteOrder.BIG_ENDIAN);
              if (random.nextInt(4) == 0) {
                packet.bytes.putShort(at + 3, (short) random.nextInt(), ByteOrder.BIG_ENDIAN);
              }
            }
            return PASS;
          }
        };
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    int count = 60;
    int length = 2_000;
    try (ModelNet net = new ModelNet(Transfer.LINE, weather, 8, 256, settings)) {
      ModelSide a = new ModelSide(net, 0, RandomLossTest.settings(4), "none", 1 << 18, 5);
      ModelSide b = new ModelSide(net, 1, RandomLossTest.settings(4), "none", 1 << 18, 5);
      ModelSide.connect(a, b, 1024, 18, 7);
      for (int i = 0; i < count * length; i += 4) {
        NativeMemory.putInt(a.memory.address() + i, i * 0x9E3779B1);
      }
      a.write(-1, 0, b, 1 << 17, 4_096);
      for (int n = 0; n < count; n++) {
        a.post(WorkRequestOpcode.SEND, n, (long) n * length, b, 0, length);
      }
      int[] posted = new int[1];
      long[] nextNs = new long[1];
      boolean done =
          net.run(
              LIMIT_NS,
              () -> {
                a.poll();
                b.poll();
                if (posted[0] < count && net.nowNs() >= nextNs[0]) {
                  b.receive(posted[0], (long) posted[0] * length, length);
                  posted[0]++;
                  nextNs[0] = net.nowNs() + 200_000;
                  net.wakeAt(nextNs[0]);
                }
                return a.sent.size() == count + 1 && b.received.size() == count;
              });
      assertTrue(done, () -> a.sent.size() + " of " + count + ", " + posted[0] + " posted");
      assertTrue(OperationsTest.counters(b).rxRefused > 0, "the case did not come up");
      for (int n = 0; n < count; n++) {
        assertEquals(WorkCompletionStatus.SUCCESS, a.sent.get(n + 1).status());
        assertEquals(n, b.received.get(n).wrId());
      }
      for (int i = 0; i < count * length; i++) {
        assertEquals(
            NativeMemory.getByte(a.memory.address() + i),
            NativeMemory.getByte(b.memory.address() + i));
      }
      a.close();
      b.close();
    }
  }

  /**
   * [mx B.4] Control messages that come again are acknowledged again and not executed again: not
   * the last one, and none before it.
   */
  @Test
  void controlThatComesAgainIsNotExecutedAgain() {
    List<Packet> past = new ArrayList<>();
    Weather weather =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            if (packet.from == 0 && packet.isControl()) {
              past.add(copy(packet));
            }
            return PASS;
          }
        };
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    try (ModelNet net = new ModelNet(Transfer.LINE, weather, 8, 256, settings)) {
      MxSettings mx = RandomLossTest.settings(4).withPlanes(2);
      ModelSide a = new ModelSide(net, 0, mx, "none", 1 << 14, 5);
      ModelSide b = new ModelSide(net, 1, mx, "none", 1 << 14, 5);
      ModelSide.connect(a, b, 1024, 14, 7);
      assertTrue(net.run(1_000_000, () -> OperationsTest.connection(a).streams.get(0).open));
      MxConnection own = OperationsTest.connection(a);
      SendHalf half = OperationsTest.connection(b).requestSend();
      say(net, own, () -> own.controlClient().portStatus(0b01));
      assertEquals(2, half.paths.activeCount());
      say(net, own, () -> own.controlClient().portStatus(0b11));
      assertTrue(net.run(10_000_000, () -> half.paths.activeCount() == 4), "probed and back");
      say(net, own, () -> own.controlClient().closePath(1, false));
      assertEquals(3, half.paths.activeCount());
      half.monitor.reopen(half.paths.get(1), net.nowNs());
      OperationsTest.connection(b).slot.requestTransmit();
      net.kick(1);
      assertTrue(net.run(10_000_000, () -> half.paths.activeCount() == 4));
      long executed = OperationsTest.counters(b).controlReceived;
      long duplicates = OperationsTest.counters(b).controlDuplicates;
      List<Packet> all = List.copyOf(past);
      assertTrue(all.size() >= 3);
      for (Packet old : all) {
        net.carry(0, old.slot, old.tos, old.bytes, 0, old.length, net.nowNs());
        net.run(100_000, () -> false);
        assertEquals(4, half.paths.activeCount());
      }
      assertEquals(executed, OperationsTest.counters(b).controlReceived);
      assertTrue(OperationsTest.counters(b).controlDuplicates >= duplicates + 3);
      assertFalse(a.queuePair.state() != b.queuePair.state());
      a.close();
      b.close();
    }
  }

  private static void say(ModelNet net, MxConnection connection, Runnable what) {
    what.run();
    connection.slot.requestTransmit();
    net.kick(0);
    net.run(200_000, () -> false);
  }
}
