// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SharedReceiveQueue;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shared receive queues and completion queues as the engines use them. */
class QueuesUnderTheEngineTest {

  private static final int PSN = HandFed.EXPECTED_PSN;
  private HandFed hand;
  private SharedReceiveQueue srq;

  @BeforeEach
  void open() {
    hand = new HandFed();
    srq = hand.pd.createSharedReceiveQueue(16, 2);
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private QueuePair shared(int type, int qpn) {
    QueuePair qp = hand.pd.createQueuePair(hand.settings(type).qpNumWish(qpn).srq(srq));
    EndpointPair.Wish wish = new EndpointPair.Wish();
    qp.toInit(wish.access);
    qp.modify(EndpointPair.rtr(qp, HandFed.PEER_QPN, HandFed.PEER, PSN, wish));
    return qp;
  }

  private void send(int qpn, int psn) {
    hand.packet(Opcode.RC_SEND_ONLY, psn).to(qpn).bytes(4, 1).ack().inject();
  }

  // [rc 5-4] [rc 11-1] [rc 11-6]
  @Test
  void receivesGoToWhoeverNeedsThemFirst() {
    shared(QueuePairType.RC, 0x31);
    shared(QueuePairType.RC, 0x32);
    for (int i = 0; i < 3; i++) {
      srq.postReceive(hand.receive(i, i * 100L, 100));
    }
    send(0x32, PSN);
    send(0x31, PSN);
    send(0x32, PSN + 1);
    assertEquals(List.of("0 SUCCESS", "1 SUCCESS", "2 SUCCESS"), hand.completions());
    // Credits of a shared queue mean nothing: code 31.
    assertEquals("[RC_ACK 100 1f 1, RC_ACK 100 1f 1, RC_ACK 101 1f 2]", hand.said().toString());
  }

  // [rc 6-15] [rc 11-2]
  @Test
  void emptySharedQueueIsRnrForRcAndADropForUc() {
    shared(QueuePairType.RC, 0x31);
    shared(QueuePairType.UC, 0x32);
    send(0x31, PSN);
    hand.packet(Opcode.UC_SEND_ONLY, PSN).to(0x32).bytes(4, 1).inject();
    assertEquals("[RC_ACK 100 2c 0]", hand.said().toString());
    assertEquals(2, hand.counter("out_of_buffer"));
  }

  // [rc 11-3] [rc 19-12]
  @Test
  void limitEventFiresOnceWhenFewerAreLeft() {
    shared(QueuePairType.RC, 0x31);
    for (int i = 0; i < 10; i++) {
      srq.postReceive(hand.receive(i, 0, 100));
    }
    srq.modify(7);
    for (int i = 0; i < 6; i++) {
      send(0x31, PSN + i);
      int events = (int) hand.asyncEvents().stream().filter("SRQ_LIMIT_REACHED"::equals).count();
      assertEquals(i == 3 ? 1 : 0, events, "after " + (i + 1));
    }
    assertEquals(0, srq.queryLimit());
  }

  // [rc 11-5] [rc 19-13]
  @Test
  void takenReceivesAreFlushedOthersStayAndTheLastIsTold() {
    QueuePair qp = shared(QueuePairType.RC, 0x31);
    srq.postReceive(hand.receive(1, 0, 2000));
    srq.postReceive(hand.receive(2, 0, 100));
    hand.packet(Opcode.RC_SEND_FIRST, PSN).to(0x31).bytes(1024, 1).inject();
    qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    assertEquals(List.of("1 WR_FLUSH_ERR"), hand.completions());
    assertEquals(List.of("COMM_EST", "QP_LAST_WQE_REACHED"), hand.asyncEvents());
    assertEquals(1, srq.available());
  }

  // [rc 12-1] [rc 15-18] [rc 19-1]
  @Test
  void overflowLosesTheCompletionAndTakesTheQueuePairToErr() {
    CompletionQueue small = hand.agent.context().createCompletionQueue(2);
    hand.qp =
        hand.pd.createQueuePair(hand.settings(QueuePairType.RC).sendCq(small).recvCq(hand.cq));
    EndpointPair.bring(
        hand.qp, HandFed.PEER_QPN, HandFed.PEER, HandFed.SEND_PSN, PSN, new EndpointPair.Wish());
    for (int i = 1; i <= 4; i++) {
      hand.post(hand.send(i, WorkRequestOpcode.SEND, 0, 4));
    }
    hand.packet(Opcode.RC_ACK, HandFed.SEND_PSN + 3).aeth(0x1F, 4).inject();
    assertEquals(QueuePairState.ERR, hand.qp.state());
    assertEquals(List.of("CQ_ERR"), hand.asyncEvents());
    assertEquals(true, small.poll(hand.completion));
    assertEquals(1, hand.completion.wrId());
    assertEquals(true, small.poll(hand.completion));
    assertEquals(2, hand.completion.wrId());
    assertEquals(false, small.poll(hand.completion));
  }

  // [rc 12-1]
  @Test
  void overflowOfTheReceiveSideIsNotAcknowledged() {
    CompletionQueue small = hand.agent.context().createCompletionQueue(1);
    hand.qp =
        hand.pd.createQueuePair(hand.settings(QueuePairType.RC).sendCq(hand.cq).recvCq(small));
    EndpointPair.bring(
        hand.qp, HandFed.PEER_QPN, HandFed.PEER, HandFed.SEND_PSN, PSN, new EndpointPair.Wish());
    hand.postReceive(1, 0, 10);
    hand.postReceive(2, 0, 10);
    send(HandFed.QPN, PSN);
    assertEquals(1, hand.said().size());
    send(HandFed.QPN, PSN + 1);
    assertEquals(List.of(), hand.said());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 12-3]
  @Test
  void solicitedSendRaisesTheEventOfASolicitedOnlyQueue() {
    hand.rts(new EndpointPair.Wish());
    hand.postReceive(1, 0, 10);
    hand.postReceive(2, 0, 10);
    hand.cq.requestNotify(true);
    send(HandFed.QPN, PSN);
    assertEquals(0, hand.cq.takeEvents());
    hand.packet(Opcode.RC_SEND_ONLY, PSN + 1).bytes(4, 1).solicited().ack().inject();
    assertEquals(1, hand.cq.takeEvents());
  }

  // [rc 1-2]
  @Test
  void receivesPostedInInitAreUsedInRtr() {
    hand.qp = hand.pd.createQueuePair(hand.settings(QueuePairType.RC));
    EndpointPair.Wish wish = new EndpointPair.Wish();
    hand.qp.toInit(wish.access);
    hand.postReceive(1, 0, 10);
    assertEquals(
        PostResult.INVALID_STATE, hand.qp.postSend(hand.send(1, WorkRequestOpcode.SEND, 0, 4)));
    hand.qp.modify(EndpointPair.rtr(hand.qp, HandFed.PEER_QPN, HandFed.PEER, PSN, wish));
    send(HandFed.QPN, PSN);
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    assertEquals("[RC_ACK 100 00 1]", hand.said().toString());
  }

  // [rc 16-7] [rc 16-8] [rc 1-12]
  @Test
  void partlyFilledReceiveIsFlushed() {
    hand.rts(new EndpointPair.Wish());
    hand.postReceive(1, 0, 3000);
    hand.postReceive(2, 0, 3000);
    hand.packet(Opcode.RC_SEND_FIRST, PSN).bytes(1024, 1).inject();
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    assertEquals(List.of("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR"), hand.completions());
  }

  // [rc U7] [rc 24-19]
  @Test
  void abandonedUcSendKeepsItsSharedReceiveForTheNext() {
    shared(QueuePairType.UC, 0x32);
    srq.postReceive(hand.receive(1, 0, 3000));
    srq.postReceive(hand.receive(2, 4096, 3000));
    hand.packet(Opcode.UC_SEND_FIRST, PSN).to(0x32).bytes(1024, 1).inject();
    hand.packet(Opcode.UC_SEND_ONLY, PSN + 5).to(0x32).bytes(4, 9).inject();
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    assertEquals(4, hand.completion.byteLength());
    assertEquals(HandFed.pattern(0, 9), hand.read(0, 1)[0]);
    assertEquals(1, srq.available());
  }
}
