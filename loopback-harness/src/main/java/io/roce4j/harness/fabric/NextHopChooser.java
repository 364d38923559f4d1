// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.EcmpSettings;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.wire.packet.Bth;
import java.util.Arrays;
import java.util.SplittableRandom;

/** How one switch chooses among equal next hops, see {@link EcmpSettings}. */
final class NextHopChooser {
  private static final int FLOWS = 1 << 13;
  private static final int RESILIENT_SALT = 0x9E37_79B9;

  private final FabricCore core;
  private final EcmpSettings settings;
  private final FabricPort[] ports;
  private final int seed;
  private final SplittableRandom random;
  // By the flow's hash: the port it uses and when that was chosen or last used.
  private final int[] flowPorts;
  private final long[] flowTimesPs;
  private final double[] rates;
  private int turn;

  NextHopChooser(FabricCore core, String name, EcmpSettings settings, FabricPort[] ports) {
    this.core = core;
    this.settings = settings;
    this.ports = ports;
    SeededStreams own = core.streams.child("ecmp." + name);
    seed = (int) (settings.seed() == EcmpSettings.OWN_SEED ? own.seed() : settings.seed());
    random = own.stream("spray");
    boolean remembers =
        settings.mode() == EcmpSettings.Mode.FLOWLET
            || (settings.mode() == EcmpSettings.Mode.ADAPTIVE && settings.flowletGapNs() > 0);
    flowPorts = new int[remembers ? FLOWS : 0];
    flowTimesPs = new long[flowPorts.length];
    Arrays.fill(flowPorts, FabricCore.NONE);
    rates = new double[ports.length];
  }

  /**
   * Chooses a port.
   *
   * @param choices ports on shortest ways that are up, 2 or more
   * @param all ports on shortest ways when everything is up
   * @param slot the packet
   */
  int choose(int[] choices, int[] all, int slot) {
    return switch (settings.mode()) {
      case FLOW -> byHash(choices, all, hash(slot));
      case WEIGHTED -> byRate(choices, hash(slot));
      case RANDOM_SPRAY -> choices[random.nextInt(choices.length)];
      case ROUND_ROBIN -> choices[(turn++ & Integer.MAX_VALUE) % choices.length];
      case FLOWLET -> byFlowlet(choices, hash(slot));
      case ADAPTIVE ->
          settings.flowletGapNs() == 0 ? shortest(choices) : adaptive(choices, hash(slot));
    };
  }

  private int hash(int slot) {
    int extra =
        settings.hashesDestQp() ? Bth.destQp(core.slots.buffer(slot), core.slots.bth(slot)) : 0;
    return settings
        .hash()
        .hash(
            seed,
            core.facts.sourceWord(slot),
            core.facts.destinationWord(slot),
            core.facts.ports(slot),
            extra);
  }

  private int byHash(int[] choices, int[] all, int hash) {
    if (settings.buckets() == 0) {
      return choices[Integer.remainderUnsigned(hash, choices.length)];
    }
    int bucket = Integer.remainderUnsigned(hash, settings.buckets());
    int wanted = all[bucket % all.length];
    for (int choice : choices) {
      if (choice == wanted) {
        return wanted;
      }
    }
    int other = bucket * RESILIENT_SALT;
    return choices[Integer.remainderUnsigned(other ^ (other >>> 15), choices.length)];
  }

  private int byRate(int[] choices, int hash) {
    double sum = 0;
    for (int i = 0; i < choices.length; i++) {
      sum += ports[choices[i]].bitsPerSecond();
      rates[i] = sum;
    }
    double point = (hash & 0xFFFF_FFFFL) / 0x1p32 * sum;
    int chosen = 0;
    while (chosen < choices.length - 1 && rates[chosen] <= point) {
      chosen++;
    }
    return choices[chosen];
  }

  private int byFlowlet(int[] choices, int hash) {
    int flow = hash & (FLOWS - 1);
    long nowPs = core.timeline.nowPs();
    boolean isGap = nowPs - flowTimesPs[flow] > settings.flowletGapNs() * Timeline.PS_PER_NS;
    flowTimesPs[flow] = nowPs;
    if (isGap || !contains(choices, flowPorts[flow])) {
      flowPorts[flow] = choices[random.nextInt(choices.length)];
    }
    return flowPorts[flow];
  }

  private int adaptive(int[] choices, int hash) {
    int flow = hash & (FLOWS - 1);
    long nowPs = core.timeline.nowPs();
    boolean isOld = nowPs - flowTimesPs[flow] > settings.flowletGapNs() * Timeline.PS_PER_NS;
    if (isOld || !contains(choices, flowPorts[flow])) {
      flowTimesPs[flow] = nowPs;
      flowPorts[flow] = shortest(choices);
    }
    return flowPorts[flow];
  }

  /** The shortest queue; among equal ones the choice goes round. */
  private int shortest(int[] choices) {
    int start = (turn++ & Integer.MAX_VALUE) % choices.length;
    int best = choices[start];
    for (int i = 1; i < choices.length; i++) {
      int other = choices[(start + i) % choices.length];
      if (ports[other].queueBytes() < ports[best].queueBytes()) {
        best = other;
      }
    }
    return best;
  }

  private static boolean contains(int[] choices, int port) {
    for (int choice : choices) {
      if (choice == port) {
        return true;
      }
    }
    return false;
  }
}
