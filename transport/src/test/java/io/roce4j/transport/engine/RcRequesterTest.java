// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.Syndrome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The requester and completer alone: SENDs and WRITEs, timers, retries, credits, the window. */
class RcRequesterTest extends RequesterByHand {
  // [rc 8-1] [rc Q1] [rc Q2] [wire 6] [FC-24]
  @ParameterizedTest
  @CsvSource({
    "0, '[RC_SEND_ONLY 4096]'",
    "1, '[RC_SEND_ONLY 4096]'",
    "1023, '[RC_SEND_ONLY 4096]'",
    "1024, '[RC_SEND_ONLY 4096]'",
    "1025, '[RC_SEND_FIRST 4096, RC_SEND_LAST 4097]'",
    "2047, '[RC_SEND_FIRST 4096, RC_SEND_LAST 4097]'",
    "2048, '[RC_SEND_FIRST 4096, RC_SEND_LAST 4097]'",
    "2049, '[RC_SEND_FIRST 4096, RC_SEND_MIDDLE 4097, RC_SEND_LAST 4098]'"
  })
  void messageIsCutAtThePathMtu(int length, String expected) {
    send(1, length);
    List<HandFed.Sent> sent = hand.sent();
    assertEquals(expected, sent.toString());
    int left = length;
    for (int i = 0; i < sent.size(); i++) {
      HandFed.Sent packet = sent.get(i);
      boolean last = i == sent.size() - 1;
      assertEquals(last, packet.ackRequest());
      assertEquals(last ? left : MTU, packet.payload().length);
      assertEquals((4 - packet.payload().length % 4) % 4, packet.padCount());
      left -= packet.payload().length;
    }
  }

  // [rc 2.1-3] [rc 2.1-4] [rc 2.2-7] [rc Q6]
  @Test
  void cumulativeAckCompletesEverythingBeforeIt() {
    send(1, 10);
    write(2, 2000);
    send(3, 10);
    ack(PSN + 2);
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), hand.completions());
    ack(PSN + 3);
    assertEquals(List.of("3 SUCCESS"), hand.completions());
    assertEquals(Long.MAX_VALUE, hand.agent.nextDeadlineNs());
  }

  // [rc 2.1-2] [rc 2.2-7] [rc Q17]
  @Test
  void ackInsideAMessageIsProgressAndRestartsTheTimer() {
    write(1, 4 * MTU);
    hand.sent();
    hand.advance(ackTimeoutNs(wish.timeout) - 1000);
    ack(PSN + 1);
    hand.advance(ackTimeoutNs(wish.timeout) - 1000);
    assertEquals(List.of(), hand.said());
    hand.advance(1000);
    assertEquals("[RC_WRITE_MIDDLE 4098, RC_WRITE_LAST 4099]", hand.said().toString());
    assertEquals(1, hand.counter("local_ack_timeout_err"));
  }

  // [rc 24-7] [rc Q11]
  @ParameterizedTest
  @CsvSource({"31", "96", "97", "98", "99", "44"})
  void answersForWhatWasNeverSentAreIgnored(int syndrome) {
    send(1, 10);
    answer(PSN + 1, syndrome);
    answer(PSN + 500, syndrome);
    assertEquals(List.of(), hand.completions());
    assertEquals(QueuePairState.RTS, hand.qp.state());
    ack(PSN);
    assertEquals(List.of("1 SUCCESS"), hand.completions());
  }

  // [rc Q11]
  @ParameterizedTest
  @CsvSource({"96", "97", "98", "99", "44"})
  void oldNaksAreIgnored(int syndrome) {
    send(1, 10);
    send(2, 10);
    ack(PSN);
    hand.sent();
    answer(PSN, syndrome);
    assertEquals(List.of(), hand.said());
    assertEquals(QueuePairState.RTS, hand.qp.state());
  }

  // [rc 2.1-9] [rc 4-4] [rc 21-1] [rc Q12] [rc Q13] [rc Q19]
  @Test
  void sequenceNakAcknowledgesWhatIsBeforeItAndGoesBack() {
    hand.fill(0, 2 * MTU, 7);
    send(1, 10);
    write(2, 2 * MTU);
    send(3, 10);
    List<HandFed.Sent> first = hand.sent();
    answer(PSN + 2, Syndrome.NAK_PSN_SEQUENCE_ERROR);
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    List<HandFed.Sent> again = hand.sent();
    assertEquals("[RC_WRITE_LAST 4098, RC_SEND_ONLY 4099]", again.toString());
    assertArrayEquals(first.get(2).payload(), again.get(0).payload());
    assertEquals(HandFed.pattern(MTU, 7), again.get(0).payload()[0]);
    assertEquals(1, hand.counter("packet_seq_err"));
    assertEquals(1, hand.counter("rcvd_seq_err"));
    assertEquals(1, hand.counter("completer_retry_err"));
    assertEquals(2, hand.counter("retransmitted_packets"));
  }

  // [rc 24-8] [rc Q13] [rc Q18]
  @Test
  void secondNakOfOnePsnGoesBackAgainUntilTheRetriesAreSpent() {
    send(1, 10);
    hand.sent();
    for (int i = 0; i < wish.retryCnt; i++) {
      answer(PSN, Syndrome.NAK_PSN_SEQUENCE_ERROR);
      assertEquals("[RC_SEND_ONLY 4096]", hand.said().toString());
    }
    answer(PSN, Syndrome.NAK_PSN_SEQUENCE_ERROR);
    assertEquals(List.of(), hand.said());
    assertEquals(List.of("1 RETRY_EXC_ERR"), hand.completions());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 1-7] [rc 4-4] [rc 15-1] [rc 15-2] [rc 15-3] [rc 15-13] [rc 16-1] [rc 16-2] [rc 16-3]
  // [rc 16-4] [rc 16-5] [rc 24-6] [rc Q15]
  @ParameterizedTest
  @CsvSource({"97, REM_INV_REQ_ERR", "98, REM_ACCESS_ERR", "99, REM_OP_ERR"})
  void fatalNakFailsItsRequestAndFlushesTheRest(int syndrome, String status) {
    hand.postReceive(100, 0, 10);
    send(1, 10);
    hand.post(hand.send(2, WorkRequestOpcode.SEND, 0, 10).signaled(false));
    send(3, 10);
    send(4, 10);
    answer(PSN + 1, syndrome);
    assertEquals(
        List.of("1 SUCCESS", "2 " + status, "3 WR_FLUSH_ERR", "4 WR_FLUSH_ERR", "100 WR_FLUSH_ERR"),
        hand.completions());
    assertEquals(QueuePairState.ERR, hand.qp.state());
    assertEquals(List.of(), hand.asyncEvents());
    // [rc 16] Posted later: flushed at once.
    send(5, 10);
    hand.postReceive(101, 0, 10);
    hand.settle();
    assertEquals(List.of("5 WR_FLUSH_ERR", "101 WR_FLUSH_ERR"), hand.completions());
  }

  // [rc 4-3] [rc 4-4] [rc 4-5] [rc 24-14]
  @ParameterizedTest
  @CsvSource({"64", "95", "128", "255", "100", "127"})
  void reservedSyndromesAreIgnored(int syndrome) {
    send(1, 10);
    answer(PSN, syndrome);
    assertEquals(List.of(), hand.completions());
    assertEquals(QueuePairState.RTS, hand.qp.state());
  }

  // [rc 2.2-2] [rc 2.2-4] [rc 15-4] [rc 21-4] [rc Q16] [rc Q18] [FC-26]
  @Test
  void timerRetriesAsOftenAsConfiguredAndThenGivesUp() {
    send(1, 10);
    send(2, 10);
    hand.sent();
    long timeoutNs = ackTimeoutNs(wish.timeout);
    for (int i = 0; i < wish.retryCnt; i++) {
      // T, 2 T, then 4 T: never before T, never after 4 T.
      hand.advance((timeoutNs << Math.min(i, 2)) - 1);
      assertEquals(List.of(), hand.said());
      hand.advance(1);
      assertEquals("[RC_SEND_ONLY 4096, RC_SEND_ONLY 4097]", hand.said().toString());
    }
    hand.advance(timeoutNs << Math.min(wish.retryCnt, 2));
    assertEquals(List.of(), hand.said());
    assertEquals(List.of("1 RETRY_EXC_ERR", "2 WR_FLUSH_ERR"), hand.completions());
    assertEquals(1, hand.counter("req_transport_retries_exceeded"));
    assertEquals(1, hand.counter("retry_exceeded_err"));
    assertEquals(wish.retryCnt + 1, hand.counter("local_ack_timeout_err"));
  }

  // [rc 2.2-2] [rc 2.2-4] [rc 24-1] retry_cnt 7 is seven
  @Test
  void sevenRetriesAreSeven() {
    wish.retryCnt = 7;
    reopen();
    send(1, 10);
    // T + 2 T + 6 times 4 T, between the 8 T and 32 T of the architecture.
    hand.advance(27 * ackTimeoutNs(wish.timeout) - 1);
    assertEquals(List.of(), hand.completions());
    hand.advance(1);
    assertEquals(List.of("1 RETRY_EXC_ERR"), hand.completions());
    assertEquals(8, hand.sent().size());
  }

  // [rc 2.2-1] [FC-26]
  @Test
  void timeoutCodeZeroNeverExpires() {
    wish.timeout = 0;
    reopen();
    send(1, 10);
    hand.sent();
    assertEquals(Long.MAX_VALUE, hand.agent.nextDeadlineNs());
    hand.advance(3_600_000_000_000L);
    assertEquals(List.of(), hand.said());
  }

  // [rc Q17] [FC-26]
  @Test
  void progressRestoresTheRetryBudget() {
    send(1, 10);
    send(2, 10);
    hand.advance(2 * ackTimeoutNs(wish.timeout));
    ack(PSN);
    hand.advance(2 * ackTimeoutNs(wish.timeout));
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    ack(PSN + 1);
    assertEquals(List.of("2 SUCCESS"), hand.completions());
  }

  // [rc 2.2-7] [rc 3.1-2] [rc 4-2] [rc 6-9] [rc 24-5] [rc Q14] [FC-14] [FC-16]
  @Test
  void rnrWaitIsNeverCutShort() {
    wish.timeout = 4;
    reopen();
    send(1, 10);
    hand.sent();
    answer(PSN, Syndrome.rnrNak(14));
    long waitNs = 1_280_000;
    hand.advance(waitNs / 2);
    send(2, 10);
    send(3, 10);
    ack(PSN - 1);
    answer(PSN, Syndrome.NAK_PSN_SEQUENCE_ERROR);
    answer(PSN, Syndrome.rnrNak(14));
    hand.advance(waitNs / 2 - 1);
    assertEquals(List.of(), hand.said());
    hand.advance(1);
    assertEquals(
        "[RC_SEND_ONLY 4096, RC_SEND_ONLY 4097, RC_SEND_ONLY 4098]", hand.said().toString());
    assertEquals(0, hand.counter("local_ack_timeout_err"));
    assertEquals(waitNs, hand.counter("rnr_wait_ns"));
    ack(PSN + 2);
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), hand.completions());
  }

  // [rc 2.2-5] [rc 15-5] [rc Q14] [rc Q18] [FC-15]
  @ParameterizedTest
  @CsvSource({"0", "1", "6"})
  void rnrRetriesAreCountedAndThenTheRequestFails(int retries) {
    wish.rnrRetry = retries;
    reopen();
    send(1, 10);
    for (int i = 0; i <= retries; i++) {
      assertEquals(1, hand.sent().size());
      answer(PSN, Syndrome.rnrNak(1));
      hand.advance(10_000);
    }
    assertEquals(List.of(), hand.said());
    assertEquals(List.of("1 RNR_RETRY_EXC_ERR"), hand.completions());
    assertEquals(1, hand.counter("req_rnr_retries_exceeded"));
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 2.2-5] [rc Q14] [FC-15]
  @Test
  void rnrRetrySevenIsForEver() {
    wish.rnrRetry = 7;
    reopen();
    send(1, 10);
    for (int i = 0; i < 1000; i++) {
      assertEquals(1, hand.sent().size());
      answer(PSN, Syndrome.rnrNak(1));
      hand.advance(10_000);
    }
    assertEquals(List.of(), hand.completions());
  }

  // [rc Q14]
  @Test
  void ackDuringTheRnrWaitCompletesAndNothingIsResent() {
    send(1, 10);
    hand.sent();
    answer(PSN, Syndrome.rnrNak(14));
    ack(PSN);
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    hand.advance(10_000_000);
    assertEquals(List.of(), hand.said());
  }

  // [rc Q14] [FC-14]
  @Test
  void progressReloadsTheRnrBudget() {
    wish.rnrRetry = 1;
    reopen();
    send(1, 10);
    send(2, 10);
    answer(PSN, Syndrome.rnrNak(1));
    hand.advance(10_000);
    ack(PSN);
    answer(PSN + 1, Syndrome.rnrNak(1));
    hand.advance(10_000);
    ack(PSN + 1);
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), hand.completions());
  }

  // [rc 13-9] [rc 15-6] [rc 16-2]
  @Test
  void badLocalKeyFailsOnlyAfterEverythingBeforeItIsFinished() {
    send(1, 10);
    hand.post(
        new SendRequest()
            .wrId(2)
            .opcode(WorkRequestOpcode.SEND)
            .signaled(true)
            .sge(hand.at(0), 10, 0xBAD01));
    send(3, 10);
    assertEquals("[RC_SEND_ONLY 4096]", hand.said().toString());
    assertEquals(List.of(), hand.completions());
    ack(PSN);
    assertEquals(List.of("1 SUCCESS", "2 LOC_PROT_ERR", "3 WR_FLUSH_ERR"), hand.completions());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 15-7] [rc 18-7] [rc Q22]
  @Test
  void readIntoMemoryWithoutLocalWriteIsAProtectionError() {
    var readOnly = hand.pd.register(hand.at(0), 4096, 0);
    hand.post(
        new SendRequest()
            .wrId(1)
            .opcode(WorkRequestOpcode.RDMA_READ)
            .signaled(true)
            .remote(0x9000, 0x77)
            .sge(hand.at(0), 10, readOnly.lkey()));
    hand.fill(0, 10, 3);
    response(Opcode.RC_READ_RESP_ONLY, PSN, 10);
    assertEquals(List.of("1 LOC_PROT_ERR"), hand.completions());
    assertEquals(HandFed.pattern(0, 3), hand.read(0, 1)[0]);
  }

  // [rc Q2]
  @Test
  void windowAsksForAcknowledgementsBeforeItCloses() {
    hand.close();
    hand = new HandFed(EndpointSettings.defaults().withWindowPackets(8));
    hand.rts(wish);
    write(1, 40 * MTU);
    List<HandFed.Sent> sent = hand.sent();
    assertEquals(8, sent.size());
    assertEquals(2, sent.stream().filter(HandFed.Sent::ackRequest).count());
    assertTrue(sent.get(7).ackRequest());
    ack(PSN + 3);
    assertEquals(4, hand.sent().size());
  }

  // [rc 4-1] [rc 5-5] [rc 24-16]
  @Test
  void creditsHoldBackAllButOneMessage() {
    for (int i = 1; i <= 3; i++) {
      send(i, 10);
    }
    assertEquals(3, hand.sent().size());
    hand.packet(Opcode.RC_ACK, PSN).aeth(Syndrome.ack(Syndrome.creditCode(4)), 1).inject();
    for (int i = 4; i <= 10; i++) {
      send(i, 10);
    }
    // LSN 1 + 4, and one message beyond it.
    assertEquals(3, hand.sent().size());
    write(11, 10);
    assertEquals(0, hand.sent().size());
    hand.packet(Opcode.RC_ACK, PSN + 5).aeth(Syndrome.ack(Syndrome.creditCode(0)), 6).inject();
    assertEquals("[RC_SEND_ONLY 4102]", hand.said().toString());
    hand.packet(Opcode.RC_ACK, PSN + 5).aeth(UNLIMITED, 6).inject();
    assertEquals(
        "[RC_SEND_ONLY 4103, RC_SEND_ONLY 4104, RC_SEND_ONLY 4105, RC_WRITE_ONLY 4106]",
        hand.said().toString());
  }

  // [rc 5-6] [rc 5-10]
  @Test
  void creditCodeZeroNeverBlocksARequesterWithNothingOutstanding() {
    for (int i = 0; i < 5; i++) {
      send(i, 10);
      assertEquals(1, hand.sent().size());
      hand.packet(Opcode.RC_ACK, PSN + i).aeth(0, i + 1).inject();
    }
    assertEquals(5, hand.completions().size());
  }

  // [rc 1-5] [rc 1-13] [rc 19-6] [rc 22-3]
  @Test
  void sqdFinishesWhatWasStartedAndTellsWhenDrained() {
    send(1, 10);
    hand.sent();
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.SQD).enSqdAsyncNotify(true));
    send(2, 10);
    assertEquals(List.of(), hand.said());
    assertTrue(hand.qp.query().sqDraining());
    hand.advance(ackTimeoutNs(wish.timeout));
    assertEquals("[RC_SEND_ONLY 4096]", hand.said().toString());
    ack(PSN);
    assertEquals(List.of("SQ_DRAINED"), hand.asyncEvents());
    assertEquals(false, hand.qp.query().sqDraining());
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RTS));
    hand.settle();
    assertEquals("[RC_SEND_ONLY 4097]", hand.said().toString());
  }

  // [rc 1-11] [rc 16-9] [FC-25]
  @Test
  void resetForgetsTheSession() {
    for (int session = 0; session < 4; session++) {
      send(1, 3000);
      read(2, 10);
      hand.sent();
      if (session % 2 == 0) {
        hand.qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        hand.settle();
        hand.completions();
      }
      hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
      assertEquals(Long.MAX_VALUE, hand.agent.nextDeadlineNs());
      assertEquals(List.of(), hand.completions());
      wish.psnB = 0xABCDEF;
      EndpointPair.bring(
          hand.qp, HandFed.PEER_QPN, HandFed.PEER, 0xABCDEF + session, 0x123456, wish);
      send(7, 10);
      assertEquals(0xABCDEF + session, hand.sent().get(0).psn());
      ack(0xABCDEF + session);
      assertEquals(List.of("7 SUCCESS"), hand.completions());
      hand.packet(Opcode.RC_WRITE_ONLY, 0x123456).ack().inject();
      assertEquals("[RC_ACK 1193046 00 1]", hand.said().toString());
      assertEquals(0, hand.counter("out_of_sequence"));
      hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
      EndpointPair.bring(hand.qp, HandFed.PEER_QPN, HandFed.PEER, PSN, 0x64, wish);
    }
  }

  // [rc 12-4] [rc 12-5]
  @Test
  void slotsOfUnsignaledRequestsComeBackWithTheNextCompletion() {
    for (int i = 0; i < 64; i++) {
      hand.post(hand.send(i, WorkRequestOpcode.SEND, 0, 1).signaled(i == 62));
    }
    ack(PSN + 61);
    assertEquals(
        PostResult.SEND_QUEUE_FULL, hand.qp.postSend(hand.send(99, WorkRequestOpcode.SEND, 0, 1)));
    ack(PSN + 63);
    assertEquals(List.of("62 SUCCESS"), hand.completions());
    assertEquals(PostResult.OK, hand.qp.postSend(hand.send(99, WorkRequestOpcode.SEND, 0, 1)));
  }

  @Test
  void refusedTrainLosesNothing() {
    hand.port.refuses = true;
    send(1, 3000);
    read(2, 10);
    hand.agent.doWork();
    assertEquals(List.of(), hand.said());
    hand.port.refuses = false;
    hand.settle();
    assertEquals(
        "[RC_SEND_FIRST 4096, RC_SEND_MIDDLE 4097, RC_SEND_LAST 4098, RC_READ_REQUEST 4099]",
        hand.said().toString());
  }
}
