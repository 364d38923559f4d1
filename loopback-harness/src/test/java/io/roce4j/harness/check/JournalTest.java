// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JournalTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private String text() {
    return bytes.toString(StandardCharsets.US_ASCII);
  }

  @Test
  void aLineHasTimeWhoWhatAndValues() {
    Journal journal = new Journal(bytes);
    journal
        .begin(1_234_567, "a", "out")
        .field("op", "RC_SEND_ONLY")
        .field("psn", 16_777_215)
        .hex("va", 0x7f00L)
        .field("min", Long.MIN_VALUE)
        .field("max", Long.MAX_VALUE)
        .hex("zero", 0)
        .hex("all", -1)
        .end();
    journal.finish();
    assertEquals(
        "1234.567 a out op=RC_SEND_ONLY psn=16777215 va=0x7f00 min=-9223372036854775808"
            + " max=9223372036854775807 zero=0x0 all=0xffffffffffffffff\n",
        text());
  }

  @Test
  void numbersAreWrittenAsJavaDoes() {
    Journal journal = new Journal(bytes);
    StringBuilder expected = new StringBuilder("0.000 a n");
    journal.begin(0, "a", "n");
    long value = 1;
    for (int i = 0; i < 20; i++) {
      for (long near : new long[] {value - 1, value, -value}) {
        journal.field("v", near);
        expected.append(" v=").append(near);
      }
      value *= 10;
    }
    journal.end();
    journal.finish();
    assertEquals(expected.append('\n').toString(), text());
  }

  @Test
  void theDigestIsThatOfAllBytesHoweverLong() {
    String first = digest(100_000, 0);
    assertEquals(first, digest(100_000, 0));
    assertNotEquals(first, digest(100_000, 1));
    assertNotEquals(first, digest(99_999, 0));
  }

  private static String digest(int lines, int change) {
    Journal journal = new Journal(OutputStream.nullOutputStream());
    for (int i = 0; i < lines; i++) {
      journal.begin(i, "a", "x").field("n", i == 50_000 ? i + change : i).end();
    }
    assertEquals(lines, journal.lines());
    return journal.finish();
  }

  @Test
  void theTailHasTheLastLines() {
    Journal journal = new Journal(bytes);
    for (int i = 0; i < 20_000; i++) {
      journal.begin(0, "a", "x").field("n", i).end();
    }
    assertEquals("0.000 a x n=19998\n0.000 a x n=19999\n", journal.tail(2));
    assertEquals(1_000, journal.tail(1_000).lines().count());
  }

  @Test
  void endlessLinesAreRefused() {
    Journal journal = new Journal(bytes);
    journal.begin(0, "a", "x");
    String name = "n".repeat(300);
    assertThrows(
        IllegalStateException.class,
        () -> {
          while (true) {
            journal.field(name, 1);
          }
        });
  }
}
