// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.VersionProvider;
import java.util.List;
import java.util.Locale;

/** The table of a run, for people, for Markdown and as JSON. */
final class Report {
  private final Machine machine;
  private final int rounds;
  private final List<ComparisonResult> results;

  Report(Machine machine, int rounds, List<ComparisonResult> results) {
    this.machine = machine;
    this.rounds = rounds;
    this.results = List.copyOf(results);
  }

  boolean good() {
    return results.stream().allMatch(r -> r.withinLimit() && r.allocatesNothing());
  }

  String text() {
    int width = results.stream().mapToInt(r -> r.comparison().what().length()).max().orElse(0);
    StringBuilder text = new StringBuilder();
    String line = "%-" + width + "s  %8s  %-12s  %5s  %10s  %10s  %6s  %s%n";
    text.append(line.formatted("", "ratio", "min..max", "limit", "ns", "yardst. ns", "B/op", ""));
    for (ComparisonResult result : results) {
      text.append(
          line.formatted(
              result.comparison().what(),
              number(result.ratio().median()),
              range(result),
              limit(result),
              number(result.subjectNs().median()),
              number(result.yardstickNs().median()),
              bytes(result),
              verdict(result)));
    }
    text.append(footer());
    return text.toString();
  }

  String markdown(String group) {
    StringBuilder text = new StringBuilder();
    text.append("| compared | ratio | min..max | limit | ns | yardstick ns | B/op | |\n");
    text.append("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (ComparisonResult result : results) {
      if (!result.comparison().group().equals(group)) {
        continue;
      }
      text.append("| ").append(result.comparison().what());
      text.append(" | **").append(number(result.ratio().median()));
      text.append("** | ").append(range(result));
      text.append(" | ").append(limit(result));
      text.append(" | ").append(number(result.subjectNs().median()));
      text.append(" | ").append(number(result.yardstickNs().median()));
      text.append(" | ").append(bytes(result));
      text.append(" | ").append(verdict(result)).append(" |\n");
    }
    text.append('\n').append(footer());
    return text.toString();
  }

  ObjectNode json() {
    ObjectNode root = JsonReport.mapper().createObjectNode();
    root.put("tool", "bench").put("version", VersionProvider.version());
    root.put("cpu", machine.cpu()).put("cores", machine.cores());
    root.put("system", machine.system()).put("jvm", machine.jvm());
    root.put("rounds", rounds).put("good", good());
    ArrayNode array = root.putArray("comparisons");
    for (ComparisonResult result : results) {
      Comparison comparison = result.comparison();
      ObjectNode node = array.addObject();
      node.put("group", comparison.group()).put("what", comparison.what());
      node.put("benchmark", comparison.subject()).put("yardstick", comparison.yardstick());
      node.put("parameters", comparison.parameters());
      put(node.putObject("ratio"), result.ratio());
      if (comparison.limit() != Comparison.NO_LIMIT) {
        node.put("limit", comparison.limit());
      }
      node.put("withinLimit", result.withinLimit());
      put(node.putObject("benchmarkNs"), result.subjectNs());
      put(node.putObject("yardstickNs"), result.yardstickNs());
      node.put("allocatedBytesPerOperation", result.allocatedBytes());
    }
    return root;
  }

  private static void put(ObjectNode node, Spread spread) {
    node.put("median", spread.median()).put("min", spread.min()).put("max", spread.max());
  }

  private String footer() {
    return "Median of "
        + rounds
        + " rounds, in each the best iteration of a fresh JVM; a ratio pairs one round's times. "
        + String.join(
            ", ", machine.cpu(), machine.cores() + " cores", machine.system(), machine.jvm())
        + ".\n";
  }

  private static String verdict(ComparisonResult result) {
    if (!result.allocatesNothing()) {
      return "ALLOCATES";
    }
    if (result.comparison().limit() == Comparison.NO_LIMIT) {
      return "";
    }
    return result.withinLimit() ? "good" : "OVER";
  }

  private static String limit(ComparisonResult result) {
    double limit = result.comparison().limit();
    return limit == Comparison.NO_LIMIT ? "" : number(limit);
  }

  private static String range(ComparisonResult result) {
    return number(result.ratio().min()) + ".." + number(result.ratio().max());
  }

  private static String bytes(ComparisonResult result) {
    return result.allocatesNothing() ? "0" : number(result.allocatedBytes());
  }

  /** Three significant digits, as far as they go. */
  static String number(double value) {
    String form = value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f";
    return String.format(Locale.ROOT, form, value);
  }
}
