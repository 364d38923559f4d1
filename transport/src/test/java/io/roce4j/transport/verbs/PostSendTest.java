// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.queue.SlotResult;
import io.roce4j.wire.memory.NativeMemory;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a post accepts and refuses [rc 13]. */
class PostSendTest {
  private static final int RC = QueuePairType.RC;
  private static final int UC = QueuePairType.UC;
  private static final int UD = QueuePairType.UD;
  private static final int RTS = QueuePairState.RTS;

  private final Bench bench = new Bench();

  @AfterEach
  void closeEverything() {
    bench.close();
  }

  private static void assertPosts(int expected, int result) {
    assertEquals(PostResult.name(expected), PostResult.name(result));
  }

  private static void assertPosted(QueuePair qp, SendRequest request) {
    assertPosts(PostResult.OK, qp.postSend(request));
  }

  // [rc 1-1] [rc 1-2] [rc 1-3] [rc 1-4] [rc 1-5] [rc 1-6] [rc 1-7] [rc 13-1]
  @ParameterizedTest(name = "[rc 1] in {0}: {1}")
  @CsvSource({
    "RESET, INVALID_STATE",
    "INIT, INVALID_STATE",
    "RTR, INVALID_STATE",
    "RTS, OK",
    "SQD, OK",
    "SQE, OK",
    "ERR, OK"
  })
  void stateDecidesWhetherSendsAreTaken(String state, String expected) {
    QueuePair qp = bench.queuePair(UC, stateOf(state));
    assertEquals(expected, PostResult.name(qp.postSend(bench.send())));
    assertEquals(
        expected.equals("OK") ? "OK" : "EINVAL", PostResult.errno(qp.postSend(bench.send())));
  }

  // [rc 1-1] [rc 1-2] [rc 1-3] [rc 1-4] [rc 1-7] [rc 13-1]
  @ParameterizedTest(name = "[rc 1] in {0}: {1}")
  @CsvSource({
    "RESET, INVALID_STATE",
    "INIT, OK",
    "RTR, OK",
    "RTS, OK",
    "SQD, OK",
    "SQE, OK",
    "ERR, OK"
  })
  void stateDecidesWhetherReceivesAreTaken(String state, String expected) {
    QueuePair qp = bench.queuePair(UC, stateOf(state));
    assertEquals(expected, PostResult.name(qp.postReceive(new ReceiveRequest())));
  }

  private static int stateOf(String name) {
    return IntStream.range(0, 7)
        .filter(s -> QueuePairState.name(s).equals(name))
        .findFirst()
        .orElseThrow();
  }

  static Stream<Arguments> opcodes() {
    String[] rows = {
      "SEND RC UC UD",
      "SEND_WITH_IMM RC UC UD",
      "SEND_WITH_INV RC",
      "RDMA_WRITE RC UC",
      "RDMA_WRITE_WITH_IMM RC UC",
      "RDMA_READ RC",
      "ATOMIC_CMP_AND_SWP RC",
      "ATOMIC_FETCH_AND_ADD RC",
      "LOCAL_INV RC UC",
      "BIND_MW RC UC",
      "FLUSH",
      "ATOMIC_WRITE",
      "10",
      "11",
      "255"
    };
    return Stream.of(rows)
        .flatMap(row -> Stream.of(RC, UC, UD).map(type -> Arguments.of(row, type)));
  }

  // [rc 13-6] [rc U1] [rc 20-13]
  @ParameterizedTest(name = "[rc 13] {0} on {1}")
  @MethodSource("opcodes")
  void opcodeMustFitTheType(String row, int type) {
    String name = row.replaceAll(" .*", "");
    int opcode =
        IntStream.range(0, 256)
            .filter(o -> WorkRequestOpcode.name(o).equals(name))
            .findFirst()
            .orElseThrow();
    boolean allowed = (row + " ").contains(" " + QueuePairType.name(type) + " ");
    QueuePair qp = bench.queuePair(type, RTS);
    AddressHandle handle = bench.pd.createAddressHandle(Bench.PEER);
    MemoryWindow window = bench.pd.allocateWindow(MemoryWindow.TYPE_2);
    SendRequest request =
        bench
            .send()
            .bind(window, window.nextRkey(), bench.mr, bench.mr.address(), 8, 0)
            .opcode(opcode)
            .remote(0x1000, 5)
            .datagram(handle, 9, 0x11);
    assertPosts(allowed ? PostResult.OK : PostResult.OPCODE_NOT_ALLOWED, qp.postSend(request));
  }

  // [rc 13-2]
  @Test
  void fullQueueIsNoMemory() {
    QueuePair qp = bench.queuePair(RC, RTS);
    for (int i = 0; i < 8; i++) {
      assertPosted(qp, bench.send());
    }
    int result = qp.postSend(bench.send());
    assertPosts(PostResult.SEND_QUEUE_FULL, result);
    assertEquals("ENOMEM", PostResult.errno(result));
    qp.sendQueue().release(1);
    assertPosted(qp, bench.send());
  }

  // [rc 13-3] [rc 17-4]
  @Test
  void tooManyEntriesAreRefused() {
    QueuePair qp = bench.queuePair(RC, RTS);
    SendRequest three = bench.send().sge(bench.mr.address(), 1, bench.mr.lkey()).sge(0, 0, 0);
    assertPosts(PostResult.TOO_MANY_SGES, qp.postSend(three));
    SendRequest overfull = new SendRequest(1).sge(0, 1, 1).sge(0, 1, 1);
    assertPosts(PostResult.TOO_MANY_SGES, qp.postSend(overfull));
    assertPosted(qp, overfull.clearSges().sge(0, 1, 1));
  }

  // [rc 13-4] [rc 13-11] [rc 17-4]
  @Test
  void inlineIsBoundByItsMaximumAndCopiedAtOnce() {
    QueuePair qp = bench.queuePair(RC, RTS);
    SendRequest request = new SendRequest().inline().sge(bench.mr.address(), 65, 0);
    assertPosts(PostResult.INLINE_TOO_LONG, qp.postSend(request));
    NativeMemory.fill(bench.memory.address(), 64, (byte) 3);
    request.clearSges().sge(bench.mr.address(), 32, bench.mr.lkey());
    request.sge(bench.mr.address() + 32, 32, 0xBAD);
    assertPosted(qp, request);
    NativeMemory.fill(bench.memory.address(), 64, (byte) 0);
    UnsafeBuffer packet = new UnsafeBuffer(new byte[64]);
    SendQueue queue = qp.sendQueue();
    assertEquals(
        SlotResult.OK,
        queue.gather(0, 0, packet, 0, 64, bench.context.memoryTable(), bench.pd.number()));
    for (int i = 0; i < 64; i++) {
      assertEquals(3, packet.getByte(i));
    }
  }

  @Test
  void inlineFromABufferNeedsNoRegistration() {
    QueuePair qp = bench.queuePair(RC, RTS);
    UnsafeBuffer source = new UnsafeBuffer(new byte[100]);
    assertPosted(qp, new SendRequest().inline(source, 20, 64));
    assertEquals(64, qp.sendQueue().totalLength(qp.sendQueue().slot(0)));
    assertPosts(PostResult.INLINE_TOO_LONG, qp.postSend(new SendRequest().inline(source, 20, 65)));
  }

  @Test
  void inlineOutsideEveryRegionIsRefusedInsteadOfRead() {
    QueuePair qp = bench.queuePair(RC, RTS);
    SendRequest request = new SendRequest().inline().sge(0x10, 8, bench.mr.lkey());
    assertPosts(PostResult.INLINE_UNREADABLE, qp.postSend(request));
    // Nothing is read for length 0.
    assertPosted(qp, request.clearSges().sge(0x10, 0, 0));
  }

  // [rc 13-5]
  @ParameterizedTest(name = "[rc 13] inline {0}")
  @CsvSource({"RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
  void resultsCannotBeInline(String name) {
    int opcode =
        IntStream.range(0, 16)
            .filter(o -> WorkRequestOpcode.name(o).equals(name))
            .findFirst()
            .orElseThrow();
    QueuePair qp = bench.queuePair(RC, RTS);
    assertPosts(PostResult.INLINE_NOT_ALLOWED, qp.postSend(bench.send().opcode(opcode).inline()));
  }

  // [rc 13-7]
  @Test
  void atomicsNeedEightBytesAndAnAlignedAddress() {
    QueuePair qp = bench.queuePair(RC, RTS);
    SendRequest request =
        new SendRequest()
            .opcode(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD)
            .sge(bench.mr.address(), 7, bench.mr.lkey())
            .remote(0x1000, 1);
    assertPosts(PostResult.ATOMIC_BUFFER_TOO_SHORT, qp.postSend(request));
    request.sge(bench.mr.address() + 7, 1, bench.mr.lkey());
    for (int off = 1; off < 8; off++) {
      assertPosts(PostResult.ATOMIC_MISALIGNED, qp.postSend(request.remote(0x1000 + off, 1)));
    }
    assertPosted(qp, request.remote(-8, 1).atomic(1, 2));
    assertEquals(1, qp.sendQueue().compareAdd(qp.sendQueue().slot(0)));
  }

  // [rc 13-8] [rc U10]
  @Test
  void messagesEndAtTwoGibibytes() {
    QueuePair qp = bench.queuePair(RC, RTS);
    assertPosted(qp, new SendRequest().sge(0, 1L << 31, 1));
    assertPosts(
        PostResult.MESSAGE_TOO_LONG, qp.postSend(new SendRequest().sge(0, (1L << 31) + 1, 1)));
    assertPosts(
        PostResult.MESSAGE_TOO_LONG,
        qp.postSend(new SendRequest().sge(0, 1L << 31, 1).sge(0, 1, 1)));
    assertPosts(PostResult.MESSAGE_TOO_LONG, qp.postSend(new SendRequest().sge(0, -1, 1)));
    assertPosts(
        PostResult.MESSAGE_TOO_LONG,
        qp.postSend(new SendRequest().sge(0, 1L << 32, 1).sge(0, 1, 1)));
  }

  // [rc 13-9]
  @Test
  void badLocalKeyIsTakenAtPostTime() {
    QueuePair qp = bench.queuePair(RC, RTS);
    assertPosted(qp, new SendRequest().sge(0xDEAD_0000L, 16, 0xBAD));
  }

  // [rc 13-13]
  @Test
  void noEntriesMakeAMessageOfLengthZero() {
    QueuePair qp = bench.queuePair(RC, RTS);
    assertPosted(qp, new SendRequest());
    assertEquals(0, qp.sendQueue().totalLength(qp.sendQueue().slot(0)));
    assertPosted(qp, new SendRequest().inline());
    assertEquals(0, qp.sendQueue().totalLength(qp.sendQueue().slot(1)));
  }

  // [rc D1] [rc D2] [rc 24-17]
  @Test
  void datagramsNeedHandleNumberAndRoomInTheMtu() {
    QueuePair qp = bench.queuePair(UD, RTS);
    AddressHandle handle = bench.pd.createAddressHandle(Bench.PEER);
    assertPosts(PostResult.ADDRESS_HANDLE_MISSING, qp.postSend(bench.send()));
    assertPosts(
        PostResult.QPN_OUT_OF_RANGE, qp.postSend(bench.send().datagram(handle, 0x0100_0011, 1)));
    SendRequest large =
        new SendRequest()
            .datagram(handle, 0xFF_FFFF, 1)
            .sge(bench.mr.address(), 1025, bench.mr.lkey());
    assertPosts(PostResult.MESSAGE_TOO_LONG, qp.postSend(large));
    assertPosted(qp, large.clearSges().sge(bench.mr.address(), 1024, bench.mr.lkey()));
    ProtectionDomain other = bench.context.allocateProtectionDomain();
    AddressHandle foreign = other.createAddressHandle(Bench.PEER);
    assertPosts(
        PostResult.ADDRESS_HANDLE_MISSING, qp.postSend(bench.send().datagram(foreign, 1, 1)));
    handle.close();
    assertPosts(
        PostResult.ADDRESS_HANDLE_MISSING, qp.postSend(bench.send().datagram(handle, 1, 1)));
  }

  // [rc 12-4]
  @Test
  void queuePairThatSignalsAllMarksEverySend() {
    QueuePair all = bench.pd.createQueuePair(bench.settings(RC).sqSigAll(true));
    Bench.walk(all, RTS);
    assertPosted(all, bench.send());
    assertEquals(SendFlags.SIGNALED, all.sendQueue().flags(all.sendQueue().slot(0)));
    QueuePair some = bench.queuePair(RC, RTS);
    assertPosted(some, bench.send().signaled(true).signaled(false).fence().solicited());
    assertEquals(
        SendFlags.FENCE | SendFlags.SOLICITED, some.sendQueue().flags(some.sendQueue().slot(0)));
  }

  // [rc 13-10]
  @Test
  void chainStopsAtTheBadRequestAndKeepsThoseBefore() {
    QueuePair qp = bench.queuePair(RC, RTS);
    SendRequest[] chain = {
      bench.send().wrId(10), bench.send().wrId(11), bench.send().opcode(99), bench.send().wrId(13)
    };
    long packed = qp.postSend(chain, 4);
    assertPosts(PostResult.OPCODE_NOT_ALLOWED, PostResult.result(packed));
    assertEquals(2, PostResult.posted(packed));
    assertEquals(2, qp.sendQueue().publishedTail());
    assertEquals(11, qp.sendQueue().wrId(qp.sendQueue().slot(1)));
    packed = qp.postSend(chain, 2);
    assertPosts(PostResult.OK, PostResult.result(packed));
    assertEquals(2, PostResult.posted(packed));
  }

  @Test
  void chainLongerThanTheQueueStopsWhereItIsFull() {
    QueuePair qp = bench.queuePair(RC, RTS);
    SendRequest[] chain = new SendRequest[10];
    for (int i = 0; i < 10; i++) {
      chain[i] = bench.send().wrId(i);
    }
    long packed = qp.postSend(chain, 10);
    assertPosts(PostResult.SEND_QUEUE_FULL, PostResult.result(packed));
    assertEquals(8, PostResult.posted(packed));
  }

  @Test
  void chainRingsOnce() {
    QueuePair qp = bench.queuePair(RC, RTS);
    qp.postSend(new SendRequest[] {bench.send(), bench.send(), bench.send()}, 3);
    int[] rings = new int[1];
    bench.context.doorbells().drain(qpn -> rings[0]++, 10);
    assertEquals(1, rings[0]);
  }

  // [rc 13-2] [rc 13-3]
  @Test
  void receivesFollowTheSameRules() {
    QueuePair qp = bench.queuePair(RC, QueuePairState.INIT);
    ReceiveRequest three = new ReceiveRequest().sge(0, 1, 1).sge(0, 1, 1).sge(0, 1, 1);
    assertPosts(PostResult.TOO_MANY_SGES, qp.postReceive(three));
    ReceiveRequest wide = new ReceiveRequest().sge(0, (1L << 31) + 1, 1);
    assertPosts(PostResult.MESSAGE_TOO_LONG, qp.postReceive(wide));
    ReceiveRequest[] list = {
      new ReceiveRequest().wrId(1).sge(0, 4, 1), new ReceiveRequest().wrId(2), three
    };
    long packed = qp.postReceive(list, 3);
    assertPosts(PostResult.TOO_MANY_SGES, PostResult.result(packed));
    assertEquals(2, PostResult.posted(packed));
    for (int i = 0; i < 6; i++) {
      assertPosts(PostResult.OK, qp.postReceive(list[0]));
    }
    int result = qp.postReceive(list[0]);
    assertPosts(PostResult.RECEIVE_QUEUE_FULL, result);
    assertEquals("ENOMEM", PostResult.errno(result));
    assertEquals(8, qp.receiveQueue().available());
    assertTrue(qp.acquireReceive(7));
    assertEquals(false, qp.acquireReceive(8));
    assertEquals(2, qp.receiveQueue().wrId(qp.receiveQueue().slot(1)));
  }

  @Test
  void bindOfTypeTwoIsAWorkRequestAndOfTypeOneAVerb() {
    QueuePair qp = bench.queuePair(RC, RTS);
    MemoryWindow one = bench.pd.allocateWindow(MemoryWindow.TYPE_1);
    MemoryWindow two = bench.pd.allocateWindow(MemoryWindow.TYPE_2);
    long address = bench.mr.address();
    SendRequest request = new SendRequest().wrId(5);
    assertPosts(
        PostResult.WINDOW_NOT_ALLOWED,
        qp.postSend(request.bind(one, one.nextRkey(), bench.mr, address, 8, 2)));
    assertPosts(
        PostResult.WINDOW_NOT_ALLOWED, qp.bindWindow(two, request, bench.mr, address, 8, 2));
    assertPosts(
        PostResult.WINDOW_NOT_ALLOWED,
        qp.postSend(request.bind(two, two.nextRkey(), bench.mr, address, 8, 1)));
    int newKey = two.nextRkey();
    assertPosted(qp, request.bind(two, newKey, bench.mr, address, 8, 2));
    int before = one.rkey();
    assertPosts(PostResult.OK, qp.bindWindow(one, request.wrId(6), bench.mr, address, 16, 2));
    assertNotEquals(before, one.rkey());
    SendQueue queue = qp.sendQueue();
    int slot = queue.slot(1);
    assertEquals(6, queue.wrId(slot));
    assertEquals(WorkRequestOpcode.BIND_MW, queue.opcode(slot));
    assertEquals(one.rkey(), queue.rkey(slot));
    MemoryTable table = bench.context.memoryTable();
    for (int i = 0; i < 2; i++) {
      int s = queue.slot(i);
      assertEquals(
          0,
          table.bindWindow(
              queue.remoteQpn(s),
              queue.rkey(s),
              queue.invalidateRkey(s),
              queue.remoteVa(s),
              queue.compareAdd(s),
              queue.immediate(s),
              bench.pd.number(),
              qp.qpNum()));
    }
    assertEquals(newKey, two.rkey());
    assertEquals(
        bench.memory.address(),
        table.resolve(one.rkey(), address, 16, 2, bench.pd.number(), qp.qpNum() + 1));
  }

  @Test
  void requestsMayBeReusedRightAfterPosting() {
    QueuePair qp = bench.queuePair(RC, RTS);
    SendRequest request = bench.send().wrId(1).remote(0x77, 8);
    assertPosted(qp, request);
    request.clear().wrId(2);
    SendQueue queue = qp.sendQueue();
    assertEquals(1, queue.wrId(queue.slot(0)));
    assertEquals(0x77, queue.remoteVa(queue.slot(0)));
    assertEquals(16, queue.totalLength(queue.slot(0)));
  }
}
