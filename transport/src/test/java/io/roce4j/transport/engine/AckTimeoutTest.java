// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AckTimeoutTest {

  // [rc 2.2-1] [rc 2.2-3]
  @ParameterizedTest
  @CsvSource({"1, 8192", "8, 1048576", "14, 67108864", "16, 268435456", "31, 8796093022208"})
  void codeIsAPowerOfTwoOfTheUnit(int code, long ns) {
    assertEquals(ns, AckTimeout.timeoutNs(code));
  }

  // [FC-26]
  @Test
  void timeToGiveUpIsTheSumOfAllTimers() {
    assertEquals(27 * 67_108_864L, AckTimeout.giveUpNs(14, 7));
    assertEquals(8_192, AckTimeout.giveUpNs(1, 0));
    assertEquals(27 * 8_796_093_022_208L, AckTimeout.giveUpNs(31, 7));
    assertEquals(AckTimeout.NEVER, AckTimeout.giveUpNs(0, 7));
    assertEquals(AckTimeout.NEVER, AckTimeout.timeoutNs(0));
  }
}
