// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.packet.Opcode;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The checks in front of every queue pair: order, one counter each, never an answer. */
class EndpointTest {

  private static final int PSN = HandFed.EXPECTED_PSN;
  private static final List<String> DROPS =
      List.of(
          "drop_length",
          "drop_opcode",
          "drop_tver",
          "drop_unknown_qp",
          "drop_qp_type",
          "drop_qp_state",
          "drop_address",
          "bad_pkey_cntr",
          "qkey_viol_cntr",
          "rx_icrc_encapsulated",
          "out_of_buffer",
          "drop_source_denied",
          "drop_source_limit");
  private HandFed hand;

  @BeforeEach
  void open() {
    hand = new HandFed();
    hand.rts(new EndpointPair.Wish());
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private void assertOnlyDrop(String counter) {
    assertOnlyDrop(counter, 1);
  }

  private void assertOnlyDrop(String counter, long times) {
    for (String drop : DROPS) {
      assertEquals(drop.equals(counter) ? times : 0, hand.counter(drop), drop);
    }
    assertEquals(List.of(), hand.said());
    assertEquals(PSN, hand.qp.query().rqPsn());
    assertEquals(QueuePairState.RTS, hand.qp.state());
  }

  private HandFed.Packet write() {
    return hand.packet(Opcode.RC_WRITE_ONLY, PSN).ack();
  }

  /** UDP payload of a packet given from the IPv4 header on. */
  private static byte[] udpPayload(String hex) {
    byte[] packet = HexFormat.of().parseHex(hex.replace(" ", ""));
    return java.util.Arrays.copyOfRange(packet, 28, packet.length);
  }

  @Test
  void goodPacketIsCountedAsReceived() {
    write().inject();
    assertEquals(1, hand.said().size());
    assertEquals(1, hand.counter("rcvd_pkts"));
    assertEquals(1, hand.counter("rdma_rx_packets"));
    assertEquals(32, hand.counter("rdma_rx_bytes"));
    assertEquals(1, hand.counter("sent_pkts"));
  }

  @Test
  void queuePairCountsItsOwnPacketsAndDrops() {
    hand.close();
    hand = new HandFed(EndpointSettings.defaults().withPerQueuePairCounters(true));
    hand.rts(new EndpointPair.Wish());
    write().inject();
    write().pkey(0x1234).inject();
    write().to(0x77).inject();
    assertEquals(1, hand.qp.queryCounters().get("rcvd_pkts"));
    assertEquals(1, hand.qp.queryCounters().get("bad_pkey_cntr"));
    assertEquals(0, hand.qp.queryCounters().get("drop_unknown_qp"));
    assertEquals(1, hand.counter("rcvd_pkts"));
    assertEquals(1, hand.counter("bad_pkey_cntr"));
    assertEquals(1, hand.counter("drop_unknown_qp"));
  }

  @Test
  void countersOfAQueuePairAreRefusedWhenNobodyCountsThem() {
    VerbsException refusal = assertThrows(VerbsException.class, hand.qp::queryCounters);
    assertEquals("EOPNOTSUPP", refusal.errno());
  }

  // [wire 16.1] [FC-02]
  @Test
  void datagramsShorterThanTheirHeadersAreDropped() {
    for (int length = 1; length < 16; length++) {
      hand.injectRaw(new byte[length]);
    }
    assertOnlyDrop("drop_length", 15);
  }

  // [wire 16.1] [FC-02]
  @Test
  void padLargerThanWhatIsThereIsDropped() {
    hand.injectRaw(
        udpPayload(
            "4502002c 00004000 4011b6bb c0000201 c0000202 c00012b7 00180000 0430ffff 00000011"
                + " 80000064 7f22a389"));
    assertOnlyDrop("drop_length");
  }

  // [wire 16.1] [FC-03] a
  @Test
  void undefinedOpcodeToTheMulticastNumberIsDropped() {
    hand.injectRaw(
        udpPayload(
            "45020044 00004000 4011b6a3 c0000201 c0000202 c00012b7 00300000 ff00ffff 00ffffff"
                + " 00000000 00000000 00000000 00000000 00000000 00000000 00000000 8f4c83ea"));
    assertOnlyDrop("drop_opcode");
  }

  // [FC-03] b
  @Test
  void noOpcodeWithoutItsHeadersDoesAnything() {
    for (int opcode = 0; opcode < 256; opcode++) {
      byte[] bare = new byte[12];
      bare[0] = (byte) opcode;
      hand.injectRaw(bare);
      byte[] zeros = new byte[44];
      zeros[0] = (byte) opcode;
      hand.injectRaw(zeros);
    }
    assertEquals(List.of(), hand.said());
    assertEquals(0, hand.counter("rcvd_pkts"));
  }

  // [FC-03] c [wire 5]
  @ParameterizedTest
  @CsvSource({"0x15", "0x18", "0x19", "0x1A", "0x1B", "0x1E", "0x1F"})
  void reservedRcOperationIsAnInvalidRequest(String opcode) {
    hand.injectSealed(Integer.decode(opcode), HandFed.QPN, PSN, 0);
    assertEquals(List.of("RC_ACK 100 61 0"), hand.said());
    assertEquals(QueuePairState.ERR, hand.qp.state());
    assertEquals(List.of("QP_REQ_ERR"), hand.asyncEvents());
    assertEquals(1, hand.counter("rcvd_pkts"));
    assertEquals(0, hand.counter("drop_opcode"));
  }

  // [FC-03]
  @ParameterizedTest
  @CsvSource({"0x15", "0x18", "0x19", "0x1A", "0x1B", "0x1E", "0x1F"})
  void reservedRcOperationAheadOrBehindIsCountedAsDropped(String opcode) {
    int dropped = 0;
    for (int distance : new int[] {-1, 1, -0x7FFFFF, 0x7FFFFF, 0x800000}) {
      hand.injectSealed(Integer.decode(opcode), HandFed.QPN, PSN + distance & 0xFFFFFF, 0);
      assertOnlyDrop("drop_opcode", ++dropped);
      assertEquals(dropped, hand.counter("rcvd_pkts"));
      assertEquals(dropped, hand.counter("rdma_rx_packets"));
    }
  }

  // [FC-03]
  @Test
  void reservedRcOperationElsewhereIsDropped() {
    hand.injectSealed(0x15, HandFed.QPN + 1, PSN, 0);
    assertOnlyDrop("drop_unknown_qp");
    hand.injectSealed(0x15, HandFed.QPN, PSN + 1, 0);
    hand.injectSealed(0x15, HandFed.QPN, PSN - 1, 0);
    assertEquals(List.of(), hand.said());
    assertEquals(QueuePairState.RTS, hand.qp.state());
  }

  // [wire 16.2]
  @Test
  void otherTransportVersionsAreDropped() {
    write().tver(1).inject();
    assertOnlyDrop("drop_tver");
  }

  // [wire 16.3]
  @ParameterizedTest
  @CsvSource({"0", "18", "16777214", "16777215", "1"})
  void unknownQueuePairsAreDropped(int qpn) {
    write().to(qpn).inject();
    assertOnlyDrop("drop_unknown_qp");
  }

  // [wire 16.4]
  @ParameterizedTest
  @CsvSource({"UC_SEND_ONLY", "UD_SEND_ONLY", "XRC_SEND_ONLY", "MX_WRITE"})
  void otherClassesAreDropped(String opcode) {
    hand.packet(Opcode.byName(opcode), PSN).inject();
    assertOnlyDrop("drop_qp_type");
  }

  // [rc 1-3] [wire 16.5]
  @Test
  void responsesInRtrAreDroppedAndRequestsTaken() {
    hand.qp.close();
    hand.rtr(QueuePairType.RC, new EndpointPair.Wish());
    hand.packet(Opcode.RC_ACK, PSN).inject();
    assertEquals(1, hand.counter("drop_qp_state"));
    write().inject();
    assertEquals(1, hand.said().size());
  }

  // [rc 1-1] [rc 1-2] [rc 1-7] [wire 16.5]
  @ParameterizedTest
  @CsvSource({"INIT", "RESET", "ERR"})
  void nothingIsTakenInStatesThatDoNotReceive(String state) {
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    if (!state.equals("ERR")) {
      hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
    }
    if (state.equals("INIT")) {
      hand.qp.toInit(EndpointPair.ALL_ACCESS & 15);
    }
    write().inject();
    hand.packet(Opcode.RC_ACK, PSN).inject();
    assertEquals(2, hand.counter("drop_qp_state"));
    assertEquals(List.of(), hand.said());
  }

  // [wire 16.6]
  @Test
  void packetsFromAnotherAddressAreDropped() {
    write().from(0xC0000203).inject();
    hand.packet(Opcode.RC_ACK, PSN).from(0xC0000203).inject();
    assertOnlyDrop("drop_address", 2);
  }

  // [wire 16.7] [wire 8]
  @ParameterizedTest
  @CsvSource({"0x1234", "0", "0x8000"})
  void otherPartitionsAreDropped(String pkey) {
    write().pkey(Integer.decode(pkey)).inject();
    assertOnlyDrop("bad_pkey_cntr");
  }

  // [wire 8]
  @Test
  void limitedMemberMayTalkToAFullOne() {
    write().pkey(0x7FFF).inject();
    assertEquals(1, hand.said().size());
  }

  // [wire 16.9] [wire 11.4]
  @Test
  void wrongIcrcIsDropped() {
    write().damaged().inject();
    hand.packet(Opcode.RC_ACK, PSN).damaged().inject();
    assertOnlyDrop("rx_icrc_encapsulated", 2);
    assertEquals(0, hand.counter("rcvd_pkts"));
  }

  // [wire 16] the first check that fails decides
  @Test
  void checksAreMadeInOrder() {
    write().tver(1).to(99).damaged().inject();
    assertOnlyDrop("drop_tver");
    write().to(99).from(1).pkey(0).damaged().inject();
    assertEquals(1, hand.counter("drop_unknown_qp"));
    hand.packet(Opcode.UC_SEND_ONLY, PSN).from(1).pkey(0).damaged().inject();
    assertEquals(1, hand.counter("drop_qp_type"));
    write().from(1).pkey(0).damaged().inject();
    assertEquals(1, hand.counter("drop_address"));
    write().pkey(0).damaged().inject();
    assertEquals(1, hand.counter("bad_pkey_cntr"));
    assertEquals(0, hand.counter("rx_icrc_encapsulated"));
  }

  // [FC-09] [wire 7]
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void migrationBitIsNeverAReasonToDrop(boolean migReq) {
    write().migReq(migReq).inject();
    assertEquals(1, hand.said().size());
  }

  // [FC-09]
  @Test
  void acknowledgementsOfBothKindsAreTaken() {
    hand.qp.close();
    EndpointPair.Wish wish = new EndpointPair.Wish();
    hand.qp = hand.pd.createQueuePair(hand.settings(QueuePairType.RC).qpNumWish(0x22));
    hand.qp.toInit(wish.access);
    hand.qp.modify(EndpointPair.rtr(hand.qp, 0x11, HandFed.PEER, 0x64, wish));
    hand.qp.modify(EndpointPair.rts(hand.qp, 0x64, wish));
    // The packets are 192.0.2.2 to 192.0.2.1: sealed anew for this side's address.
    for (int migReq = 0; migReq < 2; migReq++) {
      hand.post(hand.send(migReq, io.roce4j.transport.verbs.WorkRequestOpcode.SEND, 0, 1));
      hand.packet(Opcode.RC_ACK, 0x64 + migReq).to(0x22).aeth(0x1F, 1).migReq(migReq == 1).inject();
    }
    assertEquals(List.of("0 SUCCESS", "1 SUCCESS"), hand.completions());
  }

  @Test
  void sourcesOutsideTheAllowListAreDroppedFirst() {
    hand.close();
    hand =
        new HandFed(
            EndpointSettings.defaults()
                .withSourceFilter(
                    SourceFilter.ALLOW_ALL.allow(0, MemoryPort.V4 | 0xC0000200L, 96 + 31)));
    hand.rts(new EndpointPair.Wish());
    write().from(0xC0000202).inject();
    assertOnlyDrop("drop_source_denied");
    write().inject();
    assertEquals(1, hand.said().size());
  }

  @Test
  void prefixOfTooManyBitsIsRefused() {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> SourceFilter.ALLOW_ALL.allow(0, 0, 129));
    assertEquals("prefix of 129 bits: must be from 0 to 128", e.getMessage());
  }

  // [wire 12]
  @Test
  void markedDataMakeOneNotificationInTheInterval() {
    hand.packet(Opcode.RC_WRITE_ONLY, PSN).tos(3).inject();
    hand.packet(Opcode.RC_WRITE_ONLY, PSN + 1).tos(3).inject();
    List<HandFed.Sent> sent = hand.sent();
    assertEquals("[CNP 0]", sent.toString());
    assertEquals(HandFed.PEER_QPN, sent.get(0).destQp());
    assertEquals(0xC2, sent.get(0).tos());
    hand.advance(49_999);
    hand.packet(Opcode.RC_WRITE_ONLY, PSN + 2).tos(3).inject();
    assertEquals(List.of(), hand.said());
    hand.advance(1);
    hand.packet(Opcode.RC_WRITE_ONLY, PSN + 3).tos(3).inject();
    assertEquals("[CNP 0]", hand.said().toString());
    assertEquals(4, hand.counter("np_ecn_marked_roce_packets"));
    assertEquals(2, hand.counter("np_cnp_sent"));
  }

  // [wire 12]
  @Test
  void markedAcknowledgementsAndNotificationsAreNotAnswered() {
    hand.packet(Opcode.RC_ACK, PSN).tos(3).inject();
    hand.packet(Opcode.CNP, 0).tos(3).inject();
    assertEquals(List.of(), hand.said());
  }

  // [wire 12]
  @Test
  void notificationWithoutAControllerIsIgnoredAndCounted() {
    hand.packet(Opcode.CNP, 0).inject();
    assertEquals(1, hand.counter("rp_cnp_ignored"));
    assertEquals(0, hand.counter("rp_cnp_handled"));
    assertEquals(PSN, hand.qp.query().rqPsn());
    assertEquals(List.of(), hand.said());
    hand.packet(Opcode.CNP, 0).to(99).inject();
    assertEquals(1, hand.counter("drop_unknown_qp"));
  }

  // [wire 12] [FC-36]
  @Test
  void notificationReachesTheControllerAndDataAreEcnCapable() {
    hand.qp.close();
    EndpointPair.Wish wish = new EndpointPair.Wish();
    hand.qp = hand.pd.createQueuePair(hand.settings(QueuePairType.RC).congestion("dcqcn"));
    EndpointPair.bring(hand.qp, HandFed.PEER_QPN, HandFed.PEER, HandFed.SEND_PSN, PSN, wish);
    hand.packet(Opcode.CNP, 0).inject();
    assertEquals(1, hand.counter("rp_cnp_handled"));
    hand.post(hand.send(1, io.roce4j.transport.verbs.WorkRequestOpcode.SEND, 0, 10));
    assertEquals(2, hand.sent().get(0).tos());
  }

  @ParameterizedTest
  @EnumSource(IcrcMode.class)
  void identificationUnknownToThePortIsJudgedByTheMode(IcrcMode mode) {
    hand.close();
    hand = new HandFed(EndpointSettings.defaults().withIcrcMode(mode), false, false);
    hand.rts(new EndpointPair.Wish());
    // Small ones, a far one, its neighbour, a damaged packet.
    write().identification(0).inject();
    int zero = hand.said().size();
    hand.packet(Opcode.RC_WRITE_ONLY, PSN + zero).ack().identification(5).inject();
    int small = hand.said().size();
    int next = PSN + zero + small;
    hand.packet(Opcode.RC_WRITE_ONLY, next).ack().identification(40_000).inject();
    int far = hand.said().size();
    hand.packet(Opcode.RC_WRITE_ONLY, next + far).ack().identification(40_001).inject();
    int neighbour = hand.said().size();
    hand.packet(Opcode.RC_WRITE_ONLY, next + far + neighbour)
        .ack()
        .damaged()
        .identification(40_002)
        .inject();
    int damaged = hand.said().size();
    String expected =
        switch (mode) {
          case STRICT -> "10000";
          case AUTO, PLAUSIBLE -> "11010";
          case SOLVE -> "11110";
          case OFF -> "11111";
        };
    assertEquals(expected, "" + zero + small + far + neighbour + damaged);
    assertEquals(mode == IcrcMode.OFF ? 5 : 0, hand.counter("icrc_unchecked"));
  }

  @Test
  void trainIsCheckedPacketByPacketWithIdentificationsCountingUp() {
    hand.close();
    hand = new HandFed(EndpointSettings.defaults(), false, false);
    hand.rts(new EndpointPair.Wish());
    hand.injectBatch(8, PSN, 3);
    assertEquals(List.of("RC_ACK 107 00 8"), hand.said());
    hand.injectBatch(4, PSN + 8, 0);
    assertEquals(List.of("RC_ACK 111 00 12"), hand.said());
    // The first packet of a batch found out where it began; the others needed no solving.
    assertEquals(1, hand.counter("icrc_solved"));
  }

  @Test
  void settingsOutOfRangeAreRefusedWithTheirLimits() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> EndpointSettings.defaults().withWindowPackets(1));
    assertEquals("windowPackets 1: must be from 2 to 4194304", e.getMessage());
  }

  @Test
  void everyDropCounterHasItsName() {
    for (String drop : DROPS) {
      assertEquals(drop, CounterId.byLabel(drop).label());
    }
  }
}
