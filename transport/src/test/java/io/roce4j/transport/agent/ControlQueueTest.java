// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;

class ControlQueueTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final ControlQueue queue = new ControlQueue();
  // Deliberately plain: the queue alone must make it safe.
  private long guarded;

  @Test
  void verbRunsAtOnceWhenNoCycleRuns() {
    assertEquals(5, queue.call(() -> 5));
    assertTrue(queue.enter());
    queue.exit();
  }

  @Test
  void verbInsideACycleRunsAtOnce() {
    assertTrue(queue.enter());
    assertEquals(5, queue.call(() -> queue.call(() -> 5)));
    queue.exit();
  }

  @Test
  void cycleIsSkippedWhileAVerbRuns() throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    Thread caller =
        new Thread(
            () ->
                queue.run(
                    () -> {
                      inside.countDown();
                      awaitLatch(leave);
                    }));
    caller.start();
    inside.await();
    assertFalse(queue.enter());
    leave.countDown();
    caller.join();
    assertTrue(queue.enter());
    queue.exit();
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void verbFromOutsideRunsOnTheThreadOfTheNextCycle() throws InterruptedException {
    AtomicReference<Thread> ranOn = new AtomicReference<>();
    assertTrue(queue.enter());
    Thread caller = new Thread(() -> queue.run(() -> ranOn.set(Thread.currentThread())));
    caller.start();
    assertTimeoutPreemptively(
        LIMIT,
        () -> {
          while (!queue.hasPending()) {
            YieldingIdleStrategy.INSTANCE.idle();
          }
        });
    assertEquals(null, ranOn.get());
    queue.exit();
    // Whoever gets the turn first runs it: this cycle, or the caller itself.
    if (queue.enter()) {
      queue.exit();
    }
    caller.join();
    assertTrue(ranOn.get() == Thread.currentThread() || ranOn.get() == caller);
  }

  @Test
  void failuresGoToTheCallerAndTheQueueGoesOn() throws InterruptedException {
    IllegalStateException mine = new IllegalStateException("mine");
    assertSame(mine, assertThrows(IllegalStateException.class, () -> queue.run(() -> fail(mine))));
    assertTrue(queue.enter());
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                queue.run(() -> fail(mine));
              } catch (IllegalStateException e) {
                thrown.set(e);
              }
            });
    caller.start();
    assertTimeoutPreemptively(
        LIMIT,
        () -> {
          while (!queue.hasPending()) {
            YieldingIdleStrategy.INSTANCE.idle();
          }
        });
    queue.exit();
    if (queue.enter()) {
      queue.exit();
    }
    caller.join();
    assertSame(mine, thrown.get());
    assertEquals(1, queue.call(() -> 1));
  }

  private static void fail(RuntimeException e) {
    throw e;
  }

  @Test
  void verbsOfManyThreadsAndABusyAgentNeverOverlap() throws InterruptedException {
    int threads = 3;
    int each = 2_000;
    AtomicBoolean stop = new AtomicBoolean();
    Thread agent =
        new Thread(
            () -> {
              while (!stop.get()) {
                if (queue.enter()) {
                  guarded++;
                  guarded--;
                  queue.exit();
                }
              }
            });
    agent.start();
    Thread[] callers = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      callers[t] =
          new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  queue.run(() -> guarded++);
                }
              });
      callers[t].start();
    }
    assertTimeoutPreemptively(
        LIMIT,
        () -> {
          for (Thread caller : callers) {
            caller.join();
          }
        });
    stop.set(true);
    agent.join();
    assertEquals((long) threads * each, queue.call(() -> guarded));
  }
}
