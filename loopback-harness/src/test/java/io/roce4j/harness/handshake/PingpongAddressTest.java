// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.wire.ip.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** [oob 2]: the 52 bytes of the pingpong tools. */
class PingpongAddressTest {
  private static final String TEXT = "0000:000123:abcdef:00000000000000000000ffff0a4d0001";
  private static final PingpongAddress ADDRESS =
      new PingpongAddress(0, 0x123, 0xabcdef, new Gid(0, 0xffff_0a4d_0001L));

  private static byte[] bytes(String text) {
    return (text + '\0').getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void theBytesAreThoseOfTheLinuxTools() {
    assertArrayEquals(bytes(TEXT), ADDRESS.encode());
    assertEquals(PingpongAddress.LENGTH, ADDRESS.encode().length);
    assertArrayEquals(new byte[] {'d', 'o', 'n', 'e', 0}, PingpongAddress.done());
  }

  @Test
  void digitsOfBothCasesAreRead() {
    assertEquals(ADDRESS, PingpongAddress.parse(bytes(TEXT)));
    assertEquals(ADDRESS, PingpongAddress.parse(bytes(TEXT.toUpperCase(Locale.ROOT))));
  }

  @Test
  void whateverIsWrittenIsReadBack() {
    SplittableRandom random = new SplittableRandom(9);
    for (int i = 0; i < 1000; i++) {
      PingpongAddress address =
          new PingpongAddress(
              random.nextInt(1 << 16),
              random.nextInt(1 << 24),
              random.nextInt(1 << 24),
              new Gid(random.nextLong(), random.nextLong()));
      assertEquals(address, PingpongAddress.parse(address.encode()));
    }
  }

  @Test
  void everyByteThatIsNoDigitIsRefusedInOneLine() {
    byte[] good = bytes(TEXT);
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] = (byte) 0xC3;
      ToolException e = assertThrows(ToolException.class, () -> PingpongAddress.parse(bad));
      assertTrue(e.getMessage().contains("malformed at byte"), e.getMessage());
      assertFalse(e.getMessage().contains("\n"));
    }
  }

  @Test
  void aMessageThatIsShorterOrLongerIsRefused() {
    byte[] good = bytes(TEXT);
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThrows(ToolException.class, () -> PingpongAddress.parse(cut));
    }
    byte[] longer = Arrays.copyOf(good, good.length + 1);
    assertThrows(ToolException.class, () -> PingpongAddress.parse(longer));
  }
}
