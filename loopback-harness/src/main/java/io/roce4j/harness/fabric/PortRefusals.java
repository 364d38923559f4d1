// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.sim.LinkObserver;

/** Counts what the ports of endpoints refuse after the fabric has delivered it. */
final class PortRefusals implements LinkObserver {
  private final FabricCore core;

  PortRefusals(FabricCore core) {
    this.core = core;
  }

  @Override
  public void onDropped(String link, int slot, int reason) {
    core.counts.refusedByPort++;
    core.observer.onDropped(link, slot, reason);
  }

  @Override
  public void onDuplicated(String link, int slot) {
    core.observer.onDuplicated(link, slot);
  }

  @Override
  public void onCorrupted(String link, int slot, int bit) {
    core.observer.onCorrupted(link, slot, bit);
  }

  @Override
  public void onHeld(String link, int slot) {
    core.observer.onHeld(link, slot);
  }
}
