// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private record Scheduled(long atPs, long order) {}

  @Test
  void eventsHappenByTimeAndThenByOrderOfScheduling() {
    for (int seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Timeline timeline = new Timeline();
      List<Scheduled> expected = new ArrayList<>();
      List<Scheduled> happened = new ArrayList<>();
      int events = random.nextInt(1, 5_000);
      for (long i = 0; i < events; i++) {
        Scheduled event = new Scheduled(random.nextLong(200), i);
        expected.add(event);
        timeline.schedule(
            event.atPs(),
            (kind, argument) -> happened.add(new Scheduled(timeline.nowPs(), argument)),
            0,
            i);
      }
      while (timeline.step()) {}
      expected.sort(Comparator.comparingLong(Scheduled::atPs).thenComparingLong(Scheduled::order));
      assertEquals(expected, happened, "seed " + seed);
      assertEquals(events, timeline.eventCount());
    }
  }

  @Test
  void eventsScheduledMeanwhileTakeTheirPlace() {
    Timeline timeline = new Timeline();
    List<String> happened = new ArrayList<>();
    timeline.schedule(
        10,
        (kind, argument) -> {
          happened.add("first");
          timeline.schedule(10, (k, a) -> happened.add("same time, later"), 0, 0);
          timeline.schedule(15, (k, a) -> happened.add("between"), 0, 0);
        },
        0,
        0);
    timeline.schedule(10, (kind, argument) -> happened.add("second"), 0, 0);
    timeline.schedule(20, (kind, argument) -> happened.add("last"), 0, 0);
    while (timeline.step()) {}
    assertEquals(List.of("first", "second", "same time, later", "between", "last"), happened);
  }

  @Test
  void thePastIsRefused() {
    Timeline timeline = new Timeline();
    timeline.runUntil(5_000);
    assertEquals(5, timeline.nowNs());
    Exception e =
        assertThrows(
            IllegalArgumentException.class, () -> timeline.schedule(4_999, (k, a) -> {}, 0, 0));
    assertEquals("event at 4999 ps: the present is 5000 ps already", e.getMessage());
    assertFalse(timeline.step());
  }

  @Test
  void runUntilStopsAtItsTime() {
    Timeline timeline = new Timeline();
    List<Long> happened = new ArrayList<>();
    for (long at : new long[] {10, 20, 21}) {
      timeline.schedule(at, (kind, argument) -> happened.add(argument), 0, at);
    }
    timeline.runUntil(20);
    assertEquals(List.of(10L, 20L), happened);
    assertEquals(21, timeline.nextPs());
    assertEquals(20, timeline.nowPs());
  }

  /** Events that schedule one another, in bursts, lulls and far apart, against a sorted list. */
  @Test
  void orderHoldsHoweverDenseEventsAre() {
    for (int seed = 0; seed < 6; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Timeline timeline = new Timeline();
      PriorityQueue<Scheduled> expected =
          new PriorityQueue<>(
              Comparator.comparingLong(Scheduled::atPs).thenComparingLong(Scheduled::order));
      long order = 0;
      long spreadPs = 1;
      for (int i = 0; i < 120_000; i++) {
        if (i % 9_000 == 0) {
          spreadPs = 1L << random.nextInt(45);
        }
        boolean more =
            timeline.pending() < 300 && (timeline.pending() < 2 || random.nextInt(8) > 0);
        if (more) {
          boolean isFar = random.nextInt(50) == 0;
          long afterPs = isFar ? random.nextLong(1L << 52) : random.nextLong(spreadPs);
          Scheduled event = new Scheduled(timeline.nowPs() + afterPs, order++);
          expected.add(event);
          timeline.schedule(
              event.atPs(),
              (kind, argument) -> {
                Scheduled next = expected.remove();
                assertEquals(next, new Scheduled(timeline.nowPs(), argument));
              },
              0,
              event.order());
        } else if (random.nextInt(100) == 0) {
          timeline.runUntil(timeline.nowPs() + random.nextLong(spreadPs));
        } else {
          assertEquals(expected.peek().atPs(), timeline.nextPs());
          timeline.step();
        }
      }
      timeline.schedule(Timeline.NEVER - 1, (kind, argument) -> {}, 0, 0);
      while (timeline.step()) {}
      assertEquals(0, expected.size());
      assertEquals(Timeline.NEVER - 1, timeline.nowPs());
      timeline.runUntil(Timeline.NEVER);
    }
  }
}
