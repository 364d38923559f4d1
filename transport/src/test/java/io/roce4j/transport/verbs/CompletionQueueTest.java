// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static io.roce4j.transport.verbs.Bench.assertErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Completion queues, their events and their overflow [rc 12]. */
class CompletionQueueTest {
  private final Bench bench = new Bench();
  private final WorkCompletion out = new WorkCompletion();

  @AfterEach
  void closeEverything() {
    bench.close();
  }

  private static int success(CompletionQueue cq, long wrId, boolean solicited) {
    return cq.write(
        wrId,
        WorkCompletionStatus.SUCCESS,
        WorkCompletionOpcode.RECV,
        1L << 31,
        17,
        0,
        0,
        0,
        0,
        0,
        solicited);
  }

  private static int error(CompletionQueue cq, long wrId) {
    return cq.writeError(wrId, WorkCompletionStatus.WR_FLUSH_ERR, WorkCompletionOpcode.SEND, 17, 3);
  }

  @ParameterizedTest(name = "[FC-23] indices from {0}, seed {1}")
  @CsvSource({"0, 1", "0xFFFFFFF0, 2", "0x7FFFFFF0, 3", "0xFFFFFF, 4", "0x7FFFFFFFFFFFFFF0, 5"})
  void keepsOrderAndContentsWhereIndicesWrap(String start, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    CompletionQueue cq = new CompletionQueue(bench.context, 99, 6, null, Long.decode(start));
    Deque<Long> model = new ArrayDeque<>();
    WorkCompletion[] batch = {new WorkCompletion(), new WorkCompletion(), new WorkCompletion()};
    long next = 0;
    for (int i = 0; i < 5_000; i++) {
      if (random.nextBoolean()) {
        boolean full = model.size() == 6;
        assertEquals(full ? CompletionQueue.CQ_FULL : 0, success(cq, next, false));
        if (!full) {
          model.add(next);
        }
        next++;
      } else if (random.nextBoolean()) {
        assertEquals(!model.isEmpty(), cq.poll(out));
        if (!model.isEmpty()) {
          assertEquals(model.poll(), out.wrId());
        }
      } else {
        int count = cq.poll(batch, 3);
        assertEquals(Math.min(3, model.size()), count);
        for (int k = 0; k < count; k++) {
          assertEquals(model.poll(), batch[k].wrId());
        }
      }
    }
    cq.close();
  }

  @Test
  void everyFieldComesBackAsWritten() {
    bench.cq.write(
        -1L,
        WorkCompletionStatus.SUCCESS,
        WorkCompletionOpcode.RECV_RDMA_WITH_IMM,
        1L << 31,
        0xFF_FFFF,
        0xAB_CDEF,
        0xCAFE_BABE,
        0xDEAD_BEEF,
        WorkCompletionFlags.WITH_IMM,
        6,
        false);
    assertTrue(bench.cq.poll(out));
    assertEquals(-1L, out.wrId());
    assertEquals(WorkCompletionStatus.SUCCESS, out.status());
    assertEquals(WorkCompletionOpcode.RECV_RDMA_WITH_IMM, out.opcode());
    assertEquals(1L << 31, out.byteLength());
    assertEquals(0xFF_FFFF, out.qpNum());
    assertEquals(0xAB_CDEF, out.srcQp());
    assertEquals(0xCAFE_BABE, out.immediate());
    assertEquals(0xDEAD_BEEF, out.invalidatedRkey());
    assertEquals(WorkCompletionFlags.WITH_IMM, out.flags());
    assertEquals(6, out.vendorError());
    bench.cq.writeDatagram(4, 60, 17, 18, 19, 3, 1, WorkCompletion.NETWORK_IPV6, false);
    assertTrue(bench.cq.poll(out));
    assertEquals(60, out.byteLength());
    assertEquals(1, out.pkeyIndex());
    assertEquals(WorkCompletion.NETWORK_IPV6, out.networkType());
    bench.cq.writeSend(5, WorkCompletionOpcode.RDMA_READ, 7, 17);
    assertTrue(bench.cq.poll(out));
    assertEquals(0, out.networkType());
    assertEquals(0, out.flags());
    assertEquals("wrId 5 SUCCESS RDMA_READ qp 17 bytes 7", out.toString());
    assertFalse(bench.cq.poll(out));
  }

  @Test
  void polledCompletionsStayTheCallers() {
    // [FC-54] a hundred batches kept, nothing overwritten by later polls.
    WorkCompletion[][] kept = new WorkCompletion[100][16];
    long next = 0;
    for (WorkCompletion[] batch : kept) {
      for (int i = 0; i < 16; i++) {
        batch[i] = new WorkCompletion();
        assertEquals(0, success(bench.cq, next++, false));
      }
      assertEquals(16, bench.cq.poll(batch, 16));
    }
    long expected = 0;
    for (WorkCompletion[] batch : kept) {
      for (WorkCompletion one : batch) {
        assertEquals(expected++, one.wrId());
      }
    }
  }

  // [rc 12-1] [rc 19-1]
  @Test
  void overflowLosesTheNewEntryRaisesCqErrOnceAndKeepsTheQueued() {
    CompletionQueue cq = bench.context.createCompletionQueue(2);
    assertEquals(0, success(cq, 1, false));
    assertEquals(0, success(cq, 2, false));
    assertFalse(cq.isOverflowed());
    assertEquals(CompletionQueue.CQ_FULL, success(cq, 3, false));
    assertEquals(CompletionQueue.CQ_FULL, error(cq, 4));
    assertTrue(cq.isOverflowed());
    AsyncEvent event = new AsyncEvent();
    assertTrue(bench.context.pollAsyncEvent(event));
    assertEquals(AsyncEventType.CQ_ERR, event.type());
    assertEquals(AsyncEvent.COMPLETION_QUEUE, event.element());
    assertEquals(cq.number(), event.number());
    assertFalse(bench.context.pollAsyncEvent(event));
    assertTrue(cq.poll(out));
    assertEquals(1, out.wrId());
    assertTrue(cq.poll(out));
    assertEquals(2, out.wrId());
    assertFalse(cq.poll(out));
  }

  // [rc 12-2]
  @Test
  void notifyIsOneShotAndNotForWhatIsQueuedAlready() {
    CompletionQueue cq = bench.cq;
    success(cq, 1, false);
    cq.requestNotify(false);
    assertEquals(0, cq.takeEvents());
    success(cq, 2, false);
    success(cq, 3, false);
    assertEquals(1, cq.takeEvents());
    assertEquals(0, cq.takeEvents());
    success(cq, 4, false);
    assertEquals(0, cq.takeEvents());
    cq.requestNotify(false);
    cq.requestNotify(false);
    success(cq, 5, false);
    success(cq, 6, false);
    assertEquals(1, cq.takeEvents());
  }

  // [rc 12-2] [rc 12-3]
  @Test
  void solicitedOnlyWaitsForASolicitedOrErrorCompletion() {
    CompletionQueue cq = bench.cq;
    cq.requestNotify(true);
    success(cq, 1, false);
    assertEquals(0, cq.takeEvents());
    success(cq, 2, true);
    assertEquals(1, cq.takeEvents());
    cq.requestNotify(true);
    success(cq, 3, false);
    error(cq, 4);
    assertEquals(1, cq.takeEvents());
    // A request for every completion is not weakened by a later one for solicited ones.
    cq.requestNotify(false);
    cq.requestNotify(true);
    success(cq, 5, false);
    assertEquals(1, cq.takeEvents());
    // After it fired, solicited only holds again.
    cq.requestNotify(true);
    success(cq, 6, false);
    assertEquals(0, cq.takeEvents());
  }

  @Test
  void moderationHoldsTheEventForTheCount() {
    CompletionQueue cq = bench.cq;
    cq.moderate(3, 0);
    cq.requestNotify(false);
    success(cq, 1, false);
    success(cq, 2, false);
    assertEquals(0, cq.takeEvents());
    assertEquals(Long.MAX_VALUE, bench.context.nextDeadlineNs());
    success(cq, 3, false);
    assertEquals(1, cq.takeEvents());
    cq.requestNotify(false);
    success(cq, 4, false);
    assertEquals(0, cq.takeEvents());
  }

  @Test
  void moderationReleasesAnOldEventByTime() {
    CompletionQueue cq = bench.cq;
    cq.moderate(100, 5_000);
    cq.requestNotify(false);
    bench.context.onTimer(1_000);
    success(cq, 1, false);
    assertEquals(Long.MIN_VALUE, bench.context.nextDeadlineNs(), "wants its time stamp");
    bench.context.onTimer(2_000);
    assertEquals(7_000, bench.context.nextDeadlineNs());
    bench.context.onTimer(6_999);
    assertEquals(0, cq.takeEvents());
    bench.context.onTimer(7_000);
    assertEquals(1, cq.takeEvents());
    assertEquals(Long.MAX_VALUE, bench.context.nextDeadlineNs());
    bench.context.onTimer(20_000);
    assertEquals(0, cq.takeEvents());
    assertErrno("EINVAL", "moderation of 0", () -> cq.moderate(0, 1));
  }

  @Test
  void moderatedQueuesOfManyWaitIndependently() {
    CompletionQueue[] queues = new CompletionQueue[20];
    for (int i = 0; i < queues.length; i++) {
      queues[i] = bench.context.createCompletionQueue(4);
      queues[i].moderate(10, 100L * (i + 1));
      queues[i].requestNotify(false);
      success(queues[i], i, false);
    }
    bench.context.onTimer(0);
    for (int i = 0; i < queues.length; i++) {
      assertEquals(100L * (i + 1), bench.context.nextDeadlineNs());
      bench.context.onTimer(100L * (i + 1));
      assertEquals(1, queues[i].takeEvents());
    }
    assertEquals(Long.MAX_VALUE, bench.context.nextDeadlineNs());
  }

  @Test
  void channelHandsOutTheEventsOfItsQueuesInTurns() {
    CompletionChannel channel = bench.context.createCompletionChannel();
    CompletionQueue a = bench.context.createCompletionQueue(4, channel);
    CompletionQueue b = bench.context.createCompletionQueue(4, channel);
    assertNull(channel.pollEvent());
    a.requestNotify(false);
    b.requestNotify(false);
    success(b, 1, false);
    success(a, 2, false);
    assertSame(a, channel.pollEvent());
    assertSame(b, channel.pollEvent());
    assertNull(channel.pollEvent());
    a.requestNotify(false);
    success(a, 3, false);
    a.requestNotify(false);
    success(a, 4, false);
    assertSame(a, channel.pollEvent());
    assertSame(a, channel.pollEvent());
    assertNull(channel.pollEvent());
    assertErrno("EBUSY", "used by 2 queues", channel::close);
    a.close();
    b.close();
    channel.close();
  }

  @Test
  void channelForgetsEventsOfADestroyedQueue() {
    CompletionChannel channel = bench.context.createCompletionChannel();
    CompletionQueue a = bench.context.createCompletionQueue(4, channel);
    CompletionQueue b = bench.context.createCompletionQueue(4, channel);
    a.requestNotify(false);
    success(a, 1, false);
    a.close();
    assertNull(channel.pollEvent());
    b.requestNotify(false);
    success(b, 2, false);
    assertSame(b, channel.pollEvent());
    assertNull(channel.pollEvent());
  }

  @Test
  void queueInUseCannotBeDestroyedAndDestroyedQueueIsEmpty() {
    QueuePair qp = bench.queuePair(QueuePairType.RC);
    assertErrno("EBUSY", "used by 2", bench.cq::close);
    qp.close();
    success(bench.cq, 1, false);
    bench.cq.close();
    bench.cq.close();
    assertFalse(bench.cq.poll(out));
    assertEquals(0, bench.cq.poll(new WorkCompletion[] {out}, 1));
    assertErrno(
        "EINVAL", "destroyed", () -> bench.pd.createQueuePair(bench.settings(QueuePairType.RC)));
  }

  @Test
  void entriesAreCompleteWhenTheOtherThreadSeesThem() throws InterruptedException {
    // [FC-53] eight fields, then the index.
    int entries = 300_000;
    CompletionQueue cq = new CompletionQueue(bench.context, 98, 32, null, 0xFFFF_FFF0L);
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < entries; ) {
                int result =
                    cq.write(i, 0, i + 1, i + 2L, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, false);
                if (result == 0) {
                  i++;
                } else {
                  YieldingIdleStrategy.INSTANCE.idle();
                }
              }
            });
    writer.start();
    WorkCompletion[] batch = new WorkCompletion[8];
    for (int i = 0; i < batch.length; i++) {
      batch[i] = new WorkCompletion();
    }
    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () -> {
          int seen = 0;
          while (seen < entries) {
            int count = cq.poll(batch, batch.length);
            for (int k = 0; k < count; k++) {
              assertEntry(batch[k], seen++);
            }
            if (count == 0) {
              YieldingIdleStrategy.INSTANCE.idle();
            }
          }
        });
    writer.join();
    cq.close();
  }

  private static void assertEntry(WorkCompletion entry, int n) {
    assertEquals(n, entry.wrId());
    assertEquals(n + 1, entry.opcode());
    assertEquals(n + 2L, entry.byteLength());
    assertEquals(n + 3, entry.qpNum());
    assertEquals(n + 4, entry.srcQp());
    assertEquals(n + 5, entry.immediate());
    assertEquals(n + 6, entry.invalidatedRkey());
    assertEquals(n + 7, entry.flags());
    assertEquals(n + 8, entry.vendorError());
  }

  @Test
  void armThenPollNeverMissesACompletionOfAnotherThread() throws InterruptedException {
    int entries = 50_000;
    CompletionQueue cq = bench.context.createCompletionQueue(16);
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < entries; ) {
                if (success(cq, i, false) == 0) {
                  i++;
                } else {
                  YieldingIdleStrategy.INSTANCE.idle();
                }
              }
            });
    // Armed once before the writer starts, as the first arming is a control verb.
    cq.requestNotify(false);
    writer.start();
    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () -> {
          int seen = 0;
          while (seen < entries) {
            // The discipline of every verbs program: wait for the event, arm, drain.
            while (cq.takeEvents() == 0) {
              YieldingIdleStrategy.INSTANCE.idle();
            }
            cq.requestNotify(false);
            while (cq.poll(out)) {
              seen++;
            }
          }
        });
    writer.join();
  }
}
