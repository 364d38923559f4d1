// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;

/** Reads the {@code traffic} of a scenario. */
final class TrafficFields {
  private static final List<String> PATTERNS = List.of("permutation", "incast", "shift", "pairs");
  private static final long MAX_MESSAGE = 1L << 30;
  private static final long MAX_MESSAGES = 1L << 40;
  private static final long MAX_TIME_NS = 1_000_000_000_000L;
  private static final int MAX_DEPTH = 1_024;
  private static final int MAX_TOS = 255;

  private TrafficFields() {}

  static TrafficPlan read(Section root, Topology topology) {
    List<TrafficPlan.Group> groups = new ArrayList<>();
    for (Section fields : root.sections("traffic")) {
      groups.add(group(fields, topology, groups.size()));
    }
    if (groups.isEmpty()) {
      throw root.fault("traffic", "is missing: a list with at least one pattern");
    }
    return new TrafficPlan(groups);
  }

  private static TrafficPlan.Group group(Section fields, Topology topology, int number) {
    String word = fields.oneOf("pattern", null, PATTERNS);
    int hosts = topology.hosts();
    if (hosts < 2) {
      throw fields.fault("pattern", "needs two hosts; the topology has " + hosts);
    }
    int to = 0;
    int senders = 0;
    int by = 0;
    List<Integer> pairs = List.of();
    switch (word) {
      case "incast" -> {
        to = host(fields, "to", fields.text("to", "h0"), topology);
        senders = (int) fields.count("senders", hosts - 1L, 1, hosts - 1L);
      }
      case "shift" -> by = (int) fields.count("by", null, 1, hosts - 1L);
      case "pairs" -> pairs = pairs(fields, topology);
      default -> {
        // A permutation needs nothing more.
      }
    }
    boolean endless = fields.has("messages") && fields.text("messages", null).equals("endless");
    TrafficPlan.Group group =
        new TrafficPlan.Group(
            fields.text("name", word + (number == 0 ? "" : number)),
            TrafficPlan.Pattern.valueOf(word.toUpperCase(java.util.Locale.ROOT)),
            pairs,
            to,
            senders,
            by,
            (int) fields.bytes("message", null, 1, MAX_MESSAGE),
            endless ? TrafficPlan.FOREVER : fields.count("messages", 1L, 1, MAX_MESSAGES),
            (int) fields.count("depth", 1L, 1, MAX_DEPTH),
            (int) fields.count("flowsPerPair", 1L, 1, MAX_DEPTH),
            fields.timeNs("start", 0L, 0, MAX_TIME_NS),
            fields.timeNs("stagger", 0L, 0, MAX_TIME_NS),
            fields.has("tos") ? (int) fields.count("tos", null, 0, MAX_TOS) : -1);
    fields.end();
    return group;
  }

  private static List<Integer> pairs(Section fields, Topology topology) {
    List<Integer> hosts = new ArrayList<>();
    for (String pair : fields.texts("pairs")) {
      String[] ends = pair.split(">", -1);
      if (ends.length != 2) {
        throw fields.fault("pairs", "'" + pair + "' is not a pair: write h0>h1");
      }
      int from = host(fields, "pairs", ends[0].strip(), topology);
      int to = host(fields, "pairs", ends[1].strip(), topology);
      if (from == to) {
        throw fields.fault("pairs", "'" + pair + "': a host does not write to itself");
      }
      hosts.add(from);
      hosts.add(to);
    }
    if (hosts.isEmpty()) {
      throw fields.fault("pairs", "is missing: a list such as [h0>h1, h2>h1]");
    }
    return hosts;
  }

  private static int host(Section fields, String field, String name, Topology topology) {
    int hosts = topology.hosts();
    for (int host = 0; host < hosts; host++) {
      if (name.equals("h" + host)) {
        return host;
      }
    }
    throw fields.fault(field, "'" + name + "' is not a host: h0 to h" + (hosts - 1));
  }
}
