// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import java.util.Map;

/**
 * The packets of a run: what hosts gave to their NICs is somewhere, or the emulator lost it.
 *
 * @param injected packets that hosts sent
 * @param duplicated packets the fabric copied
 * @param delivered packets that reached a host
 * @param dropped packets that ended on the way
 * @param inFlight packets counted in queues, on cables and in hands at the end
 * @param dropsByReason the dropped ones by reason
 */
public record Books(
    long injected,
    long duplicated,
    long delivered,
    long dropped,
    long inFlight,
    Map<String, Long> dropsByReason) {
  /** Copies the map. */
  public Books {
    dropsByReason = Map.copyOf(dropsByReason);
  }

  /**
   * Whether nothing was lost without a name.
   *
   * @return injected + duplicated = delivered + dropped + in flight
   */
  public boolean isBalanced() {
    return injected + duplicated == delivered + dropped + inFlight;
  }
}
