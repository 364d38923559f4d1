// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.FabricFaults;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.JitterModel;
import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PacketMatch;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.WireFates;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads the {@code faults} of a scenario: what goes wrong, where, from when until when. */
final class FaultFields {
  private static final List<String> KINDS =
      List.of(
          "impair",
          "link-down",
          "link-flap",
          "link-rate",
          "switch-off",
          "black-hole",
          "host-stall",
          "pause-storm");
  private static final long MAX_NS = 1_000_000_000_000L;
  private static final long MAX_RATE = 10_000_000_000_000L;
  private static final long MAX_JITTER_NS = 1_000_000_000;
  private static final double MAX_BIT_ERRORS = 0.01;
  private static final int MAX_QUANTA = 65_535;

  private final Section fields;
  private final Topology topology;
  private final long fromNs;
  private final long untilNs;

  private FaultFields(Section fields, Topology topology) {
    this.fields = fields;
    this.topology = topology;
    this.fromNs = fields.timeNs("at", 0L, 0, MAX_NS);
    this.untilNs =
        fields.has("until") ? fields.timeNs("until", null, fromNs + 1, MAX_NS) : FabricFaults.NEVER;
  }

  static List<Fault> read(Section root, Topology topology) {
    List<Fault> faults = new ArrayList<>();
    for (Section fields : root.sections("faults")) {
      faults.add(new FaultFields(fields, topology).fault());
    }
    return faults;
  }

  private Fault fault() {
    String kind = fields.oneOf("fault", null, KINDS);
    Consumer<FabricFaults> plan;
    try {
      plan =
          switch (kind) {
            case "impair" -> impairment();
            case "link-down" -> {
              List<String> ports = ports("link");
              yield faults -> ports.forEach(port -> faults.down(port, fromNs, untilNs));
            }
            case "link-flap" -> flap();
            case "link-rate" -> rate();
            case "switch-off" -> {
              String name = switchName();
              yield faults -> faults.switchOff(name, fromNs, untilNs);
            }
            case "black-hole" -> {
              String name = switchName();
              yield faults -> faults.blackHole(name, fromNs, untilNs);
            }
            case "host-stall" -> {
              int host = host();
              yield faults -> faults.stall(host, fromNs, untilNs);
            }
            default -> storm();
          };
    } catch (IllegalArgumentException e) {
      throw fields.fault(e.getMessage());
    }
    fields.end();
    return new Fault(kind, plan);
  }

  private List<String> ports(String field) {
    List<String> wanted = fields.texts(field);
    if (wanted.isEmpty()) {
      throw fields.fault(field, "is missing: a port such as leaf0>spine1, or leaf*>spine*");
    }
    List<String> found = new ArrayList<>();
    for (String name : wanted) {
      if (name.contains("*")) {
        found.addAll(PortNames.matching(fields, field, name, topology));
      } else {
        PortNames.check(fields, field, name, topology);
        found.add(name);
      }
    }
    return found;
  }

  private String switchName() {
    String name = fields.text("switch", null);
    int node = PortNames.node(fields, "switch", name, topology);
    if (node < topology.hosts()) {
      throw fields.fault("switch", "'" + name + "' is a host");
    }
    return name;
  }

  private int host() {
    String name = fields.text("host", null);
    int node = PortNames.node(fields, "host", name, topology);
    if (node >= topology.hosts()) {
      throw fields.fault("host", "'" + name + "' is a switch");
    }
    return node;
  }

  private Consumer<FabricFaults> flap() {
    List<String> ports = ports("link");
    long up = fields.timeNs("meanUp", null, 1, MAX_NS);
    long down = fields.timeNs("meanDown", null, 1, MAX_NS);
    long carrier = fields.timeNs("carrier", 0L, 0, MAX_NS);
    if (untilNs == FabricFaults.NEVER) {
      throw fields.fault("until", "is missing: flapping needs an end");
    }
    return faults -> ports.forEach(port -> faults.flap(port, up, down, carrier, fromNs, untilNs));
  }

  private Consumer<FabricFaults> rate() {
    List<String> ports = ports("link");
    Cable cable =
        new Cable(
            fields.bitsPerSecond("rate", null, 1, MAX_RATE),
            fields.timeNs("delay", 0L, 0, MAX_JITTER_NS));
    return faults -> ports.forEach(port -> faults.cable(port, fromNs, cable));
  }

  private Consumer<FabricFaults> storm() {
    int host = host();
    int classes = 1 << (int) fields.count("class", (long) TrafficClasses.DATA, 0, 7);
    int quanta = (int) fields.count("quanta", (long) MAX_QUANTA, 1, MAX_QUANTA);
    long every = fields.timeNs("every", 100_000L, 1, MAX_NS);
    return faults -> faults.pauseStorm(host, classes, quanta, every, fromNs, untilNs);
  }

  private Consumer<FabricFaults> impairment() {
    List<String> ports = ports("port");
    PortImpairment impairment = PortImpairment.none();
    PacketMatch match =
        fields.oneOf("only", "all", List.of("all", "acks")).equals("acks")
            ? PacketMatch.acknowledgements()
            : PacketMatch.all();
    double loss = fields.fraction("loss", 0.0);
    double burst = fields.number("burst", 1.0, 1, 1e6);
    if (loss > 0) {
      LossRule rule = burst > 1 ? LossRule.bursts(loss, burst) : LossRule.independent(loss);
      impairment = impairment.losing(rule.matching(match));
    }
    if (fields.has("everyNth")) {
      impairment =
          impairment.losing(
              LossRule.everyNth((int) fields.count("everyNth", null, 1, Integer.MAX_VALUE))
                  .matching(match));
    }
    if (fields.has("only") && impairment.isNone()) {
      throw fields.fault("only", "needs a loss or everyNth: other impairments are for all packets");
    }
    impairment =
        impairment
            .corrupting(fields.fraction("corrupt", 0.0), 1)
            .duplicating(fields.fraction("duplicate", 0.0), 0);
    impairment = impairment.withBitErrorRate(fields.number("bitErrors", 0.0, 0, MAX_BIT_ERRORS));
    double reorder = fields.fraction("reorder", 0.0);
    if (reorder > 0) {
      int gap = (int) fields.count("reorderGap", 3L, 1, 10_000);
      impairment = impairment.reordering(reorder, gap, true, 500_000);
    }
    long jitter = fields.timeNs("jitter", 0L, 0, MAX_JITTER_NS);
    if (jitter > 0) {
      impairment =
          impairment.delaying(new JitterModel.Uniform(0, jitter), WireFates.Order.PER_PATH);
    }
    if (impairment.isNone()) {
      throw fields.fault(
          "needs a loss, everyNth, bitErrors, corrupt, duplicate, reorder or jitter");
    }
    PortImpairment all = impairment;
    return faults -> ports.forEach(port -> faults.impair(port, all, fromNs, untilNs));
  }
}
