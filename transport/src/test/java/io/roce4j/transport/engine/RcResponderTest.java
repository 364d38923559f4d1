// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The responder alone: requests made by hand, answers read by hand. */
class RcResponderTest {

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

  private HandFed.Packet write(int opcode, int psn, int bytes, long offset, long length) {
    return hand.packet(opcode, psn)
        .bytes(bytes, psn)
        .remote(hand.at(offset), hand.region.rkey(), length);
  }

  private byte[] expected(int length, int seed) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = HandFed.pattern(i, seed);
    }
    return bytes;
  }

  // [rc 3-2] [rc 3-4] [rc 7-4] [rc S1] [rc S10] [rc S11]
  @Test
  void writeInThreePacketsIsPlacedAndAcknowledgedOnce() {
    write(Opcode.RC_WRITE_FIRST, PSN, MTU, 4096, 2 * MTU + 10).inject();
    hand.packet(Opcode.RC_WRITE_MIDDLE, PSN + 1).bytes(MTU, 1).inject();
    assertEquals(List.of(), hand.said());
    hand.packet(Opcode.RC_WRITE_LAST, PSN + 2).bytes(10, 2).ack().inject();
    assertEquals(List.of("RC_ACK 102 0000 1".replace("0000", credits(0))), hand.said());
    assertArrayEquals(expected(MTU, PSN), hand.read(4096, MTU));
    assertArrayEquals(expected(MTU, 1), hand.read(4096 + MTU, MTU));
    assertArrayEquals(expected(10, 2), hand.read(4096 + 2 * MTU, 10));
    assertEquals(1, hand.counter("rx_write_requests"));
  }

  /** Syndrome of an ACK with that many receives posted. */
  private static String credits(int receives) {
    return String.format(
        java.util.Locale.ROOT, "%02x", io.roce4j.wire.packet.Syndrome.creditCode(receives));
  }

  // [rc 1-9] [rc 19-5]
  @Test
  void commEstablishedIsRaisedOnceInRtr() {
    write(Opcode.RC_WRITE_ONLY, PSN, 4, 0, 4).inject();
    write(Opcode.RC_WRITE_ONLY, PSN + 1, 4, 0, 4).inject();
    assertEquals(List.of("COMM_EST"), hand.asyncEvents());
  }

  // [rc 1-9] [rc 19-5] Who is in RTS has been told by other means.
  @Test
  void commEstablishedIsNotRaisedInRts() {
    hand.qp.modify(EndpointPair.rts(hand.qp, HandFed.SEND_PSN, wish));
    write(Opcode.RC_WRITE_ONLY, PSN, 4, 0, 4).inject();
    assertEquals(List.of(), hand.asyncEvents());
  }

  // [rc 15-14] [rc 19-3] [rc S2]
  @ParameterizedTest
  @ValueSource(
      ints = {
        Opcode.RC_SEND_MIDDLE,
        Opcode.RC_SEND_LAST,
        Opcode.RC_WRITE_MIDDLE,
        Opcode.RC_WRITE_LAST
      })
  void middleOrLastWithoutFirstIsAnInvalidRequest(int opcode) {
    hand.packet(opcode, PSN).bytes(MTU, 0).inject();
    assertEquals(List.of("RC_ACK 100 61 0"), hand.said());
    assertEquals(QueuePairState.ERR, hand.qp.state());
    assertEquals(List.of("COMM_EST", "QP_REQ_ERR"), hand.asyncEvents());
  }

  // [rc S2]
  @ParameterizedTest
  @ValueSource(
      ints = {
        Opcode.RC_SEND_ONLY,
        Opcode.RC_WRITE_FIRST,
        Opcode.RC_READ_REQUEST,
        Opcode.RC_FETCH_ADD,
        Opcode.RC_SEND_MIDDLE
      })
  void nothingElseMayComeInsideAWrite(int opcode) {
    write(Opcode.RC_WRITE_FIRST, PSN, MTU, 0, 2 * MTU).inject();
    write(opcode, PSN + 1, opcode == Opcode.RC_WRITE_FIRST ? MTU : 0, 0, 8).inject();
    assertEquals(List.of("RC_ACK 101 61 0"), hand.said());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 14-5] [rc 15-14] [rc 19-3] [rc S3] [FC-13]
  @ParameterizedTest
  @ValueSource(ints = {Opcode.RC_WRITE_ONLY, Opcode.RC_READ_REQUEST, Opcode.RC_FETCH_ADD})
  void missingQueuePairRightIsAnInvalidRequest(int opcode) {
    hand.qp.close();
    wish.access = AccessFlags.LOCAL_WRITE;
    hand.rtr(QueuePairType.RC, wish);
    write(opcode, PSN, 0, 0, 0).inject();
    assertEquals(List.of("RC_ACK 100 61 0"), hand.said());
    assertEquals(List.of("COMM_EST", "QP_REQ_ERR"), hand.asyncEvents());
  }

  // [rc 15-16] [rc 18-1] [rc 19-4] [rc S7] [FC-08] [FC-13]
  @ParameterizedTest
  @ValueSource(ints = {Opcode.RC_WRITE_ONLY, Opcode.RC_READ_REQUEST, Opcode.RC_FETCH_ADD})
  void unknownKeyIsARemoteAccessErrorAtOnce(int opcode) {
    boolean write = opcode == Opcode.RC_WRITE_ONLY;
    hand.packet(opcode, PSN).bytes(write ? 8 : 0, 0).remote(hand.at(0), 0xDEAD01, 8).inject();
    assertEquals(List.of("RC_ACK 100 62 0"), hand.said());
    assertEquals(QueuePairState.ERR, hand.qp.state());
    assertEquals(List.of("COMM_EST", "QP_ACCESS_ERR"), hand.asyncEvents());
    assertEquals(1, hand.counter("resp_remote_access_errors"));
  }

  // [rc S7] [FC-20]
  @ParameterizedTest
  @CsvSource({"-1024, 1024", "1048575, 2", "1048576, 1", "-1, 1"})
  void rangesOutsideTheRegionAreRefusedWithoutWrapping(long offset, int length) {
    hand.packet(Opcode.RC_READ_REQUEST, PSN)
        .remote(hand.at(offset), hand.region.rkey(), length)
        .inject();
    assertEquals(List.of("RC_ACK 100 62 0"), hand.said());
  }

  // [FC-20]
  @Test
  void addressNearTheEndOfTheAddressSpaceDoesNotWrapIntoTheRegion() {
    hand.packet(Opcode.RC_READ_REQUEST, PSN)
        .remote(0xFFFF_FFFF_FFFF_FC00L, hand.region.rkey(), 0x400)
        .inject();
    assertEquals(List.of("RC_ACK 100 62 0"), hand.said());
    hand.packet(Opcode.RC_READ_REQUEST, PSN)
        .remote(0xFFFF_FFFF_FFFF_FC00L, hand.region.rkey(), 0x400)
        .inject();
    assertEquals(List.of(), hand.said());
  }

  // [FC-20]
  @Test
  void accessUpToTheLastByteOfTheRegionIsGood() {
    write(Opcode.RC_WRITE_ONLY, PSN, 2, HandFed.MEMORY_BYTES - 2, 2).ack().inject();
    assertEquals(List.of("RC_ACK 100 00 1"), hand.said());
  }

  // [rc S8] [FC-13]
  @Test
  void misalignedAtomicIsAnInvalidRequest() {
    hand.packet(Opcode.RC_FETCH_ADD, PSN).remote(hand.at(1), hand.region.rkey(), 8).inject();
    assertEquals(List.of("RC_ACK 100 61 0"), hand.said());
  }

  // [rc 3.1-2] [rc 6-9] [rc 6-10] [rc S5]
  @Test
  void sendWithoutAReceiveIsAskedToComeLater() {
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().inject();
    assertEquals(List.of("RC_ACK 100 2c 0"), hand.said());
    assertEquals(1, hand.counter("out_of_buffer"));
    assertEquals(1, hand.counter("send_rnr_err"));
    // [rc 3.1] Packets behind it are dropped in silence.
    hand.packet(Opcode.RC_SEND_ONLY, PSN + 1).bytes(8, 1).ack().inject();
    assertEquals(List.of(), hand.said());
    hand.postReceive(7, 0, 100);
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().inject();
    assertEquals(List.of("RC_ACK 100 00 1"), hand.said());
    assertEquals(List.of("7 SUCCESS"), hand.completions());
  }

  // [rc 6-12] [rc 7-5]
  @Test
  void rnrOfAWriteWithImmediateHitsItsLastPacketOnly() {
    write(Opcode.RC_WRITE_FIRST, PSN, MTU, 0, MTU + 8).inject();
    hand.packet(Opcode.RC_WRITE_LAST_IMM, PSN + 1).bytes(8, 5).immediate(77).ack().inject();
    assertEquals(List.of("RC_ACK 101 2c 0"), hand.said());
    assertArrayEquals(expected(MTU, PSN), hand.read(0, MTU));
    hand.qp.postReceive(new io.roce4j.transport.verbs.ReceiveRequest().wrId(9));
    hand.packet(Opcode.RC_WRITE_LAST_IMM, PSN + 1).bytes(8, 5).immediate(77).ack().inject();
    assertEquals(List.of("RC_ACK 101 00 1"), hand.said());
    hand.cq.poll(hand.completion);
    assertEquals(WorkCompletionOpcode.RECV_RDMA_WITH_IMM, hand.completion.opcode());
    assertEquals(MTU + 8, hand.completion.byteLength());
    assertEquals(77, hand.completion.immediate());
    assertEquals(WorkCompletionFlags.WITH_IMM, hand.completion.flags());
  }

  // [rc S6]
  @ParameterizedTest
  @CsvSource({
    "RC_SEND_FIRST, 1023",
    "RC_SEND_FIRST, 1025",
    "RC_SEND_ONLY, 1025",
    "RC_WRITE_FIRST, 1000",
    "RC_WRITE_ONLY, 1025",
    "RC_WRITE_ONLY, 99"
  })
  void wrongPacketLengthIsAnInvalidRequest(String opcode, int length) {
    hand.postReceive(1, 0, 5000);
    write(Opcode.byName(opcode), PSN, length, 0, 2048).inject();
    assertEquals(List.of("RC_ACK 100 61 0"), hand.said());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc S6]
  @ParameterizedTest
  @ValueSource(ints = {9, 11, 1024})
  void writeWhosePayloadsDoNotAddUpToItsLengthIsAnInvalidRequest(int length) {
    write(Opcode.RC_WRITE_FIRST, PSN, MTU, 0, MTU + 10).inject();
    hand.packet(Opcode.RC_WRITE_LAST, PSN + 1).bytes(length, 5).ack().inject();
    assertEquals(List.of("RC_ACK 101 61 0"), hand.said());
  }

  // [rc S6]
  @Test
  void lengthAboveTwoGiBIsAnInvalidRequest() {
    hand.packet(Opcode.RC_READ_REQUEST, PSN)
        .remote(hand.at(0), hand.region.rkey(), (1L << 31) + 1)
        .inject();
    assertEquals(List.of("RC_ACK 100 61 0"), hand.said());
  }

  // [rc 15-15] [rc 15-19] [rc 24-6] [rc 24-10] [rc S6]
  @Test
  void sendLongerThanTheReceiveEndsInALengthErrorHereAndAnInvalidRequestThere() {
    hand.postReceive(1, 0, 1500);
    hand.postReceive(2, 0, 1500);
    hand.packet(Opcode.RC_SEND_FIRST, PSN).bytes(MTU, 1).inject();
    hand.packet(Opcode.RC_SEND_LAST, PSN + 1).bytes(500, 1).ack().inject();
    assertEquals(List.of("RC_ACK 101 61 0"), hand.said());
    assertEquals(List.of("1 LOC_LEN_ERR", "2 WR_FLUSH_ERR"), hand.completions());
    assertEquals(List.of("COMM_EST"), hand.asyncEvents());
    assertEquals(1, hand.counter("resp_local_length_error"));
  }

  // [rc 15-17] [rc S9]
  @Test
  void receiveWithABadLocalKeyIsARemoteOperationalError() {
    hand.qp.postReceive(
        new io.roce4j.transport.verbs.ReceiveRequest().wrId(3).sge(hand.at(0), 100, 0xBAD01));
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().inject();
    assertEquals(List.of("RC_ACK 100 63 0"), hand.said());
    assertEquals(List.of("3 LOC_PROT_ERR"), hand.completions());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 3.1-1] [rc 3.1-3] [rc 3.1-4] [rc 21-3]
  @Test
  void nakOnGapIsSentOnce() {
    write(Opcode.RC_WRITE_ONLY, PSN + 2, 8, 0, 8).ack().inject();
    assertEquals(List.of("RC_ACK 100 60 0"), hand.said());
    write(Opcode.RC_WRITE_ONLY, PSN + 3, 8, 0, 8).ack().inject();
    write(Opcode.RC_WRITE_ONLY, PSN + 1, 8, 0, 8).ack().inject();
    assertEquals(List.of(), hand.said());
    assertEquals(3, hand.counter("out_of_sequence"));
    assertEquals(1, hand.counter("out_of_seq_request"));
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).ack().inject();
    assertEquals(List.of("RC_ACK 100 00 1"), hand.said());
    write(Opcode.RC_WRITE_ONLY, PSN + 5, 8, 0, 8).ack().inject();
    assertEquals(List.of("RC_ACK 101 60 1"), hand.said());
  }

  // [rc 3-2] [rc S11]
  @Test
  void oneAcknowledgementAnswersAWholeBurst() {
    for (int i = 0; i < 10; i++) {
      write(Opcode.RC_WRITE_ONLY, PSN + i, 8, 0, 8).ack().enqueue();
    }
    hand.settle();
    assertEquals(List.of("RC_ACK 109 00 10"), hand.said());
  }

  @Test
  void acknowledgementOfBeforeTheGapLeavesBeforeTheNak() {
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).ack().enqueue();
    write(Opcode.RC_WRITE_ONLY, PSN + 2, 8, 0, 8).ack().enqueue();
    write(Opcode.RC_WRITE_ONLY, PSN + 1, 8, 0, 8).ack().enqueue();
    hand.settle();
    assertEquals(List.of("RC_ACK 100 00 1", "RC_ACK 101 60 1", "RC_ACK 101 00 2"), hand.said());
  }

  // [rc S1] [rc 3.2-1] [rc 24-2]
  @Test
  void duplicateWriteChangesNothingAndIsAcknowledgedWithTheNewestPsn() {
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).ack().inject();
    write(Opcode.RC_WRITE_ONLY, PSN + 1, 8, 64, 8).ack().inject();
    hand.said();
    hand.fill(0, 8, 200);
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).inject();
    assertEquals(List.of("RC_ACK 101 00 2"), hand.said());
    assertArrayEquals(expected(8, 200), hand.read(0, 8));
    assertEquals(1, hand.counter("duplicate_request"));
  }

  // [rc 3.2-1]
  @Test
  void duplicateSendTakesNoReceive() {
    hand.postReceive(1, 0, 100);
    hand.postReceive(2, 0, 100);
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().inject();
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).ack().inject();
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    assertEquals(List.of("RC_ACK 100 01 1", "RC_ACK 100 01 1"), hand.said());
  }

  // [rc 3.2-8]
  @Test
  void faultsInADuplicateAreDroppedInSilence() {
    write(Opcode.RC_WRITE_ONLY, PSN, 8, 0, 8).ack().inject();
    hand.said();
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(0, 0xDEAD01, 8).inject();
    hand.packet(Opcode.RC_FETCH_ADD, PSN).remote(3, 0xDEAD01, 8).inject();
    hand.packet(Opcode.RC_FLUSH, PSN).inject();
    assertEquals(List.of(), hand.said());
    assertEquals(QueuePairState.RTR, hand.qp.state());
  }

  // [rc 3.3-4] [rc 14-1] [rc 14-2] [rc 14-3] [rc 14-4] [FC-19]
  @Test
  void zeroLengthOperationsDoNotLookAtTheKey() {
    hand.postReceive(1, 0, 100);
    hand.postReceive(2, 0, 0);
    hand.packet(Opcode.RC_WRITE_ONLY, PSN).remote(0, 0xDEADBEEF, 0).ack().inject();
    hand.packet(Opcode.RC_READ_REQUEST, PSN + 1).remote(0, 0xDEADBEEF, 0).ack().inject();
    hand.packet(Opcode.RC_SEND_ONLY, PSN + 2).ack().inject();
    hand.packet(Opcode.RC_WRITE_ONLY_IMM, PSN + 3)
        .remote(0, 0xDEADBEEF, 0)
        .immediate(5)
        .ack()
        .inject();
    assertEquals(
        List.of(
            "RC_ACK 100 02 1", "RC_READ_RESP_ONLY 101 02 2", "RC_ACK 102 01 3", "RC_ACK 103 00 4"),
        hand.said());
    hand.cq.poll(hand.completion);
    assertEquals(0, hand.completion.byteLength());
    hand.cq.poll(hand.completion);
    assertEquals(0, hand.completion.byteLength());
    assertEquals(5, hand.completion.immediate());
  }

  // [rc 3-5] [rc 7-6] [wire 6]
  @Test
  void readIsAnsweredInFullPacketsAndItsSuccessorAfterIt() {
    hand.fill(0, 3000, 9);
    hand.packet(Opcode.RC_READ_REQUEST, PSN)
        .remote(hand.at(0), hand.region.rkey(), 2 * MTU + 5)
        .ack()
        .enqueue();
    write(Opcode.RC_WRITE_ONLY, PSN + 3, 8, 8192, 8).ack().enqueue();
    hand.settle();
    List<HandFed.Sent> sent = hand.sent();
    assertEquals(
        "[RC_READ_RESP_FIRST 100 00 2, RC_READ_RESP_MIDDLE 101, RC_READ_RESP_LAST 102 00 2,"
            + " RC_ACK 103 00 2]",
        sent.toString());
    assertEquals(MTU, sent.get(0).payload().length);
    assertEquals(5, sent.get(2).payload().length);
    assertEquals(3, sent.get(2).padCount());
    assertEquals(HandFed.pattern(2 * MTU, 9), sent.get(2).payload()[0]);
  }

  // [rc 3.2-9] [FC-12] A
  @Test
  void replayedReadLeavesTheWriteInProgressAlone() {
    hand.qp.close();
    wish.pathMtu = 4096;
    hand.rtr(QueuePairType.RC, wish);
    int key = hand.region.rkey();
    int first = 20;
    reachPsn(first);
    hand.packet(Opcode.RC_READ_REQUEST, first).remote(hand.at(0), key, 12_288).inject();
    assertEquals(3, hand.said().size());
    hand.packet(Opcode.RC_WRITE_FIRST, 23)
        .bytes(4096, 1)
        .remote(hand.at(65_536), key, 8200)
        .inject();
    hand.packet(Opcode.RC_READ_REQUEST, first).remote(hand.at(0), key, 12_288).inject();
    assertEquals(
        "[RC_READ_RESP_FIRST 20 00 "
            + msn(1)
            + ", RC_READ_RESP_MIDDLE 21, RC_READ_RESP_LAST 22 00 "
            + msn(1)
            + "]",
        hand.said().toString());
    hand.packet(Opcode.RC_WRITE_FIRST, 23)
        .bytes(4096, 1)
        .remote(hand.at(65_536), key, 8200)
        .inject();
    assertEquals("[RC_ACK 23 00 " + msn(1) + "]", hand.said().toString());
    hand.packet(Opcode.RC_WRITE_MIDDLE, 24).bytes(4096, 2).inject();
    hand.packet(Opcode.RC_WRITE_LAST, 25).bytes(8, 3).ack().inject();
    assertEquals("[RC_ACK 25 00 " + msn(2) + "]", hand.said().toString());
    assertEquals(26, hand.qp.query().rqPsn());
  }

  private int writesBefore;

  private int msn(int more) {
    return writesBefore + more;
  }

  /** Moves the expected PSN from its start to psn, going round, by READs of many PSNs. */
  private void reachPsn(int psn) {
    hand.qp.close();
    hand.qp = hand.pd.createQueuePair(hand.settings(QueuePairType.RC));
    hand.qp.toInit(wish.access);
    hand.qp.modify(EndpointPair.rtr(hand.qp, HandFed.PEER_QPN, HandFed.PEER, psn, wish));
    writesBefore = 0;
  }

  // [FC-12] B
  @Test
  void duplicateWriteIsNeverAcknowledgedWithTheReadsPsn() {
    reachPsn(30);
    int key = hand.region.rkey();
    write(Opcode.RC_WRITE_ONLY, 30, 8, 0, 8).ack().inject();
    assertEquals(List.of("RC_ACK 30 00 1"), hand.said());
    hand.packet(Opcode.RC_READ_REQUEST, 31).remote(hand.at(0), key, 1024).inject();
    assertEquals(List.of("RC_READ_RESP_ONLY 31 00 2"), hand.said());
    write(Opcode.RC_WRITE_ONLY, 30, 8, 0, 8).ack().inject();
    assertEquals(List.of("RC_ACK 30 00 2"), hand.said());
  }

  // [rc 3.2-5] [rc 3.2-11] [FC-17]
  @Test
  void repeatedAtomicGetsTheSavedAnswerAndIsExecutedOnce() {
    NativeMemory.putLong(hand.at(4096), 5);
    for (int i = 0; i < 3; i++) {
      hand.packet(Opcode.RC_FETCH_ADD, PSN)
          .remote(hand.at(4096), hand.region.rkey(), 8)
          .atomic(3, 0)
          .inject();
      List<HandFed.Sent> sent = hand.sent();
      assertEquals("[RC_ATOMIC_ACK 100 00 1]", sent.toString());
      assertEquals(5, sent.get(0).original());
      if (i == 1) {
        NativeMemory.putLong(hand.at(4096), NativeMemory.getLong(hand.at(4096)) + 100);
      }
    }
    assertEquals(108, NativeMemory.getLong(hand.at(4096)));
    assertEquals(1, hand.counter("rx_atomic_requests"));
  }

  // [rc 3.2-6] [rc 3.2-10] [rc 24-12] [FC-17]
  @Test
  void duplicatesBeyondTheResourcesAreDropped() {
    for (int i = 0; i < wish.maxRdAtomic + 1; i++) {
      hand.packet(Opcode.RC_FETCH_ADD, PSN + i)
          .remote(hand.at(4096), hand.region.rkey(), 8)
          .atomic(1, 0)
          .inject();
    }
    hand.sent();
    hand.packet(Opcode.RC_FETCH_ADD, PSN)
        .remote(hand.at(4096), hand.region.rkey(), 8)
        .atomic(1, 0)
        .inject();
    assertEquals(List.of(), hand.said());
    hand.packet(Opcode.RC_FETCH_ADD, PSN + 1)
        .remote(hand.at(4096), hand.region.rkey(), 8)
        .atomic(1, 0)
        .inject();
    assertEquals(1, hand.sent().get(0).original());
    assertEquals(wish.maxRdAtomic + 1, NativeMemory.getLong(hand.at(4096)));
  }

  // [rc 7-7] [rc 18-10]
  @ParameterizedTest
  @CsvSource({"5, 5, 9, 9", "5, 6, 9, 5"})
  void compareAndSwapStoresOnlyWhenEqual(long before, long compare, long swap, long after) {
    NativeMemory.putLong(hand.at(8), before);
    hand.packet(Opcode.RC_CMP_SWAP, PSN)
        .remote(hand.at(8), hand.region.rkey(), 8)
        .atomic(swap, compare)
        .inject();
    assertEquals(before, hand.sent().get(0).original());
    assertEquals(after, NativeMemory.getLong(hand.at(8)));
  }

  // [rc 3.2-2] [rc 3.2-11] [rc 24-3]
  @Test
  void tailOfAReadIsAnsweredFromItsPsn() {
    hand.fill(0, 4 * MTU, 9);
    int key = hand.region.rkey();
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(0), key, 4 * MTU).inject();
    hand.sent();
    hand.packet(Opcode.RC_READ_REQUEST, PSN + 2).remote(hand.at(2 * MTU), key, 2 * MTU).inject();
    List<HandFed.Sent> sent = hand.sent();
    assertEquals("[RC_READ_RESP_FIRST 102 00 1, RC_READ_RESP_LAST 103 00 1]", sent.toString());
    assertEquals(HandFed.pattern(3 * MTU, 9), sent.get(1).payload()[0]);
    // The original head is still there.
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(0), key, 4 * MTU).inject();
    assertEquals(4, hand.sent().size());
  }

  // [rc 3.2-4] [rc 3.2-8] [rc 3.2-11] [FC-20]
  @Test
  void duplicateReadThatIsNotInsideItsOriginalIsDropped() {
    int key = hand.region.rkey();
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(0), key, 4 * MTU).inject();
    hand.sent();
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(0), key, 4 * MTU + 1).inject();
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(0), key + 1, 4 * MTU).inject();
    hand.packet(Opcode.RC_READ_REQUEST, PSN + 1).remote(hand.at(0), key, 4 * MTU).inject();
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(-1), key, 8).inject();
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(8), key, -8 & 0xFFFFFFFFL).inject();
    assertEquals(List.of(), hand.said());
    assertEquals(5, hand.counter("drop_duplicate_request"));
  }

  // [rc 1.1-14] [rc S4]
  @Test
  void noReadIsTakenWhenTheQueuePairAllowsNone() {
    hand.qp.close();
    wish.maxRdAtomic = 0;
    hand.rtr(QueuePairType.RC, wish);
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(0), hand.region.rkey(), 8).inject();
    assertEquals(List.of("RC_ACK 100 61 0"), hand.said());
  }

  // [rc 24-12] [rc S4]
  @Test
  void oneReadMoreThanAllowedWithoutAnAnswerIsAnInvalidRequest() {
    hand.port.refuses = true;
    for (int i = 0; i <= wish.maxRdAtomic; i++) {
      hand.packet(Opcode.RC_READ_REQUEST, PSN + i)
          .remote(hand.at(0), hand.region.rkey(), 8)
          .enqueue();
    }
    hand.agent.doWork();
    hand.port.refuses = false;
    hand.settle();
    List<String> said = hand.said();
    assertEquals(wish.maxRdAtomic + 1, said.size());
    assertEquals("RC_ACK 104 61 4", said.get(wish.maxRdAtomic));
  }

  // [rc 3-6]
  @Test
  void nakDoesNotOvertakeReadResponses() {
    hand.port.roomLimit = 1;
    hand.packet(Opcode.RC_READ_REQUEST, PSN)
        .remote(hand.at(0), hand.region.rkey(), 5 * MTU)
        .enqueue();
    write(Opcode.RC_WRITE_ONLY, PSN + 9, 8, 0, 8).ack().enqueue();
    hand.settle();
    List<String> said = hand.said();
    assertEquals(6, said.size());
    assertEquals("RC_ACK 105 60 1", said.get(5));
  }

  // [rc 7-8] [wire 5] [FC-03]
  @ParameterizedTest
  @ValueSource(ints = {Opcode.RC_FLUSH, Opcode.RC_ATOMIC_WRITE})
  void unsupportedOperationIsAnInvalidRequest(int opcode) {
    hand.packet(opcode, PSN)
        .bytes(opcode == Opcode.RC_ATOMIC_WRITE ? 8 : 0, 1)
        .remote(hand.at(0), hand.region.rkey(), 8)
        .inject();
    assertEquals(List.of("RC_ACK 100 61 0"), hand.said());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 3-3]
  @Test
  void afterAFatalNakEverythingIsDropped() {
    hand.postReceive(1, 0, 100);
    hand.packet(Opcode.RC_SEND_LAST, PSN).bytes(8, 0).inject();
    hand.said();
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 0).ack().inject();
    assertEquals(List.of(), hand.said());
    assertEquals(List.of("1 WR_FLUSH_ERR"), hand.completions());
    assertEquals(1, hand.counter("drop_qp_state"));
  }

  // [rc 17-2] [rc 17-3]
  @Test
  void scatterFillsTheListInOrderAndLeavesTheTailAlone() {
    hand.fill(0, 64, 200);
    hand.qp.postReceive(
        new io.roce4j.transport.verbs.ReceiveRequest()
            .wrId(4)
            .sge(hand.at(0), 3, hand.region.lkey())
            .sge(hand.at(16), 0, 0xBAD)
            .sge(hand.at(32), 9, hand.region.lkey()));
    hand.packet(Opcode.RC_SEND_ONLY, PSN).bytes(8, 1).inject();
    assertArrayEquals(expected(3, 1), hand.read(0, 3));
    assertEquals(HandFed.pattern(3, 200), hand.read(3, 1)[0]);
    byte[] second = hand.read(32, 9);
    for (int i = 0; i < 5; i++) {
      assertEquals(HandFed.pattern(3 + i, 1), second[i]);
    }
    assertEquals(HandFed.pattern(37, 200), second[5]);
  }
}
