// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PacerTest {

  /** [FC-58]: decimal units, within 1% (here: exact), for small and large messages. */
  @ParameterizedTest
  @CsvSource({
    "1000000000, 64",
    "2500000000, 64",
    "5000000000, 64",
    "10000000000, 64",
    "1000000000, 65536",
    "2500000000, 65536",
    "5000000000, 65536",
    "10000000000, 65536"
  })
  void twoSecondsAtASetRateCarryExactlyThatManyDecimalBits(long rate, int bytes) {
    Pacer pacer = new Pacer(rate);
    long startNs = 1_000_000_007L;
    long endNs = startNs + 2_000_000_000L;
    long now = startNs;
    long sent = 0;
    while (now < endNs) {
      assertTrue(pacer.tryTake(now, bytes));
      sent += bytes;
      now = pacer.earliestNs(now, bytes);
    }
    double ratio = sent * 8.0 / 2.0 / rate;
    // One message may start just before the end.
    assertEquals(1.0, ratio, bytes * 8.0 / (2.0 * rate) + 1e-9);
  }

  @Test
  void thirtyMillionOddIntervalsDoNotDriftByANanosecond() {
    // 1 byte at 3 Gbit/s takes 8/3 ns: every rounding error would add up.
    Pacer pacer = new Pacer(3_000_000_000L);
    long now = 0;
    int packets = 30_000_000;
    for (int i = 0; i < packets; i++) {
      pacer.take(now, 1);
      now = pacer.earliestNs(now, 1);
    }
    assertEquals(packets / 3 * 8L, now);
  }

  @Test
  void belowOnePacketPerRoundTripGapsAreLongAndExact() {
    Pacer pacer = new Pacer(8_000);
    assertTrue(pacer.tryTake(50, 4096));
    assertFalse(pacer.tryTake(51, 1));
    assertEquals(50 + 4_096_000_000L, pacer.earliestNs(51, 4096));
    assertTrue(pacer.tryTake(50 + 4_096_000_000L, 4096));
  }

  @Test
  void burstLeavesBackToBackAndIsThenPaidFor() {
    Pacer pacer = new Pacer(8_000_000_000L, 4000, 0);
    for (int i = 0; i < 4; i++) {
      assertTrue(pacer.tryTake(0, 1000));
    }
    assertFalse(pacer.tryTake(0, 1000));
    assertEquals(1000, pacer.earliestNs(0, 1000));
    assertEquals(4000, pacer.earliestNs(0, 4000));
    assertEquals(0, pacer.roomBytes(999, 1000));
    assertEquals(1000, pacer.roomBytes(1000, 1000));
    assertEquals(3500, pacer.roomBytes(3500, 1000));
    assertEquals(4000, pacer.roomBytes(9000, 1000));
  }

  @Test
  void aLateCallerLosesNothingUpToTheCatchUpTime() {
    Pacer patient = new Pacer(8_000_000_000L, 0, 700);
    Pacer strict = new Pacer(8_000_000_000L);
    long patientSent = 0;
    long strictSent = 0;
    for (long now = 0; now < 1_000_000; now += 700) {
      // Woken every 700 ns for 1000-byte packets that are due every 1000 ns.
      patientSent += patient.tryTake(now, 1000) ? 1000 : 0;
      strictSent += strict.tryTake(now, 1000) ? 1000 : 0;
    }
    assertEquals(1.0, patientSent / 1_000_000.0, 0.01);
    assertTrue(strictSent < 750_000, "without catch-up every late call costs: " + strictSent);
  }

  @Test
  void idleTimeBuysNoMoreThanBurstAndCatchUp() {
    Pacer pacer = new Pacer(8_000_000_000L, 2000, 3000);
    pacer.take(0, 1000);
    long now = 1_000_000_000L;
    long sent = 0;
    while (pacer.tryTake(now, 1000)) {
      sent += 1000;
    }
    assertEquals(2000 + 3000, sent);
  }

  @Test
  void raisingTheRateShortensTheWaitForBytesAlreadySent() {
    Pacer pacer = new Pacer(1_000_000);
    pacer.take(0, 1000);
    assertEquals(8_000_000, pacer.earliestNs(0, 1000));
    pacer.rate(4_000_000, 1_000_000_000);
    // Half is paid; the other 500 bytes take 4 us at the new rate.
    assertEquals(4_004_000, pacer.earliestNs(4_000_000, 1000));
    pacer.rate(4_000_000, 500_000_000);
    assertEquals(4_008_000, pacer.earliestNs(4_000_000, 1000));
  }

  @Test
  void unlimitedNeverWaits() {
    Pacer pacer = new Pacer(CongestionController.UNLIMITED);
    for (int i = 0; i < 10; i++) {
      assertTrue(pacer.tryTake(-5, 1 << 20));
    }
    assertEquals(CongestionController.UNLIMITED, pacer.roomBytes(0, 1000));
    pacer.rate(100, 8_000_000_000L);
    assertTrue(pacer.tryTake(100, 1000));
    assertEquals(1100, pacer.earliestNs(100, 1000));
    pacer.rate(100, CongestionController.UNLIMITED);
    assertTrue(pacer.tryTake(100, 1000));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void anyIntervalCarriesAtMostBurstPlusRateTimesTime(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long rate = 1_000_000L + random.nextLong(20_000_000_000L);
    long burst = random.nextInt(20_000);
    long catchUp = random.nextInt(3) == 0 ? 0 : random.nextInt(20_000);
    Pacer pacer = new Pacer(rate, burst, catchUp);
    long now = -1_000_000_000L;
    long startNs = now;
    long sent = 0;
    long largest = burst;
    for (int i = 0; i < 20_000; i++) {
      now += random.nextInt(4) == 0 ? random.nextInt(5_000) : 0;
      int bytes = 1 + random.nextInt(9_000);
      long room = pacer.roomBytes(now, bytes);
      boolean may = pacer.earliestNs(now, bytes) <= now;
      assertEquals(may, room >= bytes, () -> "seed " + seed);
      if (pacer.tryTake(now, bytes)) {
        sent += bytes;
        largest = Math.max(largest, bytes);
      } else if (random.nextBoolean()) {
        now = pacer.earliestNs(now, bytes);
      }
      double bound = largest + rate / 8e9 * (now - startNs + catchUp + 2);
      assertTrue(sent <= bound + 1, "seed " + seed + " step " + i + ": " + sent + " > " + bound);
    }
  }

  @Test
  void extremeNumbersNeitherOverflowNorThrow() {
    Pacer pacer = new Pacer(1, Integer.MAX_VALUE / 2, 1_000_000_000L);
    pacer.take(Long.MAX_VALUE / 2, Long.MAX_VALUE);
    assertEquals(Long.MAX_VALUE, pacer.earliestNs(Long.MAX_VALUE / 2, Long.MAX_VALUE));
    pacer.rate(Long.MAX_VALUE / 2, Long.MAX_VALUE - 1);
    pacer.take(Long.MAX_VALUE / 2, 1);
    assertTrue(pacer.earliestNs(Long.MAX_VALUE / 2, 1) >= Long.MAX_VALUE / 2);
    pacer.rate(0, -3);
    assertEquals(1, pacer.rateBitsPerSecond());
  }

  @Test
  void refusesSettingsThatCannotWork() {
    assertEquals(
        "rate 0 bit/s: must be 1 or more",
        assertThrows(IllegalArgumentException.class, () -> new Pacer(0)).getMessage());
    assertThrows(IllegalArgumentException.class, () -> new Pacer(1, -1, 0));
    assertThrows(IllegalArgumentException.class, () -> new Pacer(1, 0, 2_000_000_000L));
  }

  @Test
  void theSmallerOfControllerAndManualLimitCounts() {
    Pacer pacer = new Pacer(8_000_000_000L);
    pacer.limit(0, 1_000_000_000L);
    assertEquals(1_000_000_000L, pacer.rateBitsPerSecond());
    assertEquals(1_000_000_000L, pacer.limitBitsPerSecond());
    pacer.take(0, 1000);
    assertEquals(8_000, pacer.earliestNs(0, 1000));
    pacer.rate(0, 500_000_000L);
    assertEquals(500_000_000L, pacer.rateBitsPerSecond());
    pacer.rate(0, CongestionController.UNLIMITED);
    assertEquals(1_000_000_000L, pacer.rateBitsPerSecond());
    pacer.limit(0, CongestionController.UNLIMITED);
    assertEquals(CongestionController.UNLIMITED, pacer.rateBitsPerSecond());
  }

  /**
   * [FC-38]: a post that is refused reserves neither pace nor window, however often it is tried.
   */
  @Test
  void refusedPostsReserveNothing() {
    CongestionController window =
        CongestionControllers.create(
            "fixed", CongestionSettings.of(100_000_000_000L, 4096, 10_000).with("window=64K"));
    Pacer pacer = new Pacer(window.rateBitsPerSecond());
    int chunk = 16_384;
    long now = 0;
    long inflight = 0;
    int attempts = 0;
    java.util.ArrayDeque<Long> completions = new java.util.ArrayDeque<>();
    int sent = 0;
    while (sent < 256 || inflight > 0) {
      while (!completions.isEmpty() && completions.peek() <= now) {
        completions.poll();
        inflight -= chunk;
        window.onAck(now, chunk, 4, 0, 10_000, 10_000, inflight, false);
      }
      boolean room = inflight + chunk <= window.windowBytes();
      if (sent < 256 && room && pacer.earliestNs(now, chunk) <= now && ++attempts % 5 != 0) {
        pacer.take(now, chunk);
        inflight += chunk;
        window.onSent(now, chunk, inflight);
        completions.add(now + 10_000);
        sent++;
      }
      assertTrue(inflight >= 0 && inflight <= 65_536, "in flight " + inflight);
      now += 100;
    }
    assertEquals(256, sent);
    assertEquals(0, inflight);
    // Four chunks a round trip: the refusals cost time of their own, nothing more.
    assertTrue(now < 64 * 10_000 * 1.1, "took " + now);
  }
}
