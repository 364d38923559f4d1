// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Connection management through loss, duplication and reordering, seed by seed. */
class CmStormTest {
  private static final int SEEDS = 60;
  private static final long[] RETRIES = new long[4];
  private static long requests;

  static LongStream seeds() {
    return LongStream.range(0, SEEDS);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void nothingIsLeftOfAnyConversation(long seed) {
    CmStorm.Outcome outcome = CmStorm.of(seed, OutputStream.nullOutputStream());
    assertEquals(
        0,
        outcome.findings().count(),
        () -> "seed " + seed + ": " + outcome.findings().first() + "\n" + outcome.tail());
    requests += outcome.requests();
    for (int i = 0; i < RETRIES.length; i++) {
      RETRIES[i] += outcome.retries()[i];
    }
  }

  /** Or green seeds say nothing. */
  @AfterAll
  static void theSeedsReachEveryRepetition() {
    assertTrue(requests > 5 * SEEDS, "only " + requests + " requests");
    for (long retries : RETRIES) {
      assertTrue(retries > SEEDS / 2, () -> "repetitions " + Arrays.toString(RETRIES));
    }
  }

  @Test
  void oneSeedGivesTheSameRunTwice() {
    CmStorm.Outcome one = CmStorm.of(4711, OutputStream.nullOutputStream());
    CmStorm.Outcome two = CmStorm.of(4711, OutputStream.nullOutputStream());
    assertEquals(one.digest(), two.digest());
    assertTrue(one.journalLines() > 100);
  }
}
