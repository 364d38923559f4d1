// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.fabric.topology.WatchdogSettings;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.Timeline;
import java.util.Arrays;

/**
 * The PFC watchdog of one port, see {@link WatchdogSettings}. It looks only while there are pauses.
 */
final class PauseWatchdog implements Timeline.Occurrence {
  private final FabricCore core;
  private final FabricPort port;
  private final WatchdogSettings settings;
  private final long[] stillSincePs = new long[TrafficClasses.COUNT];
  private int stormMask;
  private boolean isPolling;
  private long storms;

  PauseWatchdog(FabricCore core, FabricPort port, WatchdogSettings settings) {
    this.core = core;
    this.port = port;
    this.settings = settings;
    Arrays.fill(stillSincePs, Timeline.NEVER);
  }

  /** A pause has come: from now on it is looked. */
  void onPaused() {
    if (!isPolling) {
      isPolling = true;
      schedulePoll();
    }
  }

  private void schedulePoll() {
    long nextPs = core.timeline.nowPs() + settings.pollNs() * Timeline.PS_PER_NS;
    core.timeline.schedule(nextPs, this, 0, 0);
  }

  @Override
  public void happen(int kind, long argument) {
    long nowPs = core.timeline.nowPs();
    int paused = port.pauses().pausedNow(nowPs);
    boolean isNeeded = (paused | stormMask) != 0;
    for (int trafficClass = 0; trafficClass < TrafficClasses.COUNT; trafficClass++) {
      if ((stormMask >>> trafficClass & 1) != 0) {
        inspectStorm(trafficClass, nowPs);
      } else {
        inspectPause(trafficClass, (paused >>> trafficClass & 1) != 0, nowPs);
      }
    }
    isPolling = isNeeded;
    if (isNeeded) {
      schedulePoll();
    }
  }

  private void inspectPause(int trafficClass, boolean paused, long nowPs) {
    if (!paused || port.packets(trafficClass) == 0) {
      stillSincePs[trafficClass] = Timeline.NEVER;
      return;
    }
    if (stillSincePs[trafficClass] == Timeline.NEVER) {
      long lookedPs = nowPs - settings.pollNs() * Timeline.PS_PER_NS;
      stillSincePs[trafficClass] = Math.max(lookedPs, port.pauses().sincePs(trafficClass));
    }
    // Paused again and again and nothing sent in between: it stands still all the same.
    stillSincePs[trafficClass] =
        Math.max(stillSincePs[trafficClass], port.lastSentPs(trafficClass));
    if (nowPs - stillSincePs[trafficClass] >= settings.detectNs() * Timeline.PS_PER_NS) {
      begin(trafficClass);
    }
  }

  private void begin(int trafficClass) {
    storms++;
    stormMask |= 1 << trafficClass;
    core.observer.onStorm(port.name(), trafficClass, true);
    switch (settings.action()) {
      case DROP -> port.flush(trafficClass, LinkObserver.WATCHDOG);
      case FORWARD -> port.goOn();
      default -> {} // An alert changes nothing.
    }
  }

  private void inspectStorm(int trafficClass, long nowPs) {
    long quietPs = nowPs - port.pauses().lastSeenPs(trafficClass);
    if (quietPs >= settings.restoreNs() * Timeline.PS_PER_NS) {
      stormMask &= ~(1 << trafficClass);
      stillSincePs[trafficClass] = Timeline.NEVER;
      core.observer.onStorm(port.name(), trafficClass, false);
      port.goOn();
    }
  }

  /** Classes that are sent in spite of a pause. */
  int ignoredPauses() {
    return settings.action() == WatchdogSettings.Action.FORWARD ? stormMask : 0;
  }

  boolean isClosed(int trafficClass) {
    return settings.action() == WatchdogSettings.Action.DROP
        && (stormMask >>> trafficClass & 1) != 0;
  }

  long storms() {
    return storms;
  }
}
