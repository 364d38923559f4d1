// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class SoakProgressTest {
  @Test
  void withoutATerminalEachLineStaysALine() {
    StringWriter text = new StringWriter();
    SoakProgress progress = new SoakProgress(new PrintWriter(text, true));
    progress.begin("clean", 0);
    progress.show(1_000_000_000L, 1_000_000, 0, 0, 0);
    progress.show(2_000_000_000L, 2_000_000, 3, 0, 0);
    progress.end();
    assertEquals(2, text.toString().lines().count(), text::toString);
    assertFalse(text.toString().contains("\r"), text::toString);
  }
}
