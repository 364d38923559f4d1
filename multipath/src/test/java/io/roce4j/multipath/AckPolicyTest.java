// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * [mx B.6] What makes a receiver acknowledge at once, each alone: one WRITE of 40 fragments over
 * one path, an acknowledgement otherwise every 64 packets or after 200 microseconds, and none of
 * the sender's requests for one.
 */
class AckPolicyTest {
  private static final int FRAGMENTS = 40;
  private static final int MTU = 1024;
  private static final int LAST = FRAGMENTS - 1;
  private static final long DELAY_NS = 200_000;

  /** An acknowledgement: highest transmission, flags, when. */
  private record Ack(int hi, int flags, long sentNs) {}

  /** Does one thing to one transmission and notes the acknowledgements. */
  private static class Watch extends Weather {
    final List<Ack> acks = new ArrayList<>();
    final long[] arrivalNs = new long[2 * FRAGMENTS];
    int dropped = -1;
    int late = -1;
    int doubled = -1;
    int marked = -1;
    int asked = -1;

    Watch() {
      super(5_000);
    }

    @Override
    int fate(Packet packet) {
      if (packet.from == 1 && packet.opcode() == Opcode.MX_SACK) {
        int hi = packet.bytes.getInt(Bth.LENGTH + 4, ByteOrder.BIG_ENDIAN);
        acks.add(new Ack(hi, Sackh.sflags(packet.bytes, Bth.LENGTH), packet.sentNs));
      }
      if (packet.from != 0 || !packet.isNumbered()) {
        return PASS;
      }
      int pseq = packet.pseq();
      if (pseq != asked) {
        packet.bytes.putByte(8, (byte) (packet.bytes.getByte(8) & 0x7F)); // A
      }
      return pseq == dropped ? DROP : pseq == doubled ? TWIN : pseq == marked ? MARK : PASS;
    }

    @Override
    long delayNs(Packet packet) {
      if (packet.from == 0 && packet.isNumbered()) {
        long delay = super.delayNs(packet) + (packet.pseq() == late ? 2_000 : 0);
        arrivalNs[packet.pseq()] = packet.sentNs + delay;
        return delay;
      }
      return super.delayNs(packet);
    }

    /** Acknowledgements before that of the last fragment. */
    List<Integer> early() {
      return acks.stream().map(Ack::hi).filter(hi -> hi < LAST).toList();
    }
  }

  private static void run(Watch watch, int ackEvery, int moveAt) {
    MxSettings mx =
        RandomLossTest.settings(1)
            .withAckEvery(ackEvery)
            .withMaxAckDelayUs((int) (DELAY_NS / 1000))
            .withAckDelayFloorNs(DELAY_NS);
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(50_000);
    try (ModelNet net = new ModelNet(10_000_000_000L, watch, 4, 256, settings)) {
      ModelSide a = new ModelSide(net, 0, mx, "none", 1 << 16, 5);
      ModelSide b = new ModelSide(net, 1, mx, "none", 1 << 16, 5);
      ModelSide.connect(a, b, MTU, 14, 7);
      assertTrue(net.run(1_000_000, () -> OperationsTest.connection(a).streams.get(0).open));
      SendHalf half = OperationsTest.connection(a).requestSend();
      a.write(1, 0, b, 0, (long) FRAGMENTS * MTU);
      boolean[] moved = new boolean[1];
      boolean done =
          net.run(
              20_000_000,
              () -> {
                if (!moved[0] && half.paths.get(0).ring.next() == moveAt) {
                  moved[0] = true;
                  half.monitor.move(half.paths.get(0), net.nowNs());
                }
                a.poll();
                return a.sent.size() == 1;
              });
      assertTrue(done);
      net.run(1_000_000, () -> false);
      a.close();
      b.close();
    }
  }

  @Test
  void theLastOfAMessageIsAcknowledgedAtOnceAndNothingElse() {
    Watch watch = new Watch();
    run(watch, 64, -1);
    assertEquals(List.of(), watch.early());
    assertEquals(1, watch.acks.size());
    long afterNs = watch.acks.get(0).sentNs() - watch.arrivalNs[LAST];
    assertTrue(afterNs >= 0 && afterNs < 1_000, "after " + afterNs);
  }

  @Test
  void aGap() {
    Watch watch = new Watch();
    watch.dropped = 10;
    run(watch, 64, -1);
    assertEquals(11, watch.acks.get(0).hi());
    assertTrue((watch.acks.get(0).flags() & Sackh.GAP) != 0);
  }

  @Test
  void aPacketThatIsLate() {
    Watch watch = new Watch();
    watch.late = 10;
    run(watch, 64, -1);
    // The gap it left, its end, and the late one itself, behind what has passed it.
    assertTrue(watch.acks.size() >= 3);
    assertEquals(11, watch.acks.get(0).hi());
    assertTrue(watch.early().stream().anyMatch(hi -> hi > 11), watch.early().toString());
  }

  @Test
  void aPacketThatComesTwice() {
    Watch watch = new Watch();
    watch.doubled = 10;
    run(watch, 64, -1);
    assertEquals(List.of(10), watch.early());
    assertTrue((watch.acks.get(0).flags() & Sackh.DUPLICATE) != 0);
  }

  @Test
  void congestionThatBeginsAndEnds() {
    Watch watch = new Watch();
    watch.marked = 10;
    run(watch, 64, -1);
    assertEquals(List.of(10, 11), watch.early());
    assertTrue((watch.acks.get(0).flags() & Sackh.NEW_CE) != 0);
    assertEquals(0, watch.acks.get(1).flags() & Sackh.NEW_CE);
  }

  @Test
  void aNewEpoch() {
    Watch watch = new Watch();
    run(watch, 64, 12);
    assertEquals(1, watch.early().size(), watch.early().toString());
    int hi = watch.early().get(0);
    assertTrue(hi >= 12 && hi <= 17, "the first of the new route: " + hi);
  }

  @Test
  void aPacketThatAsks() {
    Watch watch = new Watch();
    watch.asked = LAST;
    run(watch, 64, -1);
    assertEquals(List.of(), watch.early());
    Watch asking =
        new Watch() {
          @Override
          int fate(Packet packet) {
            if (packet.from == 0 && packet.isNumbered() && packet.pseq() == 10) {
              asked = 10;
              packet.bytes.putByte(8, (byte) (packet.bytes.getByte(8) | 0x80));
            }
            return super.fate(packet);
          }
        };
    run(asking, 64, -1);
    assertEquals(List.of(10), asking.early());
  }

  @Test
  void everyEighthPacket() {
    Watch watch = new Watch();
    run(watch, 8, -1);
    assertEquals(List.of(7, 15, 23, 31), watch.early());
  }

  @Test
  void whatWasHeldBackLongEnough() {
    Watch watch = new Watch();
    watch.dropped = LAST;
    run(watch, 64, -1);
    Ack first = watch.acks.get(0);
    assertEquals(LAST - 1, first.hi());
    long waitedNs = first.sentNs() - watch.arrivalNs[0];
    assertTrue(waitedNs >= DELAY_NS && waitedNs < DELAY_NS + 1_000, "after " + waitedNs);
  }
}
