// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.port.TrainSink;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the states of a queue pair let through in an engine, and what a change of state keeps. */
class QueuePairStatesTest {

  private static final int PSN = HandFed.EXPECTED_PSN;
  private static final int MTU = 1024;
  private HandFed hand;
  private EndpointPair.Wish wish;

  @BeforeEach
  void open() {
    hand = new HandFed();
    wish = new EndpointPair.Wish();
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private HandFed.Packet read(int psn, int length) {
    return hand.packet(Opcode.RC_READ_REQUEST, psn).remote(hand.at(0), hand.region.rkey(), length);
  }

  private void modify(int state) {
    hand.qp.modify(new QueuePairAttributes().state(state));
    hand.settle();
  }

  private String said() {
    return hand.said().toString();
  }

  // [rc 1-3] [rc 1-8] A server may never leave RTR: it answers and must not send.
  @Test
  void receivingQueuePairAnswersAndSendsNothing() {
    hand.rtr(QueuePairType.RC, wish);
    hand.postReceive(1, 8192, 100);
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().inject();
    read(PSN + 1, 8).inject();
    assertEquals("[RC_ACK 100 00 1, RC_READ_RESP_ONLY 101 00 2]", said());
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    assertEquals(
        PostResult.INVALID_STATE, hand.qp.postSend(hand.send(1, WorkRequestOpcode.SEND, 0, 8)));
    hand.packet(Opcode.RC_ACK, HandFed.SEND_PSN).aeth(0x1F, 1).inject();
    assertEquals(1, hand.counter("drop_qp_state"));
  }

  // [rc 1-4] [rc 22-1]
  @Test
  void sendingQueuePairDoesBoth() {
    hand.rts(wish);
    hand.post(hand.send(1, WorkRequestOpcode.SEND, 0, 8));
    read(PSN, 8).inject();
    assertEquals("[RC_SEND_ONLY 4096, RC_READ_RESP_ONLY 100 00 1]", said());
    hand.packet(Opcode.RC_ACK, HandFed.SEND_PSN).aeth(0x1F, 1).inject();
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    assertEquals(QueuePairState.RTS, hand.qp.query().state());
    hand.packet(Opcode.RC_WRITE_LAST, PSN + 1).bytes(8, 1).inject();
    assertEquals(QueuePairState.ERR, hand.qp.query().state());
  }

  // [rc 1-5] [rc 22-3] SQD holds back what was posted, not what the peer asks for.
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void drainingQueuePairAnswersAndHoldsItsSends(boolean wantsEvent) {
    hand.rts(wish);
    hand.post(hand.send(1, WorkRequestOpcode.SEND, 0, 8));
    hand.sent();
    QueuePairAttributes drain = new QueuePairAttributes().state(QueuePairState.SQD);
    hand.qp.modify(wantsEvent ? drain.enSqdAsyncNotify(true) : drain);
    assertEquals(PostResult.OK, hand.qp.postSend(hand.send(2, WorkRequestOpcode.SEND, 0, 8)));
    hand.postReceive(9, 8192, 100);
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().inject();
    read(PSN + 1, 8).inject();
    assertEquals("[RC_ACK 100 00 1, RC_READ_RESP_ONLY 101 00 2]", said());
    assertEquals(true, hand.qp.query().sqDraining());
    hand.packet(Opcode.RC_ACK, HandFed.SEND_PSN).aeth(0x1F, 1).inject();
    assertEquals(List.of("9 SUCCESS", "1 SUCCESS"), hand.completions());
    assertEquals(false, hand.qp.query().sqDraining());
    assertEquals(wantsEvent ? List.of("SQ_DRAINED") : List.of(), hand.asyncEvents());
    assertEquals("[]", said());
    modify(QueuePairState.RTS);
    assertEquals("[RC_SEND_ONLY 4097]", said());
  }

  // [rc 3.2-12] [rc 1-8] The peer's requests know nothing of our going from RTR to RTS to SQD.
  @Test
  void changeOfTheSendSideKeepsWhatIsOwedToThePeer() {
    hand.rtr(QueuePairType.RC, wish);
    hand.port.refuses = true;
    read(PSN, 2 * MTU).enqueue();
    hand.packet(Opcode.RC_WRITE_ONLY, PSN + 2).ack().enqueue();
    hand.agent.doWork();
    hand.qp.modify(EndpointPair.rts(hand.qp, HandFed.SEND_PSN, wish));
    hand.qp.modify(
        new QueuePairAttributes()
            .state(QueuePairState.RTS)
            .minRnrTimer(5)
            .accessFlags(wish.access));
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.SQD));
    hand.port.refuses = false;
    hand.settle();
    assertEquals(
        "[RC_READ_RESP_FIRST 100 00 2, RC_READ_RESP_LAST 101 00 2, RC_ACK 102 00 2]", said());
    modify(QueuePairState.RTS);
    read(PSN, 2 * MTU).inject();
    assertEquals(2, hand.sent().size());
  }

  // [rc 19-2] [FC-55] A path that can carry no packet ends the queue pair, with an event.
  @Test
  void pathThatCarriesNoPacketIsFatal() {
    hand.rts(wish);
    hand.port.openResult = TrainSink.TOO_LARGE;
    hand.post(hand.send(1, WorkRequestOpcode.SEND, 0, 8));
    assertEquals(List.of("1 WR_FLUSH_ERR"), hand.completions());
    assertEquals(List.of("QP_FATAL"), hand.asyncEvents());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 21-2] [FC-41] Balanced paths must not reorder a connection: one source port for its life.
  @Test
  void sourcePortOfAConnectionIsConstantAndDiffersBetweenConnections() {
    hand.rts(wish);
    int first = sourcePortOfNext();
    hand.packet(Opcode.RC_ACK, HandFed.SEND_PSN).aeth(0x60, 0).inject();
    hand.sent();
    read(PSN, 8).inject();
    hand.sent();
    assertEquals(first, hand.out.sourcePort[hand.out.index(hand.out.head - 1)]);
    modify(QueuePairState.SQD);
    modify(QueuePairState.RTS);
    assertEquals(first, sourcePortOfNext());
    hand.qp = hand.pd.createQueuePair(hand.settings(QueuePairType.RC).qpNumWish(HandFed.QPN + 1));
    EndpointPair.bring(hand.qp, HandFed.PEER_QPN, HandFed.PEER, HandFed.SEND_PSN, PSN, wish);
    assertEquals(false, first == sourcePortOfNext());
  }

  private int sourcePortOfNext() {
    hand.post(hand.send(1, WorkRequestOpcode.SEND, 0, 8));
    hand.sent();
    return hand.out.sourcePort[hand.out.index(hand.out.head - 1)];
  }
}
