// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An unreliable connection alone, both halves. */
class UcConnectionTest {

  private static final int PSN = HandFed.EXPECTED_PSN;
  private static final int MTU = 1024;
  private HandFed hand;
  private EndpointPair.Wish wish;

  @BeforeEach
  void open() {
    hand = new HandFed();
    wish = new EndpointPair.Wish();
    hand.rtr(QueuePairType.UC, wish);
    hand.qp.modify(EndpointPair.rts(hand.qp, HandFed.SEND_PSN, wish));
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private void send(int opcode, int psn, int length) {
    hand.packet(opcode, psn).bytes(length, psn).inject();
  }

  private byte[] expected(int length, int seed) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = HandFed.pattern(i, seed);
    }
    return bytes;
  }

  // [rc U1] [rc U2] [FC-07]
  @Test
  void messageIsSentWithoutAckRequestAndCompletesWhenHandedOver() {
    hand.post(hand.send(1, WorkRequestOpcode.RDMA_WRITE, 0, 2 * MTU + 5).remote(0x9000, 0x77));
    hand.post(hand.send(2, WorkRequestOpcode.SEND_WITH_IMM, 0, 3).immediate(9).solicited());
    List<HandFed.Sent> sent = hand.sent();
    assertEquals(
        "[UC_WRITE_FIRST 4096, UC_WRITE_MIDDLE 4097, UC_WRITE_LAST 4098, UC_SEND_ONLY_IMM 4099]",
        sent.toString());
    assertEquals(0, sent.stream().filter(HandFed.Sent::ackRequest).count());
    assertEquals(2 * MTU + 5, sent.get(0).dmaLength());
    assertEquals(true, sent.get(3).solicited());
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), hand.completions());
    assertEquals(Long.MAX_VALUE, hand.agent.nextDeadlineNs());
  }

  // [rc U3] [FC-07]
  @Test
  void wholeMessageIsDeliveredAndNeverAnswered() {
    hand.postReceive(5, 0, 3000);
    hand.packet(Opcode.UC_SEND_FIRST, PSN).bytes(MTU, 1).ack().inject();
    hand.packet(Opcode.UC_SEND_MIDDLE, PSN + 1).bytes(MTU, 2).ack().inject();
    hand.packet(Opcode.UC_SEND_LAST, PSN + 2).bytes(7, 3).ack().inject();
    assertEquals(List.of("5 SUCCESS"), hand.completions());
    assertEquals(2 * MTU + 7, hand.completion.byteLength());
    assertArrayEquals(expected(MTU, 2), hand.read(MTU, MTU));
    assertEquals(List.of(), hand.said());
  }

  // [rc 24-9] [rc U4] [rc U5] [rc U7]
  @Test
  void lostMiddleDropsTheMessageAndItsReceiveServesTheNext() {
    hand.postReceive(5, 0, 3000);
    send(Opcode.UC_SEND_FIRST, PSN, MTU);
    send(Opcode.UC_SEND_LAST, PSN + 2, 7);
    send(Opcode.UC_SEND_MIDDLE, PSN + 3, MTU);
    assertEquals(List.of(), hand.completions());
    send(Opcode.UC_SEND_ONLY, PSN + 4, 9);
    assertEquals(List.of("5 SUCCESS"), hand.completions());
    assertEquals(9, hand.completion.byteLength());
    assertArrayEquals(expected(9, PSN + 4), hand.read(0, 9));
    assertEquals(2, hand.counter("drop_uc_out_of_sequence"));
  }

  // [rc U4]
  @Test
  void firstBehindALossStartsANewMessageAtOnce() {
    hand.postReceive(5, 0, 3000);
    send(Opcode.UC_SEND_FIRST, PSN, MTU);
    send(Opcode.UC_SEND_FIRST, PSN + 5, MTU);
    send(Opcode.UC_SEND_LAST, PSN + 6, 7);
    assertEquals(List.of("5 SUCCESS"), hand.completions());
    assertEquals(MTU + 7, hand.completion.byteLength());
  }

  // [rc 24-20] [rc U6]
  @Test
  void firstInsideAnOpenMessageStartsANewOne() {
    hand.postReceive(5, 0, 3000);
    send(Opcode.UC_SEND_FIRST, PSN, MTU);
    send(Opcode.UC_SEND_ONLY, PSN + 1, 4);
    assertEquals(List.of("5 SUCCESS"), hand.completions());
    assertEquals(4, hand.completion.byteLength());
  }

  // [rc U8]
  @Test
  void abandonedWriteKeepsItsBytesAndTellsNobody() {
    hand.postReceive(5, 0, 0);
    hand.packet(Opcode.UC_WRITE_FIRST, PSN)
        .bytes(MTU, 1)
        .remote(hand.at(4096), hand.region.rkey(), MTU + 4)
        .inject();
    hand.packet(Opcode.UC_WRITE_LAST_IMM, PSN + 2).bytes(4, 2).immediate(1).inject();
    assertArrayEquals(expected(MTU, 1), hand.read(4096, MTU));
    assertEquals(List.of(), hand.completions());
  }

  // [rc 6-15] [rc U9]
  @Test
  void messageWithoutAReceiveIsDroppedWholeAndTheQueuePairLives() {
    send(Opcode.UC_SEND_FIRST, PSN, MTU);
    hand.postReceive(5, 0, 3000);
    send(Opcode.UC_SEND_LAST, PSN + 1, 7);
    assertEquals(List.of(), hand.completions());
    assertEquals(1, hand.counter("out_of_buffer"));
    send(Opcode.UC_SEND_ONLY, PSN + 2, 7);
    assertEquals(List.of("5 SUCCESS"), hand.completions());
  }

  // [rc 24-9] [rc U9] [rc U7]
  @Test
  void messageLongerThanItsReceiveIsDroppedAndTheReceiveStays() {
    hand.postReceive(5, 0, 1500);
    send(Opcode.UC_SEND_FIRST, PSN, MTU);
    send(Opcode.UC_SEND_MIDDLE, PSN + 1, MTU);
    send(Opcode.UC_SEND_LAST, PSN + 2, 1);
    assertEquals(List.of(), hand.completions());
    assertEquals(QueuePairState.RTS, hand.qp.state());
    send(Opcode.UC_SEND_ONLY, PSN + 3, 8);
    assertEquals(List.of("5 SUCCESS"), hand.completions());
  }

  // [rc U9]
  @ParameterizedTest
  @CsvSource({"14593, 8", "0, 2000000", "0, 4294967295"})
  void writeOutsideTheGrantIsDropped(int keyChange, long length) {
    hand.fill(0, 8, 9);
    hand.packet(Opcode.UC_WRITE_ONLY, PSN)
        .bytes(8, 1)
        .remote(hand.at(0), hand.region.rkey() + keyChange, length)
        .inject();
    assertArrayEquals(expected(8, 9), hand.read(0, 8));
    assertEquals(QueuePairState.RTS, hand.qp.state());
    assertEquals(List.of(), hand.said());
    hand.packet(Opcode.UC_WRITE_ONLY, PSN + 1)
        .bytes(8, 1)
        .remote(hand.at(0), hand.region.rkey(), 8)
        .inject();
    assertArrayEquals(expected(8, 1), hand.read(0, 8));
  }

  // [rc U9]
  @Test
  void writeWithoutTheQueuePairsRightIsDropped() {
    hand.qp.close();
    wish.access = AccessFlags.LOCAL_WRITE;
    hand.rtr(QueuePairType.UC, wish);
    hand.fill(0, 8, 9);
    hand.packet(Opcode.UC_WRITE_ONLY, PSN)
        .bytes(8, 1)
        .remote(hand.at(0), hand.region.rkey(), 8)
        .inject();
    assertArrayEquals(expected(8, 9), hand.read(0, 8));
    assertEquals(QueuePairState.RTR, hand.qp.state());
  }

  // [rc U9]
  @Test
  void writeWithImmediateWithoutAReceiveLeavesItsBytes() {
    hand.packet(Opcode.UC_WRITE_ONLY_IMM, PSN)
        .bytes(8, 1)
        .remote(hand.at(0), hand.region.rkey(), 8)
        .inject();
    assertArrayEquals(expected(8, 1), hand.read(0, 8));
    assertEquals(1, hand.counter("out_of_buffer"));
    assertEquals(List.of(), hand.completions());
  }

  // [rc U9]
  @Test
  void badLocalKeyOfAReceiveIsTold() {
    hand.qp.postReceive(new ReceiveRequest().wrId(3).sge(hand.at(0), 100, 0xBAD01));
    send(Opcode.UC_SEND_ONLY, PSN, 8);
    assertEquals(List.of("3 LOC_PROT_ERR"), hand.completions());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc U10]
  @Test
  void zeroLengthMessagesAreDelivered() {
    hand.postReceive(5, 0, 0);
    send(Opcode.UC_SEND_ONLY, PSN, 0);
    hand.packet(Opcode.UC_WRITE_ONLY, PSN + 1).remote(0, 0xDEADBEEF, 0).inject();
    assertEquals(List.of("5 SUCCESS"), hand.completions());
    assertEquals(1, hand.counter("rx_write_requests"));
  }

  // [rc 1-6] [rc 15-12] [rc D13]
  @Test
  void localSendErrorStopsTheSendQueueOnly() {
    hand.post(new SendRequest().wrId(1).opcode(WorkRequestOpcode.SEND).sge(hand.at(0), 8, 0xBAD01));
    hand.post(hand.send(2, WorkRequestOpcode.SEND, 0, 8));
    assertEquals(List.of("1 LOC_PROT_ERR", "2 WR_FLUSH_ERR"), hand.completions());
    assertEquals(QueuePairState.SQE, hand.qp.state());
    hand.postReceive(5, 0, 100);
    send(Opcode.UC_SEND_ONLY, PSN, 8);
    assertEquals(List.of("5 SUCCESS"), hand.completions());
    hand.qp.modify(new io.roce4j.transport.verbs.QueuePairAttributes().state(QueuePairState.RTS));
    hand.post(hand.send(3, WorkRequestOpcode.SEND, 0, 8));
    assertEquals(List.of("3 SUCCESS"), hand.completions());
  }

  // [wire 16.4]
  @ParameterizedTest
  @CsvSource({"RC_SEND_ONLY", "RC_ACK", "UD_SEND_ONLY"})
  void packetsOfAnotherClassAreDropped(String opcode) {
    hand.postReceive(5, 0, 100);
    hand.packet(Opcode.byName(opcode), PSN).inject();
    assertEquals(1, hand.counter("drop_qp_type"));
    assertEquals(List.of(), hand.completions());
  }

  @Test
  void opcodesUcDoesNotHaveAreUndefined() {
    byte[] read = new byte[32];
    read[0] = 0x2C;
    read[7] = HandFed.QPN;
    hand.injectRaw(read);
    assertEquals(1, hand.counter("drop_opcode"));
  }
}
