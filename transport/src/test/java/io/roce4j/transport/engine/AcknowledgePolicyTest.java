// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.packet.Opcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a responder acknowledges: by burst, by number of packets, and unasked to tell credits. */
class AcknowledgePolicyTest {
  private static final int PSN = HandFed.EXPECTED_PSN;

  private HandFed hand;

  @BeforeEach
  void open() {
    hand = new HandFed();
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private void connect(int ackEveryPackets) {
    QueuePairSettings settings = hand.settings(QueuePairType.RC).ackEveryPackets(ackEveryPackets);
    hand.qp = hand.pd.createQueuePair(settings);
    EndpointPair.Wish wish = new EndpointPair.Wish();
    hand.qp.toInit(wish.access);
    hand.qp.modify(
        EndpointPair.rtr(hand.qp, HandFed.PEER_QPN, HandFed.PEER, HandFed.EXPECTED_PSN, wish));
    hand.qp.modify(EndpointPair.rts(hand.qp, HandFed.SEND_PSN, wish));
  }

  private HandFed.Packet write(int psn) {
    return hand.packet(Opcode.RC_WRITE_ONLY, psn).ack();
  }

  /** PSNs and MSNs of the ACKs sent, without their credits. */
  private List<String> acks() {
    List<String> all = new ArrayList<>();
    hand.sent().forEach(s -> all.add(s.name().substring(3) + " " + s.psn() + " " + s.msn()));
    return all;
  }

  // [rc S11] [rc 3-2] [rc 3.3-2]
  @ParameterizedTest
  @CsvSource({
    "0,ACK 104 5",
    "1,ACK 100 1;ACK 101 2;ACK 102 3;ACK 103 4;ACK 104 5",
    "2,ACK 101 2;ACK 103 4;ACK 104 5",
    "4,ACK 103 4;ACK 104 5",
    "5,ACK 104 5",
    "9,ACK 104 5"
  })
  void burstHasAnAcknowledgementForAsManyPacketsAsTheQueuePairSays(int every, String expected) {
    connect(every);
    for (int i = 0; i < 5; i++) {
      write(PSN + i).enqueue();
    }
    hand.settle();
    assertEquals(List.of(expected.split(";", -1)), acks());
    // Nothing is counted over into the next burst.
    write(PSN + 5).inject();
    assertEquals(List.of("ACK 105 6"), acks());
  }

  @Test
  void packetThatDoesNotAskIsNotCounted() {
    connect(2);
    hand.packet(Opcode.RC_WRITE_ONLY, PSN).enqueue();
    write(PSN + 1).enqueue();
    hand.packet(Opcode.RC_WRITE_ONLY, PSN + 2).enqueue();
    write(PSN + 3).enqueue();
    hand.packet(Opcode.RC_WRITE_ONLY, PSN + 4).enqueue();
    hand.settle();
    assertEquals(List.of("ACK 103 4"), acks());
  }

  // [rc 3-6]
  @Test
  void acknowledgementsStandInFrontOfTheNakThatFollowsThem() {
    connect(1);
    write(PSN).enqueue();
    write(PSN + 1).enqueue();
    write(PSN + 5).enqueue();
    write(PSN + 2).enqueue();
    write(PSN + 3).enqueue();
    hand.settle();
    List<HandFed.Sent> sent = hand.sent();
    assertEquals(4, sent.size());
    assertEquals(List.of(100, 101, 102, 103), sent.stream().map(HandFed.Sent::psn).toList());
    assertEquals(0x60, sent.get(2).syndrome());
  }

  @Test
  void readAnswersAllThatAskedBeforeIt() {
    connect(1);
    write(PSN).enqueue();
    write(PSN + 1).enqueue();
    hand.packet(Opcode.RC_READ_REQUEST, PSN + 2)
        .remote(hand.at(0), hand.region.rkey(), 8)
        .enqueue();
    write(PSN + 3).enqueue();
    hand.settle();
    assertEquals(List.of("READ_RESP_ONLY 102 4", "ACK 103 4"), acks());
  }

  @Test
  void moreThanCanBeToldApartEndWithTheNewest() {
    connect(1);
    for (int i = 0; i < 100; i++) {
      write(PSN + i).enqueue();
    }
    hand.settle();
    List<String> acks = acks();
    assertEquals(64, acks.size());
    assertEquals("ACK 100 1", acks.getFirst());
    assertEquals("ACK 199 100", acks.getLast());
  }

  @Test
  void numberOutOfRangeIsRefused() {
    QueuePairSettings settings = hand.settings(QueuePairType.RC).ackEveryPackets(-1);
    assertThrows(VerbsException.class, () -> hand.pd.createQueuePair(settings));
  }

  private String ack(int psn, int credits, int msn) {
    int code = io.roce4j.wire.packet.Syndrome.creditCode(credits);
    return String.format(java.util.Locale.ROOT, "RC_ACK %d %02x %d", psn, code, msn);
  }

  // [rc 5-9]
  @Test
  void peerWithoutCreditsHearsOfNewReceivesOnce() {
    connect(0);
    write(PSN).inject();
    assertEquals(List.of(ack(PSN, 0, 1)), hand.said());
    hand.postReceive(1, 0, 64);
    hand.settle();
    assertEquals(List.of(ack(PSN, 1, 1)), hand.said());
    hand.postReceive(2, 0, 64);
    hand.settle();
    assertEquals(List.of(), hand.said());
    // Both are used up before the next ones come: told again.
    hand.packet(Opcode.RC_SEND_ONLY, PSN + 1).inject();
    assertEquals(List.of(), hand.said());
    hand.packet(Opcode.RC_SEND_ONLY, PSN + 2).inject();
    hand.postReceive(3, 0, 64);
    hand.settle();
    assertEquals(List.of(ack(PSN + 2, 1, 3)), hand.said());
  }

  @Test
  void peerThatWasToldNothingYetIsNotToldUnasked() {
    connect(0);
    hand.postReceive(1, 0, 64);
    hand.settle();
    assertEquals(List.of(), hand.said());
  }

  // [rc 5-9] [FC-14]
  @Test
  void peerThatWaitsAfterAnRnrNakComesBackByItself() {
    connect(0);
    write(PSN).inject();
    hand.packet(Opcode.RC_SEND_ONLY, PSN + 1).ack().inject();
    assertEquals(2, hand.said().size());
    hand.postReceive(1, 0, 64);
    hand.settle();
    assertEquals(List.of(), hand.said());
    hand.packet(Opcode.RC_SEND_ONLY, PSN + 1).ack().inject();
    assertEquals(List.of(ack(PSN + 1, 0, 2)), hand.said());
    assertEquals(List.of("1 SUCCESS"), hand.completions());
  }

  @Test
  void creditsAreToldUnaskedOnlyWhenThatIsOn() {
    hand.close();
    hand = new HandFed(EndpointSettings.defaults().withUnsolicitedCredits(false));
    connect(0);
    write(PSN).inject();
    assertEquals(1, hand.said().size());
    hand.postReceive(1, 0, 64);
    hand.settle();
    assertEquals(List.of(), hand.said());
  }

  @Test
  void nothingIsToldAfterAResetAboutTheSessionBefore() {
    connect(0);
    write(PSN).inject();
    hand.said();
    hand.qp.modify(
        new io.roce4j.transport.verbs.QueuePairAttributes()
            .state(io.roce4j.transport.verbs.QueuePairState.RESET));
    hand.qp.toInit(new EndpointPair.Wish().access);
    hand.postReceive(1, 0, 64);
    hand.settle();
    assertEquals(List.of(), hand.said());
  }
}
