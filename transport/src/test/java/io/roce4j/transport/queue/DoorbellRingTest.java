// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;

class DoorbellRingTest {
  @Test
  void queuePairRingsOnceUntilAnswered() {
    List<Integer> heard = new ArrayList<>();
    try (SendQueue queue = new SendQueue(4, 1, 0);
        DoorbellRing ring = new DoorbellRing(16)) {
      ring.ring(queue, 17);
      ring.ring(queue, 17);
      assertEquals(1, ring.drain(heard::add, 100));
      ring.ring(queue, 17);
      assertEquals(0, ring.drain(heard::add, 100));
      DoorbellRing.answer(queue);
      ring.ring(queue, 17);
      assertEquals(1, ring.drain(heard::add, 100));
      assertEquals(List.of(17, 17), heard);
      assertFalse(ring.takeOverflow());
    }
  }

  @Test
  void fullRingTellsTheAgentToLookEverywhere() {
    List<Integer> heard = new ArrayList<>();
    List<SendQueue> queues = new ArrayList<>();
    try (DoorbellRing ring = new DoorbellRing(4)) {
      for (int i = 0; i < 10; i++) {
        SendQueue queue = new SendQueue(1, 1, 0);
        queues.add(queue);
        ring.ring(queue, 100 + i);
      }
      int heardOfTen = ring.drain(heard::add, 100);
      assertTrue(heardOfTen < 10, "ring of 4 held " + heardOfTen);
      assertTrue(ring.takeOverflow());
      assertFalse(ring.takeOverflow());
      queues.forEach(SendQueue::close);
    }
  }

  @Test
  void drainStopsAtItsLimit() {
    List<Integer> heard = new ArrayList<>();
    try (SendQueue one = new SendQueue(1, 1, 0);
        SendQueue two = new SendQueue(1, 1, 0);
        DoorbellRing ring = new DoorbellRing(16)) {
      ring.ring(one, 1);
      ring.ring(two, 2);
      assertEquals(1, ring.drain(heard::add, 1));
      assertEquals(1, ring.drain(heard::add, 1));
      assertEquals(List.of(1, 2), heard);
    }
  }

  @Test
  void noPostOfAnotherThreadGoesUnheard() {
    int posts = 300_000;
    try (SendQueue queue = new SendQueue(64, 1, 0);
        DoorbellRing ring = new DoorbellRing(4)) {
      Thread poster =
          new Thread(
              () -> {
                for (int i = 0; i < posts; ) {
                  if (queue.claim() == SendQueue.FULL) {
                    YieldingIdleStrategy.INSTANCE.idle();
                    continue;
                  }
                  queue.publish();
                  ring.ring(queue, 5);
                  i++;
                }
              });
      poster.start();
      // The agent looks at the queue only when told to: a lost doorbell would hang here.
      DoorbellRing.Listener listener =
          qpn -> {
            DoorbellRing.answer(queue);
            queue.release(queue.publishedTail());
          };
      assertTimeoutPreemptively(
          Duration.ofMinutes(1),
          () -> {
            while (queue.head() < posts) {
              int heard = ring.drain(listener, 16);
              // Room of the ring comes back at the end of a drain, so four slots may run out.
              if (ring.takeOverflow()) {
                listener.onDoorbell(5);
              } else if (heard == 0) {
                YieldingIdleStrategy.INSTANCE.idle();
              }
            }
            poster.join();
          });
    }
  }
}
