// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.MemoryWindow;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Windows and invalidation as the engine executes them, on both sides of a connection. */
class RcWindowOperationsTest {

  private static final int PSN = HandFed.EXPECTED_PSN;
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

  private int bind(MemoryWindow window, int access) {
    int key = window.nextRkey();
    hand.post(
        new SendRequest()
            .wrId(1)
            .signaled(true)
            .bind(window, key, hand.region, hand.at(4096), 100, access));
    return key;
  }

  private void write(int psn, int key, long offset) {
    hand.packet(Opcode.RC_WRITE_ONLY, psn)
        .bytes(8, 1)
        .remote(hand.at(offset), key, 8)
        .ack()
        .inject();
  }

  // [rc 8-11] [rc 18-17]
  @Test
  void boundWindowGrantsItsRangeAndNothingElse() {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    int key = bind(window, AccessFlags.REMOTE_WRITE);
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    assertEquals(List.of(), hand.said());
    write(PSN, key, 4096 + 92);
    assertEquals("[RC_ACK 100 00 1]", hand.said().toString());
    write(PSN + 1, key, 4096 + 93);
    assertEquals("[RC_ACK 101 62 1]", hand.said().toString());
  }

  // [rc 15-10] [rc 16-1]
  @Test
  void refusedBindFailsItsRequest() {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    var plain = hand.pd.register(hand.at(0), 8192, AccessFlags.LOCAL_WRITE);
    hand.post(
        new SendRequest()
            .wrId(1)
            .bind(window, window.nextRkey(), plain, hand.at(0), 100, AccessFlags.REMOTE_READ));
    hand.post(hand.send(2, WorkRequestOpcode.SEND, 0, 8));
    assertEquals(List.of("1 MW_BIND_ERR", "2 WR_FLUSH_ERR"), hand.completions());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 8-6]
  @Test
  void localInvalidateEndsTheGrantInItsPlaceInTheQueue() {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    int key = bind(window, AccessFlags.REMOTE_WRITE);
    hand.post(hand.send(2, WorkRequestOpcode.SEND, 0, 8));
    hand.post(
        new SendRequest()
            .wrId(3)
            .opcode(WorkRequestOpcode.LOCAL_INV)
            .signaled(true)
            .invalidate(key));
    hand.post(hand.send(4, WorkRequestOpcode.SEND, 0, 8));
    assertEquals("[RC_SEND_ONLY 4096, RC_SEND_ONLY 4097]", hand.said().toString());
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    write(PSN, key, 4096);
    assertEquals("[RC_ACK 100 62 0]", hand.said().toString());
    assertEquals(List.of("2 WR_FLUSH_ERR", "3 WR_FLUSH_ERR", "4 WR_FLUSH_ERR"), hand.completions());
  }

  // [rc 8-2] [rc 8-6] completions come in posting order
  @Test
  void localOperationCompletesBehindTheRequestsBeforeIt() {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    hand.post(hand.send(7, WorkRequestOpcode.SEND, 0, 8));
    bind(window, AccessFlags.REMOTE_WRITE);
    assertEquals(List.of(), hand.completions());
    hand.packet(Opcode.RC_ACK, HandFed.SEND_PSN).aeth(0x1F, 1).inject();
    assertEquals(List.of("7 SUCCESS", "1 SUCCESS"), hand.completions());
  }

  // [rc 8-6] [rc Q5]
  @Test
  void fencedLocalInvalidateWaitsForEverythingBeforeIt() {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    int key = bind(window, AccessFlags.REMOTE_WRITE);
    hand.post(hand.send(2, WorkRequestOpcode.RDMA_READ, 0, 8).remote(0x9000, 0x77));
    hand.post(
        new SendRequest()
            .wrId(3)
            .opcode(WorkRequestOpcode.LOCAL_INV)
            .signaled(true)
            .fence()
            .invalidate(key));
    write(PSN, key, 4096);
    assertTrue(hand.said().contains("RC_ACK 100 00 1"));
    hand.packet(Opcode.RC_READ_RESP_ONLY, HandFed.SEND_PSN).aeth(0x1F, 1).bytes(8, 1).inject();
    assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS"), hand.completions());
    write(PSN + 1, key, 4096);
    assertEquals("[RC_ACK 101 62 1]", hand.said().toString());
  }

  // [rc 15-11]
  @Test
  void localInvalidateOfABadKeyFails() {
    hand.post(new SendRequest().wrId(3).opcode(WorkRequestOpcode.LOCAL_INV).invalidate(0xBAD01));
    assertEquals(List.of("3 LOC_QP_OP_ERR"), hand.completions());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 7-3] [rc 18-17]
  @Test
  void sendWithInvalidateEndsTheGrantBeforeItsCompletion() {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    int key = bind(window, AccessFlags.REMOTE_WRITE);
    hand.completions();
    hand.postReceive(5, 0, 100);
    hand.packet(Opcode.RC_SEND_ONLY_INV, PSN).bytes(4, 1).invalidate(key).ack().inject();
    assertEquals("[RC_ACK 100 00 1]", hand.said().toString());
    assertEquals(List.of("5 SUCCESS"), hand.completions());
    assertEquals(WorkCompletionFlags.WITH_INV, hand.completion.flags());
    assertEquals(key, hand.completion.invalidatedRkey());
    write(PSN + 1, key, 4096);
    assertEquals("[RC_ACK 101 62 1]", hand.said().toString());
  }

  // [rc 7-12] [rc 18-20] rxe answers with a positive ACK and falls silent
  @Test
  void invalidateOfAKeyThatCannotBeIsAnAccessError() {
    hand.postReceive(5, 0, 100);
    hand.packet(Opcode.RC_SEND_ONLY_INV, PSN)
        .bytes(4, 1)
        .invalidate(hand.region.rkey())
        .ack()
        .inject();
    assertEquals("[RC_ACK 100 62 0]", hand.said().toString());
    assertEquals(List.of("5 REM_INV_REQ_ERR"), hand.completions());
    assertEquals(QueuePairState.ERR, hand.qp.state());
  }

  // [rc 7-3]
  @Test
  void sendWithInvalidateCarriesTheKey() {
    hand.post(hand.send(1, WorkRequestOpcode.SEND_WITH_INV, 0, 2000).invalidate(0x12345678));
    List<HandFed.Sent> sent = hand.sent();
    assertEquals("[RC_SEND_FIRST 4096, RC_SEND_LAST_INV 4097]", sent.toString());
    assertEquals(0x12345678, sent.get(1).invalidate());
  }

  // [rc 18-16]
  @Test
  void type1WindowIsBoundByItsOwnVerb() {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_1);
    hand.qp.bindWindow(
        window,
        new SendRequest().wrId(1).signaled(true),
        hand.region,
        hand.at(4096),
        100,
        AccessFlags.REMOTE_READ);
    hand.settle();
    assertEquals(List.of("1 SUCCESS"), hand.completions());
    hand.packet(Opcode.RC_READ_REQUEST, PSN).remote(hand.at(4096), window.rkey(), 100).inject();
    assertEquals("[RC_READ_RESP_ONLY 100 00 1]", hand.said().toString());
    hand.packet(Opcode.RC_READ_REQUEST, PSN + 1).remote(hand.at(4096), window.rkey(), 101).inject();
    assertEquals("[RC_ACK 101 62 1]", hand.said().toString());
  }

  // [rc 18-3] [rc 18-17]
  @Test
  void windowBoundToAQueuePairServesNoOther() {
    MemoryWindow window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    int key = bind(window, AccessFlags.REMOTE_WRITE);
    var other = hand.pd.createQueuePair(hand.settings(QueuePairType.RC).qpNumWish(0x55));
    EndpointPair.bring(
        other, HandFed.PEER_QPN, HandFed.PEER, HandFed.SEND_PSN, PSN, new EndpointPair.Wish());
    hand.packet(Opcode.RC_WRITE_ONLY, PSN)
        .to(0x55)
        .bytes(8, 1)
        .remote(hand.at(4096), key, 8)
        .ack()
        .inject();
    assertEquals("[RC_ACK 100 62 0]", hand.said().toString());
    assertEquals(QueuePairState.ERR, other.state());
    assertEquals(QueuePairState.RTS, hand.qp.state());
  }
}
