// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Outlines of algorithms that are not built in run on the SPI as it is: no signal is missing. */
class SketchTest {

  private static final long G100 = 100_000_000_000L;
  private static final long FOREVER = Long.MAX_VALUE / 4;
  private static final CongestionSettings LINK = CongestionSettings.of(G100, 1000, 10_000);

  /** HPCC runs near eta of the line with a queue close to nothing. */
  @Test
  void hpccHoldsItsUtilisationFromTelemetry() {
    Bottleneck b = new Bottleneck(G100, 1000, 1);
    b.telemetry = true;
    for (int i = 0; i < 4; i++) {
      b.add(new HpccSketch(LINK, 8), 10_000, FOREVER, i * 20_000L);
    }
    b.run(2_000_000);
    long[] before = b.snapshot();
    long delivered = b.delivered;
    b.run(6_000_000);
    assertEquals(0.96, (b.delivered - delivered) * 8e9 / 4e6 / G100, 0.03);
    assertTrue(b.jain(before) > 0.97, "Jain " + b.jain(before));
    assertTrue(b.meanQueueBytes() < 0.2 * 125_000, "mean queue " + b.meanQueueBytes());
  }

  /** NSCC keeps the link full with a queue near its target of 0.75 base RTT. */
  @Test
  void nsccHoldsItsDelayTargetFromMarksAndDelay() {
    Bottleneck b = new Bottleneck(G100, 1000, 1);
    b.markMinBytes = 0.2 * 125_000;
    b.markMaxBytes = 0.8 * 125_000;
    for (int i = 0; i < 4; i++) {
      b.add(new NsccSketch(LINK, false), 10_000, FOREVER, i * 20_000L);
    }
    b.run(2_000_000);
    long[] before = b.snapshot();
    long delivered = b.delivered;
    b.run(6_000_000);
    assertTrue((b.delivered - delivered) * 8e9 / 4e6 > 0.97 * G100);
    assertTrue(b.jain(before) > 0.9, "Jain " + b.jain(before));
    assertTrue(b.meanQueueBytes() < 1.5 * 125_000, "mean queue " + b.meanQueueBytes());
  }

  @Test
  void nsccTellsTrimsOfTheLastHopApartAndObeysThePenalty() {
    NsccSketch both = new NsccSketch(LINK, true);
    long before = both.windowBytes();
    both.onLastHopTrim(0, 1000);
    assertEquals(before, both.windowBytes());
    both.onTrim(0, 1000);
    assertEquals(before - 1000, both.windowBytes());
    both.onPenalty(0, 127);
    assertEquals((before - 1000) / 128, both.windowBytes());
    NsccSketch alone = new NsccSketch(LINK, false);
    alone.onLastHopTrim(0, 1000);
    assertEquals(before - 1000, alone.windowBytes());
  }

  /**
   * Grants of 4 packets in round robin at 0.99 of the link: equal shares, queue of the first RTT.
   */
  @Test
  void receiverCreditSharesEvenlyAndKeepsTheQueueAtTheUnaskedBytes() {
    Bottleneck b = new Bottleneck(G100, 1000, 1);
    for (int i = 0; i < 8; i++) {
      b.add(new CreditSketch(LINK), 10_000, FOREVER, 0);
    }
    b.driveFromReceiver(4_000);
    b.run(200_000);
    long[] before = b.snapshot();
    long delivered = b.delivered;
    double unasked = 8 * 125_000;
    b.run(2_200_000);
    assertEquals(0.995, (b.delivered - delivered) * 8e9 / 2e6 / G100, 0.01);
    assertTrue(b.jain(before) > 0.9999, "Jain " + b.jain(before));
    assertTrue(b.queuePeakBytes <= unasked, "peak " + b.queuePeakBytes);
  }

  @Test
  void unusedCreditIsKept() {
    CreditSketch credit = new CreditSketch(LINK);
    credit.onSent(0, 125_000, 125_000);
    assertEquals(0, credit.creditBytes());
    assertEquals(125_000, credit.windowBytes());
    credit.onCredit(10, 4_000);
    credit.onAck(20, 125_000, 125, 0, 10_000, 10_000, 0, true);
    assertEquals(4_000, credit.creditBytes());
    assertEquals(4_000, credit.windowBytes());
  }
}
