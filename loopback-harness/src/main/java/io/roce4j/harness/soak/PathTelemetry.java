// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.workload.VerifiedConnection;
import io.roce4j.multipath.MxReport;
import io.roce4j.multipath.PathReport;
import io.roce4j.multipath.WhySlow;
import io.roce4j.transport.verbs.QueuePair;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What the MX connections of a run say of their paths, both sides, over the whole run.
 *
 * @param reports one a side and connection, the first side first; none for other transports
 */
record PathTelemetry(List<Side> reports) {
  private static final int PRINTED_REASONS = 6;

  /**
   * One side of one connection.
   *
   * @param name of the sending side
   * @param connection number of the connection, from 0
   * @param report of its paths
   */
  record Side(String name, int connection, MxReport report) {}

  /** Copies the reports; the endpoints must have nothing to do any more. */
  static PathTelemetry of(List<VerifiedConnection> connections) {
    List<Side> sides = new ArrayList<>();
    for (int i = 0; i < connections.size(); i++) {
      add(sides, "a", i, connections.get(i).first());
      add(sides, "b", i, connections.get(i).second());
    }
    return new PathTelemetry(List.copyOf(sides));
  }

  /**
   * Copies the reports of one side, where the other is another process.
   *
   * @param name of the side
   * @param queuePairs one of each connection
   */
  static PathTelemetry of(String name, List<QueuePair> queuePairs) {
    List<Side> sides = new ArrayList<>();
    for (int i = 0; i < queuePairs.size(); i++) {
      add(sides, name, i, queuePairs.get(i));
    }
    return new PathTelemetry(List.copyOf(sides));
  }

  private static void add(List<Side> sides, String name, int connection, QueuePair queuePair) {
    MxReport.of(queuePair).ifPresent(report -> sides.add(new Side(name, connection, report)));
  }

  /** One line on how the paths differ, then what stands out. */
  void print(PrintWriter out) {
    if (reports.isEmpty()) {
      return;
    }
    double[] loss = {1, 0};
    double[] share = {1, 0};
    long[] rttNs = {Long.MAX_VALUE, 0};
    long moves = 0;
    long failures = 0;
    List<String> reasons = new ArrayList<>();
    for (Side side : reports) {
      for (PathReport path : side.report().paths()) {
        moves += path.moves();
        failures += path.failures();
        if (path.responseHalf() || path.sentPackets() == 0) {
          continue;
        }
        loss[0] = Math.min(loss[0], path.lossFraction());
        loss[1] = Math.max(loss[1], path.lossFraction());
        share[0] = Math.min(share[0], path.share());
        share[1] = Math.max(share[1], path.share());
        rttNs[0] = Math.min(rttNs[0], path.smoothedRttNs());
        rttNs[1] = Math.max(rttNs[1], path.smoothedRttNs());
      }
      String from = side.name() + (reports.size() > 2 ? " qp" + side.connection() : "") + ", ";
      WhySlow.explain(side.report()).forEach(reason -> reasons.add(from + reason));
    }
    out.printf(
        Locale.ROOT,
        "  paths: loss %.2f%% to %.2f%%, RTT %s to %s, share %.1f%% to %.1f%%; %,d entropy moves,"
            + " %,d path failures%n",
        100 * loss[0],
        100 * loss[1],
        TimeSpan.format((double) rttNs[0]),
        TimeSpan.format((double) rttNs[1]),
        100 * share[0],
        100 * share[1],
        moves,
        failures);
    int printed = Math.min(PRINTED_REASONS, reasons.size());
    reasons.subList(0, printed).forEach(reason -> out.println("  why slow: " + reason));
    if (printed < reasons.size()) {
      out.println("  why slow: and " + (reasons.size() - printed) + " more, see --json");
    }
  }

  /** Adds everything to the JSON of a run. */
  void addTo(ObjectNode run) {
    if (reports.isEmpty()) {
      return;
    }
    ArrayNode connections = run.putArray("connections");
    for (Side side : reports) {
      ObjectNode node = connections.addObject();
      node.put("connection", side.connection());
      node.put("sender", side.name());
      ArrayNode paths = node.putArray("paths");
      side.report().paths().forEach(path -> addPath(paths.addObject(), path));
      ObjectNode counters = node.putObject("counters");
      side.report().counters(counters::put);
      ArrayNode why = node.putArray("whySlow");
      WhySlow.explain(side.report()).forEach(why::add);
    }
  }

  private static void addPath(ObjectNode node, PathReport path) {
    node.put("half", path.responseHalf() ? "response" : "request");
    node.put("path", path.path());
    node.put("plane", path.plane());
    node.put("state", path.state());
    node.put("epoch", path.epoch());
    node.put("sourceSlot", path.sourceSlot());
    node.put("packetsSent", path.sentPackets());
    node.put("bytesSent", path.sentBytes());
    node.put("share", path.share());
    node.put("bytesAcked", path.ackedBytes());
    node.put("retransmissions", path.retransmissions());
    node.put("tailCopies", path.tailCopies());
    node.put("losses", path.losses());
    node.put("spurious", path.spurious());
    node.put("lossFraction", path.lossFraction());
    node.put("ecnMarks", path.marks());
    node.put("smoothedRttNs", path.smoothedRttNs());
    node.put("minimumRttNs", path.minimumRttNs());
    node.put("timeouts", path.timeouts());
    node.put("entropyMoves", path.moves());
    node.put("failures", path.failures());
    node.put("probesSent", path.probesSent());
    node.put("probesAnswered", path.probesAnswered());
  }
}
