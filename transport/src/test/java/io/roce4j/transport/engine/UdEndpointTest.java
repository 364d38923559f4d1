// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.roce4j.transport.verbs.AddressHandle;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A datagram queue pair alone, both halves. */
class UdEndpointTest {

  private static final int QKEY = 0x1234;
  private HandFed hand;
  private AddressHandle peer;

  @BeforeEach
  void open() {
    hand = new HandFed();
    bring();
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private void bring() {
    hand.qp = hand.pd.createQueuePair(hand.settings(QueuePairType.UD));
    hand.qp.modify(
        new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sqPsn(77));
    peer =
        hand.pd.createAddressHandle(
            AddressVector.of(
                    MemoryPort.gidHi(hand.port.ipv6),
                    MemoryPort.gidLo(hand.port.ipv6, HandFed.PEER))
                .withTrafficClass(0x28));
  }

  private HandFed.Packet datagram(int length) {
    return hand.packet(Opcode.UD_SEND_ONLY, 5).bytes(length, 1).qkey(QKEY, 0x99);
  }

  private SendRequest send(long wrId, int length, int qkey) {
    return hand.send(wrId, WorkRequestOpcode.SEND, 0, length).datagram(peer, 0x33, qkey);
  }

  // [wire 16.6]
  @Test
  void datagramForAnotherHostIsDropped() {
    hand.postReceive(1, 0, 100);
    datagram(8).toAddress(0xC0000203).inject();
    assertEquals(1, hand.counter("drop_address"));
    assertEquals(List.of(), hand.completions());
    datagram(8).inject();
    assertEquals(List.of("1 SUCCESS"), hand.completions());
  }

  // [rc D2] [rc D9] [FC-07]
  @Test
  void datagramNamesItsSenderAndCompletesWhenHandedOver() {
    hand.post(send(1, 10, 0x5678));
    hand.post(
        hand.send(2, WorkRequestOpcode.SEND_WITH_IMM, 0, 3)
            .datagram(peer, 0x34, 0x5678)
            .immediate(9)
            .solicited());
    List<HandFed.Sent> sent = hand.sent();
    assertEquals("[UD_SEND_ONLY 77, UD_SEND_ONLY_IMM 78]", sent.toString());
    assertEquals(0x33, sent.get(0).destQp());
    assertEquals(0x5678, sent.get(0).qkey());
    assertEquals(HandFed.QPN, sent.get(0).sourceQp());
    assertEquals(0x28, sent.get(0).tos());
    assertEquals(false, sent.get(0).ackRequest());
    assertEquals(true, sent.get(1).solicited());
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), hand.completions());
  }

  // [rc D3]
  @Test
  void privilegedQkeyIsReplacedByTheQueuePairsOwn() {
    hand.post(send(1, 10, 0x80010000));
    assertEquals(QKEY, hand.sent().get(0).qkey());
  }

  // [rc D1]
  @Test
  void datagramLargerThanThePortCarriesIsRefusedAtOnce() {
    assertEquals(PostResult.MESSAGE_TOO_LONG, hand.qp.postSend(send(1, 4097, 1)));
    assertEquals(PostResult.OK, hand.qp.postSend(send(1, 4096, 1)));
  }

  // [rc D5] [rc D8] [FC-11]
  @Test
  void receiveAreaHoldsTheIpv4HeaderAtTwenty() {
    hand.fill(0, 200, 0x60);
    hand.postReceive(3, 0, 104);
    datagram(8).tos(0x29).solicited().inject();
    assertEquals(List.of("3 SUCCESS"), hand.completions());
    WorkCompletion wc = hand.completion;
    assertEquals(48, wc.byteLength());
    assertEquals(0x99, wc.srcQp());
    assertEquals(WorkCompletionFlags.GRH, wc.flags());
    assertEquals(WorkCompletion.NETWORK_IPV4, wc.networkType());
    byte[] area = hand.read(0, 48);
    assertEquals(0x45, area[20]);
    assertEquals(0x29, area[21]);
    assertEquals((byte) 0xC0, area[32]);
    assertEquals(1, area[35]);
    assertEquals(2, area[39]);
    for (int i = 0; i < 8; i++) {
      assertEquals(HandFed.pattern(i, 1), area[40 + i]);
    }
    assertEquals(HandFed.pattern(48, 0x60), hand.read(48, 1)[0]);
  }

  // [rc D5] [FC-11]
  @Test
  void receiveAreaHoldsTheWholeIpv6Header() {
    hand.close();
    hand = new HandFed(EndpointSettings.defaults(), true);
    bring();
    hand.fill(0, 200, 0x45);
    hand.postReceive(3, 0, 104);
    datagram(8).inject();
    assertEquals(List.of("3 SUCCESS"), hand.completions());
    assertEquals(48, hand.completion.byteLength());
    assertEquals(WorkCompletion.NETWORK_IPV6, hand.completion.networkType());
    byte[] area = hand.read(0, 48);
    assertEquals(6, area[0] >> 4);
    assertEquals((byte) 0xFD, area[8]);
    assertEquals(1, area[23]);
    assertEquals(2, area[39]);
    assertEquals(HandFed.pattern(0, 1), area[40]);
  }

  // [rc D4] [wire 16.8]
  @Test
  void wrongQkeyIsDroppedAndCounted() {
    hand.postReceive(3, 0, 104);
    datagram(8).qkey(QKEY + 1, 0x99).inject();
    assertEquals(1, hand.counter("qkey_viol_cntr"));
    assertEquals(List.of(), hand.completions());
  }

  // [rc D8]
  @Test
  void partitionIndexOfTheQueuePairIsToldAndItsKeyIsSent() {
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
    hand.qp.modify(
        new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(1).portNum(1).qkey(QKEY));
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sqPsn(77));
    hand.postReceive(3, 0, 104);
    datagram(8).inject();
    assertEquals(1, hand.counter("bad_pkey_cntr"));
    datagram(8).pkey(HandFed.OTHER_PKEY).inject();
    assertEquals(List.of("3 SUCCESS"), hand.completions());
    assertEquals(1, hand.completion.pkeyIndex());
    hand.post(send(1, 10, 0x5678));
    assertEquals(HandFed.OTHER_PKEY, hand.sent().get(0).pkey());
  }

  // [rc D11]
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void replyGoesWhereTheDatagramCameFrom(boolean ipv6) {
    hand.close();
    hand = new HandFed(EndpointSettings.defaults(), ipv6);
    bring();
    hand.postReceive(3, 0, 104);
    datagram(8).from(0xC0000277).tos(0x2B).inject();
    assertEquals(List.of("3 SUCCESS"), hand.completions());
    AddressVector back =
        AddressVector.ofDatagram(hand.completion, new UnsafeBuffer(hand.read(0, 48)), 0);
    assertEquals(MemoryPort.gidHi(ipv6), back.gidHi());
    assertEquals(MemoryPort.gidLo(ipv6, 0xC0000277), back.gidLo());
    assertEquals(0x28, back.trafficClass());
    assertEquals(64, back.hopLimit());
    peer = hand.pd.createAddressHandle(back);
    hand.post(
        hand.send(4, WorkRequestOpcode.SEND, 0, 8).datagram(peer, hand.completion.srcQp(), QKEY));
    HandFed.Sent reply = hand.sent().get(0);
    assertEquals(0x99, reply.destQp());
    assertEquals(0x28, reply.tos());
    hand.completions();
    VerbsException e =
        assertThrows(
            VerbsException.class,
            () -> AddressVector.ofDatagram(hand.completion, new UnsafeBuffer(new byte[40]), 0));
    assertEquals("EINVAL", e.errno());
  }

  // [rc 24-9] [rc D6]
  @Test
  void datagramLargerThanTheReceiveIsDroppedAndTheReceiveKept() {
    hand.postReceive(3, 0, 47);
    datagram(8).inject();
    assertEquals(List.of(), hand.completions());
    assertEquals(1, hand.counter("drop_ud_length"));
    assertEquals(1, hand.counter("drop_length"));
    assertEquals(QueuePairState.RTS, hand.qp.state());
    datagram(7).inject();
    assertEquals(List.of("3 SUCCESS"), hand.completions());
  }

  // [rc 6-15] [rc D7]
  @Test
  void datagramWithoutAReceiveIsDropped() {
    datagram(8).inject();
    assertEquals(1, hand.counter("out_of_buffer"));
    assertEquals(List.of(), hand.said());
  }

  // [rc 14-1] [rc D8]
  @Test
  void immediateDataArrive() {
    hand.postReceive(3, 0, 104);
    hand.packet(Opcode.UD_SEND_ONLY_IMM, 5).qkey(QKEY, 0x99).immediate(0x01020304).ack().inject();
    assertEquals(List.of("3 SUCCESS"), hand.completions());
    assertEquals(0x01020304, hand.completion.immediate());
    assertEquals(WorkCompletionFlags.GRH | WorkCompletionFlags.WITH_IMM, hand.completion.flags());
    assertEquals(40, hand.completion.byteLength());
    assertEquals(List.of(), hand.said());
  }

  // [rc D9] [wire 10]
  @ParameterizedTest
  @CsvSource({"5", "0", "16777215"})
  void thePsnIsNeverChecked(int psn) {
    hand.postReceive(3, 0, 104);
    hand.packet(Opcode.UD_SEND_ONLY, psn).qkey(QKEY, 0x99).inject();
    assertEquals(List.of("3 SUCCESS"), hand.completions());
  }

  // [wire 9]
  @Test
  void anySourceAddressMaySend() {
    hand.postReceive(3, 0, 104);
    datagram(8).from(0x0A000001).inject();
    assertEquals(List.of("3 SUCCESS"), hand.completions());
  }

  // [rc 1-6] [rc 15-12] [rc D13]
  @Test
  void localSendErrorStopsSendingAndNotReceiving() {
    hand.post(
        new SendRequest()
            .wrId(1)
            .opcode(WorkRequestOpcode.SEND)
            .sge(hand.at(0), 8, 0xBAD01)
            .datagram(peer, 0x33, 1));
    assertEquals(List.of("1 LOC_PROT_ERR"), hand.completions());
    assertEquals(QueuePairState.SQE, hand.qp.state());
    hand.postReceive(3, 0, 104);
    datagram(8).inject();
    assertEquals(List.of("3 SUCCESS"), hand.completions());
    hand.post(send(2, 8, 1));
    assertEquals(List.of("2 WR_FLUSH_ERR"), hand.completions());
  }

  // [rc 1-12] [rc 16-8]
  @Test
  void toErrFlushesBothQueues() {
    hand.postReceive(3, 0, 104);
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    hand.post(send(2, 8, 1));
    assertEquals(List.of("3 WR_FLUSH_ERR", "2 WR_FLUSH_ERR"), hand.completions());
  }

  private static final long GROUP = MemoryPort.V4 | 0xE0010203L;

  private void multicast(int qkey) {
    hand.packet(Opcode.UD_SEND_ONLY, 5)
        .to(0xFFFFFF)
        .toAddress(0xE0010203)
        .bytes(8, 1)
        .qkey(qkey, 0x99)
        .inject();
  }

  // [rc D10]
  @Test
  void everyAttachedQueuePairWithTheQkeyGetsACopy() {
    var other = hand.pd.createQueuePair(hand.settings(QueuePairType.UD).qpNumWish(0x40));
    other.modify(
        new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
    other.modify(new QueuePairAttributes().state(QueuePairState.RTR));
    hand.postReceive(1, 0, 100);
    other.postReceive(hand.receive(2, 200, 100));
    hand.qp.attachMulticast(0, GROUP);
    other.attachMulticast(0, GROUP);
    other.attachMulticast(0, GROUP);
    assertEquals(1, hand.port.joined);
    multicast(QKEY);
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), hand.completions());
    assertEquals(HandFed.pattern(7, 1), hand.read(247, 1)[0]);
    multicast(QKEY + 1);
    assertEquals(1, hand.counter("qkey_viol_cntr"));
    hand.qp.detachMulticast(0, GROUP);
    other.detachMulticast(0, GROUP);
    other.close();
    assertEquals(0, hand.port.joined);
    multicast(QKEY);
    assertEquals(1, hand.counter("drop_unknown_qp"));
  }
}
