// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.Syndrome;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What spends a retry: one flight that lost several packets spends one, in whatever ways the peer
 * tells of it; a peer that never lets anything through is given up all the same.
 */
class RcRetryBudgetTest {

  private static final int PSN = HandFed.SEND_PSN;
  private static final int MTU = 1024;
  private static final int UNLIMITED = 0x1F;
  private HandFed hand;
  private EndpointPair.Wish wish;

  @BeforeEach
  void open() {
    hand = new HandFed();
    wish = new EndpointPair.Wish();
    wish.retryCnt = 1;
    hand.rts(wish);
    // A READ of PSNs 0 and 1, then WRITEs 2, 3 and 4.
    hand.post(hand.send(1, WorkRequestOpcode.RDMA_READ, 65_536, 2 * MTU).remote(0x9000, 0x77));
    for (int i = 2; i <= 4; i++) {
      hand.post(hand.send(i, WorkRequestOpcode.RDMA_WRITE, 0, 10).remote(0x9000, 0x77));
    }
    hand.sent();
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private void answer(int offset, int syndrome) {
    hand.packet(Opcode.RC_ACK, PSN + offset).aeth(syndrome, 0).inject();
  }

  private void response(int opcode, int offset) {
    hand.packet(opcode, PSN + offset).aeth(UNLIMITED, 0).bytes(MTU, PSN + offset).inject();
  }

  private void finishAll() {
    response(Opcode.RC_READ_RESP_FIRST, 0);
    response(Opcode.RC_READ_RESP_LAST, 1);
    answer(4, UNLIMITED);
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS", "4 SUCCESS"), hand.completions());
  }

  // [rc Q9] [rc Q13] [rc Q18]
  @Test
  void lostResponseAndLostWriteOfOneFlightSpendOneRetry() {
    answer(2, UNLIMITED); // WRITE 2 is acknowledged, the READ in front of it has no answer
    assertEquals("[RC_READ_REQUEST 4096", hand.said().toString().substring(0, 21));
    answer(3, Syndrome.NAK_PSN_SEQUENCE_ERROR); // and WRITE 3 was lost
    assertEquals("[RC_READ_REQUEST 4096", hand.said().toString().substring(0, 21));
    assertEquals(List.of(), hand.completions());
    assertEquals(2, hand.counter("completer_retry_err"));
    finishAll();
  }

  // [rc Q10] [rc Q13] [rc Q18]
  @Test
  void lostWriteAndGapInTheResponsesOfOneFlightSpendOneRetry() {
    answer(0, Syndrome.NAK_PSN_SEQUENCE_ERROR);
    hand.sent();
    response(Opcode.RC_READ_RESP_LAST, 1);
    assertEquals("[RC_READ_REQUEST 4096", hand.said().toString().substring(0, 21));
    assertEquals(List.of(), hand.completions());
    finishAll();
  }

  // [rc Q13] [rc Q18] Whatever it said first, the same NAK again spends the next retry.
  @Test
  void sameNakAgainSpendsTheNextRetry() {
    answer(2, UNLIMITED);
    hand.sent();
    answer(0, Syndrome.NAK_PSN_SEQUENCE_ERROR);
    hand.sent();
    assertEquals(List.of(), hand.completions());
    answer(0, Syndrome.NAK_PSN_SEQUENCE_ERROR);
    assertEquals("1 RETRY_EXC_ERR", hand.completions().get(0));
  }

  // [rc Q16] [rc Q18] News that spends nothing does not keep the timer from firing.
  @Test
  void newsOfTheSameFlightDoesNotPutOffTheTimer() {
    answer(2, UNLIMITED);
    hand.sent();
    long timeoutNs = AckTimeout.timeoutNs(wish.timeout) << 1;
    hand.advance(timeoutNs - 1);
    answer(0, Syndrome.NAK_PSN_SEQUENCE_ERROR);
    hand.sent();
    assertEquals(List.of(), hand.completions());
    hand.advance(1);
    assertEquals("1 RETRY_EXC_ERR", hand.completions().get(0));
  }

  // [rc Q16] [rc Q17] After the timer, news is about the flight that the timer sent.
  @Test
  void newsAfterTheTimerSpendsARetryOfItsOwn() {
    hand.advance(AckTimeout.timeoutNs(wish.timeout));
    hand.sent();
    assertEquals(List.of(), hand.completions());
    answer(2, UNLIMITED);
    assertEquals("1 RETRY_EXC_ERR", hand.completions().get(0));
  }
}
