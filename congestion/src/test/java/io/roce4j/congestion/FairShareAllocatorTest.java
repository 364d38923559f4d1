// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The receiver's division of its port. */
class FairShareAllocatorTest {

  private static final long RTT = 10_000;
  private static final double C = 100e9;
  private static final double GIVEN = 0.98 * C;
  private static final CongestionSettings PORT = CongestionSettings.of((long) C, 4096, RTT);

  private static FairShareAllocator allocator(CongestionSettings settings) {
    return new FairShareAllocator(settings, 64, 4, 8);
  }

  private static void data(FairShareAllocator a, long nowNs, int sender, boolean backlog) {
    a.onData(nowNs, sender, 0, 4096, 5_000, backlog, !backlog);
  }

  private static double share(FairShareAllocator a, int sender) {
    return (double) a.hintBitsPerSecond(sender);
  }

  private static void tick(FairShareAllocator a) {
    a.onTimer(a.nextDeadlineNs());
  }

  @Test
  void aNewSenderHalvesTheShareOfTheOtherAtOnce() {
    FairShareAllocator a = allocator(PORT);
    int one = a.admit(1, 0);
    int two = a.admit(1, 0);
    data(a, 0, one, true);
    assertEquals(GIVEN, share(a, one), 1);
    data(a, 1_000, two, true);
    assertEquals(GIVEN / 2, share(a, one), 1);
    assertEquals(GIVEN / 2, share(a, two), 1);
    tick(a);
    assertEquals(GIVEN / 2, share(a, one), 1);
  }

  @Test
  void sharesRiseOnlyAtTicksAfterSilence() {
    FairShareAllocator a = allocator(PORT);
    int one = a.admit(1, 0);
    int two = a.admit(1, 0);
    data(a, 0, one, true);
    data(a, 0, two, true);
    // Two weights of silence: 2*RTT + 4*2 packets = 22.6 us after the last packet of the other.
    for (long now = 1_000; now < 60_000; now += 1_000) {
      data(a, now, one, true);
      double share = share(a, one);
      if (now <= 22_000) {
        assertEquals(GIVEN / 2, share, 1, "at " + now);
      }
      if (a.nextDeadlineNs() <= now) {
        a.onTimer(now);
      }
    }
    assertEquals(GIVEN, share(a, one), 1);
    assertEquals(1, a.activeSenders());
  }

  @Test
  void weightsDivideAndClaimsAreCapped() {
    FairShareAllocator a = allocator(PORT.with("weightMax=4"));
    int[] sender = {a.admit(0, 0), a.admit(2, 0), a.admit(200, 0)};
    for (int s : sender) {
      data(a, 0, s, true);
    }
    tick(a);
    assertEquals(GIVEN / 7, share(a, sender[0]), 1);
    assertEquals(GIVEN * 2 / 7, share(a, sender[1]), 1);
    assertEquals(GIVEN * 4 / 7, share(a, sender[2]), 1);
    a.weight(sender[2], 1);
    tick(a);
    assertEquals(GIVEN / 4, share(a, sender[0]), 1);
  }

  /** A sender that uses a tenth keeps a quarter of headroom; the other gets the rest. */
  @Test
  void whatAModestSenderLeavesGoesToTheOther() {
    FairShareAllocator a = allocator(CongestionSettings.of((long) C, 1024, RTT));
    int greedy = a.admit(1, 0);
    int modest = a.admit(1, 0);
    double modestGap = 1024 * 8e9 / (0.1 * C);
    double nextModest = 0;
    for (long now = 0; now < 1_000_000; now += 100) {
      a.onData(now, greedy, 0, 1024, 5_000, true, false);
      while (nextModest <= now) {
        a.onData(now, modest, 0, 1024, 5_000, false, false);
        nextModest += modestGap;
      }
      if (a.nextDeadlineNs() <= now) {
        a.onTimer(now);
      }
    }
    tick(a);
    double modestShare = share(a, modest);
    assertTrue(modestShare >= 0.11 * C && modestShare <= 0.15 * C, "modest " + modestShare);
    double greedyShare = share(a, greedy);
    assertTrue(greedyShare >= 0.84 * C, "greedy " + greedyShare);
  }

  @Test
  void shortRequestsAreOtherTrafficAndMakeNoSenderActive() {
    FairShareAllocator a = allocator(PORT);
    int bulk = a.admit(1, 0);
    int chatty = a.admit(1, 0);
    for (long now = 0; now < 2_000_000; now += 1_000) {
      data(a, now, bulk, true);
      a.onData(now, chatty, 0, 1250, 5_000, false, true);
      if (a.nextDeadlineNs() <= now) {
        a.onTimer(now);
      }
    }
    assertEquals(1, a.activeSenders());
    // 1250 bytes every microsecond are 10 Gbit/s.
    assertEquals(GIVEN - 10e9, share(a, bulk), 0.05 * C);
    assertEquals((GIVEN - 10e9) / 2, share(a, chatty), 0.05 * C, "as if it joined");
  }

  @Test
  void onlyAQueueThatAllBackloggedSendersSeeScalesDown() {
    FairShareAllocator a = allocator(PORT);
    int one = a.admit(1, 0);
    int two = a.admit(1, 0);
    a.onData(0, one, 0, 4096, 5_000, true, false);
    a.onData(0, two, 0, 4096, -7_000_000, true, false);
    a.onData(100, one, 0, 4096, 25_000, true, false);
    a.onData(100, two, 0, 4096, -7_000_000 + 300, true, false);
    tick(a);
    assertEquals(1, a.scale());
    long now = a.nextDeadlineNs();
    a.onData(now - 2, one, 0, 4096, 25_000, true, false);
    a.onData(now - 2, two, 0, 4096, -7_000_000 + 9_000, true, false);
    a.onTimer(now);
    // Common queue 9 us, reference 2 us, drained in 20 us.
    assertEquals(1 - 7.0 / 20, a.scale(), 1e-9);
    assertEquals(a.scale() * GIVEN / 2, share(a, one), 1);
    now = a.nextDeadlineNs();
    a.onData(now - 2, one, 0, 4096, 505_000, true, false);
    a.onData(now - 2, two, 0, 4096, -6_500_000, true, false);
    a.onTimer(now);
    assertEquals(0.5, a.scale(), "half is the floor");
  }

  @Test
  void pathsOfDifferentLengthAreNoQueue() {
    FairShareAllocator a = allocator(PORT);
    int one = a.admit(1, 0);
    for (long now = 0; now < 500_000; now += 500) {
      a.onData(
          now, one, (int) (now / 500 % 2), 4096, now / 500 % 2 == 0 ? 5_000 : 50_000, true, false);
      if (a.nextDeadlineNs() <= now) {
        a.onTimer(now);
      }
      assertEquals(1, a.scale());
    }
    a.onPathMoved(one, 0);
    a.onData(500_000, one, 0, 4096, 80_000, true, false);
    tick(a);
    assertEquals(1, a.scale(), "a new route has a base of its own");
  }

  @Test
  void hostFairnessDividesAmongHostsFirst() {
    FairShareAllocator a = allocator(PORT.with("hostFair=true"));
    int lone = a.admit(1, 0);
    int[] crowd = {a.admit(1, 1), a.admit(1, 1), a.admit(2, 1)};
    data(a, 0, lone, true);
    for (int s : crowd) {
      data(a, 0, s, true);
    }
    for (int pass = 0; pass < 2; pass++) {
      assertEquals(GIVEN / 2, share(a, lone), 1, "pass " + pass);
      assertEquals(GIVEN / 8, share(a, crowd[0]), 1);
      assertEquals(GIVEN / 4, share(a, crowd[2]), 1);
      tick(a);
    }
    a.release(lone);
    data(a, a.nextDeadlineNs() - 1, crowd[0], true);
    data(a, a.nextDeadlineNs() - 1, crowd[1], true);
    data(a, a.nextDeadlineNs() - 1, crowd[2], true);
    tick(a);
    assertEquals(GIVEN / 4, share(a, crowd[0]), 1);
  }

  @Test
  void aGapMakesASenderActive() {
    FairShareAllocator a = allocator(PORT);
    int one = a.admit(1, 0);
    int two = a.admit(1, 0);
    data(a, 0, one, true);
    a.onGap(10, two);
    assertEquals(2, a.activeSenders());
    assertEquals(GIVEN / 2, share(a, two), 1);
  }

  @Test
  void theGenerationMovesOnlyWithTheShare() {
    FairShareAllocator a = allocator(PORT);
    int one = a.admit(1, 0);
    data(a, 0, one, true);
    share(a, one);
    int first = a.generation(one);
    for (int i = 0; i < 10; i++) {
      share(a, one);
    }
    assertEquals(first, a.generation(one));
    int two = a.admit(1, 0);
    data(a, 0, two, true);
    share(a, one);
    assertEquals((first + 1) & 0xff, a.generation(one));
  }

  @Test
  void theTableIsBoundedAndNumbersComeBack() {
    FairShareAllocator a = new FairShareAllocator(PORT, 2, 1, 1);
    int one = a.admit(1, 0);
    a.admit(1, 0);
    assertEquals(FairShareAllocator.FULL, a.admit(1, 0));
    a.release(one);
    a.release(one);
    assertEquals(one, a.admit(1, 0));
    assertEquals(FairShareAllocator.FULL, a.admit(1, 0));
  }

  @Test
  void aQuietPortAsksForNoTimer() {
    FairShareAllocator a = allocator(PORT);
    assertEquals(CongestionController.NO_DEADLINE, a.nextDeadlineNs());
    int one = a.admit(1, 0);
    data(a, 0, one, true);
    int ticks = 0;
    while (a.nextDeadlineNs() != CongestionController.NO_DEADLINE) {
      tick(a);
      assertTrue(ticks++ < 200);
    }
    assertEquals(0, a.activeSenders());
  }

  /** Whatever joins, leaves and claims: the shares handed out never exceed the port. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void sharesNeverExceedThePort(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    FairShareAllocator a = allocator(PORT.with("hostFair", seed % 2 == 0 ? "true" : "false"));
    int[] senders = new int[40];
    java.util.Arrays.fill(senders, -1);
    boolean[] on = new boolean[40];
    long now = -1_000_000;
    for (int step = 0; step < 40_000; step++) {
      now += random.nextInt(400);
      int i = random.nextInt(senders.length);
      if (senders[i] < 0) {
        senders[i] = a.admit(random.nextInt(20), random.nextInt(8));
      } else if (random.nextInt(3000) == 0) {
        a.release(senders[i]);
        senders[i] = -1;
        continue;
      }
      on[i] = random.nextInt(50) == 0 ? !on[i] : on[i];
      if (on[i]) {
        a.onData(
            now,
            senders[i],
            random.nextInt(4),
            1 + random.nextInt(4096),
            random.nextInt(30_000),
            random.nextInt(5) > 0,
            random.nextInt(10) == 0);
      }
      if (a.nextDeadlineNs() <= now) {
        a.onTimer(now);
      }
      if (step % 50 == 0) {
        double sum = 0;
        for (int k = 0; k < senders.length; k++) {
          if (senders[k] >= 0 && a.isActive(senders[k])) {
            double share = share(a, senders[k]);
            assertTrue(share >= 1 && share <= C, "seed " + seed + ": " + share);
            sum += share;
          }
        }
        assertTrue(sum <= GIVEN + senders.length, "seed " + seed + " step " + step + ": " + sum);
      }
    }
  }
}
