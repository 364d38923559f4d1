// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.report;

import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.lab.run.RunResult;
import io.roce4j.harness.lab.scenario.Metric;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The table of a lab: a line for each scheme, means over the seeds. */
public final class LabTable {
  private record Column(String title, Function<SchemeSummary, String> value) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("scheme", summary -> summary.scheme().name()),
          new Column("congestion", summary -> summary.scheme().congestion()),
          number("goodput", Metric.GOODPUT_MEAN),
          number("slowest", Metric.GOODPUT_MIN),
          number("Jain", Metric.JAIN),
          number("late Jain", Metric.LATE_JAIN),
          time("converged", Metric.CONVERGENCE_NS),
          time("FCT mean", Metric.FCT_MEAN_NS),
          time("p99", Metric.FCT_P99_NS),
          time("max", Metric.FCT_MAX_NS),
          number("slowdown p50", Metric.SLOWDOWN_P50),
          number("slowdown p99", Metric.SLOWDOWN_P99),
          number("done", Metric.COMPLETED),
          number("failed", Metric.FAILED),
          number("max queue KB", Metric.QUEUE_MAX_BYTES, 1e-3),
          number("mean queue KB", Metric.QUEUE_MEAN_BYTES, 1e-3),
          number("p99 queue KB", Metric.QUEUE_P99_BYTES, 1e-3),
          number("drops", Metric.DROPS),
          number("marks", Metric.ECN_MARKS),
          number("pauses", Metric.PAUSES),
          number("resent", Metric.RETRANSMISSIONS),
          number("timeouts", Metric.TIMEOUTS));

  private LabTable() {}

  private static Column number(String title, Metric metric) {
    return number(title, metric, 1);
  }

  private static Column number(String title, Metric metric, double factor) {
    return new Column(title, summary -> Metric.number(summary.mean(metric) * factor));
  }

  private static Column time(String title, Metric metric) {
    return new Column(
        title,
        summary -> {
          double ns = summary.mean(metric);
          return Double.isNaN(ns) ? "-" : TimeSpan.format(ns);
        });
  }

  /**
   * Prints the table.
   *
   * @param out where to
   * @param summaries a line each
   */
  public static void print(PrintWriter out, List<SchemeSummary> summaries) {
    lines(summaries).forEach(line -> out.println(line.stripTrailing()));
  }

  /** The columns that have a value: flows without end have no completion times. */
  private static List<Column> columns(List<SchemeSummary> summaries) {
    return COLUMNS.stream()
        .filter(
            column -> summaries.stream().anyMatch(each -> !column.value().apply(each).equals("-")))
        .toList();
  }

  private static List<String> lines(List<SchemeSummary> summaries) {
    List<StringBuilder> lines = new ArrayList<>();
    for (int i = 0; i <= summaries.size(); i++) {
      lines.add(new StringBuilder());
    }
    List<Column> columns = columns(summaries);
    for (Column column : columns) {
      List<String> cells = new ArrayList<>(List.of(column.title()));
      summaries.forEach(summary -> cells.add(column.value().apply(summary)));
      int width = cells.stream().mapToInt(String::length).max().orElse(0);
      boolean isFirst = column.equals(columns.get(0));
      for (int i = 0; i < cells.size(); i++) {
        String form = isFirst ? "%-" + width + "s" : "  %" + width + "s";
        lines.get(i).append(String.format(Locale.ROOT, form, cells.get(i)));
      }
    }
    return lines.stream().map(StringBuilder::toString).toList();
  }

  /**
   * The table for a page of the documentation.
   *
   * @param summaries a row each
   * @return Markdown
   */
  public static String markdown(List<SchemeSummary> summaries) {
    List<Column> columns = columns(summaries);
    StringBuilder text = new StringBuilder("|");
    columns.forEach(column -> text.append(' ').append(column.title()).append(" |"));
    text.append("\n|").append(" --- |".repeat(columns.size())).append('\n');
    for (SchemeSummary summary : summaries) {
      text.append('|');
      columns.forEach(
          column -> text.append(' ').append(column.value().apply(summary)).append(" |"));
      text.append('\n');
    }
    return text.toString();
  }

  /**
   * The table for a web page.
   *
   * @param summaries a row each
   * @return HTML, all text escaped
   */
  static String html(List<SchemeSummary> summaries) {
    List<Column> columns = columns(summaries);
    StringBuilder text = new StringBuilder("<table><thead><tr>");
    columns.forEach(column -> text.append("<th>").append(column.title()).append("</th>"));
    text.append("</tr></thead><tbody>");
    for (SchemeSummary summary : summaries) {
      text.append("<tr>");
      columns.forEach(
          column -> text.append("<td>").append(escaped(column, summary)).append("</td>"));
      text.append("</tr>");
    }
    return text.append("</tbody></table>").toString();
  }

  private static String escaped(Column column, SchemeSummary summary) {
    return column.value().apply(summary).replace("&", "&amp;").replace("<", "&lt;");
  }

  /**
   * Prints how fast the emulator was.
   *
   * @param out where to
   * @param results all runs
   */
  public static void printEffort(PrintWriter out, List<RunResult> results) {
    long hops = results.stream().mapToLong(run -> run.effort().hops()).sum();
    long cpuNs = results.stream().mapToLong(run -> run.effort().cpuNs()).sum();
    long wallNs = results.stream().mapToLong(run -> run.effort().wallNs()).sum();
    long setUpNs = results.stream().mapToLong(run -> run.effort().setUpNs()).sum();
    out.printf(
        Locale.ROOT,
        "%,d packet-hops, %.2f million a second and core (%.2f by the clock), set-up %.2f s%n",
        hops,
        hops * 1e3 / Math.max(1, cpuNs),
        hops * 1e3 / Math.max(1, wallNs),
        setUpNs / 1e9);
  }
}
