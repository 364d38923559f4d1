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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeasuredImpairmentTest {
  private static final long SENT = 100_000;
  private static final String UDP_ADDRESS = "127.0.0.1";
  private static final int UDP_PORT = 25_791;

  private static CounterSnapshot ends(long received, long refused, long overflow, long again) {
    return new CounterSnapshot(
        received, received, SENT, refused, 0, again, 0, 0, 0, refused, 0, overflow, 0, 0, 0);
  }

  private static ImpairmentCounts injected(long offered, long lost, long duplicated) {
    ImpairmentCounts counts = new ImpairmentCounts();
    counts.offered = offered;
    counts.lost = lost;
    counts.duplicated = duplicated;
    return counts;
  }

  /** What the receivers see of a link that keeps order. */
  private static final LinkOrder IN_ORDER = new LinkOrder(SENT, 0);

  private static MeasuredImpairment measure(
      Impairment configured, ImpairmentCounts counts, CounterSnapshot total) {
    return MeasuredImpairment.of(configured, counts, IN_ORDER, 0, total);
  }

  private static final Impairment LOSS = Impairment.none().withLoss(0.01);

  /** [FC-56] */
  @Test
  void lossThatTheReceiversSawIsValid() {
    MeasuredImpairment measured =
        measure(LOSS, injected(SENT, 1_000, 0), ends(SENT - 1_000, 0, 0, 900));
    assertTrue(measured.verdict().isValid(), measured.verdict().faults().toString());
    assertEquals(0.01, measured.loss(), 1e-9);
  }

  /** [FC-56] An injector that counts for itself while every packet arrives is found out. */
  @Test
  void lossThatOnlyTheInjectorSawIsInvalid() {
    MeasuredImpairment measured = measure(LOSS, injected(SENT, 1_000, 0), ends(SENT, 0, 0, 900));
    assertFalse(measured.verdict().isValid());
    assertEquals(0, measured.loss());
  }

  /** [FC-56] */
  @Test
  void lossWithoutRetransmissionsIsInvalid() {
    MeasuredImpairment measured =
        measure(LOSS, injected(SENT, 1_000, 0), ends(SENT - 1_000, 0, 0, 0));
    assertTrue(measured.verdict().faults().toString().contains("nothing was retransmitted"));
  }

  @Test
  void whatFullSocketsDroppedAndWhatIsStillHeldIsNoLoss() {
    MeasuredImpairment measured =
        MeasuredImpairment.of(
            LOSS,
            injected(SENT, 1_000, 500),
            IN_ORDER,
            40,
            ends(SENT - 1_000 + 500 - 40 - 700, 0, 700, 9));
    assertEquals(0.01, measured.loss(), 1e-9);
  }

  @Test
  void corruptionIsWhatTheReceiversRefused() {
    Impairment corrupt = Impairment.none().withCorrupt(0.01);
    assertTrue(measure(corrupt, injected(SENT, 0, 0), ends(SENT, 1_010, 0, 9)).verdict().isValid());
    assertFalse(measure(corrupt, injected(SENT, 0, 0), ends(SENT, 0, 0, 9)).verdict().isValid());
  }

  /** [FC-56] What the injector says of itself is no proof. */
  @Test
  void reorderingIsWhatTheReceiversSawAndNothingElse() {
    Impairment reorder = Impairment.none().withReorder(0.02);
    ImpairmentCounts counts = injected(SENT, 0, 0);
    counts.held = 2_000;
    counts.displaced = 2_000;
    for (long overtaken : new long[] {0, 1_400, 2_000, 2_600}) {
      MeasuredImpairment measured =
          MeasuredImpairment.of(
              reorder, counts, new LinkOrder(SENT, overtaken), 0, ends(SENT, 0, 0, 0));
      assertEquals(overtaken == 2_000, measured.verdict().isValid(), overtaken + " overtaken");
      assertEquals(overtaken / (double) SENT, measured.reorder(), 1e-9);
    }
  }

  /** [FC-56] A lost packet is not sent twice: that is no fault of the duplication. */
  @Test
  void duplicationIsJudgedByThePacketsThatWereNotLost() {
    Impairment heavy = Impairment.none().withLoss(0.2).withDuplicate(0.1);
    long lost = SENT / 5;
    long twice = (SENT - lost) / 10;
    MeasuredImpairment measured =
        measure(heavy, injected(SENT, lost, twice), ends(SENT - lost + twice, 0, 0, 9));
    assertTrue(measured.verdict().isValid(), measured.verdict().faults().toString());
    assertEquals(0.1, measured.duplicate(), 1e-9);
  }

  @Test
  void delaysFarFromTheConfiguredAreInvalid() {
    Impairment delay = Impairment.none().withDelayNs(1_000_000);
    ImpairmentCounts counts = injected(SENT, 0, 0);
    counts.delayed = SENT;
    counts.delayNsSum = SENT * 1_020_000;
    assertTrue(measure(delay, counts, ends(SENT, 0, 0, 0)).verdict().isValid());
    counts.delayNsSum = SENT * 1_200_000;
    assertFalse(measure(delay, counts, ends(SENT, 0, 0, 0)).verdict().isValid());
    counts.delayed = 0;
    counts.delayNsSum = 0;
    assertFalse(measure(delay, counts, ends(SENT, 0, 0, 0)).verdict().isValid());
  }

  /** [FC-56] A mean of the few that were delayed says nothing of those that were not. */
  @Test
  void aDelayOfSomePacketsOnlyIsInvalid() {
    Impairment delay = Impairment.none().withDelayNs(1_000_000);
    for (long delayed : new long[] {1, SENT / 2, SENT * 95 / 100}) {
      ImpairmentCounts counts = injected(SENT, 0, 0);
      counts.delayed = delayed;
      counts.delayNsSum = delayed * 1_000_000;
      MeasuredImpairment measured = measure(delay, counts, ends(SENT, 0, 0, 0));
      assertEquals(
          delayed > SENT / 2, measured.verdict().isValid(), measured.verdict().faults().toString());
    }
  }

  /** [FC-56] What threads were late is allowed, as measured, and 50 us at most. */
  @ParameterizedTest
  @CsvSource({
    "100000, 100000, 0, true",
    "149000, 100000, 0, false",
    "149000, 100000, 40000, true",
    "170000, 100000, 70000, false",
    "89000, 100000, 40000, false"
  })
  void aDelayMayBeAsLateAsThreadsWere(long measuredNs, long configuredNs, long lateNs, boolean ok) {
    ImpairmentCounts counts = injected(SENT, 0, 0);
    counts.delayed = SENT;
    counts.delayNsSum = SENT * measuredNs;
    counts.lateNsSum = SENT * lateNs;
    Impairment delay = Impairment.none().withDelayNs(configuredNs);
    assertEquals(ok, measure(delay, counts, ends(SENT, 0, 0, 0)).verdict().isValid());
  }

  /** [FC-56] Thousands of datagrams of others are neither arrivals nor damage. */
  @Test
  void strangersDoNotHideLossNorLookLikeCorruption() {
    Impairment both = LOSS.withCorrupt(0.01);
    long strangers = 5_000;
    long arrived = SENT - 1_000;
    CounterSnapshot total = withStrangers(arrived + strangers, 990 + strangers, 0, strangers);
    MeasuredImpairment measured = measure(both, injected(SENT, 1_000, 0), total);
    assertTrue(measured.verdict().isValid(), measured.verdict().faults().toString());
    assertEquals(0.01, measured.loss(), 1e-9);
    assertEquals(0.01, measured.corrupt(), 1e-9);
  }

  /** [FC-56] Nobody knows whose packets a full socket dropped. */
  @Test
  void strangersBesideFullSocketsAreNamedAsTheReason() {
    long strangers = 5_000;
    CounterSnapshot total = withStrangers(SENT - 2_000 + strangers, strangers, 1_000, strangers);
    MeasuredImpairment measured = measure(LOSS, injected(SENT, 1_000, 0), total);
    String faults = measured.verdict().faults().toString();
    assertTrue(faults.contains("5,000 datagrams of strangers"), faults);
  }

  private static CounterSnapshot withStrangers(
      long received, long refused, long overflow, long strangers) {
    return new CounterSnapshot(
        received, received, SENT, refused, 0, 9, 0, 0, 0, refused, 0, overflow, 0, strangers, 0);
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
      Impairment wanted = Impairment.none().withLoss(0.05).withReorder(0.05);
      SoakResult beside =
          new SoakRun(plan, wanted, progress, stop, null, (wire, impaired) -> wire).execute();
      assertEquals(0, beside.findings().count(), beside.findings().first().toString());
      String faults = beside.verdict().faults().toString();
      assertTrue(faults.contains("loss 5.000% was configured but hit none"), faults);
      assertTrue(faults.contains("reorder 5.000% was configured but hit none"), faults);
      SoakResult inFront = new SoakRun(plan, wanted, progress, stop, null).execute();
      assertTrue(inFront.verdict().isValid(), inFront.verdict().faults().toString());
    }
  }
}
