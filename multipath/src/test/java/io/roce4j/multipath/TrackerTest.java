// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.sequence.Psn;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class TrackerTest {
  private static final long SEED = 0x7ac4_0001L;

  private static Tracker tracker(int window, int first) {
    return new Tracker(new UnsafeBuffer(new byte[Tracker.bytes(window)]), 0, window, first);
  }

  /** [FC-42] A number beyond the window is told apart, not an error; one behind is a duplicate. */
  @Test
  void numbersBeyondTheWindowAreNotTakenAndDoNoHarm() {
    int first = 0xFFFFC0;
    Tracker tracker = tracker(128, first);
    int last = Psn.add(first, 127);
    assertFalse(tracker.isBeyond(last));
    tracker.accept(last);
    assertTrue(tracker.contains(last));
    assertTrue(tracker.isBeyond(Psn.add(first, 128)));
    assertTrue(tracker.isBeyond(Psn.add(first, 5000)));
    assertFalse(tracker.isBeyond(Psn.add(first, -1)));
    assertTrue(tracker.contains(Psn.add(first, -1)));
    for (int i = 126; i >= 0; i--) {
      int cpsn = Psn.add(first, i);
      assertFalse(tracker.contains(cpsn), "number " + i + " once");
      assertEquals(Psn.add(first, -1), tracker.cumulative());
      tracker.accept(cpsn);
    }
    assertEquals(0x00003F, tracker.cumulative());
    assertEquals(0x0000C0, tracker.limit());
  }

  @Test
  void eachNumberIsTakenOnceInWhateverOrderAcrossTheWrap() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int window : new int[] {1, 8, 63, 64, 65, 2048}) {
      int first = Psn.add(0, -random.nextInt(300));
      Tracker tracker = tracker(window, first);
      Set<Integer> taken = new HashSet<>();
      int cumulative = Psn.add(first, -1);
      for (int round = 0; round < 20_000; round++) {
        int cpsn = Psn.add(cumulative, random.nextInt(window + 3) - 1);
        int ahead = Psn.distance(cumulative, cpsn);
        assertEquals(ahead > window, tracker.isBeyond(cpsn), "seed " + SEED);
        if (ahead > window) {
          continue;
        }
        boolean known = ahead <= 0 || taken.contains(cpsn);
        assertEquals(known, tracker.contains(cpsn), "seed " + SEED);
        if (known) {
          continue;
        }
        tracker.accept(cpsn);
        taken.add(cpsn);
        while (taken.remove(Psn.next(cumulative))) {
          cumulative = Psn.next(cumulative);
        }
        assertEquals(cumulative, tracker.cumulative());
        assertEquals(Psn.add(cumulative, 1 + window), tracker.limit());
      }
    }
  }
}
