// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.BitRate;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.measure.LatencyRecorder;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** The table, the JSON and the exit code of a soak. */
final class SoakReport {
  private static final String ROW = "%-6s %-9s %-44s %12s %9s %11s %10s %10s %10s %10s %7s%n";

  private final SoakPlan plan;
  private final List<SoakResult> results;

  SoakReport(SoakPlan plan, List<SoakResult> results) {
    this.plan = plan;
    this.results = results;
  }

  /**
   * The exit code: what is wrong with the data comes before what is wrong with the impairments.
   *
   * @return {@link ExitCode}
   */
  int exitCode() {
    for (SoakResult result : results) {
      if (result.findings().count() > 0) {
        return ExitCode.CHECK_FAILED;
      }
    }
    return isValid() ? ExitCode.GOOD : ExitCode.INVALID;
  }

  private boolean isValid() {
    return results.stream().allMatch(result -> isValid(result));
  }

  /** A run cut short proves nothing about its impairments, and claims nothing. */
  private static boolean isValid(SoakResult result) {
    return result.isExcused() || result.faults().isEmpty();
  }

  /**
   * Goodput over that of the run without impairment.
   *
   * @return empty when one of the two moved nothing, or there was no such run
   */
  private OptionalDouble retained(SoakResult result) {
    if (result.messages() == 0) {
      return OptionalDouble.empty();
    }
    if (result.impairment().isNone()) {
      return OptionalDouble.of(1);
    }
    for (SoakResult other : results) {
      if (other.impairment().isNone() && other.transport().equals(result.transport())) {
        double whole = other.goodputBitsPerSecond();
        return whole == 0
            ? OptionalDouble.empty()
            : OptionalDouble.of(result.goodputBitsPerSecond() / whole);
      }
    }
    return OptionalDouble.empty();
  }

  void print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        ROW,
        "",
        "port",
        "impairment",
        "goodput",
        "retained",
        "verified",
        "retrans",
        "timeouts",
        "p50",
        "p99",
        "errors");
    for (SoakResult result : results) {
      printRow(out, result);
    }
    for (SoakResult result : results) {
      printMeasured(out, result);
      result.host().print(out);
      result.telemetry().print(out);
      result.faults().forEach(fault -> printFault(out, result, fault));
      result.findings().first().forEach(finding -> out.println("  ERROR: " + finding));
    }
    out.println(conclusion());
  }

  private void printRow(PrintWriter out, SoakResult result) {
    OptionalDouble retained = retained(result);
    out.printf(
        Locale.ROOT,
        ROW,
        result.transport(),
        result.port(),
        SoakPlan.describe(result.impairment()),
        BitRate.format(result.goodputBitsPerSecond()),
        retained.isEmpty() ? "-" : String.format(Locale.ROOT, "%.3f", retained.getAsDouble()),
        String.format(Locale.ROOT, "%,.1f MB", result.bytesVerified() / 1e6),
        String.format(Locale.ROOT, "%,d", result.counters().retransmissions()),
        String.format(Locale.ROOT, "%,d", result.counters().timeouts()),
        percentile(result, 50),
        percentile(result, 99),
        result.findings().count());
  }

  private static String percentile(SoakResult result, double percent) {
    return result.messages() == 0
        ? "-"
        : TimeSpan.format((double) result.latencies().percentileNs(percent));
  }

  private static void printMeasured(PrintWriter out, SoakResult result) {
    CounterSnapshot counters = result.counters();
    out.printf(
        Locale.ROOT,
        "%s, %s: %,d messages, %,d packets sent in %s; %,d duplicates, %,d bad ICRCs, %,d"
            + " sequence NAKs, %,d RNR NAKs; p90 %s, p99.9 %s, max %s; %.3f B/packet allocated%n",
        result.transport(),
        SoakPlan.describe(result.impairment()),
        result.messages(),
        counters.txPackets(),
        TimeSpan.format((double) result.durationNs()),
        counters.duplicates(),
        counters.icrcErrors(),
        counters.sequenceNaks(),
        counters.rnrNaks(),
        percentile(result, 90),
        percentile(result, 99.9),
        percentile(result, 100),
        result.allocatedBytesPerPacket());
    if (result.latencies().isSaturated()) {
      out.println("  latencies above the histogram's range: the run is saturated");
    }
    if (counters.socketOverflow() > 0 || counters.txErrors() > 0) {
      out.printf(
          Locale.ROOT,
          "  this host itself dropped packets: %,d at full sockets (raise net.core.rmem_max, or"
              + " lower --window), %,d not sendable%n",
          counters.socketOverflow(),
          counters.txErrors());
    }
    if (counters.strangers() > 0) {
      out.printf(
          Locale.ROOT,
          "  strangers sent %,d datagrams to the ports, which were refused and are not counted%n",
          counters.strangers());
    }
    if (!result.impairment().isNone()) {
      ImpairmentCounts network = result.network();
      out.printf(
          Locale.ROOT,
          "  measured over %,d packets: lost %.3f%%, reordered %.3f%%, duplicated %.3f%%, corrupted"
              + " %.3f%%%n",
          network.offered,
          100 * result.measured().loss(),
          100 * result.measured().reorder(),
          100 * result.measured().duplicate(),
          100 * result.measured().corrupt());
      if (result.impairment().delayNs() > 0) {
        out.printf(
            Locale.ROOT,
            "  delayed %,d packets by %s on average%n",
            network.delayed,
            TimeSpan.format(result.measured().delayNs()));
      }
    }
  }

  private static void printFault(PrintWriter out, SoakResult result, String fault) {
    out.println((result.isExcused() ? "  ended early: " : "  INVALID: ") + fault);
  }

  private String conclusion() {
    String repeat = "seed " + plan.seed();
    return switch (exitCode()) {
      case ExitCode.GOOD ->
          results.stream().anyMatch(SoakResult::isInterrupted)
              ? endedEarly() + "; " + repeat
              : "all bytes verified, every work request completed once; " + repeat;
      case ExitCode.INVALID ->
          results.stream().allMatch(result -> result.isExcused() || result.verdict().isValid())
              ? "INVALID: a run moved nothing, which proves nothing; " + repeat
              : "INVALID: an impairment did not act as configured; " + repeat;
      default -> "FAILED: see the errors above; " + repeat;
    };
  }

  /** What was moved in a warm-up is not counted, so it is not claimed either. */
  private String endedEarly() {
    SoakResult last = results.getLast();
    if (last.messages() > 0) {
      return "ended early, all good so far";
    }
    return "ended in the warm-up of the run '"
        + SoakPlan.describe(last.impairment())
        + "', of which nothing was counted"
        + (results.size() > 1 ? "; all good before" : "");
  }

  ObjectNode json() {
    ObjectNode report = JsonReport.mapper().createObjectNode();
    report.put("tool", "soak");
    report.put("version", VersionProvider.version());
    report.put("seed", plan.seed());
    report.put("valid", isValid());
    ArrayNode runs = report.putArray("runs");
    results.forEach(result -> addRun(runs.addObject(), result));
    return report;
  }

  private void addRun(ObjectNode run, SoakResult result) {
    CounterSnapshot counters = result.counters();
    run.put("transport", result.transport());
    run.put("port", result.port());
    run.put("portReason", result.portReason());
    run.put("paths", result.paths());
    run.put("trainPackets", plan.trainPackets());
    run.put("congestion", plan.connection().congestion());
    run.put("messageBytes", result.meanMessageBytes());
    run.put("mtu", plan.connection().pathMtuBytes());
    run.put("qps", plan.queuePairs());
    addImpairment(run.putObject("impairment"), result);
    run.put("valid", isValid(result));
    run.put("interrupted", result.isInterrupted());
    run.put("durationNs", result.durationNs());
    run.put("messages", result.messages());
    run.put("bytesDelivered", result.bytesDelivered());
    run.put("bytesVerified", result.bytesVerified());
    run.put("goodputBitsPerSecond", Math.round(result.goodputBitsPerSecond()));
    retained(result)
        .ifPresentOrElse(
            retained -> run.put("retainedFraction", retained),
            () -> run.putNull("retainedFraction"));
    run.put("packetsSent", counters.txPackets());
    run.put("retransmissions", counters.retransmissions());
    run.put("timeouts", counters.timeouts());
    run.put("duplicates", counters.duplicates());
    run.put("icrcErrors", counters.icrcErrors());
    run.put("sequenceNaks", counters.sequenceNaks());
    run.put("rnrNaks", counters.rnrNaks());
    run.put("socketOverflow", counters.socketOverflow());
    run.put("txErrors", counters.txErrors());
    run.put("strangers", counters.strangers());
    addLatency(run.putObject("latencyNs"), result.latencies());
    result.host().addTo(run);
    result.telemetry().addTo(run);
    run.put("allocatedBytesPerPacket", result.allocatedBytesPerPacket());
    run.put("errors", result.findings().count());
    ArrayNode findings = run.putArray("findings");
    result.findings().first().forEach(findings::add);
    result.faults().forEach(findings::add);
  }

  private static void addLatency(ObjectNode node, LatencyRecorder latencies) {
    node.put("p50", latencies.percentileNs(50));
    node.put("p90", latencies.percentileNs(90));
    node.put("p99", latencies.percentileNs(99));
    node.put("p999", latencies.percentileNs(99.9));
    node.put("max", latencies.maxNs());
    node.put("saturated", latencies.isSaturated());
  }

  private static void addImpairment(ObjectNode node, SoakResult result) {
    Impairment wanted = result.impairment();
    ObjectNode configured = node.putObject("configured");
    configured.put("loss", wanted.loss());
    configured.put("reorder", wanted.reorder());
    configured.put("duplicate", wanted.duplicate());
    configured.put("corrupt", wanted.corrupt());
    configured.put("delayNs", wanted.delayNs());
    ImpairmentCounts counts = result.network();
    ObjectNode measured = node.putObject("measured");
    measured.put("packets", counts.offered);
    measured.put("loss", result.measured().loss());
    measured.put("reorder", result.measured().reorder());
    measured.put("duplicate", result.measured().duplicate());
    measured.put("corrupt", result.measured().corrupt());
    measured.put("delayNs", Math.round(result.measured().delayNs()));
    measured.put("delayedPackets", counts.delayed);
  }
}
