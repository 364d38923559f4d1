// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SwiftTest {

  /** 100 Gbit/s, 10 us, 1000 bytes: 125 packets of bandwidth-delay product. */
  private static final CongestionSettings LINK =
      CongestionSettings.of(100_000_000_000L, 1000, 10_000).with("fsRange=0").with("hops=0");

  private static void ack(Swift swift, long nowNs, long packets, long rttNs) {
    swift.onAck(nowNs, packets * 1000, packets, 0, rttNs, 10_000, 0, false);
  }

  @Test
  void aWindowOfAcknowledgementsBelowTheTargetAddsOnePacket() {
    Swift swift = new Swift(LINK.with("startCwnd=50"));
    for (int i = 0; i < 50; i++) {
      ack(swift, i * 200L, 1, 10_000);
    }
    assertEquals(51, swift.windowPackets(), 0.02);
    assertEquals((long) (swift.windowPackets() * 1000), swift.windowBytes());
    assertEquals(CongestionController.UNLIMITED, swift.rateBitsPerSecond());
  }

  @Test
  void aboveTheTargetItFallsInProportionOncePerRoundTrip() {
    Swift swift = new Swift(LINK.with("startCwnd=100"));
    ack(swift, 0, 1, 12_500);
    // 1 - 0.8 * 2.5/12.5 = 0.84
    assertEquals(84, swift.windowPackets(), 1e-9);
    ack(swift, 1_000, 1, 12_500);
    assertEquals(84, swift.windowPackets(), 1e-9, "not twice in a round trip");
    ack(swift, 2_000_000, 1, 1_000_000);
    assertEquals(42, swift.windowPackets(), 1e-9, "never more than maxMdf");
  }

  /** aF = fsRange/(1/sqrt(fsMin) - 1/sqrt(fsMax)): full range at fsMin, nothing at fsMax. */
  @Test
  void smallWindowsGetALargerTarget() {
    CongestionSettings scaled = LINK.with("fsRange=50us").with("fsMin=0.1").with("fsMax=100");
    assertEquals(60_000, new Swift(scaled.with("startCwnd=0.1")).targetNs(), 1e-6);
    assertEquals(10_000, new Swift(scaled.with("startCwnd=100")).targetNs(), 1e-6);
    assertEquals(10_000, new Swift(scaled.with("startCwnd=200")).targetNs(), 1e-6);
    double factor = 50_000 / (1 / StrictMath.sqrt(0.1) - 0.1);
    assertEquals(
        10_000 + factor / 2 - factor / 10, new Swift(scaled.with("startCwnd=4")).targetNs(), 1e-6);
    assertEquals(
        16_000, new Swift(LINK.with("hops=3").with("h=2us").with("startCwnd=4")).targetNs(), 1e-6);
  }

  @Test
  void belowOnePacketTheWindowBecomesAPace() {
    Swift swift = new Swift(LINK.with("startCwnd=0.5"));
    assertEquals(1000, swift.windowBytes());
    // One packet every rtt/cwnd = 20 us.
    assertEquals(400_000_000L, swift.rateBitsPerSecond());
    ack(swift, 0, 1, 10_000);
    assertEquals(1.5, swift.windowPackets(), 1e-9, "below one packet ai*n is added");
  }

  @Test
  void retransmissionsCutOnceAndTimeoutsInARowEndAtTheLeastWindow() {
    Swift swift = new Swift(LINK.with("startCwnd=64").with("retryLimit=3"));
    swift.onLoss(0, 1000, 0);
    swift.onLoss(10, 1000, 0);
    swift.onTrim(20, 1000);
    assertEquals(32, swift.windowPackets());
    swift.onPto(100_000);
    assertEquals(16, swift.windowPackets());
    swift.onPto(300_000);
    assertEquals(16, swift.windowPackets());
    swift.onPto(700_000);
    assertEquals(0.01, swift.windowPackets());
    assertTrue(swift.rateBitsPerSecond() >= 1);
    ack(swift, 800_000, 1, 10_000);
    swift.onPto(900_000);
    assertTrue(swift.windowPackets() > 0.01, "an acknowledgement ends the row");
  }

  @Test
  void aSlowPeerHostBoundsThroughItsOwnWindow() {
    Swift swift = new Swift(LINK.with("startCwnd=100").with("hostTarget=20us"));
    swift.onHostDelay(0, 40_000);
    ack(swift, 0, 1, 10_000);
    // Cut from the fabric window of 100: 1 - 0.8 * 20/40 = 0.6.
    assertEquals(60, swift.windowPackets(), 0.1);
    assertTrue(swift.metric(0) >= 100);
    for (int i = 1; i <= 600; i++) {
      swift.onHostDelay(i * 1_000L, 10_000);
      ack(swift, i * 1_000L, 1, 10_000);
    }
    assertTrue(swift.windowPackets() > 65, "recovers with the same rules");
  }

  @Test
  void anApplicationLimitedWindowDoesNotGrow() {
    Swift swift = new Swift(LINK.with("startCwnd=50"));
    swift.onAck(0, 1000, 1, 0, 5_000, 5_000, 0, true);
    assertEquals(50, swift.windowPackets());
  }

  @Test
  void aPathThatStaysCongestedIsAskedToBeLeft() {
    Swift swift = new Swift(LINK.with("plbAttempts=3").with("plbThreshold=0.5"));
    for (int i = 0; i <= 400; i++) {
      ack(swift, i * 1_000L, 1, i % 4 == 0 ? 9_000 : 30_000);
    }
    assertTrue(swift.pathChangesWanted() >= 3, "wanted " + swift.pathChangesWanted());
    Swift calm = new Swift(LINK.with("plbAttempts=3").with("plbThreshold=0.5"));
    for (int i = 0; i <= 400; i++) {
      ack(calm, i * 1_000L, 1, i % 4 == 0 ? 30_000 : 9_000);
    }
    assertEquals(0, calm.pathChangesWanted());
  }

  @Test
  void limitsThatContradictEachOtherAreRefused() {
    assertEquals(
        "fsMin=200: must be below fsMax=100",
        assertThrows(IllegalArgumentException.class, () -> new Swift(LINK.with("fsMin=200")))
            .getMessage());
    assertEquals(
        "Tlow=50us: must be below Thigh=40us",
        assertThrows(IllegalArgumentException.class, () -> new Timely(LINK.with("Thigh=40us")))
            .getMessage());
    assertEquals(
        "Rmin=200Gbit: must not be above the link rate 100Gbit",
        assertThrows(IllegalArgumentException.class, () -> new Dcqcn(LINK.with("Rmin=200Gbit")))
            .getMessage());
  }
}
