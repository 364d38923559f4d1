// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a responder says and tells: order and form of answers, completions, what errors leave. */
class RcAnswersTest {

  private static final int PSN = HandFed.EXPECTED_PSN;
  private static final int MTU = 1024;
  private HandFed hand;
  private EndpointPair.Wish wish;

  @BeforeEach
  void open() {
    open(EndpointSettings.defaults());
  }

  private void open(EndpointSettings settings) {
    if (hand != null) {
      hand.close();
    }
    hand = new HandFed(settings);
    wish = new EndpointPair.Wish();
    hand.rtr(QueuePairType.RC, wish);
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private HandFed.Packet write(int opcode, int psn, int bytes, long offset, long length) {
    return hand.packet(opcode, psn)
        .bytes(bytes, psn)
        .remote(hand.at(offset), hand.region.rkey(), length);
  }

  private HandFed.Packet read(int psn, int length) {
    return hand.packet(Opcode.RC_READ_REQUEST, psn).remote(hand.at(0), hand.region.rkey(), length);
  }

  private String said() {
    return hand.said().toString();
  }

  // [rc 3-1] [rc 7-9] Nobody hears of data that are not in memory yet.
  @Test
  void dataAreInMemoryBeforeTheirCompletionAndTheirAcknowledgement() {
    List<String> seen = new ArrayList<>();
    open(
        EndpointSettings.defaults()
            .withEvents(
                new EventSink() {
                  @Override
                  public void onCompletion(long ns, int qpn, long wrId, int status, int opcode) {
                    seen.add("completion " + NativeMemory.getByte(hand.at(7)));
                  }

                  @Override
                  public void onAcknowledge(long ns, int qpn, int psn, int syndrome, int msn) {
                    seen.add("ack " + NativeMemory.getByte(hand.at(7)));
                  }
                }));
    hand.postReceive(1, 0, 100);
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 3).ack().inject();
    int send = HandFed.pattern(7, 3);
    write(Opcode.RC_WRITE_ONLY, PSN + 1, 8, 0, 8).ack().inject();
    int write = HandFed.pattern(7, PSN + 1);
    assertEquals(List.of("completion " + send, "ack " + send, "ack " + write), seen);
  }

  // [rc 3-7] [wire 8]
  @Test
  void answersCarryThePeersNumberItsPartitionAndNoFlags() {
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).ack().solicited().inject();
    read(PSN + 1, MTU + 1).ack().inject();
    hand.packet(Opcode.RC_FETCH_ADD, PSN + 3)
        .remote(hand.at(0), hand.region.rkey(), 8)
        .ack()
        .inject();
    write(Opcode.RC_WRITE_ONLY, PSN + 9, 8, 0, 8).ack().inject();
    List<HandFed.Sent> sent = hand.sent();
    assertEquals(5, sent.size());
    for (HandFed.Sent answer : sent) {
      assertEquals(HandFed.PEER_QPN, answer.destQp(), answer.toString());
      assertEquals(0xFFFF, answer.pkey());
      assertEquals(false, answer.solicited());
      assertEquals(false, answer.ackRequest());
    }
  }

  // [rc 3.1-1]
  @Test
  void gapIsToldWithTheCurrentMsnAlsoWithoutAckReq() {
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).inject();
    assertEquals("[]", said());
    write(Opcode.RC_WRITE_ONLY, PSN + 2, 8, 0, 8).inject();
    assertEquals("[RC_ACK 101 60 1]", said());
  }

  // [rc 3.1-2] [rc 3.1-3] [rc 24-5]
  @Test
  void nothingIsSaidOfPacketsBehindAnRnrNak() {
    for (int round = 0; round < 2; round++) {
      hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().inject();
      assertEquals("[RC_ACK 100 2c 0]", said());
      hand.packet(Opcode.RC_SEND_ONLY, PSN + 1).bytes(8, 1).ack().inject();
      hand.packet(Opcode.RC_SEND_ONLY, PSN + 2).bytes(8, 1).ack().inject();
      assertEquals("[]", said());
    }
    hand.postReceive(1, 0, 100);
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().inject();
    hand.packet(Opcode.RC_SEND_ONLY, PSN + 2).bytes(8, 1).ack().inject();
    assertEquals("[RC_ACK 100 00 1, RC_ACK 101 60 1]", said());
  }

  // [rc 3.3-1] [rc 3.3-2] [rc 3-2] [rc 3-4] One for the burst, at the newest packet.
  @Test
  void acknowledgementsOfTheExamples() {
    hand.postReceive(1, 0, 4096);
    hand.packet(Opcode.RC_SEND_FIRST, PSN).bytes(MTU, 1).inject();
    hand.packet(Opcode.RC_SEND_MIDDLE, PSN + 1).bytes(MTU, 1).inject();
    hand.packet(Opcode.RC_SEND_LAST, PSN + 2).bytes(10, 1).ack().inject();
    assertEquals("[RC_ACK 102 00 1]", said());
    write(Opcode.RC_WRITE_FIRST, PSN + 3, MTU, 0, MTU + 4).enqueue();
    hand.packet(Opcode.RC_WRITE_LAST, PSN + 4).bytes(4, 1).ack().enqueue();
    write(Opcode.RC_WRITE_ONLY, PSN + 5, 8, 0, 8).ack().enqueue();
    hand.settle();
    assertEquals("[RC_ACK 105 00 3]", said());
    write(Opcode.RC_WRITE_ONLY, PSN + 6, 8, 0, 8).ack().inject();
    write(Opcode.RC_WRITE_ONLY, PSN + 7, 8, 0, 8).inject();
    assertEquals("[RC_ACK 106 00 4]", said());
  }

  // [rc 3.3-3] [rc 3.3-4] [rc 3-5] [rc 24-15] The READ answers what stands before it.
  @Test
  void sendReadSendIsAnsweredInThisOrder() {
    hand.postReceive(1, 8192, 100);
    hand.postReceive(2, 8192, 100);
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().enqueue();
    read(PSN + 1, 3000).enqueue();
    hand.packet(Opcode.RC_SEND_ONLY, PSN + 4).bytes(8, 1).ack().enqueue();
    hand.packet(Opcode.RC_FETCH_ADD, PSN + 5).remote(hand.at(0), hand.region.rkey(), 8).enqueue();
    read(PSN + 6, 0).enqueue();
    hand.settle();
    assertEquals(
        "[RC_READ_RESP_FIRST 101 00 5, RC_READ_RESP_MIDDLE 102, RC_READ_RESP_LAST 103 00 5,"
            + " RC_ATOMIC_ACK 105 00 5, RC_READ_RESP_ONLY 106 00 5]",
        said());
  }

  // [rc 6-11] [rc 7-1] Once First is taken the message has its receive.
  @Test
  void onlyTheFirstPacketOfASendCanFindNoReceive() {
    hand.postReceive(7, 0, 4096);
    hand.packet(Opcode.RC_SEND_FIRST, PSN).bytes(MTU, 1).inject();
    hand.packet(Opcode.RC_SEND_MIDDLE, PSN + 1).bytes(MTU, 2).inject();
    hand.packet(Opcode.RC_SEND_LAST, PSN + 2).bytes(5, 3).ack().inject();
    assertEquals("[RC_ACK 102 00 1]", said());
    assertEquals(List.of("7 SUCCESS"), hand.completions());
    assertEquals(WorkCompletionOpcode.RECV, hand.completion.opcode());
    assertEquals(2 * MTU + 5, hand.completion.byteLength());
    assertEquals(0, hand.completion.flags());
    assertEquals(HandFed.QPN, hand.completion.qpNum());
    assertEquals(HandFed.pattern(0, 3), hand.read(2 * MTU, 1)[0]);
    hand.packet(Opcode.RC_SEND_FIRST, PSN + 3).bytes(MTU, 1).inject();
    assertEquals("[RC_ACK 103 2c 1]", said());
  }

  // [rc 7-2]
  @Test
  void immediateDataOfASendArrive() {
    hand.postReceive(7, 0, 100);
    hand.packet(Opcode.RC_SEND_ONLY_IMM, PSN).bytes(8, 1).immediate(0x01020304).inject();
    assertEquals(List.of("7 SUCCESS"), hand.completions());
    WorkCompletion wc = hand.completion;
    assertEquals(WorkCompletionOpcode.RECV, wc.opcode());
    assertEquals(WorkCompletionFlags.WITH_IMM, wc.flags());
    assertEquals(0x01020304, wc.immediate());
    assertEquals(8, wc.byteLength());
  }

  // [rc 7-4] [rc 7-6] [rc 7-7] [rc 6-14] One-sided operations neither need nor take a receive.
  @Test
  void oneSidedOperationsTouchNoReceive() {
    for (int round = 0; round < 2; round++) {
      int psn = PSN + 3 * round;
      write(Opcode.RC_WRITE_ONLY, psn, 8, 0, 8).ack().inject();
      read(psn + 1, 8).inject();
      hand.packet(Opcode.RC_FETCH_ADD, psn + 2)
          .remote(hand.at(4096), hand.region.rkey(), 8)
          .atomic(1, 0)
          .inject();
      List<HandFed.Sent> sent = hand.sent();
      assertEquals(3, sent.size());
      assertEquals("RC_ACK " + psn, sent.get(0).toString().substring(0, 10));
      assertArrayEquals(hand.read(0, 8), sent.get(1).payload());
      assertEquals(round, sent.get(2).original());
      assertEquals(List.of(), hand.completions());
      hand.postReceive(1, 8192, 100);
    }
    assertEquals(2, hand.qp.receiveQueue().available());
  }

  // [rc 6-13] [rc 24-11] Both wrong: the missing receive is told first.
  @Test
  void missingReceiveIsToldBeforeABadKey() {
    hand.packet(Opcode.RC_WRITE_ONLY_IMM, PSN).bytes(8, 1).remote(hand.at(0), 0xDEAD01, 8).inject();
    assertEquals("[RC_ACK 100 2c 0]", said());
    assertEquals(QueuePairState.RTR, hand.qp.state());
  }

  // [rc 7-5] [rc 11-1] The receive of a WRITE with immediate is taken with its last packet.
  @Test
  void writeWithImmediateTakesAReceiveAtItsEndAndNotItsBuffer() {
    hand.fill(8192, 100, 50);
    hand.postReceive(7, 8192, 1);
    write(Opcode.RC_WRITE_FIRST, PSN, MTU, 0, MTU + 8).inject();
    assertEquals(1, hand.qp.receiveQueue().available());
    hand.packet(Opcode.RC_WRITE_LAST_IMM, PSN + 1).bytes(8, 5).immediate(77).inject();
    assertEquals(List.of("7 SUCCESS"), hand.completions());
    assertEquals(WorkCompletionOpcode.RECV_RDMA_WITH_IMM, hand.completion.opcode());
    assertEquals(MTU + 8, hand.completion.byteLength());
    assertEquals(HandFed.pattern(0, 50), hand.read(8192, 1)[0]);
  }

  // [rc 7-11]
  @Test
  void writeThatFailsInTheMiddleLeavesTheBytesBefore() {
    write(Opcode.RC_WRITE_FIRST, PSN, MTU, 0, MTU + 8).inject();
    hand.packet(Opcode.RC_WRITE_LAST, PSN + 1).bytes(7, 5).ack().inject();
    assertEquals("[RC_ACK 101 61 0]", said());
    assertEquals(HandFed.pattern(MTU - 1, PSN), hand.read(MTU - 1, 1)[0]);
  }

  // [rc 7-13]
  @Test
  void readSeesTheWriteBeforeIt() {
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).enqueue();
    read(PSN + 1, 8).enqueue();
    write(Opcode.RC_WRITE_ONLY, PSN + 2, 8, 64, 8).enqueue();
    hand.settle();
    assertEquals(HandFed.pattern(3, PSN), hand.sent().get(0).payload()[3]);
  }

  // [rc 7-14] [FC-17] Two queue pairs add to one word, packet by packet.
  @Test
  void atomicsOfTwoQueuePairsAddUp() {
    QueuePair other = hand.pd.createQueuePair(hand.settings(QueuePairType.RC).qpNumWish(0x55));
    EndpointPair.bring(other, HandFed.PEER_QPN, HandFed.PEER, HandFed.SEND_PSN, PSN, wish);
    for (int i = 0; i < 4; i++) {
      for (int qpn : new int[] {HandFed.QPN, 0x55}) {
        hand.packet(Opcode.RC_FETCH_ADD, PSN + i)
            .to(qpn)
            .remote(hand.at(8), hand.region.rkey(), 8)
            .atomic(1, 0)
            .enqueue();
      }
    }
    hand.settle();
    assertEquals(
        List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L),
        hand.sent().stream().map(HandFed.Sent::original).sorted().toList());
    assertEquals(8, NativeMemory.getLong(hand.at(8)));
  }

  // [rc 5-4] [rc 24-16]
  @Test
  void creditsSwitchedOffAreUnlimited() {
    open(EndpointSettings.defaults().withEndToEndCredits(false));
    hand.postReceive(1, 0, 10);
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).ack().inject();
    assertEquals("[RC_ACK 100 1f 1]", said());
  }

  // [rc 5-3]
  @ParameterizedTest
  @CsvSource({"1, 01", "5, 04", "6, 05", "13, 07", "64, 0c"})
  void creditsAreTheReceivesPostedAndNotTaken(int receives, String syndrome) {
    for (int i = 0; i < receives; i++) {
      hand.postReceive(i, 0, 2048);
    }
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).ack().inject();
    assertEquals("[RC_ACK 100 " + syndrome + " 1]", said());
    hand.packet(Opcode.RC_SEND_FIRST, PSN + 1).bytes(MTU, 1).ack().inject();
    int left = io.roce4j.wire.packet.Syndrome.creditCode(receives - 1);
    assertEquals(String.format(java.util.Locale.ROOT, "[RC_ACK 101 %02x 1]", left), said());
  }

  // [rc 15-14] [rc 16-7] [rc 24-10] A receive that is held fails with the fault.
  @ParameterizedTest
  @ValueSource(
      ints = {
        Opcode.RC_WRITE_ONLY,
        Opcode.RC_SEND_FIRST,
        Opcode.RC_SEND_ONLY,
        Opcode.RC_READ_REQUEST,
        Opcode.RC_FETCH_ADD
      })
  void receiveHeldByABrokenSequenceFailsWithIt(int opcode) {
    hand.postReceive(1, 0, 4096);
    hand.postReceive(2, 0, 4096);
    hand.packet(Opcode.RC_SEND_FIRST, PSN).bytes(MTU, 1).inject();
    HandFed.Packet breaking = hand.packet(opcode, PSN + 1);
    if (Opcode.isSend(opcode)) {
      breaking.bytes(MTU, 1).inject();
    } else if (Opcode.isWrite(opcode)) {
      breaking.remote(hand.at(0), hand.region.rkey(), 8).bytes(8, 0).inject();
    } else if (Opcode.isAtomic(opcode)) {
      breaking.remote(hand.at(0), hand.region.rkey(), 8).atomic(1, 0).inject();
    } else {
      breaking.remote(hand.at(0), hand.region.rkey(), 8).inject();
    }
    assertEquals("[RC_ACK 101 61 0]", said());
    assertEquals(List.of("1 LOC_QP_OP_ERR", "2 WR_FLUSH_ERR"), hand.completions());
    assertEquals(List.of("COMM_EST"), hand.asyncEvents());
  }

  // [rc 16-5] [rc 16-3] [rc 16-1] A fault of the responder flushes the send queue too, in order.
  @Test
  void responderFaultFlushesBothQueuesSignaledOrNot() {
    hand.close();
    hand = new HandFed();
    hand.rts(wish);
    hand.postReceive(1, 0, 100);
    hand.post(hand.send(2, WorkRequestOpcode.SEND, 0, 8).signaled(false));
    hand.post(hand.send(3, WorkRequestOpcode.SEND, 0, 8));
    hand.sent();
    hand.packet(Opcode.RC_SEND_LAST, PSN).bytes(8, 1).inject();
    assertEquals("[RC_ACK 100 61 0]", said());
    assertEquals(List.of("2 WR_FLUSH_ERR", "3 WR_FLUSH_ERR", "1 WR_FLUSH_ERR"), hand.completions());
  }

  // [rc 14-1] [rc 14-4] [rc 13-13] [FC-19]
  @ParameterizedTest
  @ValueSource(ints = {Opcode.RC_SEND_ONLY, Opcode.RC_WRITE_ONLY_IMM})
  void emptyMessageTakesAReceiveOfNoBytes(int opcode) {
    hand.qp.postReceive(new ReceiveRequest().wrId(5));
    hand.packet(opcode, PSN).remote(0, 0xDEADBEEF, 0).ack().inject();
    assertEquals("[RC_ACK 100 00 1]", said());
    assertEquals(List.of("5 SUCCESS"), hand.completions());
    assertEquals(0, hand.completion.byteLength());
  }
}
