// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HintCodeTest {

  @Test
  void everyCodeDecodesAndEncodesToItself() {
    long previous = -1;
    for (int code = 0; code <= 0xffff; code++) {
      long rate = HintCode.decode(code);
      assertTrue(rate > previous, "codes are in order of the rate: " + code);
      previous = rate;
      assertEquals(code == 0 ? 1 : code, HintCode.encode(rate));
    }
    assertEquals(CongestionController.UNLIMITED, previous);
  }

  @Test
  void knownValues() {
    assertEquals(0, HintCode.decode(HintCode.NONE));
    assertEquals(1_000, HintCode.decode(1));
    assertEquals(2_047_000, HintCode.decode(0x07ff));
    assertEquals(2_048_000, HintCode.decode(0x0800));
    assertEquals(2 * 2_048_000, HintCode.decode(0x1000));
    assertEquals((2048L + 2046) * (1L << 30) * 1000, HintCode.decode(0xfffe));
    assertEquals(0xfffe, HintCode.encode(Long.MAX_VALUE - 1));
    assertEquals(HintCode.UNLIMITED, HintCode.encode(CongestionController.UNLIMITED));
    assertEquals(1, HintCode.encode(0));
    assertEquals(1, HintCode.encode(999));
    assertEquals(0x0800 + 1, HintCode.encode(2_049_999));
  }

  @Test
  void theErrorIsBelowAPartInTwoThousandAndNeverUpward() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 1_000_000; i++) {
      long rate = 2_048_000L + (random.nextLong() >>> (12 + random.nextInt(40)));
      if (rate > 4_395_000_000_000_000L) {
        continue;
      }
      long back = HintCode.decode(HintCode.encode(rate));
      assertTrue(back <= rate, "upward: " + rate);
      assertTrue((rate - back) / (double) rate < 0.0005, "error: " + rate + " " + back);
    }
  }
}
