// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.engine.IcrcMode;
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
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeRegion;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In steady state MX allocates nothing between a post and its completion, repairs included. */
class AllocationTest {
  private static final int LENGTH = 64 * 1024;
  private static final int DEPTH = 16;
  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** One endpoint with its queue pair. */
  private static final class Side {
    final LeanPort port;
    final EndpointAgent agent;
    final NativeRegion memory;
    final MemoryRegion region;
    final CompletionQueue completions;
    final QueuePair pair;
    final MxSettings settings = MxSettings.defaults().withPaths(8);

    Side(long gidLo, org.agrona.concurrent.NanoClock clock, String congestion) {
      port = new LeanPort(gidLo);
      agent =
          EndpointAgent.open(
              new ContextSettings().seed(gidLo),
              EndpointSettings.defaults().withIcrcMode(IcrcMode.OFF).withBaseRttNs(10_000),
              port,
              clock);
      ProtectionDomain domain = agent.context().allocateProtectionDomain();
      memory = NativeRegion.allocate("lean", 4 * LENGTH);
      region = domain.register(memory, RIGHTS);
      completions = agent.context().createCompletionQueue(256);
      pair =
          domain.createQueuePair(
              new QueuePairSettings()
                  .type(QueuePairType.RC)
                  .profile("mx")
                  .congestion(congestion)
                  .sendCq(completions)
                  .recvCq(completions)
                  .maxSendWr(64)
                  .maxRecvWr(64));
      pair.toInit(RIGHTS);
    }

    void connect(Side peer) {
      pair.modify(
          new QueuePairAttributes()
              .state(QueuePairState.RTR)
              .addressVector(AddressVector.of(0, peer.port.localGidLo()))
              .pathMtuBytes(4096)
              .destQpNum(peer.pair.qpNum())
              .rqPsn(100)
              .maxDestRdAtomic(8)
              .minRnrTimer(1)
              .profileParameters(
                  MxAttributes.connection(
                      settings, peer.settings.block(peer.pair.qpNum(), 100, 0, 0), 100)));
      pair.modify(
          new QueuePairAttributes()
              .state(QueuePairState.RTS)
              .timeout(14)
              .retryCnt(7)
              .rnrRetry(7)
              .sqPsn(100)
              .maxRdAtomic(8));
    }

    void close() {
      agent.close();
      memory.close();
    }
  }

  /** Keeps DEPTH operations outstanding, all kinds in turn. */
  private static final class Load implements AutoCloseable {
    final Side a;
    final Side b;
    final SendRequest[] requests;
    final ReceiveRequest receive;
    final WorkCompletion completion = new WorkCompletion();
    long nowNs = 1_000_000;
    long posted;
    long done;
    long errors;

    Load(String congestion) {
      a = new Side(0xFFFF_0A00_0001L, () -> nowNs, congestion);
      b = new Side(0xFFFF_0A00_0002L, () -> nowNs, congestion);
      LeanPort.join(a.port, b.port);
      a.connect(b);
      b.connect(a);
      requests =
          new SendRequest[] {
            request(WorkRequestOpcode.SEND, LENGTH),
            request(WorkRequestOpcode.RDMA_WRITE, LENGTH),
            request(WorkRequestOpcode.RDMA_READ, LENGTH),
            request(WorkRequestOpcode.RDMA_WRITE_WITH_IMM, 100),
            request(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 8)
          };
      receive = new ReceiveRequest().sge(b.memory.address(), LENGTH, b.region.lkey());
    }

    SendRequest request(int opcode, int length) {
      return new SendRequest()
          .opcode(opcode)
          .signaled(true)
          .sge(a.memory.address(), length, a.region.lkey())
          .remote(b.region.address() + LENGTH, b.region.rkey())
          .atomic(1, 0);
    }

    /** Runs until so many packets have left both ports. */
    void run(long packets) {
      long target = sent() + packets;
      while (sent() < target) {
        while (posted - done < DEPTH) {
          int kind = (int) (posted % requests.length);
          if ((kind == 0 || kind == 3) && b.pair.postReceive(receive) != 0) {
            errors++;
          }
          if (a.pair.postSend(requests[kind]) != 0) {
            errors++;
          }
          posted++;
        }
        if (a.agent.doWork() + b.agent.doWork() == 0) {
          long next = Math.min(a.agent.nextDeadlineNs(), b.agent.nextDeadlineNs());
          nowNs = Math.max(nowNs, next);
        }
        nowNs += 500;
        drain(a);
        drain(b);
      }
    }

    long sent() {
      return a.port.counters().txPackets + b.port.counters().txPackets;
    }

    private void drain(Side side) {
      while (side.completions.poll(completion)) {
        errors += completion.status() == 0 ? 0 : 1;
        done += side == a ? 1 : 0;
      }
    }

    @Override
    public void close() {
      a.close();
      b.close();
    }
  }

  /**
   * Runs rounds until some in a row allocate not one byte: the compiler itself allocates a little
   * on this thread while it replaces code, an allocation of ours would show in every round.
   */
  private void assertAllocatesNothing(Load load, int packets, int roundsInARow) {
    int quiet = 0;
    long last = 0;
    for (int round = 0; round < 60 && quiet < roundsInARow; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      load.run(packets);
      last = threads.getCurrentThreadAllocatedBytes() - before;
      quiet = last == 0 ? quiet + 1 : 0;
    }
    assertEquals(roundsInARow, quiet, "last round allocated " + last + " bytes");
    assertEquals(0, load.errors);
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "mx-fair", "mx-aimd"})
  void allOperationsOverEightPathsAllocateNothing(String congestion) {
    try (Load load = new Load(congestion)) {
      assertAllocatesNothing(load, 60_000, 3);
      assertEquals(0, load.a.agent.counters().get(CounterId.RETRANSMITTED_PACKETS));
    }
  }

  @Test
  void repairingLossAllocatesNothing() {
    try (Load load = new Load("none")) {
      load.a.port.dropOneIn(100);
      load.b.port.dropOneIn(100);
      assertAllocatesNothing(load, 40_000, 3);
      assertTrue(load.a.agent.counters().get(CounterId.RETRANSMITTED_PACKETS) > 500);
    }
  }
}
