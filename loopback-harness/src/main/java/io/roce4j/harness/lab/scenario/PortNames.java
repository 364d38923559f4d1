// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Checks the names of nodes and ports: {@code leaf0>spine1} is one direction of a cable. */
final class PortNames {
  private PortNames() {}

  static int node(Section fields, String field, String name, Topology topology) {
    try {
      return topology.node(name);
    } catch (IllegalArgumentException e) {
      throw fields.fault(field, e.getMessage());
    }
  }

  static void check(Section fields, String field, String port, Topology topology) {
    String[] ends = port.split("#", 2)[0].split(">", -1);
    if (ends.length != 2) {
      throw fields.fault(field, "'" + port + "' is not a port: write leaf0>spine1");
    }
    int from = node(fields, field, ends[0], topology);
    int to = node(fields, field, ends[1], topology);
    for (Topology.Link link : topology.links()) {
      boolean same = link.from() == from && link.to() == to;
      if (same || (link.from() == to && link.to() == from)) {
        return;
      }
    }
    throw fields.fault(field, "'" + port + "': there is no cable between the two");
  }

  /** All ports whose names fit a pattern in which * stands for any part of a node's name. */
  static List<String> matching(Section fields, String field, String pattern, Topology topology) {
    Pattern form = Pattern.compile(Pattern.quote(pattern).replace("*", "\\E[^>]*\\Q"));
    List<String> found = new ArrayList<>();
    for (Topology.Link link : topology.links()) {
      String from = topology.nodeName(link.from());
      String to = topology.nodeName(link.to());
      for (String port : List.of(from + ">" + to, to + ">" + from)) {
        if (form.matcher(port).matches() && !found.contains(port)) {
          found.add(port);
        }
      }
    }
    if (found.isEmpty()) {
      throw fields.fault(field, "'" + pattern + "' fits no port: write leaf*>spine*");
    }
    return found;
  }
}
