// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.mx.Mxmh;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** [mx B.6] Rules of what is refused, and of waiting, each broken by a peer or a network. */
class FaultRulesTest {
  private static final long LIMIT_NS = 400_000_000;
  private static final int LENGTH = 512;
  private static final int SUCCESS = WorkCompletionStatus.SUCCESS;

  private Weather fates = new Weather(5_000);
  private final ModelNet net =
      new ModelNet(
          Transfer.LINE,
          new Weather(5_000) {
            @Override
            int fate(Packet packet) {
              return fates.fate(packet);
            }
          },
          8,
          256,
          EndpointSettings.defaults().withBaseRttNs(20_000));
  private final MxSettings mx = RandomLossTest.settings(2).withTrackerUnits(1);
  private final ModelSide a = new ModelSide(net, 0, mx, "none", 1 << 18, 5);
  private final ModelSide b = new ModelSide(net, 1, mx, "none", 1 << 18, 5);

  @AfterEach
  void close() {
    net.close();
    a.memory.close();
    b.memory.close();
  }

  private void connect(int rnrRetry) {
    ModelSide.connect(a, b, 1024, 18, rnrRetry);
    for (int i = 0; i < 1 << 16; i++) {
      NativeMemory.putByte(a.memory.address() + i, (byte) (i * 7 + 1 | 1));
    }
    assertTrue(net.run(1_000_000, () -> streamOf(a).open && streamOf(b).open));
  }

  private static MxStream streamOf(ModelSide side) {
    return OperationsTest.connection(side).streams.get(0);
  }

  private boolean sent(int count) {
    return net.run(
        LIMIT_NS,
        () -> {
          a.poll();
          b.poll();
          return a.sent.size() >= count;
        });
  }

  private void badWrite(long wrId, long to) {
    SendRequest request =
        new SendRequest().wrId(wrId).opcode(WorkRequestOpcode.RDMA_WRITE).signaled(true);
    request.sge(a.memory.address(), LENGTH, a.region.lkey());
    request.remote(b.region.address() + to, b.region.rkey() + 1);
    assertEquals(0, a.post(request));
  }

  private boolean isUntouched(long from, int bytes) {
    for (int i = 0; i < bytes; i++) {
      if (NativeMemory.getByte(b.memory.address() + from + i) != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * What follows a message that failed is refused as well, in flight or sent again, and although no
   * NACK arrives: nothing of it is placed, and nothing of it succeeds.
   */
  @Test
  void whatFollowsAFailedMessageIsRefusedThoughEveryNackIsLost() {
    connect(7);
    boolean[] deaf = {true};
    fates =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            return deaf[0] && packet.opcode() == Opcode.MX_NACK ? DROP : PASS;
          }
        };
    badWrite(0, 0);
    for (int n = 1; n < 20; n++) {
      a.write(n, 0, b, 1024L * n, LENGTH);
    }
    net.run(3_000_000, () -> false);
    a.poll();
    assertEquals(0, a.sent.size(), "nothing succeeds behind it");
    assertTrue(isUntouched(0, 1 << 16), "nothing is placed behind it");
    assertTrue(OperationsTest.counters(b).rxRefused >= 20);
    deaf[0] = false;
    assertTrue(sent(20));
    assertEquals(WorkCompletionStatus.REM_ACCESS_ERR, a.sent.get(0).status());
    for (int n = 1; n < 20; n++) {
      assertEquals(WorkCompletionStatus.WR_FLUSH_ERR, a.sent.get(n).status());
    }
    assertTrue(isUntouched(0, 1 << 16));
  }

  /** Of two messages that fail the earlier counts, whichever is refused first. */
  @Test
  void theEarliestMessageThatFailsIsTheOneInError() {
    connect(7);
    fates =
        new Weather(5_000) {
          private boolean lost;

          @Override
          int fate(Packet packet) {
            boolean third = packet.from == 0 && packet.isNumbered() && packet.psn() == 5 + 2;
            boolean drop = third && !lost;
            lost |= third;
            return drop ? DROP : PASS;
          }
        };
    for (int n = 0; n < 8; n++) {
      if (n == 2 || n == 5) {
        badWrite(n, 1024L * n);
      } else {
        a.write(n, 0, b, 1024L * n, LENGTH);
      }
    }
    assertTrue(sent(8));
    for (int n = 0; n < 8; n++) {
      int expected =
          n < 2
              ? SUCCESS
              : n == 2 ? WorkCompletionStatus.REM_ACCESS_ERR : WorkCompletionStatus.WR_FLUSH_ERR;
      assertEquals(expected, a.sent.get(n).status(), "message " + n);
    }
    assertEquals(2, streamOf(b).receiver.nextMsn(), "nothing is finished from there on");
  }

  /** A SEND that names a receive of the past, which belongs to another message. */
  @Test
  void aReceiveThatWasUsedIsNotUsedAgain() {
    connect(7);
    fates =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            if (packet.from == 0 && packet.opcode() == Opcode.MX_SEND) {
              int at = Bth.LENGTH + Mxth.LENGTH;
              if (Mxmh.msn(packet.bytes, at) == 2) {
                packet.bytes.putByte(at + Mxmh.LENGTH + 3, (byte) 0); // rq_msn
              }
            }
            return PASS;
          }
        };
    for (int n = 0; n < 4; n++) {
      b.receive(n, 4096L * n, 4096);
    }
    a.post(WorkRequestOpcode.SEND, 0, 0, b, 0, LENGTH);
    a.post(WorkRequestOpcode.SEND, 1, 0, b, 0, LENGTH);
    assertTrue(sent(2));
    a.post(WorkRequestOpcode.SEND, 2, 64, b, 0, LENGTH);
    assertTrue(sent(3));
    assertNotEquals(SUCCESS, a.sent.get(2).status());
    for (int i = 0; i < LENGTH; i++) {
      byte source = NativeMemory.getByte(a.memory.address() + i);
      assertEquals(source, NativeMemory.getByte(b.memory.address() + i), "the first message stays");
    }
    assertTrue(isUntouched(8192, 8192));
  }

  /** A requester that asks for more than the responder said it can hold. */
  @Test
  void moreReadsThanTheResponderAllowsAreRefused() {
    connect(7);
    streamOf(a).sender.configure(64, 7);
    for (int n = 0; n < 60; n++) {
      a.post(WorkRequestOpcode.RDMA_READ, n, 0, b, 0, 1 << 16);
    }
    assertTrue(sent(60));
    int good = 0;
    while (a.sent.get(good).status() == SUCCESS) {
      good++;
    }
    assertTrue(good >= 16 && good < 60, good + " answered");
    assertEquals(WorkCompletionStatus.REM_OP_ERR, a.sent.get(good).status());
  }

  /** CPSNs beyond the tracker are refused, one NACK a path and round trip says so. */
  @Test
  void numbersBeyondTheTrackerAreRefusedWithFewWords() {
    connect(7);
    int[] forged = new int[1];
    fates =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            // Everything but the first fragment pretends to be far ahead, the first time.
            boolean again = packet.isRetransmission();
            if (packet.from == 0 && packet.isNumbered() && !again && packet.psn() > 6) {
              Bth.psn(packet.bytes, 0, packet.psn() + 4_000);
              forged[0]++;
            }
            return PASS;
          }
        };
    for (int n = 0; n < 100; n++) {
      a.write(n, 0, b, 1024L * n, LENGTH);
    }
    assertTrue(sent(100));
    MxCounters peer = OperationsTest.counters(b);
    assertEquals(forged[0], peer.rxBeyond);
    assertTrue(forged[0] > 50);
    assertTrue(peer.nacksSent <= 10, peer.nacksSent + " NACKs");
    for (int n = 0; n < 100; n++) {
      assertEquals(SUCCESS, a.sent.get(n).status());
      for (int i = 0; i < LENGTH; i++) {
        byte source = NativeMemory.getByte(a.memory.address() + i);
        assertEquals(source, NativeMemory.getByte(b.memory.address() + 1024L * n + i));
      }
    }
  }

  /** Credit only grows: what was granted once may be used, whatever an older word says. */
  @Test
  void creditThatWasGrantedStays() {
    connect(7);
    StreamSender sender = streamOf(a).sender;
    for (int n = 0; n < 8; n++) {
      b.receive(n, 1024L * n, 1024);
    }
    fates =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            return packet.from == 1 ? DROP : PASS;
          }
        };
    assertTrue(sender.raiseLimit(8));
    assertTrue(!sender.raiseLimit(3));
    for (int n = 0; n < 9; n++) {
      a.post(WorkRequestOpcode.SEND, n, 0, b, 0, 100);
    }
    net.run(100_000, () -> false);
    assertEquals(8, OperationsTest.connection(a).requestSend().outstanding());
  }

  /** rnr_retry bounds how long a SEND waits for a receive, be it for credit or refused. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReceiveThatNeverComesEndsInAnError(boolean promised) {
    connect(1);
    if (promised) {
      streamOf(a).sender.raiseLimit(5);
    }
    a.write(0, 0, b, 1024, LENGTH);
    a.post(WorkRequestOpcode.SEND, 1, 0, b, 0, 100);
    a.write(2, 0, b, 4096, LENGTH);
    assertTrue(sent(3), "it does not wait for ever");
    assertEquals(SUCCESS, a.sent.get(0).status());
    assertEquals(WorkCompletionStatus.RNR_RETRY_EXC_ERR, a.sent.get(1).status());
    assertEquals(WorkCompletionStatus.WR_FLUSH_ERR, a.sent.get(2).status());
    assertEquals(promised, OperationsTest.counters(b).rxRefused > 0);
  }

  /**
   * Of a stream whose receives are missing only the oldest fragment is tried again, and at most
   * half of the tracker lies above it.
   */
  @Test
  void onlyTheOldestRefusedFragmentIsTriedAndHalfOfTheTrackerStaysFree() {
    connect(7);
    streamOf(a).sender.raiseLimit(10);
    for (int n = 0; n < 300; n++) {
      a.post(WorkRequestOpcode.SEND, n, 0, b, 0, 100);
    }
    net.run(50_000, () -> false);
    streamOf(a).sender.raiseLimit(1_000);
    OperationsTest.connection(a).slot.requestTransmit();
    net.kick(0);
    SendHalf half = OperationsTest.connection(a).requestSend();
    int[] most = new int[1];
    net.everyStep(() -> most[0] = Math.max(most[0], half.outstanding()));
    net.run(300_000, () -> false);
    long first = OperationsTest.counters(b).rxRefused;
    assertTrue(most[0] <= 128 / 2 + 1, most[0] + " outstanding");
    long wait = streamOf(b).rnrWaitUs * 1_000;
    net.run(10 * wait, () -> false);
    long tries = OperationsTest.counters(b).rxRefused - first;
    assertTrue(tries >= 5 && tries <= 15, tries + " tries in ten waits");
    for (int n = 0; n < 300; n++) {
      b.receive(n, 128L * n, 128);
    }
    assertTrue(sent(300));
    for (int n = 0; n < 300; n++) {
      assertEquals(SUCCESS, a.sent.get(n).status());
      assertEquals(n, b.received.get(n).wrId());
    }
    assertEquals(0, OperationsTest.counters(a).losses, "a refusal is no loss");
  }
}
