// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.harness.lab.run.Books;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.measure.LatencyRecorder;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * What runs in real time are told by: counts, and how late the emulator was. Times of flows and
 * messages are left out on purpose: they are those of this machine, and must not be compared with
 * virtual time [FE 1].
 */
public final class RealTimeReport {
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};

  private RealTimeReport() {}

  /**
   * Prints a run for people.
   *
   * @param out where to
   * @param result of the run
   */
  public static void print(PrintWriter out, RealTimeResult result) {
    Books books = result.books();
    out.printf(
        Locale.ROOT,
        "%s seed %d, port %s: %d of %d flows, %d bytes verified in %s%n",
        result.scheme().name(),
        result.seed(),
        result.io(),
        result.done(),
        result.flows(),
        result.bytesVerified(),
        TimeSpan.format((double) result.nanoseconds()));
    out.printf(
        Locale.ROOT,
        "  packets: %d sent, %d again, %d timeouts; fabric: %d in, %d delivered, %d dropped %s,"
            + " %d marked, longest queue %d bytes at %s%n",
        result.packetsSent(),
        result.retransmissions(),
        result.timeouts(),
        books.injected(),
        books.delivered(),
        books.dropped(),
        books.dropsByReason(),
        result.fabric().ecnMarks(),
        result.fabric().maxQueueBytes(),
        result.fabric().fullestPort());
    LatencyRecorder late = result.lateness().recorder();
    out.print("  emulator late:");
    for (double percent : PERCENTILES) {
      out.printf(
          Locale.ROOT,
          " p%s %s,",
          percent == Math.rint(percent) ? String.valueOf((int) percent) : percent,
          TimeSpan.format((double) late.percentileNs(percent)));
    }
    out.printf(
        Locale.ROOT,
        " most %s; more than %s: %.3g%%; longest pause %s, %d of 1 ms and more%n",
        TimeSpan.format((double) late.maxNs()),
        TimeSpan.format((double) result.lateness().toleratedNs()),
        100 * result.lateness().lateShare(),
        TimeSpan.format((double) result.lateness().longestPauseNs()),
        result.lateness().pauses());
    result.notes().forEach(note -> out.println("  note: " + note));
    result.findings().forEach(finding -> out.println("WRONG  " + finding));
    result.invalid().forEach(fault -> out.println("INVALID  " + fault));
  }

  /**
   * Puts runs into their JSON form.
   *
   * @param scenario that ran
   * @param seed the first
   * @param settings of real time
   * @param results of the runs
   * @return the object
   */
  public static ObjectNode json(
      Scenario scenario, long seed, RealTimeSettings settings, List<RealTimeResult> results) {
    ObjectNode lab = JsonReport.mapper().createObjectNode();
    lab.put("tool", "lab");
    lab.put("version", VersionProvider.version());
    lab.put("lab", scenario.name());
    lab.put("mode", "real-time");
    lab.put("seed", seed);
    lab.put("topology", scenario.topology().toString());
    lab.put("linkBitsPerSecond", scenario.hostBitsPerSecond());
    lab.put("slower", settings.slower());
    ArrayNode runs = lab.putArray("runs");
    results.forEach(result -> add(runs.addObject(), result));
    lab.put("valid", results.stream().allMatch(result -> result.invalid().isEmpty()));
    lab.put("conservation", results.stream().allMatch(result -> result.books().isBalanced()));
    return lab;
  }

  private static void add(ObjectNode run, RealTimeResult result) {
    run.put("scheme", result.scheme().name());
    run.put("transport", result.scheme().transport());
    run.put("congestion", result.scheme().congestion());
    run.put("seed", result.seed());
    run.put("port", result.io());
    run.put("flows", result.flows());
    run.put("completed", result.done());
    run.put("bytesVerified", result.bytesVerified());
    run.put("runNs", result.nanoseconds());
    run.put("packetsSent", result.packetsSent());
    run.put("retransmissions", result.retransmissions());
    run.put("timeouts", result.timeouts());
    run.put("ecnMarks", result.fabric().ecnMarks());
    run.put("marksSeen", result.marksSeen());
    run.put("damagedSeen", result.damagedSeen());
    run.put("maxQueueBytes", result.fabric().maxQueueBytes());
    run.put("fullestPort", result.fabric().fullestPort());
    run.put("pauses", result.fabric().pauses());
    run.put("refusedAtNic", result.refusedAtNic());
    run.put("strangers", result.strangers());
    Books books = result.books();
    ObjectNode conservation = run.putObject("conservation");
    conservation.put("injected", books.injected());
    conservation.put("duplicated", books.duplicated());
    conservation.put("delivered", books.delivered());
    conservation.put("dropped", books.dropped());
    conservation.put("inFlight", books.inFlight());
    conservation.put("balanced", books.isBalanced());
    ObjectNode drops = run.putObject("drops");
    books.dropsByReason().forEach(drops::put);
    add(run.putObject("emulatorLate"), result.lateness());
    result.findings().forEach(run.putArray("findings")::add);
    result.invalid().forEach(run.putArray("invalid")::add);
    result.notes().forEach(run.putArray("notes")::add);
  }

  private static void add(ObjectNode late, Lateness lateness) {
    LatencyRecorder recorder = lateness.recorder();
    late.put("samples", recorder.count());
    late.put("p50Ns", recorder.percentileNs(50));
    late.put("p90Ns", recorder.percentileNs(90));
    late.put("p99Ns", recorder.percentileNs(99));
    late.put("p999Ns", recorder.percentileNs(99.9));
    late.put("maxNs", recorder.maxNs());
    late.put("toleratedNs", lateness.toleratedNs());
    late.put("lateShare", lateness.lateShare());
    late.put("longestPauseNs", lateness.longestPauseNs());
    late.put("pausesOf1ms", lateness.pauses());
  }
}
