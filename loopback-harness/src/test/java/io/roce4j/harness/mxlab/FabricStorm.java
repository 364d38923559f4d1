// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.FabricFaults;
import io.roce4j.harness.fabric.FabricPort;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.JitterModel;
import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PacketMatch;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.sim.WireFates;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Faults drawn for a fabric: cables that flap, are cut, slow or grey, black holes of one hash
 * bucket or of a whole switch, hosts that take nothing. All of them end at a known time.
 */
final class FabricStorm {
  private static final long CALM_BEFORE_NS = 5_000;
  private static final int KINDS = 10;

  private final Fabric fabric;
  private final SplittableRandom random;
  private final long endNs;
  private final StringBuilder text = new StringBuilder();

  FabricStorm(Fabric fabric, SplittableRandom random, long endNs) {
    this.fabric = fabric;
    this.random = random;
    this.endNs = endNs;
  }

  /** Puts so many faults on the timeline. */
  void brew(int faults) {
    for (int i = 0; i < faults; i++) {
      long fromNs = CALM_BEFORE_NS + random.nextLong(endNs / 6);
      long untilNs = fromNs + 1 + random.nextLong(endNs - fromNs);
      int kind = random.nextInt(KINDS);
      FabricPort port = fabric.ports().get(random.nextInt(fabric.ports().size()));
      text.append(' ').append(kind).append('@').append(port.name());
      text.append('[').append(fromNs / 1000).append("..").append(untilNs / 1000).append("us]");
      add(kind, port, fromNs, untilNs);
    }
  }

  private void add(int kind, FabricPort port, long fromNs, long untilNs) {
    FabricFaults faults = fabric.faults();
    String name = port.name();
    switch (kind) {
      case 0 -> faults.down(name, fromNs, untilNs);
      case 1 ->
          faults.flap(name, range(20_000, 200_000), range(1_000, 100_000), 0, fromNs, untilNs);
      case 2 -> slow(port, fromNs, untilNs);
      case 3 -> faults.blackHole(switchName(), fromNs, untilNs);
      case 4 -> faults.switchOff(switchName(), fromNs, untilNs);
      case 5 -> faults.stall(random.nextInt(fabric.topology().hosts()), fromNs, untilNs);
      default -> faults.impair(name, impairment(kind), fromNs, untilNs);
    }
  }

  private PortImpairment impairment(int kind) {
    PortImpairment none = PortImpairment.none();
    return switch (kind) {
      case 6 -> {
        int buckets = 2 + random.nextInt(7);
        PacketMatch bucket = PacketMatch.all().ofBucket(random.nextInt(buckets), buckets);
        yield none.losing(LossRule.blackHole(bucket));
      }
      case 7 ->
          none.losing(LossRule.independent(random.nextDouble() * 0.4))
              .duplicating(random.nextDouble() * 0.1, range(0, 20_000));
      case 8 ->
          none.losing(LossRule.bursts(random.nextDouble() * 0.2, 1 + random.nextInt(40)))
              .corrupting(random.nextDouble() * 0.05, 1 + random.nextInt(32));
      default ->
          none.reordering(random.nextDouble() * 0.1, 1 + random.nextInt(20), true, 20_000)
              .delaying(new JitterModel.Uniform(0, range(100, 20_000)), WireFates.Order.PER_PATH);
    };
  }

  private void slow(FabricPort port, long fromNs, long untilNs) {
    Cable whole = cableOf(port);
    int times = 2 + random.nextInt(20);
    Cable slow = new Cable(whole.bitsPerSecond() / times, whole.delayNs() + range(0, 20_000));
    fabric.faults().cable(port.name(), fromNs, slow).cable(port.name(), untilNs, whole);
  }

  private Cable cableOf(FabricPort port) {
    // Ports are in the order of the cables, two for each.
    return fabric.topology().links().get(fabric.ports().indexOf(port) / 2).cable();
  }

  private String switchName() {
    List<Topology.SwitchNode> switches = fabric.topology().switches();
    return switches.get(random.nextInt(switches.size())).name();
  }

  private long range(long least, long most) {
    return least + random.nextLong(most - least + 1);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
