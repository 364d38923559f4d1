// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.roce4j.transport.queue.ReceiveQueue;
import io.roce4j.transport.queue.SendQueue;
import java.time.Duration;
import java.util.BitSet;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Four threads on one queue pair and one completion queue through the locked wrappers [FC-54]. */
class LockedWrappersTest {
  private static final int THREADS = 4;
  private static final int EACH = 10_000;

  private final Bench bench = new Bench();

  @AfterEach
  void closeEverything() {
    bench.close();
  }

  @Test
  void everyPostAndCompletionOfFourThreadsIsThereExactlyOnce() throws InterruptedException {
    QueuePair qp = bench.queuePair(QueuePairType.RC, QueuePairState.RTS);
    LockedQueuePair locked = new LockedQueuePair(qp);
    LockedCompletionQueue lockedCq = new LockedCompletionQueue(bench.cq);
    BitSet sends = new BitSet();
    BitSet receives = new BitSet();
    Thread[] posters = new Thread[THREADS];
    for (int t = 0; t < THREADS; t++) {
      int base = t * EACH;
      posters[t] = new Thread(() -> post(locked, base));
      posters[t].start();
    }
    Thread[] pollers = new Thread[2];
    for (int t = 0; t < pollers.length; t++) {
      pollers[t] = new Thread(() -> poll(lockedCq, sends, receives));
      pollers[t].start();
    }
    assertTimeoutPreemptively(Duration.ofMinutes(2), () -> complete(qp));
    for (Thread poster : posters) {
      poster.join();
    }
    for (Thread poller : pollers) {
      poller.join();
    }
    assertEquals(THREADS * EACH, sends.cardinality());
    assertEquals(THREADS * EACH, receives.cardinality());
  }

  /** Reuses its two request objects right after each post. */
  private static void post(LockedQueuePair locked, int base) {
    SendRequest send = new SendRequest();
    ReceiveRequest receive = new ReceiveRequest();
    for (int i = 0; i < EACH; i++) {
      send.clear().wrId(base + i);
      while (locked.postSend(send) != PostResult.OK) {
        YieldingIdleStrategy.INSTANCE.idle();
      }
      receive.clear().wrId(base + i);
      while (locked.postReceive(receive) != PostResult.OK) {
        YieldingIdleStrategy.INSTANCE.idle();
      }
      send.wrId(-1);
      receive.wrId(-1);
    }
  }

  /** Stands for the engine: completes whatever is posted. */
  private void complete(QueuePair qp) {
    SendQueue sends = qp.sendQueue();
    ReceiveQueue receives = qp.receiveQueue();
    long all = (long) THREADS * EACH;
    while (sends.head() < all || receives.head() < all) {
      long tail = sends.publishedTail();
      for (long index = sends.head(); index < tail; index++) {
        write(sends.wrId(sends.slot(index)), WorkCompletionOpcode.SEND, qp.qpNum());
        sends.release(index + 1);
      }
      tail = receives.publishedTail();
      for (long index = receives.head(); index < tail; index++) {
        write(receives.wrId(receives.slot(index)), WorkCompletionOpcode.RECV, qp.qpNum());
        receives.release(index + 1);
      }
      YieldingIdleStrategy.INSTANCE.idle();
    }
  }

  private void write(long wrId, int opcode, int qpNum) {
    while (bench.cq.writeSend(wrId, opcode, 0, qpNum) != 0) {
      YieldingIdleStrategy.INSTANCE.idle();
    }
  }

  private static void poll(LockedCompletionQueue cq, BitSet sends, BitSet receives) {
    WorkCompletion[] batch = new WorkCompletion[16];
    for (int i = 0; i < batch.length; i++) {
      batch[i] = new WorkCompletion();
    }
    while (true) {
      int count = cq.poll(batch, batch.length);
      synchronized (sends) {
        for (int i = 0; i < count; i++) {
          BitSet seen = batch[i].opcode() == WorkCompletionOpcode.SEND ? sends : receives;
          assertEquals(false, seen.get((int) batch[i].wrId()), "twice");
          seen.set((int) batch[i].wrId());
        }
        if (sends.cardinality() + receives.cardinality() == 2 * THREADS * EACH) {
          return;
        }
      }
      if (count == 0) {
        YieldingIdleStrategy.INSTANCE.idle();
      }
    }
  }
}
