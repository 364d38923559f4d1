// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.PfcSettings;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.Timeline;

/**
 * Pauses and resumes the upstreams of one switch, and knows which bytes of which ingress group wait
 * in which output queue: who waits for whom.
 */
final class PauseSender implements Timeline.Occurrence {
  private static final int CLASSES = TrafficClasses.COUNT;

  private final FabricCore core;
  private final FabricSwitch owner;
  private final SharedBuffer buffer;
  private final PfcSettings settings;
  private final int ports;
  private final boolean[] pausing;
  private final int[] generations;
  // By class, ingress port and output port.
  private final long[] held;

  PauseSender(FabricCore core, FabricSwitch owner, SharedBuffer buffer, PfcSettings settings) {
    this.core = core;
    this.owner = owner;
    this.buffer = buffer;
    this.settings = settings;
    this.ports = owner.ports.length;
    this.pausing = new boolean[ports * CLASSES];
    this.generations = new int[ports * CLASSES];
    this.held = new long[CLASSES * ports * ports];
  }

  /** Bytes of an ingress group that wait in an output queue. */
  long held(int in, int out, int trafficClass) {
    return held[(trafficClass * ports + in) * ports + out];
  }

  boolean isPausing(int in, int trafficClass) {
    return pausing[in * CLASSES + trafficClass];
  }

  void onQueued(int in, int out, int trafficClass, int wireBytes) {
    held[(trafficClass * ports + in) * ports + out] += wireBytes;
    int group = in * CLASSES + trafficClass;
    if (!pausing[group] && buffer.mustPause(in, trafficClass)) {
      pausing[group] = true;
      generations[group]++;
      pause(in, trafficClass);
    }
  }

  void onLeft(int in, int out, int trafficClass, int wireBytes) {
    held[(trafficClass * ports + in) * ports + out] -= wireBytes;
    int group = in * CLASSES + trafficClass;
    if (pausing[group] && buffer.mayResume(in, trafficClass)) {
      pausing[group] = false;
      send(in, trafficClass, 0, 0);
    }
  }

  private void pause(int in, int trafficClass) {
    send(in, trafficClass, settings.quanta(), 1 + depth(in, trafficClass));
    long lastsPs = PfcSettings.quantaPs(settings.quanta(), owner.ports[in].bitsPerSecond());
    int group = in * CLASSES + trafficClass;
    long argument = ((long) generations[group] << Integer.SIZE) | group;
    core.timeline.schedule(core.timeline.nowPs() + lastsPs / 2, this, 0, argument);
  }

  /** The deepest pause under which a queue stands that holds bytes of this group. */
  private int depth(int in, int trafficClass) {
    int deepest = 0;
    for (int out = 0; out < ports; out++) {
      if (held(in, out, trafficClass) > 0) {
        PauseState pauses = owner.ports[out].pauses();
        deepest = Math.max(deepest, pauses.depth(trafficClass, core.timeline.nowPs()));
      }
    }
    return deepest;
  }

  private void send(int in, int trafficClass, int quanta, int depth) {
    FabricPort port = owner.ports[in];
    long responsePs = PfcSettings.quantaPs(settings.responseQuanta(), port.bitsPerSecond());
    port.sendPause(1 << trafficClass, quanta, depth, quanta == 0 ? 0 : responsePs);
  }

  /** Half of a pause is over: it is renewed while its reason lasts. */
  @Override
  public void happen(int kind, long argument) {
    int group = (int) argument;
    if (pausing[group] && generations[group] == (int) (argument >>> Integer.SIZE)) {
      pause(group / CLASSES, group % CLASSES);
    }
  }
}
