// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.VersionProvider;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Runs a lab and tells of it: a table that grows case by case, and the JSON at the end. */
public final class MxLabReport {
  private static final String ROW = "%-58s %9s %9s %9s  %-5s  %s%n";

  private final MxLab lab;
  private final LabSize size;
  private List<LabCase> cases = List.of();

  /**
   * A report of a lab that is still to be run.
   *
   * @param lab which
   * @param size how large
   */
  public MxLabReport(MxLab lab, LabSize size) {
    this.lab = lab;
    this.size = size;
  }

  /**
   * Runs the lab.
   *
   * @param out gets the table
   * @return {@link ExitCode#GOOD}, or {@link ExitCode#CHECK_FAILED} when a case falls short
   */
  public int run(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "lab %s: %s%n  %s%n  seeds %d to %d%n",
        lab.name(),
        lab.about(),
        lab.setting(),
        size.firstSeed(),
        size.firstSeed() + size.seeds() - 1);
    out.printf(Locale.ROOT, ROW, "", "measured", "must", "aim", "", "beside it");
    cases =
        lab.run(
            size,
            each -> {
              print(out, each);
              out.flush();
            });
    long below = cases.stream().filter(each -> !each.passes()).count();
    out.println(
        below == 0
            ? "all cases reach what they must"
            : "SHORT: " + below + " of " + cases.size() + " cases do not reach what they must");
    return below == 0 ? ExitCode.GOOD : ExitCode.CHECK_FAILED;
  }

  private static void print(PrintWriter out, LabCase each) {
    String bound = LabCase.number(each.bound());
    String must = Double.isNaN(each.bound()) ? bound : (each.isCeiling() ? "<= " : ">= ") + bound;
    String line =
        String.format(
            Locale.ROOT,
            ROW,
            each.name(),
            LabCase.number(each.value()),
            must,
            LabCase.number(each.aim()),
            each.verdict(),
            each.beside());
    out.println(line.stripTrailing());
  }

  /**
   * The run as JSON.
   *
   * @return one object
   */
  public ObjectNode json() {
    ObjectNode report = JsonReport.mapper().createObjectNode();
    report.put("tool", "lab");
    report.put("version", VersionProvider.version());
    report.put("lab", lab.name());
    report.put("seed", size.firstSeed());
    report.put("seeds", size.seeds());
    report.put("scale", size.scale());
    report.put("setting", lab.setting());
    ArrayNode list = report.putArray("cases");
    for (LabCase each : cases) {
      ObjectNode node = list.addObject();
      node.put("name", each.name());
      node.put("measured", each.value());
      if (!Double.isNaN(each.bound())) {
        node.put(each.isCeiling() ? "atMost" : "atLeast", each.bound());
        node.put("aim", each.aim());
      }
      node.put("verdict", each.verdict());
      node.put("beside", each.beside());
    }
    report.put("passed", cases.stream().allMatch(LabCase::passes));
    return report;
  }
}
