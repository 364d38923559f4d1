// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SyndromeTest {
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

  /** [FC-16] code 0 is the longest wait. */
  @Test
  void rnrTimerTableIsThatOfTheSpecification() {
    assertEquals(655_360_000L, Syndrome.rnrTimerNs(0));
    assertEquals(10_000L, Syndrome.rnrTimerNs(1));
    assertEquals(1_280_000L, Syndrome.rnrTimerNs(14));
    assertEquals(61_440_000L, Syndrome.rnrTimerNs(25));
    assertEquals(491_520_000L, Syndrome.rnrTimerNs(31));
    for (int code = 2; code < 32; code++) {
      assertTrue(Syndrome.rnrTimerNs(code) > Syndrome.rnrTimerNs(code - 1));
      assertEquals(code, Syndrome.rnrTimerCode(Syndrome.rnrTimerNs(code)));
      assertEquals(code, Syndrome.rnrTimerCode(Syndrome.rnrTimerNs(code) - 1));
    }
    assertEquals(0, Syndrome.rnrTimerCode(600_000_000L));
  }

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
