// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.harness.lab.run.BaseRtt;
import io.roce4j.harness.lab.run.Books;
import io.roce4j.harness.lab.run.RunResult;
import io.roce4j.harness.lab.run.Statistics;
import io.roce4j.harness.lab.scenario.Metric;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.Scheme;
import java.util.List;
import java.util.Locale;

/** The machine form of a lab: one object. Numbers that do not exist are absent. */
public final class LabJson {
  private LabJson() {}

  /**
   * Puts a lab into its JSON form.
   *
   * @param scenario that ran
   * @param seed the first
   * @param results of all runs
   * @param verdicts on the claims
   * @return the object
   */
  public static ObjectNode of(
      Scenario scenario, long seed, List<RunResult> results, List<ClaimVerdict> verdicts) {
    ObjectNode lab = JsonReport.mapper().createObjectNode();
    Scheme first = scenario.schemes().get(0);
    long link = scenario.hostBitsPerSecond();
    int last = scenario.topology().hosts() - 1;
    long rtt = BaseRtt.between(scenario.topology(), first.fabric(), 0, last, first.pathMtuBytes());
    lab.put("tool", "lab");
    lab.put("version", VersionProvider.version());
    lab.put("lab", scenario.name());
    lab.put("seed", seed);
    lab.put("topology", scenario.topology().toString());
    lab.put("payload", scenario.payload().name().toLowerCase(Locale.ROOT));
    lab.put("linkBitsPerSecond", link);
    lab.put("baseRttNs", rtt);
    lab.put("bdpPackets", Math.ceilDiv(link / 8 * rtt / 1_000_000_000L, first.pathMtuBytes()));
    ArrayNode runs = lab.putArray("runs");
    results.forEach(result -> add(runs.addObject(), result));
    ArrayNode claims = lab.putArray("claims");
    verdicts.forEach(verdict -> add(claims.addObject(), verdict));
    lab.put("valid", results.stream().allMatch(result -> result.invalid().isEmpty()));
    lab.put("conservation", results.stream().allMatch(result -> result.books().isBalanced()));
    return lab;
  }

  private static void add(ObjectNode run, RunResult result) {
    run.put("scheme", result.scheme().name());
    run.put("transport", result.scheme().transport());
    run.put("congestion", result.scheme().congestion());
    run.put("paths", result.scheme().paths());
    run.put("seed", result.seed());
    run.put("flows", result.flows().size());
    ObjectNode goodput = run.putObject("goodputFraction");
    number(goodput, "mean", result.value(Metric.GOODPUT_MEAN));
    number(goodput, "min", result.value(Metric.GOODPUT_MIN));
    double[] times = result.completionTimes();
    ObjectNode fct = run.putObject("fctNs");
    number(fct, "min", Statistics.min(times));
    number(fct, "mean", Statistics.mean(times));
    number(fct, "p50", Statistics.percentile(times, 50));
    number(fct, "p99", Statistics.percentile(times, 99));
    number(fct, "max", Statistics.max(times));
    number(run, "jain", result.value(Metric.JAIN));
    number(run, "lateJain", result.value(Metric.LATE_JAIN));
    number(run, "convergenceNs", result.value(Metric.CONVERGENCE_NS));
    ObjectNode slowdown = run.putObject("slowdown");
    number(slowdown, "p50", result.value(Metric.SLOWDOWN_P50));
    number(slowdown, "p99", result.value(Metric.SLOWDOWN_P99));
    number(run, "completed", result.value(Metric.COMPLETED));
    number(run, "failed", result.value(Metric.FAILED));
    run.put("maxQueueBytes", result.fabric().maxQueueBytes());
    run.put("fullestPort", result.fabric().fullestPort());
    number(run, "meanQueueBytes", result.fabric().meanQueueBytes());
    number(run, "p99QueueBytes", result.value(Metric.QUEUE_P99_BYTES));
    ObjectNode drops = run.putObject("drops");
    result.books().dropsByReason().forEach(drops::put);
    run.put("ecnMarks", result.fabric().ecnMarks());
    run.put("pauses", result.fabric().pauses());
    run.put("pausedNs", result.fabric().pausedNs());
    run.put("packetsSent", result.effort().packetsSent());
    run.put("retransmissions", result.effort().retransmissions());
    run.put("timeouts", result.effort().timeouts());
    run.put("virtualNs", result.effort().virtualNs());
    number(run, "eventsPerSecond", result.effort().eventsPerSecond());
    number(run, "packetHopsPerSecond", result.effort().hopsPerSecond());
    number(run, "packetHopsPerCoreSecond", result.effort().hopsPerCoreSecond());
    run.put("setUpWallNs", result.effort().setUpNs());
    run.put("runWallNs", result.effort().wallNs());
    run.put("runCpuNs", result.effort().cpuNs());
    books(run.putObject("conservation"), result.books());
    ArrayNode findings = run.putArray("findings");
    result.findings().forEach(findings::add);
    ArrayNode invalid = run.putArray("invalid");
    result.invalid().forEach(invalid::add);
    ArrayNode diagnosis = run.putArray("diagnosis");
    result.diagnosis().forEach(diagnosis::add);
  }

  private static void books(ObjectNode node, Books books) {
    node.put("injected", books.injected());
    node.put("duplicated", books.duplicated());
    node.put("delivered", books.delivered());
    node.put("dropped", books.dropped());
    node.put("inFlight", books.inFlight());
    node.put("balanced", books.isBalanced());
  }

  private static void add(ObjectNode node, ClaimVerdict verdict) {
    node.put("claim", verdict.claim().toString());
    number(node, "measured", verdict.measured());
    number(node, "limit", verdict.limit());
    node.put("holds", verdict.holds());
  }

  private static void number(ObjectNode node, String name, double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      node.put(name, (long) value);
    } else if (!Double.isNaN(value) && !Double.isInfinite(value)) {
      node.put(name, value);
    }
  }
}
