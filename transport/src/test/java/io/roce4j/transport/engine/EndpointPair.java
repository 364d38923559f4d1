// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.wire.memory.NativeRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Two endpoints over a link in virtual time. */
final class EndpointPair implements AutoCloseable {
  static final int MEMORY_BYTES = 1 << 20;
  static final int ALL_ACCESS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC
          | AccessFlags.MW_BIND;

  /** One side: its endpoint, a protection domain, a region of 1 MiB, a completion queue. */
  final class Side {
    final int address;
    final MemoryPort port;
    final EndpointAgent agent;
    final ProtectionDomain pd;
    final NativeRegion memory;
    final MemoryRegion region;
    final CompletionQueue cq;
    final WorkCompletion completion = new WorkCompletion();

    Side(int address, MemoryPort port, EndpointSettings settings, long seed) {
      this.address = address;
      this.port = port;
      this.agent =
          EndpointAgent.open(new ContextSettings().seed(seed), settings, port, () -> nowNs);
      this.pd = agent.context().allocateProtectionDomain();
      this.memory = NativeRegion.allocate("test-memory", MEMORY_BYTES);
      this.region = pd.register(memory, ALL_ACCESS);
      this.cq = agent.context().createCompletionQueue(4096);
    }

    QueuePairSettings rc() {
      return new QueuePairSettings()
          .type(QueuePairType.RC)
          .sendCq(cq)
          .recvCq(cq)
          .maxSendWr(256)
          .maxRecvWr(256)
          .maxSendSge(4)
          .maxRecvSge(4)
          .maxInlineData(128);
    }

    /** Next completion, or null. */
    WorkCompletion poll() {
      return cq.poll(completion) ? completion : null;
    }

    List<String> drain() {
      List<String> all = new ArrayList<>();
      while (poll() != null) {
        all.add(completion.wrId() + ":" + completion.status());
      }
      return all;
    }

    long counter(String name) {
      return agent.counters().get(name);
    }

    long at(long offset) {
      return memory.address() + offset;
    }
  }

  long nowNs = 1_000_000_000L;
  final Side a;
  final Side b;
  private final PacketQueue toA = new PacketQueue(1 << 12);
  private final PacketQueue toB = new PacketQueue(1 << 12);

  EndpointPair() {
    this(EndpointSettings.defaults(), 10_000);
  }

  EndpointPair(EndpointSettings settings, long delayNs) {
    MemoryPort portA = new MemoryPort(0xC0000201, toB, toA, delayNs);
    MemoryPort portB = new MemoryPort(0xC0000202, toA, toB, delayNs);
    portA.peerAddress = 0xC0000202;
    portB.peerAddress = 0xC0000201;
    a = new Side(0xC0000201, portA, settings, 11);
    b = new Side(0xC0000202, portB, settings, 22);
  }

  /** Attributes that both transitions can take their part of. */
  static final class Wish {
    int pathMtu = 1024;
    int psnA = 0x100;
    int psnB = 0x200;
    int timeout = 14;
    int retryCnt = 7;
    int rnrRetry = 7;
    int minRnrTimer = 12;
    int maxRdAtomic = 4;
    int access = ALL_ACCESS & AccessFlags.QUEUE_PAIR_MASK;
  }

  /** Takes two queue pairs to RTS. */
  void connect(QueuePair qa, QueuePair qb, Wish wish) {
    bring(qa, qb.qpNum(), b.address, wish.psnA, wish.psnB, wish);
    bring(qb, qa.qpNum(), a.address, wish.psnB, wish.psnA, wish);
  }

  static AddressVector to(int address) {
    return AddressVector.of(0, MemoryPort.V4 | (address & 0xFFFF_FFFFL));
  }

  static void bring(
      QueuePair qp, int remoteQpn, int remoteAddress, int sqPsn, int rqPsn, Wish wish) {
    qp.toInit(wish.access);
    qp.modify(rtr(qp, remoteQpn, remoteAddress, rqPsn, wish));
    qp.modify(rts(qp, sqPsn, wish));
  }

  static QueuePairAttributes rtr(
      QueuePair qp, int remoteQpn, int remoteAddress, int rqPsn, Wish wish) {
    QueuePairAttributes attributes =
        new QueuePairAttributes()
            .state(QueuePairState.RTR)
            .addressVector(to(remoteAddress))
            .pathMtuBytes(wish.pathMtu)
            .destQpNum(remoteQpn)
            .rqPsn(rqPsn);
    if (qp.type() == QueuePairType.RC) {
      attributes.maxDestRdAtomic(wish.maxRdAtomic).minRnrTimer(wish.minRnrTimer);
    }
    return attributes;
  }

  static QueuePairAttributes rts(QueuePair qp, int sqPsn, Wish wish) {
    QueuePairAttributes attributes =
        new QueuePairAttributes().state(QueuePairState.RTS).sqPsn(sqPsn);
    if (qp.type() == QueuePairType.RC) {
      attributes
          .timeout(wish.timeout)
          .retryCnt(wish.retryCnt)
          .rnrRetry(wish.rnrRetry)
          .maxRdAtomic(wish.maxRdAtomic);
    }
    return attributes;
  }

  /** One pass over both endpoints without moving time. */
  int step() {
    return a.agent.doWork() + b.agent.doWork();
  }

  /** Runs until nothing moves at this instant. */
  void settle() {
    int quiet = 0;
    int cycles = 0;
    while (quiet < 2) {
      quiet = step() == 0 ? quiet + 1 : 0;
      if (++cycles > 100_000) {
        throw new AssertionError("the endpoints do not come to rest");
      }
    }
  }

  long nextDeadlineNs() {
    return Math.min(a.agent.nextDeadlineNs(), b.agent.nextDeadlineNs());
  }

  /**
   * Runs, jumping over idle time, until the condition holds, nothing is left, or the time is up.
   */
  boolean run(BooleanSupplier until, long limitNs) {
    long endNs = nowNs + limitNs;
    while (true) {
      settle();
      if (until.getAsBoolean()) {
        return true;
      }
      long next = nextDeadlineNs();
      if (next > endNs) {
        nowNs = endNs;
        settle();
        return until.getAsBoolean();
      }
      nowNs = Math.max(nowNs, next);
    }
  }

  /** Runs until nothing is left to happen, at most an hour. */
  void runAll() {
    run(() -> false, 3_600_000_000_000L);
  }

  void runFor(long ns) {
    run(() -> false, ns);
  }

  SendRequest send(long wrId, int opcode, long address, long length, int lkey) {
    return new SendRequest().wrId(wrId).opcode(opcode).signaled(true).sge(address, length, lkey);
  }

  ReceiveRequest receive(long wrId, long address, long length, int lkey) {
    return new ReceiveRequest().wrId(wrId).sge(address, length, lkey);
  }

  @Override
  public void close() {
    a.agent.close();
    b.agent.close();
    a.memory.close();
    b.memory.close();
    toA.close();
    toB.close();
  }
}
