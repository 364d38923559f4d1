// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.Topology;

/** Checks the names of ports and cables: {@code leaf0>spine1} is one direction of a cable. */
final class PortNames {
  private PortNames() {}

  static void check(Section fields, String field, String port, Topology topology) {
    String[] ends = port.split("#", 2)[0].split(">", -1);
    if (ends.length != 2) {
      throw fields.fault(field, "'" + port + "' is not a port: write leaf0>spine1");
    }
    int from;
    int to;
    try {
      from = topology.node(ends[0]);
      to = topology.node(ends[1]);
    } catch (IllegalArgumentException e) {
      throw fields.fault(field, "'" + port + "': " + e.getMessage());
    }
    for (Topology.Link link : topology.links()) {
      boolean same = link.from() == from && link.to() == to;
      if (same || (link.from() == to && link.to() == from)) {
        return;
      }
    }
    throw fields.fault(field, "'" + port + "': there is no cable between the two");
  }
}
