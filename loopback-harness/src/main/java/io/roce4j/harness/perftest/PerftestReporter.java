// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.harness.endpoint.CounterReport;
import io.roce4j.harness.endpoint.LiveEndpoint;
import io.roce4j.harness.handshake.PerftestKey;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.transport.verbs.QueuePairType;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Prints a test while it runs, in perftest's lines and columns, and collects its JSON. */
final class PerftestReporter {
  private static final String LINE = "-".repeat(87);
  private static final double NS_PER_US = 1_000;

  private final PerftestPlan plan;
  private final boolean isGigaBits;
  private final boolean isHistogramWanted;
  private final PrintWriter text;
  private final ObjectNode json = JsonReport.mapper().createObjectNode();
  private final ArrayNode runs = JsonReport.mapper().createArrayNode();

  PerftestReporter(
      PerftestPlan plan, boolean isGigaBits, boolean isHistogramWanted, PrintWriter text) {
    this.plan = plan;
    this.isGigaBits = isGigaBits;
    this.isHistogramWanted = isHistogramWanted;
    this.text = text;
  }

  /** Whether bandwidths are in Gbit/s, also to the peer. */
  boolean isGigaBits() {
    return isGigaBits;
  }

  /** A server is ready. */
  void onWaiting() {
    String stars = "*".repeat(36);
    text.println("\n" + stars + "\n* Waiting for client to connect... *\n" + stars);
    text.flush();
  }

  /** Datagrams cannot be as large as was asked for. */
  void onSizeReduced(int bytes) {
    text.println(" Max msg size in UD is MTU " + bytes + "; changing to this MTU");
  }

  /** Both sides know each other. */
  void onConnected(PerftestSession session, List<PerftestKey> peers) {
    LiveEndpoint endpoint = session.endpoint();
    PerftestPlan fitted = session.plan();
    text.println(LINE);
    text.println("                    " + title());
    field("Port", endpoint.portReason());
    field("Number of qps", fitted.queuePairs());
    field("Connection type", connection());
    if (plan.isRequester()) {
      field("TX depth", fitted.txDepth());
    }
    if (plan.isReceiver()) {
      field("RX depth", fitted.rxDepth());
    }
    if (!plan.tool().isLatency()) {
      field("CQ Moderation", fitted.completionEvery());
    }
    field("Mtu", session.terms().mtuBytes() + "[B]");
    if (plan.tool().isRead()) {
      field("Outstand reads", fitted.outstandingReads());
    } else {
      field("Max inline data", fitted.inlineBytes() + "[B]");
    }
    text.println(LINE);
    session.keys().forEach(key -> address("local", key));
    peers.forEach(key -> address("remote", key));
    text.println(LINE);
    text.println(columns());
    text.flush();
    describe(session, peers);
  }

  private String title() {
    String kind = plan.tool().isLatency() ? " Latency Test" : " BW Test";
    String ways = plan.isBidirectional() ? " Bidirectional" : "";
    String atomic = "";
    if (plan.tool().verb() == PerftestTool.Verb.ATOMIC) {
      atomic = plan.isCompareAndSwap() ? " CMP_AND_SWAP" : " FETCH_AND_ADD";
    }
    return plan.tool().title() + atomic + ways + kind;
  }

  private String connection() {
    return QueuePairType.name(plan.type());
  }

  private void field(String name, Object value) {
    text.println(String.format(Locale.ROOT, " %-16s: %s", name, value));
  }

  private void address(String side, PerftestKey key) {
    StringBuilder line = new StringBuilder();
    line.append(
        String.format(
            Locale.ROOT,
            " %s address: LID %04x QPN 0x%04x PSN 0x%06x",
            side,
            key.lid(),
            key.qpn(),
            key.psn()));
    if (plan.tool().isRead()) {
      line.append(String.format(Locale.ROOT, " OUT 0x%02x", key.outstandingReads()));
    }
    if (!plan.tool().isSend()) {
      line.append(
          String.format(
              Locale.ROOT, " RKey 0x%06x VAddr 0x%016x", key.rkey(), key.virtualAddress()));
    }
    text.println(line);
    text.println(" GID: " + (key.gid().isIpv4() ? "::ffff:" : "") + key.gid());
  }

  private String columns() {
    if (!plan.tool().isLatency()) {
      String unit = isGigaBits ? "Gb/sec" : "MB/sec";
      return " #bytes     #iterations    BW peak["
          + unit
          + "]    BW average["
          + unit
          + "]   MsgRate[Mpps]";
    }
    if (plan.isTimed()) {
      return " #bytes        #iterations       t_avg[usec]    tps average";
    }
    return " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
        + "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] ";
  }

  /** A bandwidth run is over. */
  void onResult(BandwidthResult result) {
    double unit = isGigaBits ? 1e9 / 8 : 1 << 20;
    text.println(
        String.format(
            Locale.ROOT,
            " %-7d    %-10d       %-7.2f            %-7.2f\t\t   %-7.6f",
            result.sizeBytes(),
            result.iterations(),
            result.peakBytesPerSecond() / unit,
            result.bytesPerSecond() / unit,
            result.messagesPerSecond() / 1e6));
    text.flush();
    ObjectNode run = runs.addObject();
    run.put("messageBytes", result.sizeBytes());
    run.put("iterations", result.iterations());
    if (result.elapsedNs() > 0) {
      run.put("durationNs", result.elapsedNs());
    }
    run.put("peakBitsPerSecond", Math.round(result.peakBytesPerSecond() * Byte.SIZE));
    run.put("bitsPerSecond", Math.round(result.bytesPerSecond() * Byte.SIZE));
    run.put("messagesPerSecond", result.messagesPerSecond());
  }

  /** A latency run is over. */
  void onResult(LatencyResult result) {
    LatencyRecorder latencies = result.latencies();
    if (plan.isTimed()) {
      text.println(
          String.format(
              Locale.ROOT,
              " %-7d       %-10d      %-7.2f        %-7.2f",
              result.sizeBytes(),
              result.iterations(),
              latencies.meanNs() / NS_PER_US,
              result.roundsPerSecond()));
    } else {
      text.println(
          String.format(
              Locale.ROOT,
              " %-7d %-10d     %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f"
                  + "\t\t%-7.2f \t\t%-7.2f",
              result.sizeBytes(),
              plan.iterations(),
              latencies.minNs() / NS_PER_US,
              latencies.maxNs() / NS_PER_US,
              latencies.percentileNs(50) / NS_PER_US,
              latencies.meanNs() / NS_PER_US,
              latencies.standardDeviationNs() / NS_PER_US,
              latencies.percentileNs(99) / NS_PER_US,
              latencies.percentileNs(99.9) / NS_PER_US));
    }
    if (isHistogramWanted) {
      latencies.print(text, NS_PER_US);
    }
    text.flush();
    describe(result);
  }

  private void describe(LatencyResult result) {
    LatencyRecorder latencies = result.latencies();
    ObjectNode run = runs.addObject();
    run.put("messageBytes", result.sizeBytes());
    run.put("iterations", result.iterations());
    run.put("roundsPerSecond", result.roundsPerSecond());
    ObjectNode values = run.putObject(result.isOneWay() ? "oneWayNs" : "latencyNs");
    values.put("min", latencies.minNs());
    values.put("mean", latencies.meanNs());
    values.put("standardDeviation", latencies.standardDeviationNs());
    values.put("p50", latencies.percentileNs(50));
    values.put("p90", latencies.percentileNs(90));
    values.put("p99", latencies.percentileNs(99));
    values.put("p999", latencies.percentileNs(99.9));
    values.put("max", latencies.maxNs());
  }

  private void describe(PerftestSession session, List<PerftestKey> peers) {
    json.put("tool", plan.tool().toolName());
    json.put("version", VersionProvider.version());
    json.put("role", plan.isClient() ? "client" : "server");
    json.put("transport", connection().toLowerCase(Locale.ROOT));
    json.put("port", session.endpoint().portName());
    json.put("mtu", session.terms().mtuBytes());
    json.put("qps", plan.queuePairs());
    json.put("bidirectional", plan.isBidirectional());
    ArrayNode local = json.putArray("local");
    session.keys().forEach(key -> local.add(address(key)));
    ArrayNode remote = json.putArray("remote");
    peers.forEach(key -> remote.add(address(key)));
  }

  private static ObjectNode address(PerftestKey key) {
    ObjectNode node = JsonReport.mapper().createObjectNode();
    node.put("gid", key.gid().toString());
    node.put("qpn", key.qpn());
    node.put("psn", key.psn());
    node.put("rkey", String.format(Locale.ROOT, "0x%08x", key.rkey()));
    node.put("va", String.format(Locale.ROOT, "0x%016x", key.virtualAddress()));
    return node;
  }

  /** The test is over. */
  void onEnd(LiveEndpoint endpoint) {
    text.println(LINE);
    text.flush();
    json.set("runs", runs);
    json.set("counters", CounterReport.of(endpoint));
  }

  /** The whole report. */
  ObjectNode json(long seed) {
    json.put("seed", seed);
    return json;
  }
}
