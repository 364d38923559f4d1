// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PsnTest {
  private static final long SEED = 0x5EED_0001L;

  @Test
  void nextWrapsToZero() {
    assertEquals(0, Psn.next(0xFFFFFF));
    assertEquals(0, Msn.next(0xFFFFFF));
    assertEquals(0x100, Psn.next(0xFF));
  }

  @Test
  void distanceIsTheSigned24BitDifference() {
    assertEquals(1, Psn.distance(0xFFFFFF, 0));
    assertEquals(-1, Psn.distance(0, 0xFFFFFF));
    assertEquals(0x7FFFFF, Psn.distance(1, 0x800000));
    assertEquals(-0x800000, Psn.distance(0, 0x800000));
    assertEquals(-0x800000, Msn.distance(0x800000, 0));
  }

  @Test
  void halfTheSpaceAwayCountsAsBehindFromBothSides() {
    assertTrue(Psn.isBefore(0x800000, 0));
    assertTrue(Psn.isBefore(0, 0x800000));
    assertFalse(Psn.isAfter(0, 0x800000));
  }

  @Test
  void lawsHoldForRandomPairsAndAroundTheWrap() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 200_000; i++) {
      int a = i % 3 == 0 ? (random.nextInt(64) - 32) & Psn.MASK : random.nextInt(1 << 24);
      int delta = random.nextInt(-Psn.HALF_SPACE, Psn.HALF_SPACE);
      int b = Psn.add(a, delta);
      String at = "seed " + SEED + " a " + a + " delta " + delta;
      assertTrue(Psn.isValid(b), at);
      assertEquals(delta, Psn.distance(a, b), at);
      assertEquals(delta > 0, Psn.isAfter(b, a), at);
      assertEquals(delta < 0, Psn.isBefore(b, a), at);
      assertEquals(b, Msn.add(a, delta), at);
      assertEquals(delta, Msn.distance(a, b), at);
      assertEquals(delta > 0, Msn.isAfter(b, a), at);
      assertEquals(delta < 0, Msn.isBefore(b, a), at);
    }
  }

  /** [FC-10] a 32-bit number is no PSN. */
  @Test
  void numbersWiderThan24BitsAreNotValid() {
    assertFalse(Psn.isValid(0x01FFFFFF));
    assertFalse(Psn.isValid(0xFF000000));
    assertFalse(Psn.isValid(-1));
    assertFalse(Msn.isValid(0x01000000));
    assertTrue(Psn.isValid(0xFFFFFF));
  }
}
