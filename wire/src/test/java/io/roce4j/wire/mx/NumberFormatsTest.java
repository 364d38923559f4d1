// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NumberFormatsTest {
  private static final long SEED = 0x6d78_0001L;

  @Test
  void everyHintDecodesAndEncodesBackToItself() {
    for (int code = 1; code <= FairShareHint.UNLIMITED; code++) {
      assertEquals(code, FairShareHint.encode(FairShareHint.decode(code)), "code " + code);
    }
    assertEquals(0, FairShareHint.decode(FairShareHint.NONE));
  }

  @Test
  void hintsRiseWithTheirCode() {
    for (int code = 0; code < FairShareHint.UNLIMITED; code++) {
      assertTrue(FairShareHint.decode(code) < FairShareHint.decode(code + 1), "code " + code);
    }
  }

  @Test
  void hintNeverExceedsTheRateAndLosesLessThanHalfAPerMille() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 200_000; i++) {
      long rate = 1000 + (random.nextLong() >>> (random.nextInt(50) + 12));
      long back = FairShareHint.decode(FairShareHint.encode(rate));
      if (rate > FairShareHint.decode(FairShareHint.FINITE_MAX)) {
        assertEquals(FairShareHint.decode(FairShareHint.FINITE_MAX), back);
        continue;
      }
      assertTrue(back <= rate, "seed " + SEED + " rate " + rate + " became " + back);
      assertTrue(
          rate - back <= 999 + rate * 0.00049,
          "seed " + SEED + " rate " + rate + " became " + back);
    }
  }

  @Test
  void hintBelowOneUnitIsOneUnitAndNotNone() {
    assertEquals(1, FairShareHint.encode(0));
    assertEquals(1, FairShareHint.encode(-5));
    assertEquals(1, FairShareHint.encode(999));
    assertEquals(FairShareHint.UNLIMITED, FairShareHint.encode(Long.MAX_VALUE));
    assertEquals(FairShareHint.FINITE_MAX, FairShareHint.encode(Long.MAX_VALUE - 1));
    assertEquals(99_975_168_000L, FairShareHint.decode(FairShareHint.encode(100_000_000_000L)));
  }

  @Test
  void hintsOfKnownRates() {
    assertEquals(1_000, FairShareHint.decode(1));
    assertEquals(2_047_000, FairShareHint.decode(0x07FF));
    assertEquals(2_048_000, FairShareHint.decode(0x0800));
    assertEquals(2 * 2_048_000, FairShareHint.decode(0x1000));
    assertEquals((2048L + 2046) * (1L << 30) * 1000, FairShareHint.decode(0xFFFE));
    assertEquals(0x0801, FairShareHint.encode(2_049_999));
    assertEquals(Long.MAX_VALUE, FairShareHint.decode(FairShareHint.UNLIMITED));
  }

  @Test
  void backlogCodeCoversItsBytesWithinAFactorOfTwo() {
    assertEquals(BacklogCode.NONE, BacklogCode.encode(0));
    assertEquals(BacklogCode.UNKNOWN, BacklogCode.encode(-1));
    assertEquals(1, BacklogCode.encode(1));
    assertEquals(1, BacklogCode.encode(128));
    assertEquals(2, BacklogCode.encode(129));
    assertEquals(40, BacklogCode.encode(1L << 46));
    assertEquals(BacklogCode.UNKNOWN, BacklogCode.encode((1L << 46) + 1));
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 100_000; i++) {
      long bytes = 129 + (random.nextLong() >>> (random.nextInt(40) + 20));
      long most = BacklogCode.maxBytes(BacklogCode.encode(bytes));
      assertTrue(most >= bytes && most < 2 * bytes, "seed " + SEED + " bytes " + bytes);
    }
  }

  @Test
  void clockStampsCompareAcrossTheWrap() {
    long beforeWrap = (0xFFFF_FFFFL << 3) - 80;
    int early = MxClock.stamp(beforeWrap);
    int late = MxClock.stamp(beforeWrap + 1600);
    assertEquals(1600, MxClock.elapsedNs(early, late));
    assertEquals(-1600, MxClock.elapsedNs(late, early));
    assertEquals(0, MxClock.units(-1));
    assertEquals(0xFFFF_FFFFL, MxClock.units(Long.MAX_VALUE));
  }
}
