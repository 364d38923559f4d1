// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static io.roce4j.transport.verbs.Bench.assertErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Domains, regions, windows [rc 18], handles, queries [rc 22] [rc 23], events [rc 19], the end. */
class RdmaContextTest {
  private static final int WRITE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;

  private final Bench bench = new Bench();

  @AfterEach
  void closeEverything() {
    bench.close();
  }

  private long resolve(MemoryRegion mr, long address, long length) {
    return bench
        .context
        .memoryTable()
        .resolveLocal(mr.lkey(), address, length, 0, bench.pd.number());
  }

  @Test
  void anyOffHeapMemoryCanBeRegistered() {
    ByteBuffer direct = ByteBuffer.allocateDirect(64).position(8).limit(40).slice();
    MemoryRegion ofByteBuffer = bench.pd.register(direct, WRITE);
    assertEquals(32, ofByteBuffer.length());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocate(100);
      MemoryRegion ofSegment = bench.pd.register(segment, 0);
      assertEquals(segment.address(), ofSegment.address());
      assertEquals(segment.address() + 99, resolve(ofSegment, segment.address() + 99, 1));
      ofSegment.close();
    }
    UnsafeBuffer buffer = NativeMemory.allocate("registered", 256, 64);
    MemoryRegion ofBuffer = bench.pd.register(buffer, WRITE);
    assertEquals(buffer.addressOffset(), ofBuffer.address());
    assertEquals(256, ofBuffer.length());
    assertEquals(ofBuffer.lkey(), ofBuffer.rkey());
    ofBuffer.close();
    NativeMemory.release(buffer);
  }

  @Test
  void heapAndReadOnlyMemoryIsRefusedWithTheCure() {
    assertErrno("EINVAL", "allocateDirect", () -> bench.pd.register(ByteBuffer.allocate(8), WRITE));
    assertErrno(
        "EINVAL",
        "read-only",
        () -> bench.pd.register(ByteBuffer.allocateDirect(8).asReadOnlyBuffer(), WRITE));
    assertErrno("EINVAL", "heap", () -> bench.pd.register(new UnsafeBuffer(new byte[8]), WRITE));
    assertErrno(
        "EINVAL", "heap", () -> bench.pd.register(MemorySegment.ofArray(new byte[8]), WRITE));
  }

  @Test
  void regionsLargerThanTwoGibibytesKeepTheirLength() {
    // The table only compares; nothing is read or written through this region.
    long length = 5L << 30;
    MemoryRegion mr = bench.pd.register(0x7000_0000_0000L, length, WRITE);
    assertEquals(length, mr.length());
    assertEquals(0x7000_0000_0000L + length - 1, resolve(mr, 0x7000_0000_0000L + length - 1, 1));
    assertTrue(resolve(mr, 0x7000_0000_0000L + length - 1, 2) < 0);
  }

  // [rc 18-8] [rc 18-10] [rc 18-13] [rc 18-15]
  @Test
  void registrationChecksFlagsAndSizes() {
    long address = bench.memory.address();
    assertErrno(
        "EINVAL",
        "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE",
        () -> bench.pd.register(address, 8, AccessFlags.REMOTE_WRITE));
    assertErrno(
        "EINVAL", "need LOCAL_WRITE", () -> bench.pd.register(address, 8, 8 /* REMOTE_ATOMIC */));
    assertErrno("EINVAL", "0x100", () -> bench.pd.register(address, 8, 256));
    assertErrno("EINVAL", "length 0", () -> bench.pd.register(address, 0, 0));
    assertErrno("EINVAL", "length -1", () -> bench.pd.register(address, -1, 0));
    assertErrno("EINVAL", "address 0", () -> bench.pd.register(0, 8, 0));
    assertErrno("EINVAL", "passes 2^64", () -> bench.pd.register(-4, 8, 0));
    bench.pd.register(
        address, 8, AccessFlags.ON_DEMAND | AccessFlags.HUGETLB | AccessFlags.RELAXED_ORDERING);
  }

  // [rc 18-12]
  @Test
  void wishesForAddressAndKeyAreGrantedOrRefused() {
    MemoryRegion mr = bench.pd.register(bench.memory.address(), 64, WRITE, 0x1000, 0x102);
    assertEquals(0x1000, mr.address());
    assertEquals(0x102, mr.rkey());
    assertEquals(bench.memory.address() + 4, resolve(mr, 0x1004, 4));
    assertErrno(
        "EINVAL",
        "key 0x102",
        () -> bench.pd.register(bench.memory.address(), 64, WRITE, 0x1000, 0x102));
    MemoryRegion zero =
        bench.pd.register(bench.memory, AccessFlags.LOCAL_WRITE | AccessFlags.ZERO_BASED);
    assertEquals(0, zero.address());
    assertEquals(bench.memory.address() + 9, resolve(zero, 9, 1));
  }

  @Test
  void reregisteringKeepsKeysAndMovesTheRegion() {
    ProtectionDomain other = bench.context.allocateProtectionDomain();
    MemoryRegion mr = bench.pd.register(bench.memory.address(), 64, WRITE);
    int key = mr.lkey();
    mr.reregister(other, bench.memory.address() + 128, 32, AccessFlags.LOCAL_WRITE);
    assertEquals(key, mr.lkey());
    assertEquals(bench.memory.address() + 128, mr.address());
    assertEquals(32, mr.length());
    assertSame(other, mr.protectionDomain());
    assertTrue(resolve(mr, mr.address(), 1) < 0, "the old domain lost it");
    assertErrno("EBUSY", "1 objects", other::close);
    mr.close();
    other.close();
    assertErrno("EINVAL", "closed", () -> mr.reregister(bench.pd, bench.memory.address(), 1, 0));
  }

  @Test
  void sameSeedGivesTheSameKeysAndAnotherSeedOthers() {
    Set<Integer> keys = new HashSet<>();
    for (long seed : new long[] {5, 5, 6}) {
      try (NativeRegion memory = NativeRegion.allocate("other", 64)) {
        RdmaContext context =
            new RdmaContext(
                new ContextSettings().seed(seed), new BareControlPlane(), ControlTurns.direct());
        keys.add(context.allocateProtectionDomain().register(memory, 0).rkey());
        context.close();
      }
    }
    assertEquals(2, keys.size());
  }

  @Test
  void regionWithBoundWindowIsNotDeregistered() {
    MemoryWindow window = bench.pd.allocateWindow(MemoryWindow.TYPE_2);
    int key = window.nextRkey();
    MemoryRegion mr =
        bench.pd.register(
            bench.memory.address(), 64, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND);
    MemoryTable table = bench.context.memoryTable();
    assertEquals(
        0,
        table.bindWindow(
            MemoryTable.WINDOW_TYPE_2, key, mr.lkey(), mr.address(), 8, 2, bench.pd.number(), 7));
    assertErrno("EINVAL", "unbind or invalidate", mr::close);
    window.close();
    window.close();
    mr.close();
    mr.close();
    assertErrno("EINVAL", "type 3", () -> bench.pd.allocateWindow(3));
    assertEquals(0x205, bench.pd.allocateWindow(MemoryWindow.TYPE_1, 0x205).rkey());
  }

  @Test
  void windowKeysCountInTheirLowByteOnly() {
    MemoryWindow window = bench.pd.allocateWindow(MemoryWindow.TYPE_2, 0xABCD_EFFF);
    assertEquals(0xABCD_EF00, window.nextRkey());
  }

  @Test
  void destroyedQueuePairFreesTheWindowsBoundToIt() {
    QueuePair qp = bench.queuePair(QueuePairType.RC, QueuePairState.RTS);
    MemoryWindow window = bench.pd.allocateWindow(MemoryWindow.TYPE_2);
    MemoryTable table = bench.context.memoryTable();
    int key = window.nextRkey();
    table.bindWindow(
        MemoryTable.WINDOW_TYPE_2,
        key,
        bench.mr.lkey(),
        bench.mr.address(),
        8,
        2,
        bench.pd.number(),
        qp.qpNum());
    assertEquals(0, table.check(key, bench.mr.address(), 8, 2, bench.pd.number(), qp.qpNum()));
    qp.close();
    assertNotEquals(0, table.check(key, bench.mr.address(), 8, 2, bench.pd.number(), qp.qpNum()));
  }

  @Test
  void domainWithObjectsIsBusy() {
    ProtectionDomain pd = bench.context.allocateProtectionDomain();
    MemoryRegion mr = pd.register(bench.memory, 0);
    AddressHandle handle = pd.createAddressHandle(Bench.PEER);
    MemoryWindow window = pd.allocateWindow(MemoryWindow.TYPE_1);
    SharedReceiveQueue srq = pd.createSharedReceiveQueue(1, 1);
    QueuePair qp = pd.createQueuePair(bench.settings(QueuePairType.RC));
    assertErrno("EBUSY", "still has 5 objects", pd::close);
    mr.close();
    handle.close();
    window.close();
    srq.close();
    qp.close();
    pd.close();
    pd.close();
    assertErrno("EINVAL", "deallocated", () -> pd.register(bench.memory, 0));
  }

  @Test
  void addressHandlesAreFoundByNumberUntilClosed() {
    AddressHandle[] handles = new AddressHandle[40];
    for (int i = 0; i < handles.length; i++) {
      handles[i] = bench.pd.createAddressHandle(Bench.PEER.withFlowLabel(i));
      assertEquals(i, handles[i].number());
    }
    assertEquals(39, bench.context.addressHandle(39).address().flowLabel());
    handles[7].close();
    handles[7].close();
    handles[3].close();
    assertNull(bench.context.addressHandle(7));
    assertNull(bench.context.addressHandle(-1));
    assertNull(bench.context.addressHandle(1 << 20));
    assertEquals(3, bench.pd.createAddressHandle(Bench.PEER).number());
    assertEquals(7, bench.pd.createAddressHandle(Bench.PEER).number());
    assertEquals(40, bench.pd.createAddressHandle(Bench.PEER).number());
  }

  @Test
  void queuePairSettingsAreChecked() {
    assertErrno(
        "EINVAL",
        "maxSendWr 0: allowed 1..65536",
        () -> bench.pd.createQueuePair(bench.settings(2).maxSendWr(0)));
    assertErrno(
        "EINVAL",
        "maxSendSge 33",
        () -> bench.pd.createQueuePair(bench.settings(2).maxSendSge(33)));
    assertErrno(
        "EINVAL",
        "maxInlineData 4097",
        () -> bench.pd.createQueuePair(bench.settings(2).maxInlineData(4097)));
    assertErrno("EINVAL", "type 9", () -> bench.pd.createQueuePair(bench.settings(9)));
    assertErrno(
        "EINVAL", "needs sendCq", () -> bench.pd.createQueuePair(bench.settings(2).sendCq(null)));
    assertErrno(
        "EINVAL", "for RC only", () -> bench.pd.createQueuePair(bench.settings(3).profile("mx")));
    // The engine knows which profiles there are; its refusal leaves nothing behind.
    assertErrno(
        "EINVAL",
        "known are rc",
        () -> bench.pd.createQueuePair(bench.settings(2).profile("mx").qpNumWish(99)));
    QueuePair qp = bench.pd.createQueuePair(bench.settings(2).qpNumWish(99));
    assertEquals(99, qp.qpNum());
    assertErrno(
        "EBUSY", "99 is in use", () -> bench.pd.createQueuePair(bench.settings(2).qpNumWish(99)));
    qp.close();
    assertEquals(99, bench.pd.createQueuePair(bench.settings(2).qpNumWish(99)).qpNum());
  }

  // [rc 7-15] [rc 17-4] [rc 22-1..5] [rc 23-1..6]
  @Test
  void queryTellsLiveStateAndNumbersAndWhatWasSet() {
    QueuePair qp = bench.queuePair(QueuePairType.RC, QueuePairState.SQD);
    bench.plane.liveSqPsn = 0xABC;
    bench.plane.liveRqPsn = 0xDEF;
    bench.plane.liveDraining = true;
    QueuePairAttributes answer = qp.query();
    assertEquals(QueuePairState.SQD, answer.state());
    assertEquals(0xABC, answer.sqPsn());
    assertEquals(0xDEF, answer.rqPsn());
    assertTrue(answer.sqDraining());
    assertEquals(34, answer.destQpNum());
    assertEquals(1024, answer.pathMtuBytes());
    assertEquals(Bench.PEER, answer.addressVector());
    assertEquals(5, qp.attributes().sqPsn(), "what was set stays");
    qp.enterError();
    assertEquals(QueuePairState.ERR, qp.query().state());
    assertEquals(8, qp.settings().maxSendWr());
    DeviceAttributes device = bench.context.deviceAttributes();
    assertEquals(128, device.maxQpRdAtom());
    assertEquals(1L << 31, device.maxMsgSizeBytes());
    assertEquals(1, device.pkeyTableLength());
    assertEquals(DeviceAttributes.ATOMIC_HCA, device.atomicCap());
    assertEquals(15, device.localCaAckDelay());
    assertTrue(device.maxQp() >= 10_000 && device.maxCq() >= 1024 && device.maxSrq() >= 1024);
    assertEquals(0xFFFF, bench.context.pkey(0));
    assertEquals(1024, bench.context.queryPort().activeMtuBytes());
    qp.close();
    assertErrno("EINVAL", "destroyed", qp::query);
    assertErrno(
        "EINVAL",
        "destroyed",
        () -> qp.modify(new QueuePairAttributes().state(QueuePairState.RESET)));
    assertEquals(PostResult.INVALID_STATE, qp.postSend(bench.send()));
    assertEquals(PostResult.INVALID_STATE, qp.postReceive(new ReceiveRequest()));
  }

  // [rc 22-4] What was granted is at least what was asked for, and it is there.
  @Test
  void sizesAreThoseGranted() {
    QueuePair qp =
        bench.pd.createQueuePair(
            bench
                .settings(QueuePairType.RC)
                .maxSendWr(5)
                .maxRecvWr(9)
                .maxSendSge(3)
                .maxRecvSge(4)
                .maxInlineData(33));
    Bench.walk(qp, QueuePairState.RTS);
    QueuePairSettings granted = qp.settings();
    assertTrue(granted.maxSendWr() >= 5 && granted.maxSendWr() < 9);
    assertTrue(granted.maxRecvWr() >= 9);
    assertTrue(granted.maxSendSge() >= 3 && granted.maxSendSge() < 4);
    assertTrue(granted.maxRecvSge() >= 4);
    assertTrue(granted.maxInlineData() >= 33);
    for (int i = 0; i < granted.maxSendWr(); i++) {
      assertEquals(PostResult.OK, qp.postSend(bench.send()));
    }
    assertEquals(PostResult.SEND_QUEUE_FULL, qp.postSend(bench.send()));
    for (int i = 0; i < granted.maxRecvWr(); i++) {
      assertEquals(PostResult.OK, qp.postReceive(new ReceiveRequest()));
    }
    assertEquals(PostResult.RECEIVE_QUEUE_FULL, qp.postReceive(new ReceiveRequest()));
  }

  @Test
  void multicastIsForDatagramsAndGroups() {
    QueuePair qp = bench.queuePair(QueuePairType.UD);
    bench.plane.calls.clear();
    qp.attachMulticast(0, 0x0000_FFFF_E000_0001L);
    qp.attachMulticast(0, 0x0000_FFFF_E000_0001L);
    qp.attachMulticast(0xFF0E_0000_0000_0000L, 1);
    qp.detachMulticast(0, 0x0000_FFFF_E000_0001L);
    assertEquals(
        List.of("join 0:ffffe0000001", "join ff0e000000000000:1", "leave 0:ffffe0000001"),
        bench.plane.calls);
    assertErrno("EINVAL", "not in this group", () -> qp.detachMulticast(0, 0xFFFF_E000_0001L));
    assertErrno("EBUSY", "in 1 multicast groups", qp::close);
    assertErrno("EINVAL", "multicast address", () -> qp.attachMulticast(0, 0xFFFF_C000_0201L));
    QueuePair rc = bench.queuePair(QueuePairType.RC);
    assertErrno("EINVAL", "multicast is for UD", () -> rc.attachMulticast(0xFF0EL << 48, 1));
  }

  @Test
  void multicastGroupsAreCountedOncePerGroup() {
    try (Bench small = new Bench(new ContextSettings().maxMulticastGroups(2))) {
      QueuePair a = small.queuePair(QueuePairType.UD);
      QueuePair b = small.queuePair(QueuePairType.UD);
      a.attachMulticast(0, 0xFFFF_E000_0001L);
      b.attachMulticast(0, 0xFFFF_E000_0001L);
      a.attachMulticast(0, 0xFFFF_E000_0002L);
      b.attachMulticast(0, 0xFFFF_E000_0002L);
      assertErrno("ENOMEM", "limit 2", () -> b.attachMulticast(0, 0xFFFF_E000_0003L));
      a.detachMulticast(0, 0xFFFF_E000_0001L);
      assertErrno("ENOMEM", "limit 2", () -> a.attachMulticast(0, 0xFFFF_E000_0003L));
      b.detachMulticast(0, 0xFFFF_E000_0001L);
      a.attachMulticast(0, 0xFFFF_E000_0003L);
    }
  }

  @Test
  void queuePairsComeAndGoInAnyOrder() {
    List<QueuePair> all = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 300; i++) {
      if (all.size() < 40 && random.nextInt(3) != 0) {
        all.add(bench.queuePair(QueuePairType.RC));
      } else if (!all.isEmpty()) {
        all.remove(random.nextInt(all.size())).close();
      }
      assertEquals(all.size(), bench.plane.qpns.size());
    }
  }

  @Test
  void limitsOfTheContextAreErrors() {
    try (Bench small =
        new Bench(
            new ContextSettings()
                .maxQueuePairs(1)
                .maxProtectionDomains(1)
                .maxCompletionQueues(1)
                .maxCompletionQueueEntries(100)
                .maxMemoryRegions(1)
                .maxAddressHandles(1)
                .maxSharedReceiveQueues(1)
                .pkeys(0xFFFF, 0x8001))) {
      assertErrno("ENOMEM", "limit 1", small.context::allocateProtectionDomain);
      assertErrno("ENOMEM", "limit 1", () -> small.context.createCompletionQueue(1));
      assertErrno("EINVAL", "cqe 101", () -> small.context.createCompletionQueue(101));
      assertErrno("ENOMEM", "limit 1", () -> small.pd.register(small.memory, 0));
      assertErrno("ENOMEM", "limit 1", () -> small.pd.allocateWindow(1));
      QueuePair only = small.queuePair(QueuePairType.RC);
      assertErrno("ENOMEM", "queue pairs: limit 1", () -> small.queuePair(QueuePairType.RC));
      only.close();
      small.queuePair(QueuePairType.RC);
      small.pd.createAddressHandle(Bench.PEER);
      assertErrno("ENOMEM", "limit 1", () -> small.pd.createAddressHandle(Bench.PEER));
      small.pd.createSharedReceiveQueue(1, 1);
      assertErrno("ENOMEM", "limit 1", () -> small.pd.createSharedReceiveQueue(1, 1));
      assertEquals(0x8001, small.context.pkey(1));
    }
  }

  @Test
  void ringsOfAllQueuesHaveALimitTogether() {
    try (Bench small = new Bench(new ContextSettings().maxRingBytes(20_000))) {
      QueuePair first = small.queuePair(QueuePairType.RC);
      List<QueuePair> others = new ArrayList<>();
      while (others.size() < 100) {
        try {
          others.add(small.queuePair(QueuePairType.RC));
        } catch (VerbsException e) {
          assertEquals("ENOMEM", e.errno());
          break;
        }
      }
      assertTrue(others.size() > 1 && others.size() < 100, others.size() + " fit 20,000 bytes");
      assertErrno("ENOMEM", "are left of the", () -> small.queuePair(QueuePairType.RC));
      assertErrno("ENOMEM", "20000", () -> small.context.createCompletionQueue(1000));
      assertErrno("ENOMEM", "20000", () -> small.pd.createSharedReceiveQueue(1000, 1));
      // What is refused for another reason costs nothing.
      first.close();
      int taken = others.getFirst().qpNum();
      for (int i = 0; i < 100; i++) {
        assertErrno(
            "EBUSY",
            "in use",
            () -> small.pd.createQueuePair(small.settings(QueuePairType.RC).qpNumWish(taken)));
      }
      for (int i = 0; i < 100; i++) {
        small.queuePair(QueuePairType.RC).close();
        small.pd.createSharedReceiveQueue(8, 1).close();
        small.context.createCompletionQueue(8).close();
      }
    }
  }

  @Test
  void handleOfTheOtherIpVersionIsRefusedWhereItIsMade() {
    AddressVector ipv6 = AddressVector.of(0x2001_0DB8_0000_0000L, 1);
    assertErrno("EINVAL", "other IP version", () -> bench.pd.createAddressHandle(ipv6));
    bench.pd.createAddressHandle(Bench.PEER).close();
  }

  @Test
  void asyncEventsComeInOrderAndAFullRingCountsWhatItLoses() {
    try (Bench small = new Bench(new ContextSettings().asyncEventCapacity(2))) {
      QueuePair qp = small.queuePair(QueuePairType.RC);
      qp.raise(AsyncEventType.COMM_EST);
      small.context.asyncEvents().raise(AsyncEventType.PORT_ERR, 0);
      qp.raise(AsyncEventType.SQ_DRAINED);
      assertEquals(1, small.context.asyncEvents().lost());
      AsyncEvent event = new AsyncEvent();
      assertTrue(small.context.pollAsyncEvent(event));
      assertEquals("COMM_EST " + qp.qpNum(), event.toString());
      assertEquals(AsyncEvent.QUEUE_PAIR, event.element());
      assertTrue(small.context.pollAsyncEvent(event));
      assertEquals(AsyncEvent.DEVICE, event.element());
      assertFalse(small.context.pollAsyncEvent(event));
    }
  }

  @Test
  void closedContextAnswersWithErrorsAndLeavesNothing() {
    Bench closed = new Bench();
    CompletionChannel channel = closed.context.createCompletionChannel();
    closed.context.createCompletionQueue(4, channel);
    QueuePair qp = closed.queuePair(QueuePairType.UD, QueuePairState.RTS);
    closed.pd.createSharedReceiveQueue(2, 2);
    closed.pd.allocateWindow(2);
    closed.context.close();
    closed.context.close();
    assertTrue(closed.plane.calls.contains("detach " + qp.qpNum()));
    assertTrue(closed.plane.qpns.isEmpty());
    assertErrno("EINVAL", "context is closed", closed.context::allocateProtectionDomain);
    assertFalse(closed.context.pollAsyncEvent(new AsyncEvent()));
    closed.memory.close();
    assertErrno("EINVAL", "closed", () -> bench.context.createCompletionQueue(1, channel));
  }
}
