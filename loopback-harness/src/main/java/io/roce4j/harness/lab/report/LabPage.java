// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.report;

import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.lab.scenario.Metric;
import io.roce4j.harness.lab.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Puts what a lab showed into a page of the documentation, so that no number is typed. */
public final class LabPage {
  private static final String BEGIN = "<!-- lab -->";
  private static final String END = "<!-- /lab -->";

  private LabPage() {}

  /**
   * Replaces what stands between the marks of a page.
   *
   * @param file the page
   * @param scenario that ran
   * @param seed the first
   * @param summaries of its schemes
   * @param verdicts on its claims
   * @throws ToolException when the page cannot be read or written, or has no marks
   */
  public static void update(
      Path file,
      Scenario scenario,
      long seed,
      List<SchemeSummary> summaries,
      List<ClaimVerdict> verdicts) {
    update(file, body(scenario, seed, summaries, verdicts));
  }

  /**
   * Replaces what stands between the marks of a page.
   *
   * @param file the page
   * @param body what is to stand there, Markdown
   * @throws ToolException when the page cannot be read or written, or has no marks
   */
  public static void update(Path file, String body) {
    try {
      String text = Files.readString(file);
      int begin = text.indexOf(BEGIN);
      int end = text.indexOf(END);
      if (begin < 0 || end < begin) {
        throw ToolException.usage("--page " + file + ": needs the lines " + BEGIN + " and " + END);
      }
      Files.writeString(
          file,
          text.substring(0, begin + BEGIN.length()) + "\n\n" + body + "\n" + text.substring(end));
    } catch (IOException e) {
      throw ToolException.usage(
          "--page " + file + ": cannot be read or written (" + IoReason.of(e) + ")", e);
    }
  }

  static String body(
      Scenario scenario, long seed, List<SchemeSummary> summaries, List<ClaimVerdict> verdicts) {
    StringBuilder text = new StringBuilder();
    text.append(scenario.topology()).append(". Means over ").append(scenario.seeds());
    text.append(" seeds from ").append(seed).append(".\n\n");
    text.append(LabTable.markdown(summaries));
    if (!verdicts.isEmpty()) {
      text.append("\n| claim | measured | kept |\n| --- | --- | --- |\n");
      for (ClaimVerdict verdict : verdicts) {
        text.append("| ").append(verdict.claim()).append(" | ");
        text.append(Metric.number(verdict.measured())).append(" | ");
        text.append(verdict.holds() ? "yes" : "no").append(" |\n");
      }
    }
    return text.toString();
  }
}
