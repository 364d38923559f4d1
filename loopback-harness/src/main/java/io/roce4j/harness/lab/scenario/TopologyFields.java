// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.Preset;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.Topology;
import java.util.List;

/** Reads the {@code topology} of a scenario. */
final class TopologyFields {
  private static final List<String> SHAPES =
      List.of(
          "single",
          "dumbbell",
          "leaf-spine",
          "multi-plane",
          "fat-tree",
          "long-haul",
          "preset",
          "custom");
  private static final long MAX_RATE = 10_000_000_000_000L;
  private static final long MAX_DELAY_NS = 1_000_000_000;
  private static final int MOST = 4_096;

  private TopologyFields() {}

  static Topology read(Section fields) {
    String shape = fields.oneOf("shape", null, SHAPES);
    Topology topology;
    try {
      topology =
          switch (shape) {
            case "custom" -> custom(fields);
            case "preset" -> preset(fields);
            default -> usual(shape, fields);
          };
    } catch (IllegalArgumentException e) {
      throw fields.fault(e.getMessage());
    }
    fields.end();
    return topology;
  }

  private static Topology usual(String shape, Section fields) {
    Cable edge = cable(fields, "hostRate", "hostDelay", null);
    return switch (shape) {
      case "single" -> Topologies.single(count(fields, "hosts"), edge);
      case "fat-tree" -> Topologies.fatTree(count(fields, "k"), edge);
      case "dumbbell" ->
          Topologies.dumbbell(count(fields, "hostsPerSide"), edge, middle(fields, edge));
      case "long-haul" -> {
        Cable middle = middle(fields, edge);
        yield Topologies.longHaul(
            count(fields, "hostsPerSide"), edge, middle.bitsPerSecond(), middle.delayNs());
      }
      default ->
          Topologies.multiPlane(
              shape.equals("multi-plane") ? count(fields, "planes") : 1,
              count(fields, "leaves"),
              count(fields, "hostsPerLeaf"),
              count(fields, "spines"),
              edge,
              cable(fields, "upRate", "upDelay", edge));
    };
  }

  /** A leaf-spine with the rates and the round trip of a preset. */
  private static Topology preset(Section fields) {
    return Preset.of(fields.text("preset", null))
        .topology(count(fields, "leaves"), count(fields, "hostsPerLeaf"), count(fields, "spines"));
  }

  private static Cable middle(Section fields, Cable edge) {
    return cable(fields, "middleRate", "middleDelay", edge);
  }

  private static int count(Section fields, String name) {
    return (int) fields.count(name, null, 1, MOST);
  }

  private static Cable cable(Section fields, String rate, String delay, Cable fallback) {
    Long usualRate = fallback == null ? null : fallback.bitsPerSecond();
    Long usualDelay = fallback == null ? null : fallback.delayNs();
    return new Cable(
        fields.bitsPerSecond(rate, usualRate, 1, MAX_RATE),
        fields.timeNs(delay, usualDelay, 0, MAX_DELAY_NS));
  }

  /** Switches, cables and routes by hand. */
  private static Topology custom(Section fields) {
    Topology.Builder builder = Topology.builder("custom", count(fields, "hosts"), 1);
    for (String name : fields.texts("switches")) {
      builder.addSwitch(name, 0);
    }
    for (Section link : fields.sections("cables")) {
      List<String> ends = ends(link, "between");
      builder.connect(ends.get(0), ends.get(1), cable(link, "rate", "delay", null));
      link.end();
    }
    for (Section route : fields.sections("routes")) {
      String at = route.text("at", null);
      int host = (int) route.count("host", null, 0, Topology.MAX_HOSTS - 1L);
      builder.route(at, host, route.texts("via").toArray(new String[0]));
      route.end();
    }
    return builder.build();
  }

  private static List<String> ends(Section link, String name) {
    List<String> ends = link.texts(name);
    if (ends.size() != 2) {
      throw link.fault(name, "must name two nodes, such as [h0, s0]");
    }
    return ends;
  }
}
