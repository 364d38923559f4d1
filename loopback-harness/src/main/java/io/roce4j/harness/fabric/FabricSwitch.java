// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.EcmpSettings;
import io.roce4j.harness.fabric.topology.HashFunction;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.LinkObserver;

/** A switch: classify, route, admit, queue. Each of its ports serves its queues by itself. */
final class FabricSwitch extends FabricNode {
  private final FabricCore core;
  private final SwitchSettings settings;
  private final TrafficClasses classes;
  private final HashFunction hash;
  private final int hashSeed;
  private int[][] nextHops;

  FabricSwitch(FabricCore core, String name, int ports, SwitchSettings settings) {
    super(name, ports);
    this.core = core;
    this.settings = settings;
    this.classes = settings.classes();
    this.hash = settings.ecmp().hash();
    long seed = settings.ecmp().seed();
    this.hashSeed =
        (int) (seed == EcmpSettings.OWN_SEED ? core.streams.derive("ecmp." + name) : seed);
  }

  void routes(int[][] nextHopsByHost) {
    nextHops = nextHopsByHost;
  }

  @Override
  void receive(int port, int slot) {
    if (!FabricHeader.decrementTimeToLive(core.slots, slot)) {
      core.drop(name, slot, LinkObserver.TTL_EXPIRED);
      return;
    }
    int host = FabricHeader.destinationHost(core.slots, slot);
    int[] choices = nextHops[host];
    if (choices.length == 0) {
      core.drop(name, slot, LinkObserver.NO_ROUTE);
      return;
    }
    FabricPort out = ports[choices.length == 1 ? choices[0] : choose(choices, slot)];
    int trafficClass = classes.classOf(FabricHeader.tos(core.slots, slot));
    int wireBytes = core.wireBytes(slot);
    core.ingress(slot, port);
    if (out.queueBytes(trafficClass) + wireBytes > settings.queueBytes()) {
      out.drop(slot, LinkObserver.QUEUE_FULL);
      return;
    }
    out.enqueue(slot, trafficClass, wireBytes);
  }

  private int choose(int[] choices, int slot) {
    int value =
        hash.hash(
            hashSeed,
            FabricHeader.sourceWord(core.slots, slot),
            FabricHeader.destinationWord(core.slots, slot),
            FabricHeader.ports(core.slots, slot),
            0);
    return choices[Integer.remainderUnsigned(value, choices.length)];
  }

  @Override
  void onDequeued(FabricPort port, int trafficClass, int slot) {}
}
