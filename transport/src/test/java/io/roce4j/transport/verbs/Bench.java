// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import org.junit.jupiter.api.function.Executable;

/** One context with a domain, a region and completion queues, closed with nothing left behind. */
final class Bench implements AutoCloseable {
  static final int ALL_ACCESS =
      AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_MASK | AccessFlags.MW_BIND;
  static final AddressVector PEER = AddressVector.of(0, 0x0000_FFFF_C000_0201L);

  private final long liveBytesBefore = NativeMemory.liveBytes();
  final BareControlPlane plane = new BareControlPlane();
  final RdmaContext context;
  final ProtectionDomain pd;
  final NativeRegion memory = NativeRegion.allocate("bench", 1 << 16);
  final MemoryRegion mr;
  final CompletionQueue cq;

  Bench() {
    this(new ContextSettings());
  }

  Bench(ContextSettings settings) {
    context = new RdmaContext(settings, plane, ControlTurns.direct());
    pd = context.allocateProtectionDomain();
    mr = pd.register(memory, ALL_ACCESS);
    cq = context.createCompletionQueue(64);
  }

  QueuePairSettings settings(int type) {
    return new QueuePairSettings()
        .type(type)
        .sendCq(cq)
        .recvCq(cq)
        .maxSendWr(8)
        .maxRecvWr(8)
        .maxSendSge(2)
        .maxRecvSge(2)
        .maxInlineData(64);
  }

  QueuePair queuePair(int type) {
    return pd.createQueuePair(settings(type));
  }

  /** A queue pair walked to a state by the shortest way. */
  QueuePair queuePair(int type, int state) {
    QueuePair qp = queuePair(type);
    walk(qp, state);
    return qp;
  }

  static void walk(QueuePair qp, int state) {
    if (state == QueuePairState.RESET) {
      return;
    }
    qp.modify(complete(qp.type(), QueuePairState.RESET, QueuePairState.INIT));
    if (state == QueuePairState.INIT) {
      return;
    }
    if (state == QueuePairState.ERR) {
      qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
      return;
    }
    qp.modify(complete(qp.type(), QueuePairState.INIT, QueuePairState.RTR));
    if (state == QueuePairState.RTR) {
      return;
    }
    qp.modify(complete(qp.type(), QueuePairState.RTR, QueuePairState.RTS));
    if (state == QueuePairState.SQD) {
      qp.modify(new QueuePairAttributes().state(QueuePairState.SQD));
    } else if (state == QueuePairState.SQE) {
      qp.enterSendQueueError();
    }
  }

  /** Exactly the required attributes of a transition. */
  static QueuePairAttributes complete(int type, int from, int to) {
    return withMask(QueuePairTransitions.required(type, from, to), from, to);
  }

  /** Good values for exactly the attributes of a mask. */
  static QueuePairAttributes withMask(int mask, int from, int to) {
    QueuePairAttributes all =
        new QueuePairAttributes()
            .state(to)
            .curState(from)
            .enSqdAsyncNotify(true)
            .accessFlags(AccessFlags.REMOTE_WRITE)
            .pkeyIndex(0)
            .portNum(1)
            .qkey(0x1111)
            .addressVector(PEER)
            .pathMtuBytes(1024)
            .timeout(14)
            .retryCnt(7)
            .rnrRetry(7)
            .rqPsn(0xFF_FFFF)
            .maxRdAtomic(1)
            .alternatePath(PEER, 3)
            .minRnrTimer(12)
            .sqPsn(5)
            .maxDestRdAtomic(1)
            .pathMigState(1)
            .destQpNum(34);
    QueuePairAttributes some = new QueuePairAttributes();
    some.merge(all, mask);
    return some;
  }

  SendRequest send() {
    return new SendRequest().wrId(1).sge(mr.address(), 16, mr.lkey());
  }

  static void assertErrno(String errno, String part, Executable verb) {
    VerbsException e = assertThrows(VerbsException.class, verb);
    assertEquals(errno, e.errno(), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Override
  public void close() {
    context.close();
    memory.close();
    assertEquals(liveBytesBefore, NativeMemory.liveBytes(), NativeMemory::report);
  }
}
