// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.sequence.Msn;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every number comes round in the middle of a transfer with loss, and nobody notices: all
 * comparisons are serial.
 */
class WrapTest {
  private static final long LIMIT_NS = 1_000_000_000L;
  private static final int RTT = 60;

  /** What the checks below leave behind, and what the bytes are. */
  private static void checkTransfer(Transfer t) {
    assertTrue(t.run(LIMIT_NS) && t.allSucceeded());
    for (int i = 0; i < 64 * 1024; i += 8) {
      long word = NativeMemory.getLong(t.a.memory.address() + i);
      for (int slot = 0; slot < 15; slot++) {
        assertEquals(word, NativeMemory.getLong(t.b.memory.address() + slot * 65_536L + i));
      }
    }
    assertEquals(0, t.connection().counters.spurious);
  }

  /** [mx B.1] Both places where 32 bits come round, signed and unsigned, with their counters. */
  @ParameterizedTest
  @ValueSource(ints = {-100, Integer.MAX_VALUE - 100})
  void transmissionNumbersAndCountersOfAPathWrap(int first) {
    RandomLoss weather =
        new RandomLoss(Transfer.oneWayNs(RTT), 41, 0.02, 0.02) {
          @Override
          int fate(Packet packet) {
            int fate = super.fate(packet);
            return fate == PASS && packet.from == 0 && packet.psn() % 50 == 0 ? MARK : fate;
          }
        };
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "mx-aimd", RTT, weather, 2_000)) {
      SendHalf half = t.connection().requestSend();
      ReceiveHalf peer = OperationsTest.connection(t.b).requestReceive();
      for (int p = 0; p < 4; p++) {
        SendPath path = half.paths.get(p);
        path.ring.startAt(first);
        path.hiAcked = first - 1;
        path.rxSeen = first;
        path.ceSeen = first + 99;
        peer.paths[p].hi = first - 1;
        peer.paths[p].rxPackets = first;
        peer.paths[p].cePackets = first + 99;
        peer.paths[p].cePacketsReported = first + 99;
      }
      checkTransfer(t);
      for (int p = 0; p < 4; p++) {
        SendPath path = half.paths.get(p);
        assertTrue(path.ring.next() - first > 200, "transmission numbers wrapped");
        assertTrue(path.hiAcked - first > 200, "and were acknowledged: " + path.hiAcked);
        assertTrue(path.rxSeen - first > 200, "counts of packets: " + path.rxSeen);
        assertTrue(path.marks > 0 && path.marks < 100, "counts of marks: " + path.marks);
      }
    }
  }

  /** [mx B.5] An epoch is a label of eight bits: it comes round three times on every path. */
  @Test
  void epochsOfEveryPathWrap() {
    RandomLoss weather = new RandomLoss(Transfer.oneWayNs(RTT), 42, 0.02, 0.02);
    try (Transfer t = new Transfer(RandomLossTest.settings(4), "none", RTT, weather, 4_000)) {
      SendHalf half = t.connection().requestSend();
      int[] steps = new int[1];
      t.net.everyStep(() -> half.monitor.move(half.paths.get(steps[0]++ % 4), t.net.nowNs()));
      checkTransfer(t);
      for (int p = 0; p < 4; p++) {
        assertTrue(half.paths.get(p).moves > 3 * 256, "moves " + half.paths.get(p).moves);
      }
    }
  }

  /**
   * Messages and the receive requests they name, each stream of numbers near its end, in both
   * directions: SENDs, WRITEs with and without immediate, READs and atomics.
   */
  @ParameterizedTest
  @CsvSource({"0xFFFFC0, 0xFFFFE0", "0x7FFFC0, 0x7FFFE0", "0xFFFFFF, 0xFFFFFF"})
  void numbersOfMessagesAndOfReceivesWrap(String firstMsn, String firstReceive) {
    try (Exchange exchange = new Exchange(Integer.decode(firstMsn), Integer.decode(firstReceive))) {
      exchange.run();
    }
  }

  /** [mx B.4] More control messages than their number has values, each executed once, in order. */
  @Test
  void numbersOfControlMessagesWrap() {
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(4_000);
    RandomLoss weather =
        new RandomLoss(1_000, 43, 0, 0) {
          @Override
          int fate(Packet packet) {
            return packet.isControl() && random.nextInt(200) == 0 ? DROP : PASS;
          }
        };
    try (ModelNet net = new ModelNet(Transfer.LINE, weather, 8, 256, settings)) {
      ModelSide a = new ModelSide(net, 0, RandomLossTest.settings(2), "none", 1 << 14, 5);
      ModelSide b = new ModelSide(net, 1, RandomLossTest.settings(2), "none", 1 << 14, 5);
      ModelSide.connect(a, b, 1024, 14, 7);
      MxCounters own = OperationsTest.counters(a);
      MxCounters peer = OperationsTest.counters(b);
      assertTrue(net.run(10_000_000, () -> OperationsTest.connection(a).streams.get(0).open));
      long before = peer.controlReceived;
      ConnectionControl client = OperationsTest.connection(a).controlClient();
      int wanted = (1 << 16) + 100;
      int[] said = new int[1];
      assertTrue(
          net.run(
              60_000_000_000L,
              () -> {
                if (said[0] < wanted && peer.controlReceived - before == said[0]) {
                  said[0]++;
                  client.portStatus(-1);
                  OperationsTest.connection(a).slot.requestTransmit();
                  net.kick(0);
                }
                return peer.controlReceived - before == wanted;
              }),
          () -> "executed " + (peer.controlReceived - before) + " of " + said[0]);
      assertTrue(own.controlRepeated > 100, "the case did not come up");
      a.write(1, 0, b, 0, 4_096);
      assertTrue(
          net.run(
              10_000_000,
              () -> {
                a.poll();
                return a.sent.size() == 1;
              }));
      a.close();
      b.close();
    }
  }

  /** Operations of every kind in both directions over lossy paths, with chosen first numbers. */
  private static final class Exchange implements AutoCloseable {
    private static final int OPERATIONS = 160;
    private static final int SLICE = 2_500;
    private static final int[] KINDS = {
      WorkRequestOpcode.SEND,
      WorkRequestOpcode.RDMA_WRITE_WITH_IMM,
      WorkRequestOpcode.RDMA_READ,
      WorkRequestOpcode.ATOMIC_FETCH_AND_ADD,
      WorkRequestOpcode.RDMA_WRITE,
    };

    private final ModelNet net =
        new ModelNet(
            10_000_000_000L,
            new RandomLoss(5_000, 44, 0.05, 0.05),
            8,
            256,
            EndpointSettings.defaults().withBaseRttNs(20_000));
    private final ModelSide[] sides = new ModelSide[2];
    private final SplittableRandom random = new SplittableRandom(45);
    private final int[] lengths = new int[OPERATIONS];
    private final int firstMsn;
    private final int firstReceive;

    Exchange(int firstMsn, int firstReceive) {
      this.firstMsn = firstMsn;
      this.firstReceive = firstReceive;
      MxSettings mx = RandomLossTest.settings(4).withTrackerUnits(1);
      for (int i = 0; i < 2; i++) {
        sides[i] = new ModelSide(net, i, mx, "none", 4L * OPERATIONS * SLICE + 64, 9 + i);
        for (int at = 0; at < OPERATIONS * SLICE; at += 4) {
          NativeMemory.putInt(sides[i].memory.address() + at, random.nextInt());
        }
      }
      ModelSide.connect(sides[0], sides[1], 512, 18, 7);
      for (ModelSide side : sides) {
        MxStream stream = OperationsTest.connection(side).streams.get(0);
        stream.sender.startAt(firstMsn, firstReceive);
        stream.receiver.startAt(firstMsn, firstReceive);
      }
      for (int n = 0; n < OPERATIONS; n++) {
        lengths[n] = random.nextInt(SLICE);
      }
    }

    private static int kind(int n) {
      return KINDS[n % KINDS.length];
    }

    private static long slice(int area, int n) {
      return ((long) area * OPERATIONS + n) * SLICE;
    }

    private void post(int i, int n) {
      ModelSide peer = sides[1 - i];
      if (kind(n) == WorkRequestOpcode.ATOMIC_FETCH_AND_ADD) {
        SendRequest request = new SendRequest().wrId(n).opcode(kind(n)).signaled(true);
        request.sge(sides[i].memory.address() + slice(2, n), 8, sides[i].region.lkey());
        request.remote(peer.region.address() + slice(4, 0), peer.region.rkey()).atomic(1, 0);
        assertEquals(0, sides[i].post(request));
      } else if (kind(n) == WorkRequestOpcode.RDMA_READ) {
        assertEquals(0, sides[i].post(kind(n), n, slice(2, n), peer, slice(0, n), lengths[n]));
      } else {
        assertEquals(0, sides[i].post(kind(n), n, slice(0, n), peer, slice(1, n), lengths[n]));
      }
    }

    void run() {
      int receives = 2 * OPERATIONS / KINDS.length;
      for (int n = 0; n < OPERATIONS; n++) {
        post(0, n);
        post(1, n);
      }
      int[] given = new int[1];
      boolean done =
          net.run(
              LIMIT_NS,
              () -> {
                // Receives come one by one: credit has to be told across the wrap, too.
                boolean taken = true;
                for (ModelSide side : sides) {
                  side.poll();
                  taken &= side.received.size() >= given[0] - 2;
                }
                if (taken && given[0] < receives) {
                  for (ModelSide side : sides) {
                    side.receive(given[0], slice(3, given[0]), SLICE);
                  }
                  given[0]++;
                }
                return sides[0].sent.size() == OPERATIONS && sides[1].sent.size() == OPERATIONS;
              });
      assertTrue(done, () -> sides[0].sent.size() + " and " + sides[1].sent.size() + " done");
      check(0);
      check(1);
    }

    private void check(int i) {
      ModelSide own = sides[i];
      ModelSide peer = sides[1 - i];
      int received = 0;
      int adds = 0;
      for (int n = 0; n < OPERATIONS; n++) {
        assertEquals(n, own.sent.get(n).wrId());
        assertEquals(WorkCompletionStatus.SUCCESS, own.sent.get(n).status());
        switch (kind(n)) {
          case WorkRequestOpcode.RDMA_READ -> same(peer, slice(0, n), own, slice(2, n), lengths[n]);
          case WorkRequestOpcode.ATOMIC_FETCH_AND_ADD ->
              assertEquals(adds++, NativeMemory.getLong(own.memory.address() + slice(2, n)));
          case WorkRequestOpcode.SEND -> {
            same(own, slice(0, n), peer, slice(3, received), lengths[n]);
            assertEquals(received, peer.received.get(received).wrId());
            assertEquals(lengths[n], peer.received.get(received++).bytes());
          }
          case WorkRequestOpcode.RDMA_WRITE_WITH_IMM -> {
            same(own, slice(0, n), peer, slice(1, n), lengths[n]);
            assertEquals(n, peer.received.get(received++).immediate());
          }
          default -> same(own, slice(0, n), peer, slice(1, n), lengths[n]);
        }
      }
      StreamReceiver receiver = OperationsTest.connection(peer).streams.get(0).receiver;
      assertEquals(OPERATIONS, Msn.distance(firstMsn, receiver.nextMsn()));
      assertEquals(received, Msn.distance(firstReceive, receiver.limit()));
    }

    private static void same(ModelSide from, long at, ModelSide to, long there, int bytes) {
      for (int k = 0; k < bytes; k++) {
        assertEquals(
            NativeMemory.getByte(from.memory.address() + at + k),
            NativeMemory.getByte(to.memory.address() + there + k),
            "byte " + k);
      }
    }

    @Override
    public void close() {
      net.close();
      sides[0].memory.close();
      sides[1].memory.close();
    }
  }
}
