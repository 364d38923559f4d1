// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** READs and atomics of the requester and completer alone, and what stands around them. */
class RcReadRequestsTest extends RequesterByHand {

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

  // [rc Q15] [rc Q12] The READ before it was not refused: it is asked for again, and nobody fails.
  @ParameterizedTest
  @CsvSource({"97", "98", "99"})
  void fatalNakBehindAnUnansweredReadAsksForTheReadFirst(int syndrome) {
    read(1, 10);
    send(2, 10);
    send(3, 10);
    hand.sent();
    answer(PSN + 1, syndrome);
    assertEquals(List.of(), hand.completions());
    assertEquals(QueuePairState.RTS, hand.qp.state());
    assertEquals(
        "[RC_READ_REQUEST 4096, RC_SEND_ONLY 4097, RC_SEND_ONLY 4098]", hand.sent().toString());
    response(Opcode.RC_READ_RESP_ONLY, PSN, 10);
    answer(PSN + 1, syndrome);
    assertEquals(3, hand.completions().size());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }
}
