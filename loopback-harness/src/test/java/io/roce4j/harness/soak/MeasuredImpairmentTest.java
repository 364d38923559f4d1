// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.StopSignal;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.harness.workload.SizeMix;
import io.roce4j.transport.port.PortSettings;
import java.io.PrintWriter;
import java.io.Writer;
import org.junit.jupiter.api.Test;

class MeasuredImpairmentTest {
  private static final long SENT = 100_000;
  private static final String UDP_ADDRESS = "127.0.0.1";
  private static final int UDP_PORT = 25_791;

  private static CounterSnapshot ends(long received, long refused, long overflow, long again) {
    return new CounterSnapshot(
        received, received, SENT, refused, 0, again, 0, 0, 0, refused, 0, overflow, 0, 0);
  }

  private static ImpairmentCounts injected(long offered, long lost, long duplicated) {
    ImpairmentCounts counts = new ImpairmentCounts();
    counts.offered = offered;
    counts.lost = lost;
    counts.duplicated = duplicated;
    return counts;
  }

  private static final Impairment LOSS = Impairment.none().withLoss(0.01);

  /** [FC-56] */
  @Test
  void lossThatTheReceiversSawIsValid() {
    MeasuredImpairment measured =
        MeasuredImpairment.of(LOSS, injected(SENT, 1_000, 0), 0, ends(SENT - 1_000, 0, 0, 900));
    assertTrue(measured.verdict().isValid(), measured.verdict().faults().toString());
    assertEquals(0.01, measured.loss(), 1e-9);
  }

  /** [FC-56] An injector that counts for itself while every packet arrives is found out. */
  @Test
  void lossThatOnlyTheInjectorSawIsInvalid() {
    MeasuredImpairment measured =
        MeasuredImpairment.of(LOSS, injected(SENT, 1_000, 0), 0, ends(SENT, 0, 0, 900));
    assertFalse(measured.verdict().isValid());
    assertEquals(0, measured.loss());
  }

  /** [FC-56] */
  @Test
  void lossWithoutRetransmissionsIsInvalid() {
    MeasuredImpairment measured =
        MeasuredImpairment.of(LOSS, injected(SENT, 1_000, 0), 0, ends(SENT - 1_000, 0, 0, 0));
    assertTrue(measured.verdict().faults().toString().contains("nothing was retransmitted"));
  }

  @Test
  void whatFullSocketsDroppedAndWhatIsStillHeldIsNoLoss() {
    MeasuredImpairment measured =
        MeasuredImpairment.of(
            LOSS, injected(SENT, 1_000, 500), 40, ends(SENT - 1_000 + 500 - 40 - 700, 0, 700, 9));
    assertEquals(0.01, measured.loss(), 1e-9);
  }

  @Test
  void corruptionIsWhatTheReceiversRefused() {
    Impairment corrupt = Impairment.none().withCorrupt(0.01);
    assertTrue(
        MeasuredImpairment.of(corrupt, injected(SENT, 0, 0), 0, ends(SENT, 1_010, 0, 9))
            .verdict()
            .isValid());
    assertFalse(
        MeasuredImpairment.of(corrupt, injected(SENT, 0, 0), 0, ends(SENT, 0, 0, 9))
            .verdict()
            .isValid());
  }

  /**
   * [FC-56] The last packet before a pause is drawn, waits, and nothing is there to overtake it.
   */
  @Test
  void packetsThatNothingCouldOvertakeCountAsDrawnOnlyWhereOthersWereOvertaken() {
    Impairment reorder = Impairment.none().withReorder(0.02);
    ImpairmentCounts counts = injected(SENT, 0, 0);
    counts.displaced = 1_400;
    counts.unfollowed = 600;
    MeasuredImpairment measured = MeasuredImpairment.of(reorder, counts, 0, ends(SENT, 0, 0, 0));
    assertTrue(measured.verdict().isValid(), measured.verdict().faults().toString());
    assertEquals(0.014, measured.reorder(), 1e-9);
    counts.unfollowed = 0;
    assertFalse(MeasuredImpairment.of(reorder, counts, 0, ends(SENT, 0, 0, 0)).verdict().isValid());
    counts.displaced = 0;
    counts.unfollowed = 2_000;
    assertFalse(MeasuredImpairment.of(reorder, counts, 0, ends(SENT, 0, 0, 0)).verdict().isValid());
  }

  @Test
  void delaysFarFromTheConfiguredAreInvalid() {
    Impairment delay = Impairment.none().withDelayNs(1_000_000);
    ImpairmentCounts counts = injected(SENT, 0, 0);
    counts.delayed = SENT;
    counts.delayNsSum = SENT * 1_020_000;
    assertTrue(MeasuredImpairment.of(delay, counts, 0, ends(SENT, 0, 0, 0)).verdict().isValid());
    counts.delayNsSum = SENT * 1_200_000;
    assertFalse(MeasuredImpairment.of(delay, counts, 0, ends(SENT, 0, 0, 0)).verdict().isValid());
    counts.delayed = 0;
    counts.delayNsSum = 0;
    assertFalse(MeasuredImpairment.of(delay, counts, 0, ends(SENT, 0, 0, 0)).verdict().isValid());
  }

  /** [FC-56] One attachment wrong on purpose: the traffic passes beside it. */
  @Test
  void impairmentsBesideTheTrafficMakeTheRunInvalid() {
    SoakPlan plan =
        new SoakPlan(
            7,
            "nio",
            PortSettings.of(UDP_ADDRESS).withUdpPort(UDP_PORT),
            PortSettings.of("127.0.0.2").withUdpPort(UDP_PORT),
            ConnectionSettings.defaults(),
            false,
            FlowSettings.mixed(SizeMix.between(1, 4_096), 8),
            1,
            16,
            64,
            100_000_000,
            300_000_000);
    try (StopSignal stop = new StopSignal("soak")) {
      SoakProgress progress = new SoakProgress(new PrintWriter(Writer.nullWriter()));
      Impairment wanted = Impairment.none().withLoss(0.05);
      SoakResult beside =
          new SoakRun(plan, wanted, progress, stop, null, (wire, impaired) -> wire).execute();
      assertEquals(0, beside.findings().count(), beside.findings().first().toString());
      assertFalse(beside.verdict().isValid());
      SoakResult inFront = new SoakRun(plan, wanted, progress, stop, null).execute();
      assertTrue(inFront.verdict().isValid(), inFront.verdict().faults().toString());
    }
  }
}
