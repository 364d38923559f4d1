// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.HostSettings;

/** Reads {@code hosts}: how NICs behave. */
final class HostFields {
  private static final long MAX_REACT_NS = 1_000_000_000;
  private static final int MAX_NIC_QUEUE = 4_096;

  private HostFields() {}

  static HostSettings read(Section fields, HostSettings base) {
    HostSettings hosts =
        base.withNicQueuePackets(
                (int) fields.count("nicQueue", (long) base.nicQueuePackets(), 1, MAX_NIC_QUEUE))
            .withReactNs(fields.timeNs("react", base.reactNs(), 0, MAX_REACT_NS));
    fields.end();
    return hosts;
  }
}
