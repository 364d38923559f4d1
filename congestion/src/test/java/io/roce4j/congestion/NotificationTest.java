// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** CNP generation and ECN reading. */
class NotificationTest {

  @Test
  void atMostOneNotificationPerFlowAndInterval() {
    CnpGenerator point = new CnpGenerator(CnpGenerator.DEFAULT_INTERVAL_NS, 2);
    long lastNs = Long.MIN_VALUE / 2;
    for (long now = -100_000; now < 1_000_000; now += 700) {
      boolean due = point.onMarked(now, 0, 1);
      assertEquals(now - lastNs >= 50_000, due);
      lastNs = due ? now : lastNs;
    }
    assertTrue(point.onMarked(0, 1, 1), "flows are apart");
    assertEquals(1 + (1_100_000 + 50_399) / 50_400, point.sent());
    assertEquals(1_572 + 1, point.markedPackets());
    point.reset(0);
    assertTrue(point.onMarked(999_999, 0, 3));
  }

  @Test
  void aZeroIntervalNotifiesEachTime() {
    CnpGenerator point = new CnpGenerator(0, 1);
    assertTrue(point.onMarked(5, 0, 1));
    assertTrue(point.onMarked(5, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new CnpGenerator(-1, 1));
    assertThrows(IllegalArgumentException.class, () -> new CnpGenerator(0, 0));
  }

  @Test
  void receivedCodePointsAreCountedAndUnknownOnesKeptOut() {
    EcnReading reading = new EcnReading();
    reading.onReceived(EcnReading.ECT_0, 6);
    reading.onReceived(EcnReading.ECT_1, 1);
    reading.onReceived(EcnReading.CE, 2);
    reading.onReceived(EcnReading.NOT_ECT, 1);
    reading.onReceived(EcnReading.UNKNOWN, 90);
    assertEquals(0.2, reading.markedFraction());
    assertEquals(7, reading.capable());
    assertEquals(2, reading.marked());
    assertEquals(1, reading.notCapable());
    assertEquals(90, reading.unknown());
    assertEquals(0, new EcnReading().markedFraction());
  }

  @Test
  void peerCountersWrapAndOldReportsAreSkipped() {
    EcnReading reading = new EcnReading();
    assertTrue(reading.onPeerCounters(10, 2));
    assertEquals(10, reading.newPackets());
    assertEquals(2, reading.newMarked());
    assertTrue(reading.onPeerCounters(Integer.MAX_VALUE, 2));
    assertTrue(reading.onPeerCounters(Integer.MIN_VALUE + 3, 4));
    assertEquals(4, reading.newPackets());
    assertEquals(2, reading.newMarked());
    assertFalse(reading.onPeerCounters(Integer.MAX_VALUE, 4), "overtaken report");
    assertEquals(0, reading.newPackets());
    assertEquals(0, reading.newMarked());
    assertTrue(reading.onPeerCounters(Integer.MIN_VALUE + 5, 1_000_000), "more marks than packets");
    assertEquals(2, reading.newMarked());
  }

  /** [FC-36]: both open loops have a warning for the start of a run. */
  @Test
  void halvesOfEcnControlThatDoNotFitAreNamed() {
    assertEquals("", CongestionControllers.openLoopWarning("dcqcn", true));
    String deaf = CongestionControllers.openLoopWarning("dcqcn", false);
    assertTrue(deaf.contains("dcqcn") && deaf.contains("Not-ECT"), deaf);
    String ignoring = CongestionControllers.openLoopWarning("none", true);
    assertTrue(ignoring.contains("none") && ignoring.contains("ignores"), ignoring);
    assertEquals("", CongestionControllers.openLoopWarning("none", false));
    assertEquals("", CongestionControllers.openLoopWarning("timely", false));
  }

  @Test
  void controllersSayWhichSignalsTheyMiss() {
    Set<CongestionSignal> nothing = Set.of();
    Set<CongestionSignal> delay = Set.of(CongestionSignal.RTT);
    assertEquals(
        Set.of(CongestionSignal.ECN), CongestionControllers.missingSignals("dcqcn", delay));
    assertEquals(
        Set.of(CongestionSignal.RTT), CongestionControllers.missingSignals("swift", nothing));
    assertEquals(nothing, CongestionControllers.missingSignals("mx-aimd", delay));
    assertEquals(
        nothing, CongestionControllers.missingSignals("mx-aimd", Set.of(CongestionSignal.ECN)));
    assertEquals(
        Set.of(CongestionSignal.ECN, CongestionSignal.RTT),
        CongestionControllers.missingSignals("mx-aimd", nothing));
    assertEquals(
        Set.of(CongestionSignal.HINT), CongestionControllers.missingSignals("mx-fair", delay));
  }
}
