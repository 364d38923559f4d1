// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.TrafficClass;
import io.roce4j.harness.fabric.topology.TrafficClasses;

/** Reads {@code hosts}: how NICs behave. They obey pauses as their switches send them. */
final class HostFields {
  private static final long MAX_NS = 60_000_000_000L;
  private static final long MAX_REACT_NS = 1_000_000_000;
  private static final int MAX_NIC_QUEUE = 4_096;

  private HostFields() {}

  static HostSettings read(Section fields, HostSettings base, SwitchSettings switches) {
    TrafficClass data = base.classes().get(TrafficClasses.DATA);
    boolean pausable = switches.classes().get(TrafficClasses.DATA).lossless();
    HostSettings hosts =
        base.withNicQueuePackets(
                (int) fields.count("nicQueue", (long) base.nicQueuePackets(), 1, MAX_NIC_QUEUE))
            .withReactNs(fields.timeNs("react", base.reactNs(), 0, MAX_REACT_NS))
            .withClasses(
                base.classes()
                    .with(TrafficClasses.DATA, data.lossless(fields.flag("obeyPause", pausable))));
    if (fields.has("watchdog")) {
      hosts = hosts.withNicWatchdogNs(fields.timeNs("watchdog", null, 1_000, MAX_NS));
    }
    fields.end();
    return hosts;
  }
}
