// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GidTest {
  private static final long SEED = 0x5EED_0004L;

  @ParameterizedTest
  @CsvSource({
    "10.77.0.2, 00000000000000000000ffff0a4d0002, 10.77.0.2",
    "::ffff:10.77.0.2, 00000000000000000000ffff0a4d0002, 10.77.0.2",
    "::, 00000000000000000000000000000000, ::",
    "::1, 00000000000000000000000000000001, ::1",
    "1::, 00010000000000000000000000000000, 1::",
    "fe80::77:ff:fe00:2, fe80000000000000007700fffe000002, fe80::77:ff:fe00:2",
    "2001:db8:0:0:1:0:0:1, 20010db8000000000001000000000001, 2001:db8::1:0:0:1",
    "2001:0db8:0:1:1:1:1:1, 20010db8000000010001000100010001, 2001:db8:0:1:1:1:1:1",
    "00000000000000000000ffffc0000201, 00000000000000000000ffffc0000201, 192.0.2.1"
  })
  void textFormsParseAndPrint(String text, String hex, String printed) {
    Gid gid = Gid.parse(text);
    assertEquals(hex, gid.toHex());
    assertEquals(printed, gid.toString());
    assertEquals(gid, Gid.parse(printed));
    assertEquals(gid, Gid.parse(hex));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "host",
        "1.2.3",
        "1.2.3.256",
        "1.2.3.4.5",
        "1..2.3",
        "1:2:3",
        "::1::",
        ":::",
        "1:2:3:4:5:6:7:8:9",
        "12345::",
        "g::",
        "1:2:3:4:5:6:7::8:9",
        "::1.2.3",
        "+1.2.3.4",
        "1:",
        ":1",
        "::1:",
        "0000000000000000000000000000000g",
        "-0000000000000001-000000000000001"
      })
  void otherTextIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> Gid.parse(text));
  }

  @Test
  void everyGidSurvivesTextBytesAndTheJdkAgrees() throws UnknownHostException {
    SplittableRandom random = new SplittableRandom(SEED);
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[20]);
    for (int i = 0; i < 20_000; i++) {
      long bits = random.nextLong();
      long mask = bits & random.nextLong();
      Gid gid =
          switch (i % 3) {
            case 0 -> Gid.ofIpv4(random.nextInt());
            case 1 -> new Gid(random.nextLong(), random.nextLong());
            default -> new Gid(mask & 0xFFFF_0000_FFFF_0000L, mask & 0x0000_FFFFL);
          };
      assertEquals(gid, Gid.parse(gid.toString()), "seed " + SEED + " round " + i);
      assertEquals(gid, Gid.ofAddress(gid.toAddress()));
      gid.write(buffer, 3);
      assertEquals(gid, Gid.read(buffer, 3));
      assertArrayEquals(
          gid.toAddress(), InetAddress.getByName(gid.toString()).getAddress(), gid.toString());
    }
  }

  @Test
  void multicastMapsToEthernet() {
    Gid ipv4 = Gid.parse("224.129.2.3");
    assertTrue(ipv4.isMulticast());
    assertEquals(0x01005E010203L, Gid.multicastMac(ipv4.high(), ipv4.low()));
    Gid ipv6 = Gid.parse("ff0e::ffff:224.1.2.3");
    assertTrue(ipv6.isMulticast());
    assertEquals(0x3333E0010203L, Gid.multicastMac(ipv6.high(), ipv6.low()));
    assertEquals(false, Gid.parse("223.1.2.3").isMulticast());
    assertEquals(false, Gid.parse("fe80::1").isMulticast());
  }

  @Test
  void linkLocalGidIsTheEui64OfTheMac() {
    assertEquals("fe80::77:ff:fe00:2", Gid.linkLocal(0x027700000002L).toString());
    assertEquals(0x007700FFFE000002L, Gid.nodeGuid(0x027700000002L));
  }

  @ParameterizedTest
  @CsvSource({
    "0x11, 0x12, 0x00132, 0xC132",
    "0xD3, 0xCF, 0x0AA9D, 0xEA9F",
    "0xFFFFFF, 0xFFFFFE, 0xFFF2D, 0xFF12"
  })
  void sourcePortFollowsFromTheQueuePairs(String local, String remote, String label, String port) {
    int l = Integer.decode(local);
    int r = Integer.decode(remote);
    assertEquals(Integer.decode(label), SourcePortEntropy.flowLabel(l, r));
    assertEquals(SourcePortEntropy.flowLabel(l, r), SourcePortEntropy.flowLabel(r, l));
    assertEquals(Integer.decode(port), SourcePortEntropy.connected(0, l, r));
  }

  @Test
  void sourcePortFollowsFromFlowLabelAndDatagramHash() {
    assertEquals(0xE341, SourcePortEntropy.connected(0x12345, 1, 2));
    assertEquals(0xFFC0, SourcePortEntropy.ofFlowLabel(0xFFFFF));
    assertEquals(0xC001, SourcePortEntropy.ofFlowLabel(0x04000));
    assertEquals(0xD872, SourcePortEntropy.datagram(1));
    assertEquals(0xDF94, SourcePortEntropy.datagram(0x11));
    assertEquals(0xF806, SourcePortEntropy.datagram(0x12));
    assertEquals((4791 * 31 + 7) & 0xFFFFF, SourcePortEntropy.cmFlowLabel(4791, 7));
  }
}
