// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.harness.workload.SizeMix;
import io.roce4j.transport.port.PortSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a soak that was ended early may claim. */
class SoakReportTest {
  private static final Impairment LOSS = Impairment.none().withLoss(1e-9);
  private static final SoakPlan PLAN =
      new SoakPlan(
          7,
          "nio",
          PortSettings.of("127.0.0.1"),
          PortSettings.of("127.0.0.2"),
          ConnectionSettings.defaults(),
          false,
          FlowSettings.mixed(SizeMix.between(1, 4_096), 8),
          1,
          16,
          64,
          100_000_000,
          300_000_000);

  private static SoakResult result(Impairment impairment, long messages, boolean isInterrupted) {
    CounterSnapshot counters = new CounterSnapshot(9, 9, 9, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    ImpairmentCounts counts = new ImpairmentCounts();
    MeasuredImpairment measured =
        MeasuredImpairment.of(impairment, counts, new LinkOrder(9, 0), 0, counters);
    return new SoakResult(
        "rc",
        1,
        "nio",
        "asked for",
        impairment,
        counts,
        measured,
        new Findings(),
        counters,
        1_000_000,
        messages * 10,
        messages * 10,
        messages * 10,
        messages,
        new LatencyRecorder(),
        PathTelemetry.of(List.of()),
        new HostChanges(List.of()),
        isInterrupted,
        isInterrupted);
  }

  private static String conclusion(SoakResult... results) {
    SoakReport report = new SoakReport(PLAN, List.of(results));
    StringWriter text = new StringWriter();
    report.print(new PrintWriter(text));
    assertEquals(ExitCode.GOOD, report.exitCode());
    return text.toString().lines().toList().getLast();
  }

  @Test
  void aRunEndedInItsWarmUpClaimsNothing() {
    assertEquals(
        "ended in the warm-up of the run 'none', of which nothing was counted; seed 7",
        conclusion(result(Impairment.none(), 0, true)));
    assertEquals(
        "ended in the warm-up of the run 'loss 0.0000001%', of which nothing was counted; all good"
            + " before; seed 7",
        conclusion(result(Impairment.none(), 5, false), result(LOSS, 0, true)));
  }

  @Test
  void aRunEndedWhileItCountedClaimsWhatItSaw() {
    assertEquals(
        "ended early, all good so far; seed 7", conclusion(result(Impairment.none(), 5, true)));
    assertTrue(conclusion(result(Impairment.none(), 5, false)).startsWith("all bytes verified"));
  }

  @Test
  void aRunThatMovedNothingHasNoFiguresAndIsNotBelieved() {
    SoakReport report =
        new SoakReport(PLAN, List.of(result(Impairment.none(), 0, false), result(LOSS, 5, true)));
    StringWriter text = new StringWriter();
    report.print(new PrintWriter(text));
    List<String> lines = text.toString().lines().toList();
    assertEquals(ExitCode.INVALID, report.exitCode());
    for (String row : lines.subList(1, 3)) {
      assertEquals("-", row.substring(75, 84).strip(), row);
    }
    assertTrue(lines.get(1).strip().endsWith("-          -       0"), lines.get(1));
    assertTrue(
        text.toString().contains("  INVALID: no message completed in the 1.00ms counted: run long"),
        text::toString);
    assertEquals("INVALID: a run moved nothing, which proves nothing; seed 7", lines.getLast());
    assertTrue(report.json().at("/runs/0/retainedFraction").isNull());
    assertFalse(report.json().get("valid").asBoolean());
  }

  @Test
  void aTinyLossIsWrittenAsPeopleDo() {
    StringWriter text = new StringWriter();
    new SoakReport(PLAN, List.of(result(LOSS, 5, true))).print(new PrintWriter(text));
    assertTrue(text.toString().contains("loss 0.0000001%"), text::toString);
    assertFalse(text.toString().contains("E-"), text::toString);
  }
}
