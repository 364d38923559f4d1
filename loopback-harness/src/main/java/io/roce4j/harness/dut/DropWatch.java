// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EventSink;

/** Hears from the endpoint why it dropped a packet, to tell it packet by packet. */
final class DropWatch implements EventSink {
  private static final int NONE = -1;
  private static final CounterId[] COUNTERS = CounterId.values();

  private int reason = NONE;

  @Override
  public void onDrop(long nowNs, int qpn, int reasonIndex) {
    reason = reasonIndex;
  }

  /** Counter that the last packet moved because it was dropped, or null; forgets it. */
  CounterId take() {
    CounterId taken = reason == NONE ? null : COUNTERS[reason];
    reason = NONE;
    return taken;
  }
}
