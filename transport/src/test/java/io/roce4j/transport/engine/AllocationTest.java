// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In steady state nothing is allocated between a post and its completion. */
class AllocationTest {

  private static final int LENGTH = 64 * 1024;
  private static final int DEPTH = 16;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Keeps DEPTH operations outstanding, all kinds in turn. */
  private static final class Load {
    final EndpointPair pair;
    final QueuePair qa;
    final QueuePair qb;
    final SendRequest[] requests;
    final ReceiveRequest receive;
    long posted;
    long done;
    long errors;

    Load(EndpointPair pair) {
      this.pair = pair;
      qa = pair.a.pd.createQueuePair(pair.a.rc());
      qb = pair.b.pd.createQueuePair(pair.b.rc());
      EndpointPair.Wish wish = new EndpointPair.Wish();
      wish.timeout = 10;
      pair.connect(qa, qb, wish);
      requests =
          new SendRequest[] {
            request(WorkRequestOpcode.SEND, LENGTH),
            request(WorkRequestOpcode.RDMA_WRITE, LENGTH),
            request(WorkRequestOpcode.RDMA_READ, LENGTH),
            request(WorkRequestOpcode.RDMA_WRITE_WITH_IMM, 100),
            request(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 8)
          };
      receive = pair.receive(1, pair.b.at(0), LENGTH, pair.b.region.lkey());
    }

    SendRequest request(int opcode, int length) {
      return pair.send(1, opcode, pair.a.at(0), length, pair.a.region.lkey())
          .remote(pair.b.at(LENGTH), pair.b.region.rkey())
          .atomic(1, 0);
    }

    /** Runs until so many packets have left both ports. */
    void run(long packets) {
      long target = sent() + packets;
      while (sent() < target) {
        while (posted - done < DEPTH) {
          int kind = (int) (posted % requests.length);
          if ((kind == 0 || kind == 3) && qb.postReceive(receive) != PostResult.OK) {
            errors++;
          }
          if (qa.postSend(requests[kind]) != PostResult.OK) {
            errors++;
          }
          posted++;
        }
        if (pair.a.agent.doWork() + pair.b.agent.doWork() == 0) {
          pair.nowNs = Math.max(pair.nowNs, pair.nextDeadlineNs());
        }
        drain(pair.a);
        drain(pair.b);
      }
    }

    long sent() {
      return pair.a.port.sentPackets + pair.b.port.sentPackets;
    }

    void drain(EndpointPair.Side side) {
      while (side.cq.poll(side.completion)) {
        if (side.completion.status() != 0) {
          errors++;
        }
        if (side.completion.opcode() < WorkCompletionOpcode.RECV) {
          done++;
        }
      }
    }
  }

  /** Bytes this thread allocated meanwhile. */
  private long allocatedBy(Load load, long packets) {
    long before = threads.getCurrentThreadAllocatedBytes();
    load.run(packets);
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  /**
   * Runs rounds until some in a row allocate not one byte. The optimising compiler itself allocates
   * a few hundred bytes on this thread while it replaces code, for some ten rounds; an allocation
   * of ours would show in every round.
   */
  private void assertAllocatesNothing(Load load, int packets, int roundsInARow) {
    int quiet = 0;
    long last = 0;
    for (int round = 0; round < 60 && quiet < roundsInARow; round++) {
      last = allocatedBy(load, packets);
      quiet = last == 0 ? quiet + 1 : 0;
    }
    assertEquals(roundsInARow, quiet, "last round allocated " + last + " bytes");
    assertEquals(0, load.errors);
  }

  @Test
  void aMillionPacketsAllocateNothing() {
    try (EndpointPair pair = new EndpointPair()) {
      Load load = new Load(pair);
      assertAllocatesNothing(load, 200_000, 5);
      assertEquals(0, pair.a.counter("retransmitted_packets"));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void repairingLossAllocatesNothing(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (EndpointPair pair = new EndpointPair()) {
      MemoryPort.Fate lossy =
          (buffer, offset, length) ->
              random.nextInt(200) == 0 ? MemoryPort.Fate.DROP : MemoryPort.Fate.DELIVER;
      pair.a.port.fate = lossy;
      pair.b.port.fate = lossy;
      Load load = new Load(pair);
      assertAllocatesNothing(load, 60_000, 5);
      assertTrue(pair.a.counter("retransmitted_packets") > 100);
    }
  }
}
