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
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.Syndrome;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The requester and completer alone: requests read by hand, answers made by hand. */
class RcRequesterTest {

  private static final int PSN = HandFed.SEND_PSN;
  private static final int MTU = 1024;
  private static final int UNLIMITED = 0x1F;
  private HandFed hand;
  private EndpointPair.Wish wish;

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

  private void send(long wrId, int length) {
    hand.post(hand.send(wrId, WorkRequestOpcode.SEND, 0, length));
  }

  private void write(long wrId, int length) {
    hand.post(hand.send(wrId, WorkRequestOpcode.RDMA_WRITE, 0, length).remote(0x9000, 0x77));
  }

  private void read(long wrId, int length) {
    hand.post(hand.send(wrId, WorkRequestOpcode.RDMA_READ, 65_536, length).remote(0x9000, 0x77));
  }

  private void fetchAdd(long wrId) {
    hand.post(
        hand.send(wrId, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 131_072, 8)
            .remote(0x9000, 0x77)
            .atomic(3, 0));
  }

  private void ack(int psn) {
    answer(psn, UNLIMITED);
  }

  private void answer(int psn, int syndrome) {
    hand.packet(Opcode.RC_ACK, psn).aeth(syndrome, 0).inject();
  }

  private void response(int opcode, int psn, int bytes) {
    hand.packet(opcode, psn).aeth(UNLIMITED, 0).bytes(bytes, psn).inject();
  }

  private static long ackTimeoutNs(int code) {
    return 4_096L << code;
  }

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

  // [rc 8-4] [rc Q4] [rc Q3]
  @Test
  void readTakesAPsnForEveryResponseAndWritesGoOnBehindIt() {
    read(1, 3 * MTU);
    write(2, 10);
    List<HandFed.Sent> sent = hand.sent();
    assertEquals("[RC_READ_REQUEST 4096, RC_WRITE_ONLY 4099]", sent.toString());
    assertEquals(3 * MTU, sent.get(0).dmaLength());
    assertEquals(0x9000, sent.get(0).va());
    assertEquals(0x77, sent.get(0).rkey());
  }

  // [rc Q3]
  @Test
  void noMoreReadsAndAtomicsThanAllowedAndLaterRequestsWait() {
    wish.maxRdAtomic = 2;
    reopen();
    read(1, 10);
    fetchAdd(2);
    read(3, 10);
    send(4, 10);
    assertEquals("[RC_READ_REQUEST 4096, RC_FETCH_ADD 4097]", hand.said().toString());
    response(Opcode.RC_READ_RESP_ONLY, PSN, 10);
    assertEquals("[RC_READ_REQUEST 4098, RC_SEND_ONLY 4099]", hand.said().toString());
  }

  // [rc 8-5] [rc Q5]
  @Test
  void fenceWaitsForReadsAndAtomicsOnly() {
    write(1, 10);
    hand.post(hand.send(2, WorkRequestOpcode.SEND, 0, 10).fence());
    assertEquals(2, hand.sent().size());
    read(3, 10);
    hand.post(hand.send(4, WorkRequestOpcode.SEND, 0, 10).fence());
    send(5, 10);
    assertEquals("[RC_READ_REQUEST 4098]", hand.said().toString());
    response(Opcode.RC_READ_RESP_ONLY, PSN + 2, 10);
    assertEquals("[RC_SEND_ONLY 4099, RC_SEND_ONLY 4100]", hand.said().toString());
  }

  // [rc 2.1-5] [rc 17-2] [rc Q7] [rc Q8] [rc Q22]
  @Test
  void readResponseAcknowledgesWhatIsBeforeItAndFillsTheList() {
    write(1, 10);
    hand.post(
        new SendRequest()
            .wrId(2)
            .opcode(WorkRequestOpcode.RDMA_READ)
            .signaled(true)
            .remote(0x9000, 0x77)
            .sge(hand.at(0), 5, hand.region.lkey())
            .sge(hand.at(100), MTU, hand.region.lkey()));
    send(3, 10);
    response(Opcode.RC_READ_RESP_FIRST, PSN + 1, MTU);
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    response(Opcode.RC_READ_RESP_LAST, PSN + 2, 5);
    assertEquals(List.of("2 SUCCESS"), hand.completions());
    assertEquals(HandFed.pattern(4, PSN + 1), hand.read(4, 1)[0]);
    assertEquals(HandFed.pattern(5, PSN + 1), hand.read(100, 1)[0]);
    assertEquals(HandFed.pattern(4, PSN + 2), hand.read(100 + MTU - 1, 1)[0]);
  }

  // [rc 2.1-3] [rc 21-3] [rc 24-21] [rc Q7] [rc Q9]
  @Test
  void plainAckNeverCompletesAReadOrAtomic() {
    read(1, 10);
    fetchAdd(2);
    hand.sent();
    ack(PSN);
    assertEquals(List.of(), hand.completions());
    assertEquals("[RC_READ_REQUEST 4096, RC_FETCH_ADD 4097]", hand.said().toString());
    assertEquals(1, hand.counter("implied_nak_seq_err"));
    // Once an episode.
    ack(PSN + 1);
    assertEquals(List.of(), hand.said());
    response(Opcode.RC_READ_RESP_ONLY, PSN, 10);
    ack(PSN + 1);
    assertEquals("[RC_FETCH_ADD 4097]", hand.said().toString());
  }

  // [rc 2.1-2]
  @Test
  void ackInsideAReadSaysNothing() {
    read(1, 3 * MTU);
    hand.sent();
    ack(PSN);
    ack(PSN + 1);
    assertEquals(List.of(), hand.said());
    assertEquals(0, hand.counter("implied_nak_seq_err"));
  }

  // [rc 2.1-4] [rc Q9]
  @Test
  void ackBeyondAnOutstandingReadAsksForItAgain() {
    read(1, 2 * MTU);
    write(2, 10);
    hand.sent();
    ack(PSN + 2);
    assertEquals(List.of(), hand.completions());
    assertEquals("[RC_READ_REQUEST 4096, RC_WRITE_ONLY 4098]", hand.said().toString());
  }

  // [rc Q9] [rc Q12]
  @Test
  void responseOfALaterReadAsksForTheFirstAgain() {
    read(1, 10);
    read(2, 10);
    hand.sent();
    response(Opcode.RC_READ_RESP_ONLY, PSN + 1, 10);
    assertEquals(List.of(), hand.completions());
    assertEquals("[RC_READ_REQUEST 4096, RC_READ_REQUEST 4097]", hand.said().toString());
  }

  // [rc 2.1-6] [rc 21-3] [rc 24-4] [rc Q10] [rc Q16]
  @Test
  void gapInTheResponsesIsAskedForAtOnceAndOnce() {
    hand.fill(65_536, 4 * MTU, 0);
    read(1, 4 * MTU);
    hand.sent();
    response(Opcode.RC_READ_RESP_FIRST, PSN, MTU);
    response(Opcode.RC_READ_RESP_MIDDLE, PSN + 2, MTU);
    List<HandFed.Sent> again = hand.sent();
    assertEquals("[RC_READ_REQUEST 4097]", again.toString());
    assertEquals(0x9000 + MTU, again.get(0).va());
    assertEquals(3 * MTU, again.get(0).dmaLength());
    response(Opcode.RC_READ_RESP_LAST, PSN + 3, MTU);
    assertEquals(List.of(), hand.said());
    assertEquals(HandFed.pattern(0 + 2 * MTU, 0), hand.read(65_536 + 2 * MTU, 1)[0]);
    response(Opcode.RC_READ_RESP_FIRST, PSN + 1, MTU);
    response(Opcode.RC_READ_RESP_MIDDLE, PSN + 2, MTU);
    response(Opcode.RC_READ_RESP_LAST, PSN + 3, MTU);
    assertEquals(List.of("1 SUCCESS"), hand.completions());
  }

  // [rc Q16]
  @Test
  void timerAsksForTheMissingPartOfARead() {
    read(1, 3 * MTU + 7);
    hand.sent();
    response(Opcode.RC_READ_RESP_FIRST, PSN, MTU);
    response(Opcode.RC_READ_RESP_MIDDLE, PSN + 1, MTU);
    hand.advance(ackTimeoutNs(wish.timeout));
    HandFed.Sent again = hand.sent().get(0);
    assertEquals(PSN + 2, again.psn());
    assertEquals(0x9000 + 2 * MTU, again.va());
    assertEquals(MTU + 7, again.dmaLength());
  }

  // [rc Q23]
  @ParameterizedTest
  @CsvSource({
    "RC_READ_RESP_FIRST, RC_READ_RESP_LAST",
    "RC_READ_RESP_MIDDLE, RC_READ_RESP_LAST",
    "RC_READ_RESP_MIDDLE, RC_READ_RESP_ONLY"
  })
  void resumedReadMayBeAnsweredInEitherForm(String third, String last) {
    read(1, 3 * MTU);
    response(Opcode.RC_READ_RESP_FIRST, PSN, MTU);
    hand.advance(ackTimeoutNs(wish.timeout));
    response(Opcode.byName(third), PSN + 1, MTU);
    response(Opcode.byName(last), PSN + 2, MTU);
    assertEquals(List.of("1 SUCCESS"), hand.completions());
  }

  // [rc 15-8] [rc 15-9] [rc Q20] [rc Q21]
  @ParameterizedTest
  @CsvSource({
    "RC_READ_RESP_MIDDLE, 1024, BAD_RESP_ERR",
    "RC_READ_RESP_LAST, 1024, LOC_LEN_ERR",
    "RC_READ_RESP_ONLY, 1024, LOC_LEN_ERR",
    "RC_READ_RESP_FIRST, 1020, LOC_LEN_ERR"
  })
  void wrongFirstResponseIsALocalError(String opcode, int length, String status) {
    read(1, 2 * MTU);
    send(2, 10);
    response(Opcode.byName(opcode), PSN, length);
    assertEquals(List.of("1 " + status, "2 WR_FLUSH_ERR"), hand.completions());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 15-8] [rc Q21]
  @ParameterizedTest
  @CsvSource({
    "RC_READ_RESP_LAST, 9, LOC_LEN_ERR",
    "RC_READ_RESP_LAST, 11, LOC_LEN_ERR",
    "RC_READ_RESP_MIDDLE, 10, BAD_RESP_ERR"
  })
  void wrongLastResponseIsALocalError(String opcode, int length, String status) {
    read(1, MTU + 10);
    response(Opcode.RC_READ_RESP_FIRST, PSN, MTU);
    response(Opcode.byName(opcode), PSN + 1, length);
    assertEquals(List.of("1 " + status), hand.completions());
  }

  // [rc 15-9] [rc Q20]
  @Test
  void readResponseForASendAndForAnAtomicIsABadResponse() {
    send(1, 10);
    response(Opcode.RC_READ_RESP_ONLY, PSN, 10);
    assertEquals(List.of("1 BAD_RESP_ERR"), hand.completions());
    reopen();
    fetchAdd(2);
    response(Opcode.RC_READ_RESP_ONLY, PSN, 8);
    assertEquals(List.of("2 BAD_RESP_ERR"), hand.completions());
    reopen();
    read(3, 8);
    hand.packet(Opcode.RC_ATOMIC_ACK, PSN).original(5).inject();
    assertEquals(List.of("3 BAD_RESP_ERR"), hand.completions());
  }

  // [FC-08]
  @Test
  void dataResponseWithANakSyndromeIsIgnored() {
    read(1, 10);
    hand.packet(Opcode.RC_READ_RESP_ONLY, PSN).aeth(0x62, 0).bytes(10, 1).inject();
    assertEquals(List.of(), hand.completions());
    assertEquals(QueuePairState.RTS, hand.qp.state());
  }

  // [rc 2.1-8] [rc Q7]
  @Test
  void atomicStoresTheOriginalValueInHostOrder() {
    hand.post(
        hand.send(1, WorkRequestOpcode.ATOMIC_CMP_AND_SWP, 0, 8).remote(0x9000, 0x77).atomic(5, 9));
    hand.packet(Opcode.RC_ATOMIC_ACK, PSN)
        .aeth(UNLIMITED, 1)
        .original(0x0102030405060708L)
        .inject();
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    assertEquals(0x0102030405060708L, NativeMemory.getLong(hand.at(0)));
  }

  // [FC-18]
  @ParameterizedTest
  @CsvSource({"98, REM_ACCESS_ERR", "99, REM_OP_ERR", "97, REM_INV_REQ_ERR"})
  void nakInTheMiddleOfReadResponsesFailsTheRead(int syndrome, String status) {
    read(1, 8 * MTU);
    send(2, 10);
    hand.sent();
    response(Opcode.RC_READ_RESP_FIRST, PSN, MTU);
    response(Opcode.RC_READ_RESP_MIDDLE, PSN + 1, MTU);
    response(Opcode.RC_READ_RESP_MIDDLE, PSN + 2, MTU);
    answer(PSN + 3, syndrome);
    assertEquals(List.of("1 " + status, "2 WR_FLUSH_ERR"), hand.completions());
    assertEquals(List.of(), hand.said());
    hand.advance(10 * ackTimeoutNs(wish.timeout));
    assertEquals(List.of(), hand.said());
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
