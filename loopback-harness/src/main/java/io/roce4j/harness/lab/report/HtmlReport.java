// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.lab.run.FlowResult;
import io.roce4j.harness.lab.run.RunResult;
import io.roce4j.harness.lab.run.TimeSeries;
import io.roce4j.harness.lab.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * One page that shows a lab: table, claims, charts over time and distributions. Style, charting
 * library (uPlot) and data are in the page, so that it can be read offline and kept.
 */
public final class HtmlReport {
  private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/dist/";
  private static final double US = 1e-3;

  private HtmlReport() {}

  /**
   * Writes the page.
   *
   * @param file where to
   * @param scenario that ran
   * @param summaries of its schemes
   * @param verdicts on its claims
   * @param data the lab's JSON form
   * @throws ToolException when the file cannot be written
   */
  public static void write(
      Path file,
      Scenario scenario,
      List<SchemeSummary> summaries,
      List<ClaimVerdict> verdicts,
      ObjectNode data) {
    try {
      Files.writeString(file, page(scenario, summaries, verdicts, data));
    } catch (IOException e) {
      throw ToolException.machine(
          "--report " + file + ": cannot be written (" + IoReason.of(e) + "): name another file",
          e);
    }
  }

  static String page(
      Scenario scenario,
      List<SchemeSummary> summaries,
      List<ClaimVerdict> verdicts,
      ObjectNode data) {
    ObjectNode charts = JsonReport.mapper().createObjectNode();
    charts.put("about", scenario.about());
    charts.set("lab", data);
    charts.put("table", LabTable.html(summaries));
    ArrayNode said = charts.putArray("verdicts");
    verdicts.forEach(verdict -> said.add(verdict.toString()));
    ArrayNode schemes = charts.putArray("schemes");
    summaries.forEach(summary -> add(schemes.addObject(), summary));
    return resource("lab.html")
        .replace("/*UPLOT-CSS*/", library("uPlot.min.css"))
        .replace("/*STYLE*/", resource("lab.css"))
        .replace("/*UPLOT-JS*/", library("uPlot.iife.min.js"))
        .replace("/*SCRIPT*/", resource("lab.js"))
        .replace("/*DATA*/", embedded(charts));
  }

  /** JSON in a script element: nothing in it may look like its end. */
  private static String embedded(ObjectNode charts) {
    return charts.toString().replace("<", "\\u003c");
  }

  private static void add(ObjectNode node, SchemeSummary summary) {
    node.put("name", summary.scheme().name());
    ArrayNode times = node.putArray("fctUs");
    double[] sorted =
        summary.runs().stream()
            .flatMap(run -> run.flows().stream())
            .filter(FlowResult::isDone)
            .mapToDouble(flow -> flow.completionNs() * US)
            .sorted()
            .toArray();
    Arrays.stream(sorted).forEach(times::add);
    ArrayNode rates = node.putArray("goodput");
    summary.runs().stream()
        .flatMap(run -> run.flows().stream())
        .mapToDouble(FlowResult::goodputFraction)
        .sorted()
        .forEach(rates::add);
    summary.runs().stream()
        .map(RunResult::series)
        .filter(series -> series != null)
        .findFirst()
        .ifPresent(series -> add(node, series));
  }

  private static void add(ObjectNode node, TimeSeries series) {
    ArrayNode time = node.putArray("timeUs");
    Arrays.stream(series.timesNs()).forEach(ns -> time.add(ns * US));
    ObjectNode lines = node.putObject("lines");
    for (String name : series.names()) {
      ArrayNode line = lines.putArray(name);
      Arrays.stream(series.line(name)).forEach(line::add);
    }
    ObjectNode use = node.putObject("pathUse");
    series.pathUse().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> use.put(entry.getKey(), entry.getValue()));
  }

  private static String resource(String name) {
    return text(HtmlReport.class.getResourceAsStream(name), name);
  }

  private static String library(String name) {
    return text(HtmlReport.class.getResourceAsStream(UPLOT + name), name);
  }

  private static String text(InputStream stream, String name) {
    if (stream == null) {
      throw new IllegalStateException(name + " is not on the class path: the build is broken");
    }
    try (stream) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(name + " cannot be read from the class path", e);
    }
  }
}
