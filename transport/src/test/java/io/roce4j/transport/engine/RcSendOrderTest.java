// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryFault;
import io.roce4j.transport.verbs.MemoryWindow;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.Syndrome;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Order among requests, what an old or odd answer does to them, credits, errors of their own. */
class RcSendOrderTest {

  private static final int PSN = HandFed.SEND_PSN;
  private static final int MTU = 1024;
  private static final int UNLIMITED = 0x1F;
  private static final List<String> KINDS =
      List.of("SEND", "WRITE", "READ", "ATOMIC", "BIND", "INVALIDATE");

  /** From this one on the kinds send no packet. */
  private static final int FIRST_LOCAL = 4;

  private HandFed hand;
  private EndpointPair.Wish wish;
  private int localKey;

  @BeforeEach
  void open() {
    hand = new HandFed();
    wish = new EndpointPair.Wish();
    wish.retryCnt = 2;
    wish.rnrRetry = 3;
    hand.rts(wish);
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private void reopen() {
    hand.qp.close();
    hand.rts(wish);
  }

  private SendRequest request(long wrId, String kind) {
    return switch (kind) {
      case "SEND" -> hand.send(wrId, WorkRequestOpcode.SEND, 0, 10);
      case "WRITE" -> hand.send(wrId, WorkRequestOpcode.RDMA_WRITE, 0, 10).remote(0x9000, 0x77);
      case "READ" -> hand.send(wrId, WorkRequestOpcode.RDMA_READ, 65_536, 10).remote(0x9000, 0x77);
      case "ATOMIC" ->
          hand.send(wrId, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 131_072, 8).remote(0x9000, 0x77);
      case "BIND" -> bind(wrId);
      default -> invalidate(wrId);
    };
  }

  private SendRequest bind(long wrId) {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    localKey = window.nextRkey();
    return new SendRequest()
        .wrId(wrId)
        .signaled(true)
        .bind(window, localKey, hand.region, hand.at(0), 64, AccessFlags.REMOTE_READ);
  }

  /** LOCAL_INV of a window bound just before: two requests, the first of them unsignaled. */
  private SendRequest invalidate(long wrId) {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    localKey = window.nextRkey();
    hand.post(
        new SendRequest()
            .bind(window, localKey, hand.region, hand.at(0), 64, AccessFlags.REMOTE_READ));
    return new SendRequest()
        .wrId(wrId)
        .opcode(WorkRequestOpcode.LOCAL_INV)
        .signaled(true)
        .invalidate(localKey);
  }

  private void answer(int psn, int syndrome) {
    hand.packet(Opcode.RC_ACK, psn).aeth(syndrome, 0).inject();
  }

  private void response(int opcode, int psn, int bytes) {
    hand.packet(opcode, psn).aeth(UNLIMITED, 0).bytes(bytes, psn).inject();
  }

  private String said() {
    return hand.said().toString();
  }

  static Stream<Arguments> pairs() {
    List<Arguments> all = new ArrayList<>();
    for (String first : KINDS.subList(0, FIRST_LOCAL)) {
      for (String second : KINDS) {
        all.add(Arguments.of(first, second, false));
        all.add(Arguments.of(first, second, true));
      }
    }
    return all.stream();
  }

  // [rc 8-1] [rc 8-4] [rc 8-5] [rc 8-6] [rc 8-7] [rc 8-8] [rc 8-9] [rc 8-10] [rc Q5]
  @ParameterizedTest
  @MethodSource("pairs")
  void secondRequestStartsAtOnceUnlessItsFenceWaits(String first, String second, boolean fence) {
    SendRequest then = request(2, second);
    hand.completions();
    hand.post(request(1, first));
    assertEquals(1, hand.sent().size());
    hand.post(fence ? then.fence() : then);
    boolean local = KINDS.indexOf(second) >= FIRST_LOCAL;
    boolean slow = first.equals("READ") || first.equals("ATOMIC");
    // Local operations wait with the fence for everything, packets for READs and atomics only.
    boolean waits = fence && (slow || local);
    assertEquals(waits || local ? 0 : 1, hand.sent().size(), "packets of the second request");
    assertEquals(!waits, isStarted(second), "started");
    switch (first) {
      case "READ" -> response(Opcode.RC_READ_RESP_ONLY, PSN, 10);
      case "ATOMIC" -> hand.packet(Opcode.RC_ATOMIC_ACK, PSN).aeth(UNLIMITED, 1).inject();
      default -> answer(PSN, UNLIMITED);
    }
    assertEquals(waits && !local ? 1 : 0, hand.sent().size());
    if (local) {
      assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), hand.completions());
    }
  }

  /** A local operation has started when its key opens the window, or opens it no more. */
  private boolean isStarted(String kind) {
    if (KINDS.indexOf(kind) < FIRST_LOCAL) {
      return hand.qp.query().sqPsn() == PSN + 2;
    }
    boolean open =
        MemoryFault.OK
            == hand.agent
                .context()
                .memoryTable()
                .check(
                    localKey,
                    hand.at(0),
                    64,
                    AccessFlags.REMOTE_READ,
                    hand.pd.number(),
                    HandFed.QPN);
    return open == kind.equals("BIND");
  }

  // [rc 8-11] What comes behind a bind or invalidation comes behind its effect.
  @Test
  void localOperationsTakeEffectBeforeWhatComesBehindThem() {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    int key = window.nextRkey();
    SendRequest[] chain = {
      new SendRequest()
          .wrId(1)
          .bind(window, key, hand.region, hand.at(0), 64, AccessFlags.REMOTE_READ),
      hand.send(2, WorkRequestOpcode.SEND, 0, 10),
      new SendRequest().wrId(3).opcode(WorkRequestOpcode.LOCAL_INV).invalidate(key),
      new SendRequest().wrId(4).opcode(WorkRequestOpcode.LOCAL_INV).invalidate(key),
      hand.send(5, WorkRequestOpcode.SEND, 0, 10)
    };
    hand.qp.postSend(chain, chain.length);
    hand.settle();
    assertEquals("[RC_SEND_ONLY 4096]", said());
    answer(PSN, UNLIMITED);
    assertEquals(List.of("2 SUCCESS", "4 LOC_QP_OP_ERR", "5 WR_FLUSH_ERR"), hand.completions());
  }

  // [rc 8-2] Acknowledged long ago, told behind the READ.
  @Test
  void completionsComeInPostingOrderAlsoBehindARead() {
    hand.post(request(1, "READ"));
    hand.post(request(2, "SEND"));
    hand.sent();
    answer(PSN + 1, UNLIMITED);
    assertEquals(List.of(), hand.completions());
    response(Opcode.RC_READ_RESP_ONLY, PSN, 10);
    answer(PSN + 1, UNLIMITED);
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), hand.completions());
  }

  // [rc 2.1-1] [rc 5-9] [rc Q11] Of the old ACKs only the newest may speak, of credits.
  @Test
  void acknowledgementOfBeforeTheOldestRequestCarriesCreditsOnly() {
    for (int i = 1; i <= 4; i++) {
      hand.post(request(i, "SEND"));
    }
    hand.packet(Opcode.RC_ACK, PSN + 3).aeth(Syndrome.ack(0), 4).inject();
    hand.completions();
    hand.sent();
    hand.post(request(5, "SEND"));
    hand.post(request(6, "SEND"));
    assertEquals("[RC_SEND_ONLY 4100]", said());
    hand.packet(Opcode.RC_ACK, PSN + 2).aeth(Syndrome.ack(Syndrome.creditCode(8)), 4).inject();
    assertEquals("[]", said());
    hand.packet(Opcode.RC_ACK, PSN + 3).aeth(Syndrome.ack(Syndrome.creditCode(1)), 4).inject();
    assertEquals("[RC_SEND_ONLY 4101]", said());
    assertEquals(List.of(), hand.completions());
  }

  // [rc 5-7] [rc 5-5] [rc 24-16]
  @Test
  void requestsWithoutAReceiveAreNotHeldBackByCredits() {
    hand.post(request(1, "SEND"));
    hand.packet(Opcode.RC_ACK, PSN).aeth(Syndrome.ack(0), 1).inject();
    hand.post(request(2, "SEND"));
    hand.sent();
    hand.post(request(3, "WRITE"));
    hand.post(request(4, "READ"));
    hand.post(request(5, "ATOMIC"));
    assertEquals(3, hand.sent().size());
    hand.post(hand.send(6, WorkRequestOpcode.RDMA_WRITE_WITH_IMM, 0, 4).remote(0x9000, 0x77));
    assertEquals("[]", said());
    // MSN 2, one credit: message 6 is the one beyond, for the three between moved the limit along.
    hand.packet(Opcode.RC_ACK, PSN + 1).aeth(Syndrome.ack(Syndrome.creditCode(3)), 2).inject();
    assertEquals("[RC_WRITE_ONLY_IMM 4101]", said());
  }

  // [rc 5-7] One credit, message 1 acknowledged: the limit is 2, and 3 with the WRITE.
  @Test
  void writeMovesTheLimitOfCreditsAlong() {
    hand.post(request(1, "SEND"));
    hand.packet(Opcode.RC_ACK, PSN).aeth(Syndrome.ack(Syndrome.creditCode(1)), 1).inject();
    hand.post(request(2, "WRITE"));
    hand.post(request(3, "SEND"));
    hand.sent();
    hand.post(request(4, "SEND"));
    assertEquals("[RC_SEND_ONLY 4099]", said());
    hand.post(request(5, "SEND"));
    assertEquals("[]", said());
  }

  // [rc 5-8]
  @Test
  void creditsSwitchedOffByThePeerStayOff() {
    hand.post(request(1, "SEND"));
    answer(PSN, UNLIMITED);
    for (int i = 2; i < 6; i++) {
      hand.post(request(i, "SEND"));
    }
    hand.packet(Opcode.RC_ACK, PSN + 1).aeth(Syndrome.ack(0), 2).inject();
    for (int i = 6; i < 12; i++) {
      hand.post(request(i, "SEND"));
    }
    assertEquals(11, hand.sent().size());
  }

  // [rc 2.1-7] [rc Q11]
  @Test
  void responseThatCameBeforeIsIgnored() {
    hand.post(hand.send(1, WorkRequestOpcode.RDMA_READ, 0, 2 * MTU).remote(0x9000, 0x77));
    response(Opcode.RC_READ_RESP_FIRST, PSN, MTU);
    byte[] placed = hand.read(0, MTU);
    hand.packet(Opcode.RC_READ_RESP_FIRST, PSN).aeth(UNLIMITED, 0).bytes(MTU, 99).inject();
    hand.packet(Opcode.RC_ATOMIC_ACK, PSN).aeth(UNLIMITED, 0).inject();
    assertArrayEquals(placed, hand.read(0, MTU));
    assertEquals(List.of(), hand.completions());
    response(Opcode.RC_READ_RESP_LAST, PSN + 1, MTU);
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    hand.packet(Opcode.RC_READ_RESP_LAST, PSN + 1).aeth(UNLIMITED, 0).bytes(MTU, 99).inject();
    assertEquals(HandFed.pattern(0, PSN + 1), hand.read(MTU, 1)[0]);
  }

  // [rc 2.1-9] [rc Q9] [rc Q12] A NAK beyond an unanswered READ does not fail the READ.
  @Test
  void nakBeyondAnOutstandingReadAsksForTheReadAgain() {
    hand.post(request(1, "READ"));
    hand.post(request(2, "WRITE"));
    hand.sent();
    answer(PSN + 1, Syndrome.NAK_REMOTE_ACCESS_ERROR);
    assertEquals(List.of(), hand.completions());
    assertEquals(QueuePairState.RTS, hand.qp.state());
    assertEquals("[RC_READ_REQUEST 4096, RC_WRITE_ONLY 4097]", said());
    response(Opcode.RC_READ_RESP_ONLY, PSN, 10);
    answer(PSN + 1, Syndrome.NAK_REMOTE_ACCESS_ERROR);
    assertEquals(List.of("1 SUCCESS", "2 REM_ACCESS_ERR"), hand.completions());
  }

  // [rc 2.2-6] [rc 2.2-4] [rc 2.2-5] Neither budget pays for the other.
  @Test
  void timeoutsAndRnrWaitsAreCountedApart() {
    wish.retryCnt = 1;
    wish.rnrRetry = 1;
    reopen();
    hand.post(request(1, "SEND"));
    long timeoutNs = 4_096L << wish.timeout;
    hand.advance(timeoutNs);
    answer(PSN, Syndrome.rnrNak(1));
    hand.advance(10_000);
    assertEquals(3, hand.sent().size());
    assertEquals(List.of(), hand.completions());
    hand.advance(4 * timeoutNs);
    assertEquals(List.of("1 RETRY_EXC_ERR"), hand.completions());
  }

  // [rc 6-12] Only the packet that needed the receive is sent again.
  @Test
  void rnrOfAWriteWithImmediateResendsItsLastPacketOnly() {
    hand.post(
        hand.send(1, WorkRequestOpcode.RDMA_WRITE_WITH_IMM, 0, 2 * MTU)
            .remote(0x9000, 0x77)
            .immediate(5));
    assertEquals("[RC_WRITE_FIRST 4096, RC_WRITE_LAST_IMM 4097]", said());
    answer(PSN + 1, Syndrome.rnrNak(14));
    hand.advance(1_280_000);
    HandFed.Sent again = hand.sent().get(0);
    assertEquals("RC_WRITE_LAST_IMM 4097", again.toString());
    assertEquals(5, again.immediate());
  }

  // [rc 1.1-14] Nobody would ever answer: told at once instead of waiting for ever.
  @Test
  void readWithoutAnyAllowedFailsAtOnce() {
    wish.maxRdAtomic = 0;
    reopen();
    hand.post(request(1, "SEND"));
    hand.post(request(2, "READ"));
    hand.post(request(3, "SEND"));
    assertEquals("[RC_SEND_ONLY 4096]", said());
    answer(PSN, UNLIMITED);
    assertEquals(List.of("1 SUCCESS", "2 LOC_QP_OP_ERR", "3 WR_FLUSH_ERR"), hand.completions());
  }

  // [rc 17-1] SE where the receiver can get an event by it, on the last packet; nowhere else.
  @Test
  void solicitedEventsGoWithMessagesThatTakeAReceive() {
    int[] opcodes = {
      WorkRequestOpcode.SEND,
      WorkRequestOpcode.SEND_WITH_IMM,
      WorkRequestOpcode.SEND_WITH_INV,
      WorkRequestOpcode.RDMA_WRITE_WITH_IMM,
      WorkRequestOpcode.RDMA_WRITE,
      WorkRequestOpcode.RDMA_READ
    };
    for (int opcode : opcodes) {
      hand.post(hand.send(opcode, opcode, 0, MTU + 1).remote(0x9000, 0x77).solicited());
      List<HandFed.Sent> sent = hand.sent();
      boolean expected = opcode != WorkRequestOpcode.RDMA_WRITE && sent.size() == 2;
      assertEquals(expected, sent.get(sent.size() - 1).solicited(), "opcode " + opcode);
      if (sent.size() == 2) {
        assertEquals(false, sent.get(0).solicited());
      }
    }
    hand.post(hand.send(99, WorkRequestOpcode.SEND, 0, 4));
    assertEquals(false, hand.sent().get(0).solicited());
  }

  // [rc 13-12] An entry of no bytes has no key to be wrong.
  @Test
  void entriesOfLengthZeroAreSkippedWithTheirKeys() {
    hand.fill(0, 16, 7);
    hand.post(
        new SendRequest()
            .wrId(1)
            .opcode(WorkRequestOpcode.SEND)
            .sge(hand.at(0), 3, hand.region.lkey())
            .sge(0xDEAD, 0, 0xBAD)
            .sge(hand.at(8), 2, hand.region.lkey()));
    HandFed.Sent sent = hand.sent().get(0);
    assertEquals(5, sent.payload().length);
    assertEquals(HandFed.pattern(8, 7), sent.payload()[3]);
  }

  // [rc 15-7] [rc Q22] The place for an atomic's result is checked as that of a READ.
  @Test
  void atomicIntoMemoryWithoutLocalWriteIsAProtectionError() {
    var readOnly = hand.pd.register(hand.at(0), 4096, 0);
    hand.post(
        new SendRequest()
            .wrId(1)
            .opcode(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD)
            .remote(0x9000, 0x77)
            .sge(hand.at(0), 8, readOnly.lkey()));
    hand.fill(0, 8, 3);
    hand.packet(Opcode.RC_ATOMIC_ACK, PSN).aeth(UNLIMITED, 1).original(-1).inject();
    assertEquals(List.of("1 LOC_PROT_ERR"), hand.completions());
    assertEquals(HandFed.pattern(0, 3), hand.read(0, 1)[0]);
  }

  // [rc 16-6] [rc 16-8] [rc 1-12] The peer hears nothing; it has its timer.
  @Test
  void movingToErrFlushesBothQueuesAndTellsNobody() {
    hand.postReceive(9, 0, 100);
    hand.post(hand.send(1, WorkRequestOpcode.SEND, 0, 8).signaled(false));
    hand.post(request(2, "READ"));
    hand.sent();
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    hand.settle();
    assertEquals(List.of("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR", "9 WR_FLUSH_ERR"), hand.completions());
    hand.advance(1_000_000_000L);
    assertEquals("[]", said());
  }

  // [rc 12-6] [rc 15-4] [FC-22] Of a failed completion only four fields speak.
  @Test
  void failedCompletionCarriesNothingOfTheMessage() {
    wish.retryCnt = 0;
    reopen();
    hand.post(request(0xABCDL, "WRITE"));
    hand.advance(4_096L << wish.timeout);
    WorkCompletion wc = hand.completion;
    assertEquals(true, hand.cq.poll(wc));
    assertEquals(WorkCompletionStatus.RETRY_EXC_ERR, wc.status());
    assertEquals(0xABCDL, wc.wrId());
    assertEquals(HandFed.QPN, wc.qpNum());
    assertEquals(0, wc.byteLength());
    assertEquals(0, wc.immediate());
    assertEquals(0, wc.flags());
    assertEquals(
        false, wc.toString().contains(WorkCompletionOpcode.name(wc.opcode())), wc::toString);
  }

  // [rc 22-2] [rc Q4]
  @Test
  void queryTellsTheNextPsnOfEitherSide() {
    hand.post(hand.send(1, WorkRequestOpcode.RDMA_READ, 0, 3 * MTU).remote(0x9000, 0x77));
    assertEquals(PSN + 3, hand.qp.query().sqPsn());
    hand.packet(Opcode.RC_READ_REQUEST, HandFed.EXPECTED_PSN)
        .remote(hand.at(0), hand.region.rkey(), MTU + 1)
        .inject();
    assertEquals(HandFed.EXPECTED_PSN + 2, hand.qp.query().rqPsn());
  }
}
