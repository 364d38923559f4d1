// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SizeMixTest {
  @Test
  void everyOrderOfMagnitudeHasItsShareAndTheEndsAreReached() {
    SizeMix mix = SizeMix.between(1, 1 << 20);
    SplittableRandom random = new SplittableRandom(1);
    int[] octaves = new int[21];
    for (int i = 0; i < 1_000_000; i++) {
      int size = mix.draw(random);
      assertTrue(size >= 1 && size <= 1 << 20);
      octaves[31 - Integer.numberOfLeadingZeros(size)]++;
    }
    // Rounding to whole bytes shifts the smallest ones.
    for (int octave = 4; octave < 20; octave++) {
      assertEquals(1_000_000 / 20.0, octaves[octave], 2_000, "2^" + octave);
    }
    assertTrue(octaves[0] > 10_000, "1 byte");
    assertEquals(1 << 20, mix.largest());
  }

  @Test
  void listsDrawTheirMembersOnly() {
    SizeMix mix = new SizeMix(new int[] {0, 64, 4_096}, new int[] {0, 64, 4_096});
    SplittableRandom random = new SplittableRandom(1);
    int zero = 0;
    for (int i = 0; i < 9_000; i++) {
      int size = mix.draw(random);
      assertTrue(size == 0 || size == 64 || size == 4_096, "size " + size);
      zero += size == 0 ? 1 : 0;
    }
    assertEquals(3_000, zero, 300);
  }

  @Test
  void wrongRangesAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> SizeMix.between(5, 4));
    assertThrows(IllegalArgumentException.class, () -> SizeMix.between(-1, 4));
    assertThrows(IllegalArgumentException.class, () -> new SizeMix(new int[0], new int[0]));
  }
}
