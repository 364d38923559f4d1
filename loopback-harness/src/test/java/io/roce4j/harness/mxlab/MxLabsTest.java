// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The labs at small size: the same cases, bounds and judge as on the command line. */
class MxLabsTest {
  @ParameterizedTest
  @CsvSource({"mx-loss, 0.2", "mx-planes, 0.3", "mx-incast, 0.2", "mx-permutation, 0.25"})
  void everyCaseReachesWhatItMust(String name, double scale) {
    StringWriter text = new StringWriter();
    MxLabReport report =
        new MxLabReport(MxLabs.find(name).orElseThrow(), new LabSize(1, 11, scale));
    assertEquals(ExitCode.GOOD, report.run(new PrintWriter(text)), text::toString);
    assertTrue(report.json().get("passed").asBoolean());
    assertTrue(report.json().get("cases").size() >= 2);
  }

  @Test
  void theSameSeedGivesTheSameFigures() {
    MxLab lab = MxLabs.find("mx-planes").orElseThrow();
    LabSize size = new LabSize(1, 3, 0.3);
    assertEquals(lab.run(size, each -> {}), lab.run(size, each -> {}));
  }

  /** A lab whose only case falls short. */
  private static final class FallsShort implements MxLab {
    @Override
    public String name() {
      return "short";
    }

    @Override
    public String about() {
      return "Falls short.";
    }

    @Override
    public String setting() {
      return "none";
    }

    @Override
    public List<LabCase> run(LabSize size, Consumer<LabCase> done) {
      List<LabCase> cases =
          List.of(
              LabCase.atLeast("low", 0.5, 0.9, 1, ""),
              LabCase.atMost("high", 2, 1, 1, ""),
              LabCase.shown("other", 7, ""));
      cases.forEach(done);
      return cases;
    }
  }

  @Test
  void aCaseThatFallsShortFailsTheRunAndIsNamed() {
    StringWriter text = new StringWriter();
    MxLabReport report = new MxLabReport(new FallsShort(), LabSize.full(1));
    assertEquals(ExitCode.CHECK_FAILED, report.run(new PrintWriter(text)));
    assertTrue(text.toString().contains("SHORT: 2 of 3"), text::toString);
    assertFalse(report.json().get("passed").asBoolean());
    assertEquals("short", report.json().at("/cases/1/verdict").asText());
    assertEquals("-", report.json().at("/cases/2/verdict").asText());
  }
}
