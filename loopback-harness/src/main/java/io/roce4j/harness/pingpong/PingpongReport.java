// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.pingpong;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.harness.handshake.PingpongAddress;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.measure.Throughput;
import io.roce4j.transport.verbs.QueuePairType;
import java.io.PrintWriter;
import java.util.Locale;

/** What a ping-pong prints at its end: the two lines of the Linux tools, and the JSON form. */
final class PingpongReport {
  private static final double NS_PER_SECOND = 1e9;
  private static final double MEGA = 1e6;

  private final PingpongPlan plan;
  private final PingpongResult result;

  PingpongReport(PingpongPlan plan, PingpongResult result) {
    this.plan = plan;
    this.result = result;
  }

  void print(PrintWriter text) {
    double seconds = result.elapsedNs() / NS_PER_SECOND;
    text.println(
        String.format(
            Locale.ROOT,
            "%d bytes in %.2f seconds = %.2f Mbit/sec",
            result.bytes(),
            seconds,
            Throughput.bitsPerSecond(result.bytes(), result.elapsedNs()) / MEGA));
    text.println(
        String.format(
            Locale.ROOT,
            "%d iters in %.2f seconds = %.2f usec/iter",
            plan.iterations(),
            seconds,
            nsPerIteration() / 1000));
    if (plan.isChecked()) {
      text.println(result.checked() + " messages compared, all good");
    }
  }

  private double nsPerIteration() {
    return Throughput.mean(result.elapsedNs(), plan.iterations());
  }

  ObjectNode json(long seed) {
    ObjectNode node = JsonReport.mapper().createObjectNode();
    node.put("tool", "pingpong");
    node.put("version", VersionProvider.version());
    node.put("seed", seed);
    node.put("role", plan.isClient() ? "client" : "server");
    node.put("transport", QueuePairType.name(plan.type()).toLowerCase(Locale.ROOT));
    node.put("port", result.portName());
    node.put("messageBytes", plan.sizeBytes());
    node.put("iterations", plan.iterations());
    if (plan.type() != QueuePairType.UD) {
      node.put("mtu", plan.mtu());
    }
    node.set("local", address(result.local()));
    node.set("remote", address(result.remote()));
    node.put("bytes", result.bytes());
    node.put("messagesChecked", result.checked());
    node.put("durationNs", result.elapsedNs());
    node.put(
        "bitsPerSecond", Math.round(Throughput.bitsPerSecond(result.bytes(), result.elapsedNs())));
    node.put("nsPerIteration", nsPerIteration());
    node.set("roundTripNs", latencies(result.roundTrips()));
    node.set("counters", result.counters());
    return node;
  }

  private static ObjectNode address(PingpongAddress address) {
    ObjectNode node = JsonReport.mapper().createObjectNode();
    node.put("gid", address.gid().toString());
    node.put("qpn", address.qpn());
    node.put("psn", address.psn());
    return node;
  }

  private static ObjectNode latencies(LatencyRecorder latencies) {
    ObjectNode node = JsonReport.mapper().createObjectNode();
    node.put("p50", latencies.percentileNs(50));
    node.put("p90", latencies.percentileNs(90));
    node.put("p99", latencies.percentileNs(99));
    node.put("p999", latencies.percentileNs(99.9));
    node.put("max", latencies.maxNs());
    return node;
  }
}
