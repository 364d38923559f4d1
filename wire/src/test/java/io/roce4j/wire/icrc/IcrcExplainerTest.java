// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.icrc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IcrcExplainerTest {
  private static final long SEED = 0x5EED_0007L;
  private static final String ONE_BYTE_SEND =
      "4502003000004000 4011b6b7c0000201 c0000202 c00012b7001c0000"
          + "0430ffff0000001180000064 41000000";
  private static final String IPV6_SEND =
      "60212345001c1140 20010db8000000000000000000000001 20010db8000000000000000000000002"
          + "c00012b7001c0367 0430ffff0000001180000064 41000000";

  private final IcrcExplainer explainer = new IcrcExplainer();

  private IcrcDiagnosis explain(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    return explain(bytes);
  }

  private IcrcDiagnosis explain(byte[] bytes) {
    boolean ipv4 = bytes[0] >>> 4 == 4;
    int bth = ipv4 ? 28 : 48;
    return explainer.explain(
        new UnsafeBuffer(bytes),
        0,
        ipv4 ? IpUdpFields.IPV4 : IpUdpFields.IPV6,
        bth,
        bytes.length - bth);
  }

  /** [FC-05] the six wrong words of one packet, each with its cause. */
  @ParameterizedTest
  @CsvSource({
    "d724c6e2, PREFIX_MISSING",
    "3b8073a5, BTH_BYTE_NOT_MASKED",
    "552dc23c, HEADER_FIELDS_NOT_MASKED",
    "a10e956c, NOT_INVERTED",
    "936af15e, BYTES_REVERSED",
    "33e9b89e, PAD_NOT_COVERED"
  })
  void namesTheCauseOfEachKnownMistake(String word, IcrcCause cause) {
    IcrcDiagnosis diagnosis = explain(ONE_BYTE_SEND + word);
    assertEquals(List.of(cause), diagnosis.causes());
    assertEquals(0x936af15e, diagnosis.expected());
    assertTrue(diagnosis.text().startsWith("expected 5ef16a93: "), diagnosis.text());
  }

  @Test
  void theRightWordNeedsNoExplanation() {
    IcrcDiagnosis diagnosis = explain(ONE_BYTE_SEND + "5ef16a93");
    assertTrue(diagnosis.isRight());
    assertEquals("right", diagnosis.text());
    assertEquals(List.of(), diagnosis.causes());
  }

  /** [FC-06] which of the IPv6 fields was forgotten. */
  @ParameterizedTest
  @CsvSource({"f5315065, flow label", "cefd51ba, traffic class"})
  void namesTheUnmaskedIpv6Field(String word, String field) {
    IcrcDiagnosis diagnosis = explain(IPV6_SEND + word);
    assertEquals(List.of(IcrcCause.HEADER_FIELDS_NOT_MASKED), diagnosis.causes());
    assertEquals(field, diagnosis.detail());
  }

  @Test
  void severalMistakesAtOnceAreAllNamed() {
    // Reversed value of "eight leading FF missing".
    IcrcDiagnosis diagnosis = explain(ONE_BYTE_SEND + "e2c624d7");
    assertEquals(List.of(IcrcCause.PREFIX_MISSING, IcrcCause.BYTES_REVERSED), diagnosis.causes());
  }

  @Test
  void zeroMeansThatNoneWasComputed() {
    assertEquals(List.of(IcrcCause.ZERO), explain(ONE_BYTE_SEND + "00000000").causes());
  }

  @Test
  void findsTheIdentificationAndTheTranslatedPort() {
    assertEquals(
        List.of(IcrcCause.IDENTIFICATION),
        explain(ONE_BYTE_SEND.replace("003000004000", "0030beef4000") + "5ef16a93").causes());
    assertEquals(
        "0x0000",
        explain(ONE_BYTE_SEND.replace("003000004000", "003000014000") + "5ef16a93").detail());
    IcrcDiagnosis port = explain(ONE_BYTE_SEND.replace("c00012b7", "e77712b7") + "5ef16a93");
    assertEquals(List.of(IcrcCause.SOURCE_PORT), port.causes());
    assertEquals("49152", port.detail());
  }

  @Test
  void locatesOneChangedByte() {
    byte[] good = HexFormat.of().parseHex((ONE_BYTE_SEND + "5ef16a93").replace(" ", ""));
    for (int at = 28; at < good.length - 4; at++) {
      if (at == 28 + 4) {
        continue;
      }
      for (int bits : new int[] {1, 0x80, 0x5A}) {
        byte[] bad = good.clone();
        bad[at] ^= (byte) bits;
        // A changed pad count makes "pad left out" meaningless but must not confuse the rest.
        IcrcDiagnosis diagnosis = explain(bad);
        assertEquals(List.of(IcrcCause.ONE_BYTE_CHANGED), diagnosis.causes(), "byte " + at);
        String where = String.format("byte %d from the BTH, bits 0x%02x", at - 28, bits);
        assertEquals(where, diagnosis.detail());
      }
    }
  }

  @Test
  void aChangedByteOfTheIcrcItselfIsLocatedToo() {
    IcrcDiagnosis diagnosis = explain(ONE_BYTE_SEND + "5ef16e93");
    assertEquals(List.of(IcrcCause.ONE_BYTE_CHANGED), diagnosis.causes());
    assertEquals("byte 2 of the ICRC itself, bits 0x04", diagnosis.detail());
  }

  @Test
  void manyChangedBytesAreCalledCorrupted() {
    SplittableRandom random = new SplittableRandom(SEED);
    byte[] good = HexFormat.of().parseHex((ONE_BYTE_SEND + "5ef16a93").replace(" ", ""));
    int corrupted = 0;
    for (int i = 0; i < 500; i++) {
      byte[] bad = good.clone();
      for (int at = 36; at < bad.length; at++) {
        bad[at] = (byte) random.nextInt();
      }
      corrupted += explain(bad).causes().equals(List.of(IcrcCause.CORRUPTED)) ? 1 : 0;
    }
    assertTrue(corrupted >= 495, "seed " + SEED + " corrupted " + corrupted);
  }
}
