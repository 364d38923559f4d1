// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LossDetectorTest {
  private static final long SEED = 0x1055_0001L;

  @Test
  void aHoleBehindTheHighestIsLostAndTheHighestItselfIsNot() {
    // Highest received: bit 63. 62 is missing, 61 is in, 60 was never sent.
    long live = 0b111L << 61 & ~(1L << 60);
    long accepted = 1L << 63 | 1L << 61;
    assertEquals(1L << 62, LossDetector.lost(live, accepted, 0, 0));
    assertEquals(0, LossDetector.lost(live, accepted, 0, 1), "within the reorder tolerance");
    assertEquals(0, LossDetector.lost(1L << 63, 0, 0, 0), "nothing came behind the last one");
  }

  @Test
  void aTailCheckFindsTheLastOneLost() {
    assertEquals(1L << 63, LossDetector.lostBehindCheck(1L << 63, 0, 500, 500));
    assertEquals(0, LossDetector.lostBehindCheck(1L << 63, 0, 500, 499));
    assertEquals(1L << 62, LossDetector.lostBehindCheck(3L << 62, 0, 500, 499));
  }

  @Test
  void agreesWithTheRuleTakenBitByBit() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 100_000; round++) {
      long sparse = random.nextLong();
      long live = sparse & random.nextLong();
      long accepted = random.nextLong();
      int word = random.nextInt(4);
      int tolerance = random.nextInt(70);
      int latest = random.nextInt();
      int last = latest + random.nextInt(200) - 100;
      long byAge = 0;
      long byCheck = 0;
      for (int i = 0; i < 64; i++) {
        long bit = 1L << (63 - i);
        boolean missing = (live & bit) != 0 && (accepted & bit) == 0;
        byAge |= missing && 64 * word + i > tolerance ? bit : 0;
        byCheck |= missing && latest - i - last <= 0 ? bit : 0;
      }
      assertEquals(byAge, LossDetector.lost(live, accepted, word, tolerance), "seed " + SEED);
      assertEquals(
          byCheck, LossDetector.lostBehindCheck(live, accepted, latest, last), "seed " + SEED);
    }
  }
}
