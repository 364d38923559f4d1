// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SackVectorTest {
  private static final long SEED = 0x5ac4_0001L;

  @ParameterizedTest
  @ValueSource(ints = {64, 256, 1024})
  void behavesAsASetOfTheLastNumbersAcrossTheWrap(int bits) {
    SplittableRandom random = new SplittableRandom(SEED);
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[SackVector.bytes(bits) + 16]);
    TreeSet<Long> oracle = new TreeSet<>();
    long latest = 0xFFFF_FF00L;
    for (int round = 0; round < 20_000; round++) {
      long step = random.nextInt(4) == 0 ? random.nextInt(2 * bits) : random.nextInt(3);
      SackVector.clearRange(buffer, 8, bits, (int) (latest + 1), (int) step);
      latest += step;
      long oldest = latest - bits + 1;
      oracle.removeIf(n -> n < oldest);
      long number = latest - random.nextInt(bits);
      if (random.nextBoolean()) {
        SackVector.set(buffer, 8, bits, (int) number);
        oracle.add(number);
      } else {
        SackVector.clear(buffer, 8, bits, (int) number);
        oracle.remove(number);
      }
      check(buffer, bits, latest, oracle, random);
    }
    assertEquals(0L, buffer.getLong(0), "the bytes in front are untouched");
    assertEquals(0L, buffer.getLong(8 + SackVector.bytes(bits)), "those behind, too");
  }

  private static void check(
      UnsafeBuffer buffer,
      int bits,
      long latest,
      NavigableSet<Long> oracle,
      SplittableRandom random) {
    long probe = latest - random.nextInt(bits);
    assertEquals(oracle.contains(probe), SackVector.get(buffer, 8, bits, (int) probe));
    long end = latest - random.nextInt(bits - 63);
    long window = SackVector.window(buffer, 8, bits, (int) end);
    for (int i = 0; i < 64; i++) {
      assertEquals(oracle.contains(end - i), (window << i) < 0, "seed " + SEED + " position " + i);
    }
    long first = latest - random.nextInt(bits);
    int count = (int) (latest - first + 1);
    Long next = oracle.ceiling(first);
    int expected = next == null ? count : (int) Math.min(count, next - first);
    assertEquals(expected, SackVector.stepsToSet(buffer, 8, bits, (int) first, count));
    int clear = 0;
    while (clear < count && oracle.contains(first + clear)) {
      clear++;
    }
    assertEquals(clear, SackVector.stepsToClear(buffer, 8, bits, (int) first, count));
  }

  @Test
  void clearingMoreThanTheRingClearsAll() {
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[SackVector.bytes(64)]);
    SackVector.set(buffer, 0, 64, 7);
    assertTrue(SackVector.get(buffer, 0, 64, 7));
    SackVector.clearRange(buffer, 0, 64, 500, 64);
    assertFalse(SackVector.get(buffer, 0, 64, 7));
  }
}
