// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Both sides send everything at once through a link that loses, repeats, swaps and damages packets:
 * every request completes once, in order, with the right bytes.
 */
class RcLossTest {

  private static final int SLOT = 16_384;
  private static final int SLOTS = 16;
  private static final int LAST_SLOT = 63;

  /** One direction: what one side asked for and what must come of it. */
  private static final class Flow {
    final EndpointPair pair;
    final EndpointPair.Side from;
    final EndpointPair.Side to;
    final QueuePair qp;
    final QueuePair peer;
    final SplittableRandom random;
    final List<Long> sizes = new ArrayList<>();
    final List<Integer> kinds = new ArrayList<>();
    final List<Integer> receiveSizes = new ArrayList<>();
    int posted;
    int done;
    int received;
    long counterValue;

    Flow(
        EndpointPair pair,
        EndpointPair.Side from,
        EndpointPair.Side to,
        QueuePair qp,
        QueuePair peer,
        long seed) {
      this.pair = pair;
      this.from = from;
      this.to = to;
      this.qp = qp;
      this.peer = peer;
      this.random = new SplittableRandom(seed);
    }

    long local(int n) {
      return from.at((long) (n % SLOTS) * SLOT);
    }

    long remote(int n) {
      return to.at((long) (SLOTS + n % SLOTS) * SLOT);
    }

    long receiveAt(int n) {
      return to.at((long) (2 * SLOTS + n % SLOTS) * SLOT);
    }

    long counter() {
      return to.at((long) LAST_SLOT * SLOT);
    }

    static byte pattern(int n, int i) {
      return (byte) (n * 131 + i * 7 + 3);
    }

    void post() {
      int n = posted;
      int length = random.nextInt(SLOT);
      int kind = random.nextInt(5);
      if (random.nextInt(4) == 0) {
        length = random.nextInt(3);
      }
      for (int i = 0; i < length; i++) {
        NativeMemory.putByte((kind == 2 ? remote(n) : local(n)) + i, pattern(n, i));
      }
      SendRequest request =
          switch (kind) {
            case 0 -> send(n, WorkRequestOpcode.SEND, length);
            case 1 ->
                send(n, WorkRequestOpcode.RDMA_WRITE, length).remote(remote(n), to.region.rkey());
            case 2 ->
                send(n, WorkRequestOpcode.RDMA_READ, length).remote(remote(n), to.region.rkey());
            case 3 ->
                send(n, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 8)
                    .remote(counter(), to.region.rkey())
                    .atomic(n + 1, 0);
            default ->
                send(n, WorkRequestOpcode.RDMA_WRITE_WITH_IMM, length)
                    .remote(remote(n), to.region.rkey())
                    .immediate(n);
          };
      if (kind == 0 || kind == 4) {
        int at = receiveSizes.size();
        assertEquals(
            PostResult.OK,
            peer.postReceive(pair.receive(at, receiveAt(at), SLOT, to.region.lkey())));
        receiveSizes.add(n);
      }
      assertEquals(PostResult.OK, qp.postSend(request));
      sizes.add((long) length);
      kinds.add(kind);
      posted++;
    }

    SendRequest send(int n, int opcode, int length) {
      return pair.send(n, opcode, local(n), length, from.region.lkey());
    }

    void onSendCompletion(WorkCompletion wc) {
      assertEquals(WorkCompletionStatus.SUCCESS, wc.status(), "request " + done);
      assertEquals(done, wc.wrId());
      int kind = kinds.get(done);
      long size = sizes.get(done);
      if (kind == 3) {
        assertEquals(counterValue, NativeMemory.getLong(local(done)));
        counterValue += done + 1;
      } else if (kind == 2) {
        check(local(done), done, size);
      } else if (kind != 0) {
        check(remote(done), done, size);
      }
      done++;
    }

    void onReceiveCompletion(WorkCompletion wc) {
      assertEquals(WorkCompletionStatus.SUCCESS, wc.status());
      assertEquals(received, wc.wrId());
      int n = receiveSizes.get(received);
      assertEquals(sizes.get(n), wc.byteLength());
      if (wc.opcode() == WorkCompletionOpcode.RECV) {
        check(receiveAt(received), n, sizes.get(n));
      } else {
        assertEquals(n, wc.immediate());
        check(remote(n), n, sizes.get(n));
      }
      received++;
    }

    void check(long address, int n, long size) {
      for (int i = 0; i < size; i++) {
        assertEquals(pattern(n, i), NativeMemory.getByte(address + i), "byte " + i + " of " + n);
      }
    }
  }

  // [rc 8-1] [rc 8-3]
  @ParameterizedTest
  @ValueSource(
      longs = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24
      })
  void everythingArrivesOnceAndInOrderThroughABadLink(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    EndpointSettings settings =
        EndpointSettings.defaults().withWindowPackets(4 + random.nextInt(200));
    try (EndpointPair pair = new EndpointPair(settings, random.nextInt(50_000))) {
      QueuePair qa = pair.a.pd.createQueuePair(pair.a.rc());
      QueuePair qb = pair.b.pd.createQueuePair(pair.b.rc());
      EndpointPair.Wish wish = new EndpointPair.Wish();
      wish.pathMtu = 256 << random.nextInt(5);
      wish.psnA = random.nextInt(1 << 24);
      wish.psnB = 0xFFFFFF - random.nextInt(40);
      wish.timeout = 10;
      wish.maxRdAtomic = 1 + random.nextInt(8);
      pair.connect(qa, qb, wish);
      pair.a.port.fate = badLink(random.split(), random.nextInt(60));
      pair.b.port.fate = badLink(random.split(), random.nextInt(60));
      pair.a.port.roomLimit = 1 + random.nextInt(64);
      Flow ab = new Flow(pair, pair.a, pair.b, qa, qb, seed * 3);
      Flow ba = new Flow(pair, pair.b, pair.a, qb, qa, seed * 5);
      runFlows(pair, ab, ba, 60);
      assertEquals(60, ab.done);
      assertEquals(60, ba.done);
      assertEquals(ab.receiveSizes.size(), ab.received);
      assertEquals(ba.receiveSizes.size(), ba.received);
      assertEquals(ab.counterValue, NativeMemory.getLong(ab.counter()));
    }
  }

  private static MemoryPort.Fate badLink(SplittableRandom random, int perMille) {
    return (buffer, offset, length) -> {
      if (random.nextInt(1000) >= perMille) {
        return MemoryPort.Fate.DELIVER;
      }
      return 1 + random.nextInt(4);
    };
  }

  private static void runFlows(EndpointPair pair, Flow ab, Flow ba, int requests) {
    long limitNs = pair.nowNs + 60_000_000_000L;
    while (ab.done < requests || ba.done < requests) {
      top(ab, requests);
      top(ba, requests);
      pair.settle();
      int before = ab.done + ba.done;
      drain(pair.a.cq, pair.a, ab, ba);
      drain(pair.b.cq, pair.b, ba, ab);
      if (ab.done + ba.done == before) {
        long next = pair.nextDeadlineNs();
        assertTrue(next < limitNs, () -> "stuck with " + ab.done + " and " + ba.done);
        pair.nowNs = Math.max(pair.nowNs, next);
      }
    }
    pair.runAll();
    drain(pair.a.cq, pair.a, ab, ba);
    drain(pair.b.cq, pair.b, ba, ab);
  }

  private static void top(Flow flow, int requests) {
    while (flow.posted < requests && flow.posted - flow.done < SLOTS / 2) {
      flow.post();
    }
  }

  private static void drain(
      io.roce4j.transport.verbs.CompletionQueue cq,
      EndpointPair.Side side,
      Flow sends,
      Flow receives) {
    while (cq.poll(side.completion)) {
      if (side.completion.opcode() >= WorkCompletionOpcode.RECV) {
        receives.onReceiveCompletion(side.completion);
      } else {
        sends.onSendCompletion(side.completion);
      }
    }
  }
}
