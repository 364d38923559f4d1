// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineValuesTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "4096, 4096",
    "17B, 17",
    "64K, 65536",
    "64k, 65536",
    "64KiB, 65536",
    "64kB, 64000",
    "64KB, 64000",
    "1MiB, 1048576",
    "1M, 1048576",
    "1MB, 1000000",
    "1.5GiB, 1610612736",
    "3G, 3221225472",
    "8589934591G, 9223372035781033984"
  })
  void sizesAreReadWithTheirUnits(String text, long bytes) {
    assertEquals(bytes, ByteSize.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "K", "-1", "64Q", "1.3", "64 Kb", "8589934592G", "0x10", "1e3"})
  void wrongSizesAreRefusedByName(String text) {
    Exception e = assertThrows(IllegalArgumentException.class, () -> ByteSize.parse(text));
    assertTrue(e.getMessage().contains("'" + text + "'"), e.getMessage());
    assertTrue(e.getMessage().contains("64K"), e.getMessage());
  }

  @Test
  void formattedSizesReadBackExactly() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 10_000; i++) {
      long bytes = random.nextLong(1L << random.nextInt(1, 62));
      bytes = random.nextBoolean() ? bytes : bytes >> 20 << 20;
      assertEquals(bytes, ByteSize.parse(ByteSize.format(bytes)));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10Gbit, 10000000000",
    "2.5Gbit/s, 2500000000",
    "100Mbps, 100000000",
    "1kbit, 1000",
    "1Kbit, 1000",
    "9bit, 9",
    "1.6Tbit, 1600000000000"
  })
  void ratesAreDecimal(String text, long bitsPerSecond) {
    assertEquals(bitsPerSecond, BitRate.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "10G", "10GB", "-1Gbit", "1.3bit", "99999999999Tbit", "1Gibit"})
  void wrongRatesAreRefusedByName(String text) {
    Exception e = assertThrows(IllegalArgumentException.class, () -> BitRate.parse(text));
    assertTrue(e.getMessage().contains("'" + text + "'"), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "7ns, 7",
    "10us, 10000",
    "1.5ms, 1500000",
    "5s, 5000000000",
    "2m, 120000000000",
    "2min, 120000000000",
    "1h, 3600000000000"
  })
  void timesAreReadWithTheirUnits(String text, long ns) {
    assertEquals(ns, TimeSpan.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "-1s", "1.5ns", "3 weeks", "9999999999s", "1e3s"})
  void wrongTimesAreRefusedByName(String text) {
    Exception e = assertThrows(IllegalArgumentException.class, () -> TimeSpan.parse(text));
    assertTrue(e.getMessage().contains("'" + text + "'"), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1%, 0.01", "0.01, 0.01", "100%, 1", "1.0, 1", ".5, 0.5", "1e-4, 0.0001"})
  void fractionsAreReadAsPercentOrPart(String text, double fraction) {
    assertEquals(fraction, Fraction.parse(text), 1e-15);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "2", "101%", "-1%", "1.1", "NaN", "half", "1%%"})
  void wrongOrAmbiguousFractionsAreRefusedByName(String text) {
    Exception e = assertThrows(IllegalArgumentException.class, () -> Fraction.parse(text));
    assertTrue(e.getMessage().contains("'" + text + "'"), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "0.01, 1%",
    "0.0025, 0.25%",
    "1, 100%",
    "0, 0%",
    "0.12345, 12.35%",
    "1e-9, 0.0000001%"
  })
  void fractionsAreWrittenAsPercent(double fraction, String text) {
    assertEquals(text, Fraction.format(fraction));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.00 bit/s",
    "9.87e9, 9.87 Gbit/s",
    "99.96e9, 100 Gbit/s",
    "1e11, 100 Gbit/s",
    "999.9e6, 1.00 Gbit/s",
    "12345, 12.3 kbit/s"
  })
  void ratesAreWrittenWithThreeDigits(double bitsPerSecond, String text) {
    assertEquals(text, BitRate.format(bitsPerSecond));
  }

  @ParameterizedTest
  @CsvSource({"0, 0ns", "950, 950ns", "12345, 12.3us", "5e9, 5.00s", "999999, 1.00ms"})
  void timesAreWrittenWithThreeDigits(double ns, String text) {
    assertEquals(text, TimeSpan.format(ns));
  }
}
