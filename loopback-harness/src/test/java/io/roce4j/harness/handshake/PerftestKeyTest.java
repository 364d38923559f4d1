// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.wire.ip.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** [oob 3.1]: the 108 bytes of the perftest tools. */
class PerftestKeyTest {
  private static final String TEXT =
      "0000:0001:000123:abcdef:00001234:00007f0000001000:"
          + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:01:00000000:";
  private static final PerftestKey KEY =
      new PerftestKey(
          0, 1, 0x123, 0xabcdef, 0x1234, 0x7f00_0000_1000L, new Gid(0, 0xffff_0a4d_0001L));

  private static byte[] bytes(String text) {
    return (text + '\0').getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void theBytesAreThoseOfPerftest() {
    assertArrayEquals(bytes(TEXT), KEY.encode());
    assertEquals(PerftestKey.LENGTH, KEY.encode().length);
  }

  @Test
  void digitsOfBothCasesAreRead() {
    assertEquals(KEY, PerftestKey.parse(bytes(TEXT)));
    assertEquals(KEY, PerftestKey.parse(bytes(TEXT.toUpperCase(Locale.ROOT))));
  }

  @Test
  void whateverIsWrittenIsReadBack() {
    SplittableRandom random = new SplittableRandom(10);
    for (int i = 0; i < 1000; i++) {
      PerftestKey key =
          new PerftestKey(
              random.nextInt(1 << 16),
              random.nextInt(1 << 16),
              random.nextInt(1 << 24),
              random.nextInt(1 << 24),
              random.nextInt(),
              random.nextLong(),
              new Gid(random.nextLong(), random.nextLong()));
      assertEquals(key, PerftestKey.parse(key.encode()));
      assertEquals(PerftestKey.LENGTH, key.encode().length);
    }
  }

  @Test
  void everyByteThatIsNoDigitIsRefusedInOneLine() {
    byte[] good = bytes(TEXT);
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] = ' ';
      ToolException e = assertThrows(ToolException.class, () -> PerftestKey.parse(bad));
      assertTrue(e.getMessage().contains("malformed at byte"), e.getMessage());
      assertTrue(e.getMessage().lines().count() == 1, e.getMessage());
    }
  }

  @Test
  void aMessageThatIsShorterOrLongerIsRefused() {
    byte[] good = bytes(TEXT);
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThrows(ToolException.class, () -> PerftestKey.parse(cut));
    }
    byte[] longer = Arrays.copyOf(good, good.length + 1);
    assertThrows(ToolException.class, () -> PerftestKey.parse(longer));
  }
}
