// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.sequence.Psn;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a responder does with requests it has already answered, and for how long it can. */
class RcDuplicatesTest {

  private static final int PSN = HandFed.EXPECTED_PSN;
  private static final int MTU = 1024;
  private HandFed hand;
  private EndpointPair.Wish wish;

  @BeforeEach
  void open() {
    hand = new HandFed();
    wish = new EndpointPair.Wish();
    hand.rtr(QueuePairType.RC, wish);
  }

  @AfterEach
  void close() {
    hand.close();
  }

  private void reopen() {
    hand.qp.close();
    hand.rtr(QueuePairType.RC, wish);
  }

  private HandFed.Packet write(int psn, long offset) {
    return hand.packet(Opcode.RC_WRITE_ONLY, psn)
        .bytes(8, psn)
        .remote(hand.at(offset), hand.region.rkey(), 8);
  }

  private HandFed.Packet read(int psn, long offset, int length) {
    return hand.packet(Opcode.RC_READ_REQUEST, psn)
        .remote(hand.at(offset), hand.region.rkey(), length);
  }

  private HandFed.Packet fetchAdd(int psn, long operand) {
    return hand.packet(Opcode.RC_FETCH_ADD, psn)
        .remote(hand.at(4096), hand.region.rkey(), 8)
        .atomic(operand, 0);
  }

  // [rc 3.2-1] However far behind, and with whatever key: a duplicate is not looked at.
  @ParameterizedTest
  @ValueSource(ints = {1, 1000, (1 << 23) - 16})
  void duplicateWriteIsAcknowledgedHoweverFarBehind(int distance) {
    write(PSN, 0).ack().inject();
    hand.said();
    hand.fill(64, 8, 200);
    hand.packet(Opcode.RC_WRITE_ONLY, Psn.add(PSN + 1, -distance))
        .bytes(8, 1)
        .remote(hand.at(64), distance == 1 ? hand.region.rkey() : 0xDEAD01, 8)
        .inject();
    assertEquals(List.of("RC_ACK 100 00 1"), hand.said());
    assertEquals(HandFed.pattern(0, 200), hand.read(64, 1)[0]);
    assertEquals(QueuePairState.RTR, hand.qp.state());
  }

  // [rc 3.2-1] [rc 24-2] The answer to a duplicate keeps its place behind READ responses.
  @Test
  void acknowledgementOfADuplicateDoesNotOvertakeReadResponses() {
    write(PSN, 0).ack().inject();
    hand.said();
    hand.port.roomLimit = 1;
    read(PSN + 1, 0, 3 * MTU).enqueue();
    write(PSN, 0).enqueue();
    hand.settle();
    assertEquals(
        "[RC_READ_RESP_FIRST 101 00 2, RC_READ_RESP_MIDDLE 102, RC_READ_RESP_LAST 103 00 2,"
            + " RC_ACK 100 00 2]",
        hand.said().toString());
  }

  // [rc 3.2-2] What is read again is the memory as it is now.
  @Test
  void duplicateReadReadsTheMemoryAgain() {
    hand.fill(0, 8, 1);
    read(PSN, 0, 8).inject();
    hand.sent();
    hand.fill(0, 8, 2);
    read(PSN, 0, 8).inject();
    HandFed.Sent again = hand.sent().get(0);
    assertArrayEquals(hand.read(0, 8), again.payload());
    assertEquals(HandFed.pattern(0, 2), again.payload()[0]);
  }

  // [rc 3.2-2] [rc 3.2-8] The key may have gone since: silence, and the queue pair lives.
  @Test
  void duplicateReadOfARegionThatHasGoneIsDropped() {
    MemoryRegion gone = hand.pd.register(hand.at(8192), 4096, EndpointPair.ALL_ACCESS);
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(8192), gone.rkey(), 100).inject();
    assertEquals(1, hand.sent().size());
    gone.close();
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(8192), gone.rkey(), 100).inject();
    assertEquals(List.of(), hand.said());
    assertEquals(QueuePairState.RTR, hand.qp.state());
    write(PSN + 1, 0).ack().inject();
    assertEquals(List.of("RC_ACK 101 00 2"), hand.said());
  }

  // [rc 3.2-3] [rc 24-3] [rc 24-13] Any part of the original, from any PSN it fits behind.
  @Test
  void duplicateReadMayAskForAnyPartOfItsOriginal() {
    hand.fill(0, 4 * MTU, 9);
    read(PSN, 0, 4 * MTU).inject();
    hand.sent();
    read(PSN, 0, MTU + 1).inject();
    assertEquals("[RC_READ_RESP_FIRST 100 00 1, RC_READ_RESP_LAST 101 00 1]", said());
    read(PSN + 1, MTU, 2 * MTU).inject();
    assertEquals("[RC_READ_RESP_FIRST 101 00 1, RC_READ_RESP_LAST 102 00 1]", said());
    read(PSN + 2, 7, 9).inject();
    HandFed.Sent odd = hand.sent().get(0);
    assertEquals("RC_READ_RESP_ONLY 102 00 1", odd.toString());
    assertArrayEquals(hand.read(7, 9), odd.payload());
    read(PSN, 0, 4 * MTU).inject();
    assertEquals(4, hand.sent().size());
    read(PSN + 3, 2 * MTU, MTU + 1).inject();
    assertEquals("[]", said());
  }

  private String said() {
    return hand.said().toString();
  }

  // [rc 3.2-4] The PSN of an atomic is no READ's, and the other way round.
  @Test
  void duplicateOfTheOtherKindIsDropped() {
    fetchAdd(PSN, 1).inject();
    read(PSN + 1, 4096, 8).inject();
    hand.sent();
    read(PSN, 4096, 8).inject();
    fetchAdd(PSN + 1, 1).inject();
    assertEquals("[]", said());
    assertEquals(1, NativeMemory.getLong(hand.at(4096)));
    assertEquals(2, hand.counter("drop_duplicate_request"));
  }

  // [rc 3.2-5] The PSN decides, whatever the operands are now.
  @Test
  void duplicateAtomicWithOtherOperandsGetsTheSavedAnswer() {
    NativeMemory.putLong(hand.at(4096), 5);
    fetchAdd(PSN, 3).inject();
    hand.sent();
    fetchAdd(PSN, 1000).inject();
    assertEquals(5, hand.sent().get(0).original());
    hand.packet(Opcode.RC_CMP_SWAP, PSN)
        .remote(hand.at(4096), hand.region.rkey(), 8)
        .atomic(77, 8)
        .inject();
    assertEquals(5, hand.sent().get(0).original());
    assertEquals(8, NativeMemory.getLong(hand.at(4096)));
  }

  // [rc 3.2-10] One ring for both kinds, in request order; the newest pushes out the oldest.
  @Test
  void readsAndAtomicsShareOneRing() {
    wish.maxRdAtomic = 2;
    reopen();
    read(PSN, 0, 8).inject();
    fetchAdd(PSN + 1, 1).inject();
    read(PSN + 2, 0, 8).inject();
    hand.sent();
    read(PSN, 0, 8).inject();
    assertEquals("[]", said());
    fetchAdd(PSN + 1, 1).inject();
    read(PSN + 2, 0, 8).inject();
    assertEquals("[RC_ATOMIC_ACK 101 00 3, RC_READ_RESP_ONLY 102 00 3]", said());
    assertEquals(1, NativeMemory.getLong(hand.at(4096)));
  }

  // [rc 3.2-9] [rc 3.2-11] [rc 3.2-12] Whatever was accepted and acknowledged since.
  @Test
  void resultsStayUntilTheyAreOverwritten() {
    fetchAdd(PSN, 1).inject();
    read(PSN + 1, 0, 2 * MTU).inject();
    for (int i = 3; i < 50; i++) {
      write(PSN + i, 64).ack().inject();
    }
    hand.sent();
    fetchAdd(PSN, 1).inject();
    read(PSN + 1, 0, 2 * MTU).inject();
    assertEquals(
        "[RC_ATOMIC_ACK 100 00 49, RC_READ_RESP_FIRST 101 00 49, RC_READ_RESP_LAST 102 00 49]",
        said());
    assertEquals(PSN + 50, hand.qp.query().rqPsn());
  }

  private void allow(int readsAndAtomics) {
    hand.qp.modify(
        new QueuePairAttributes().state(QueuePairState.SQD).maxDestRdAtomic(readsAndAtomics));
  }

  private void drainSends() {
    hand.qp.modify(EndpointPair.rts(hand.qp, HandFed.SEND_PSN, wish));
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.SQD));
  }

  // [rc 3.2-10] The peer may have lost the answers to what came before the change.
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8, 16})
  void anotherLimitForgetsNothingThatFits(int limit) {
    for (int i = 0; i < 6; i++) {
      fetchAdd(PSN + i, 1).inject();
    }
    drainSends();
    hand.said();
    allow(limit);
    for (int i = 4; i < 6; i++) {
      fetchAdd(PSN + i, 1).inject();
      hand.fill(4096, 8, 0);
    }
    assertEquals("[RC_ATOMIC_ACK 104 00 6, RC_ATOMIC_ACK 105 00 6]", said());
    assertEquals(0, hand.counter("drop_duplicate_request"));
    fetchAdd(PSN + 1, 1).inject();
    assertEquals("[]", said(), "four were remembered: a larger limit brings none back");
    assertEquals(1, hand.counter("drop_duplicate_request"));
    fetchAdd(PSN + 6, 1).inject();
    fetchAdd(PSN + 6, 1).inject();
    fetchAdd(PSN + 5, 1).inject();
    assertEquals(3, hand.sent().size(), "a new one, and the newest two again");
  }

  // [rc 3.2-10] Of a smaller limit the newest stay.
  @Test
  void smallerLimitKeepsTheNewest() {
    for (int i = 0; i < 4; i++) {
      fetchAdd(PSN + i, 1).inject();
    }
    drainSends();
    hand.said();
    allow(1);
    allow(4);
    fetchAdd(PSN + 3, 1).inject();
    assertEquals("[RC_ATOMIC_ACK 103 00 4]", said());
    fetchAdd(PSN + 2, 1).inject();
    assertEquals("[]", said());
    assertEquals(4, NativeMemory.getLong(hand.at(4096)));
  }

  // [rc 3.2-10] What is owed leaves, however many the new limit allows.
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 9})
  void anotherLimitKeepsTheAnswersThatAreOwed(int limit) {
    hand.port.refuses = true;
    read(PSN, 0, 2 * MTU).enqueue();
    fetchAdd(PSN + 2, 1).enqueue();
    read(PSN + 3, 0, 8).enqueue();
    hand.agent.doWork();
    drainSends();
    allow(limit);
    hand.port.refuses = false;
    hand.settle();
    assertEquals(
        "[RC_READ_RESP_FIRST 100 00 3, RC_READ_RESP_LAST 101 00 3, RC_ATOMIC_ACK 102 00 3,"
            + " RC_READ_RESP_ONLY 103 00 3]",
        said());
  }

  // [rc 3.2-13] [rc 1-11]
  @Test
  void resetForgetsWhatCouldBeAskedForAgain() {
    read(PSN, 0, 8).inject();
    fetchAdd(PSN + 1, 1).inject();
    hand.sent();
    hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
    hand.qp.toInit(wish.access);
    hand.qp.modify(EndpointPair.rtr(hand.qp, HandFed.PEER_QPN, HandFed.PEER, PSN + 2, wish));
    read(PSN, 0, 8).inject();
    fetchAdd(PSN + 1, 1).inject();
    assertEquals("[]", said());
    assertEquals(2, hand.counter("drop_duplicate_request"));
    assertEquals(1, NativeMemory.getLong(hand.at(4096)));
  }
}
