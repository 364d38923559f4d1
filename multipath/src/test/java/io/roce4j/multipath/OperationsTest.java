// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Every operation over four paths with one packet in twenty lost, and what happens when it is
 * refused.
 */
class OperationsTest {
  private static final long LINE = 10_000_000_000L;
  private static final long ONE_WAY_NS = 10_000;
  private static final int SUCCESS = WorkCompletionStatus.SUCCESS;
  private static final long LIMIT_NS = 200_000_000;

  private final ModelNet net =
      new ModelNet(
          LINE,
          new RandomLoss(ONE_WAY_NS, 99, 0.05, 0.05),
          8,
          256,
          EndpointSettings.defaults().withBaseRttNs(25_000));
  private final MxSettings mx = RandomLossTest.settings(4);
  private final ModelSide a = new ModelSide(net, 0, mx, "none", 1 << 20, 0xFFFFF0);
  private final ModelSide b = new ModelSide(net, 1, mx, "none", 1 << 20, 5);

  @AfterEach
  void close() {
    net.close();
    a.memory.close();
    b.memory.close();
  }

  private void connect() {
    ModelSide.connect(a, b, 1024, 14, 7);
  }

  private boolean run(BooleanSupplier until) {
    return net.run(
        LIMIT_NS,
        () -> {
          a.poll();
          b.poll();
          return until.getAsBoolean();
        });
  }

  private static void fill(ModelSide side, long from, int bytes, int seed) {
    for (int i = 0; i < bytes; i++) {
      NativeMemory.putByte(side.memory.address() + from + i, (byte) (i * 31 + seed));
    }
  }

  private static void same(ModelSide from, long at, ModelSide to, long there, int bytes) {
    for (int i = 0; i < bytes; i++) {
      assertEquals(
          NativeMemory.getByte(from.memory.address() + at + i),
          NativeMemory.getByte(to.memory.address() + there + i),
          "byte " + i);
    }
  }

  @Test
  void sendsLandInTheReceiveRequestOfTheirIndex() {
    connect();
    fill(a, 0, 200_000, 1);
    for (int i = 0; i < 50; i++) {
      assertEquals(0, b.receive(1000 + i, i * 5000L, 5000));
    }
    for (int i = 0; i < 50; i++) {
      int opcode = i % 2 == 0 ? WorkRequestOpcode.SEND : WorkRequestOpcode.SEND_WITH_IMM;
      assertEquals(0, a.post(opcode, i, i * 4000L, b, 0, i * 97L));
    }
    assertTrue(run(() -> a.sent.size() == 50 && b.received.size() == 50));
    for (int i = 0; i < 50; i++) {
      assertEquals(i, a.sent.get(i).wrId());
      assertEquals(SUCCESS, a.sent.get(i).status());
      ModelSide.Done done = b.received.get(i);
      assertEquals(1000 + i, done.wrId(), "completions in the order of the stream");
      assertEquals(WorkCompletionOpcode.RECV, done.opcode());
      assertEquals(i * 97L, done.bytes());
      assertEquals(i % 2 == 0 ? 0 : i, done.immediate());
      same(a, i * 4000L, b, i * 5000L, i * 97);
    }
  }

  @Test
  void writesWithImmediateConsumeReceivesInMessageOrder() {
    connect();
    fill(a, 0, 300_000, 2);
    for (int i = 0; i < 30; i++) {
      b.receive(i, 0, 0);
      assertEquals(
          0, a.post(WorkRequestOpcode.RDMA_WRITE_WITH_IMM, i, i * 9000L, b, i * 9000L, i * 300L));
    }
    assertTrue(run(() -> a.sent.size() == 30 && b.received.size() == 30));
    for (int i = 0; i < 30; i++) {
      assertEquals(i, b.received.get(i).immediate());
      assertEquals(WorkCompletionOpcode.RECV_RDMA_WITH_IMM, b.received.get(i).opcode());
      assertEquals(i * 300L, b.received.get(i).bytes());
      same(a, i * 9000L, b, i * 9000L, i * 300);
    }
  }

  @Test
  void readsBringTheBytesAndSeeEarlierWrites() {
    connect();
    fill(a, 0, 100_000, 3);
    fill(b, 500_000, 100_000, 4);
    a.write(1, 0, b, 500_000, 50_000);
    a.post(WorkRequestOpcode.RDMA_READ, 2, 600_000, b, 500_000, 100_000);
    a.post(WorkRequestOpcode.RDMA_READ, 3, 800_000, b, 0, 0);
    b.post(WorkRequestOpcode.RDMA_READ, 4, 200_000, a, 0, 77_777);
    assertTrue(run(() -> a.sent.size() == 3 && b.sent.size() == 1));
    for (ModelSide.Done done : a.sent) {
      assertEquals(SUCCESS, done.status());
    }
    same(a, 0, a, 600_000, 50_000);
    same(b, 550_000, a, 650_000, 50_000);
    same(a, 0, b, 200_000, 77_777);
  }

  @Test
  void moreReadsThanMayBeOutstandingAreAllAnswered() {
    connect();
    fill(b, 0, 100_000, 5);
    for (int i = 0; i < 200; i++) {
      assertEquals(0, a.post(WorkRequestOpcode.RDMA_READ, i, 100_000 + i * 400L, b, i * 400L, 400));
    }
    assertTrue(run(() -> a.sent.size() == 200));
    same(b, 0, a, 100_000, 80_000);
  }

  @Test
  void atomicsAreExecutedOnceWhateverIsRepeated() {
    connect();
    NativeMemory.putLong(b.memory.address() + 64, 1000);
    SendRequest request = new SendRequest();
    for (int i = 0; i < 100; i++) {
      request.clear().wrId(i).opcode(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD).signaled(true);
      request.sge(a.memory.address() + 8L * i, 8, a.region.lkey());
      request.remote(b.region.address() + 64, b.region.rkey()).atomic(3, 0);
      assertEquals(0, a.post(request));
    }
    request.clear().wrId(100).opcode(WorkRequestOpcode.ATOMIC_CMP_AND_SWP).signaled(true);
    request.sge(a.memory.address() + 8L * 100, 8, a.region.lkey());
    request.remote(b.region.address() + 64, b.region.rkey()).atomic(1300, 77);
    assertEquals(0, a.post(request));
    assertTrue(run(() -> a.sent.size() == 101));
    for (int i = 0; i < 100; i++) {
      assertEquals(SUCCESS, a.sent.get(i).status());
      assertEquals(1000 + 3L * i, NativeMemory.getLong(a.memory.address() + 8L * i));
    }
    assertEquals(1300, NativeMemory.getLong(a.memory.address() + 800));
    assertEquals(77, NativeMemory.getLong(b.memory.address() + 64));
  }

  @Test
  void aSendWaitsForItsReceiveHoweverLateItIsPosted() {
    connect();
    fill(a, 0, 9000, 6);
    a.post(WorkRequestOpcode.SEND, 1, 0, b, 0, 9000);
    a.write(2, 0, b, 100_000, 100);
    assertTrue(!run(() -> !a.sent.isEmpty()), "no receive, no completion");
    b.receive(7, 50_000, 9000);
    assertTrue(run(() -> a.sent.size() == 2 && b.received.size() == 1));
    same(a, 0, b, 50_000, 9000);
    assertTrue(counters(a).creditStalls > 0);
    assertEquals(0, counters(a).notReady, "credit keeps the refusal from happening");
  }

  @Test
  void aBadKeyFailsItsMessageAndFlushesTheRest() {
    connect();
    fill(a, 0, 50_000, 7);
    a.write(1, 0, b, 0, 20_000);
    SendRequest request = new SendRequest();
    request.clear().wrId(2).opcode(WorkRequestOpcode.RDMA_WRITE).signaled(true);
    request.sge(a.memory.address(), 30_000, a.region.lkey());
    request.remote(b.region.address(), b.region.rkey() + 1);
    a.post(request);
    a.write(3, 0, b, 100_000, 20_000);
    assertTrue(run(() -> a.sent.size() == 3));
    assertEquals(SUCCESS, a.sent.get(0).status());
    assertEquals(WorkCompletionStatus.REM_ACCESS_ERR, a.sent.get(1).status());
    assertEquals(WorkCompletionStatus.WR_FLUSH_ERR, a.sent.get(2).status());
    assertEquals(QueuePairState.ERR, a.queuePair.state());
    same(a, 0, b, 0, 20_000);
    for (int i = 0; i < 20_000; i++) {
      assertEquals(0, NativeMemory.getByte(b.memory.address() + 100_000 + i), "not placed");
    }
    assertTrue(run(() -> b.queuePair.state() == QueuePairState.ERR), "the peer learns of the end");
  }

  @Test
  void aSendLongerThanItsReceiveFailsOnBothSides() {
    connect();
    b.receive(1, 0, 1000);
    b.receive(2, 0, 1000);
    a.post(WorkRequestOpcode.SEND, 1, 0, b, 0, 2000);
    assertTrue(run(() -> a.sent.size() == 1 && b.received.size() == 2));
    assertEquals(WorkCompletionStatus.REM_INV_REQ_ERR, a.sent.get(0).status());
    assertEquals(WorkCompletionStatus.LOC_LEN_ERR, b.received.get(0).status());
    assertEquals(WorkCompletionStatus.WR_FLUSH_ERR, b.received.get(1).status());
  }

  @Test
  void bytesThatCannotBeReadFailTheirOwnRequest() {
    connect();
    a.write(1, 0, b, 0, 3000);
    SendRequest request = new SendRequest();
    request.clear().wrId(2).opcode(WorkRequestOpcode.RDMA_WRITE).signaled(true);
    request.sge(a.memory.address() + a.region.length() - 500, 5000, a.region.lkey());
    request.remote(b.region.address(), b.region.rkey());
    a.post(request);
    assertTrue(run(() -> a.sent.size() == 2));
    assertEquals(SUCCESS, a.sent.get(0).status());
    assertEquals(WorkCompletionStatus.LOC_PROT_ERR, a.sent.get(1).status());
  }

  @Test
  void aFenceWaitsForEverythingBeforeIt() {
    connect();
    fill(b, 0, 60_000, 8);
    a.post(WorkRequestOpcode.RDMA_READ, 1, 0, b, 0, 60_000);
    SendRequest request = new SendRequest();
    request.clear().wrId(2).opcode(WorkRequestOpcode.RDMA_WRITE).signaled(true).fence();
    request.sge(a.memory.address(), 60_000, a.region.lkey());
    request.remote(b.region.address() + 200_000, b.region.rkey());
    a.post(request);
    assertTrue(run(() -> a.sent.size() == 2));
    same(b, 0, b, 200_000, 60_000);
  }

  @Test
  void aDeadPeerEndsInOneRetryExceededAndFlushes() {
    connect();
    a.write(1, 0, b, 0, 1000);
    assertTrue(run(() -> a.sent.size() == 1));
    net.weather(
        new Weather(ONE_WAY_NS) {
          @Override
          int fate(Packet packet) {
            return DROP;
          }
        });
    for (int i = 2; i < 6; i++) {
      a.write(i, 0, b, 0, 5000);
    }
    assertTrue(
        net.run(
            5_000_000_000L,
            () -> {
              a.poll();
              return a.sent.size() == 5;
            }));
    assertEquals(WorkCompletionStatus.RETRY_EXC_ERR, a.sent.get(1).status());
    for (int i = 2; i < 5; i++) {
      assertEquals(WorkCompletionStatus.WR_FLUSH_ERR, a.sent.get(i).status());
    }
    assertEquals(QueuePairState.ERR, a.queuePair.state());
  }

  static MxCounters counters(ModelSide side) {
    return connection(side).counters;
  }

  static MxConnection connection(ModelSide side) {
    return ((MxEngine) side.queuePair.engine()).connection();
  }
}
