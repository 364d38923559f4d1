// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SyndromeTest {
  // [rc 4-1..5]
  @Test
  void everyByteHasExactlyOneKind() {
    for (int syndrome = 0; syndrome < 256; syndrome++) {
      int kinds =
          (Syndrome.isAck(syndrome) ? 1 : 0)
              + (Syndrome.isRnrNak(syndrome) ? 1 : 0)
              + (Syndrome.isNak(syndrome) ? 1 : 0)
              + (Syndrome.isReserved(syndrome) ? 1 : 0);
      assertEquals(1, kinds, "syndrome " + syndrome);
    }
    assertTrue(Syndrome.isReserved(Syndrome.NAK_INVALID_RD_REQUEST));
    assertTrue(Syndrome.isReserved(0x40));
    assertTrue(Syndrome.isReserved(0x80));
    assertEquals(0x2E, Syndrome.rnrNak(14));
    assertEquals(0x1F, Syndrome.ack(Syndrome.UNLIMITED_CREDITS));
  }

  // [rc 6-1..8] [rc 24-18] [FC-16] Code 0 is the longest wait.
  @Test
  void rnrTimerTableIsThatOfTheSpecification() {
    double[] milliseconds = {
      655.36, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28,
      1.92, 2.56, 3.84, 5.12, 7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84,
      245.76, 327.68, 491.52
    };
    for (int code = 0; code < 32; code++) {
      assertEquals(Math.round(milliseconds[code] * 1e6), Syndrome.rnrTimerNs(code), "code " + code);
      assertEquals(code, Syndrome.rnrTimerCode(Syndrome.rnrTimerNs(code)));
      if (code > 1) {
        assertEquals(code, Syndrome.rnrTimerCode(Syndrome.rnrTimerNs(code) - 1));
      }
    }
    assertEquals(0, Syndrome.rnrTimerCode(600_000_000L));
  }

  // [rc 5-1] [rc 5-2]
  @Test
  void creditTableIsThatOfTheSpecification() {
    int[] credits = {
      0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
      2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768
    };
    for (int code = 0; code < credits.length; code++) {
      assertEquals(credits[code], Syndrome.credits(code), "code " + code);
      assertEquals(code, Syndrome.creditCode(credits[code]));
    }
    assertEquals(Syndrome.NO_CREDIT_LIMIT, Syndrome.credits(31));
  }

  // [rc 5-3]
  @Test
  void creditCodeIsTheLargestNotAbove() {
    for (int credits = 0; credits <= 40_000; credits++) {
      int code = Syndrome.creditCode(credits);
      assertTrue(Syndrome.credits(code) <= credits);
      assertTrue(code == 30 || Syndrome.credits(code + 1) > credits);
    }
    assertEquals(Syndrome.NO_CREDIT_LIMIT, Syndrome.credits(Syndrome.UNLIMITED_CREDITS));
    assertEquals(32_768, Syndrome.credits(30));
    assertEquals(6, Syndrome.credits(5));
  }

  @Test
  void syndromesReadWellForPeople() {
    assertEquals("ACK", Syndrome.describe(0x1F));
    assertEquals("ACK credits 6", Syndrome.describe(0x05));
    assertEquals("RNR NAK 0.64 ms", Syndrome.describe(0x2C));
    assertEquals("RNR NAK 655.36 ms", Syndrome.describe(0x20));
    assertEquals("NAK PSN sequence error", Syndrome.describe(0x60));
    assertEquals("reserved syndrome", Syndrome.describe(0x64));
  }

  @Test
  void everyFaultHasANameOfItsOwn() {
    java.util.Set<String> names = new java.util.HashSet<>();
    for (int fault = 0; fault < WireFault.count(); fault++) {
      assertTrue(names.add(WireFault.name(fault)));
    }
    assertEquals("bad-icrc", WireFault.name(WireFault.BAD_ICRC));
    assertEquals("bad-grh", WireFault.name(WireFault.count() - 1));
  }
}
