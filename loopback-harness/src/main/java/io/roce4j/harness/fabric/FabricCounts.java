// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.sim.LinkObserver;

/** The books of a fabric: where every packet that hosts sent has gone. Written by the run. */
public final class FabricCounts {
  /** Packets that hosts gave to their NICs. */
  public long injected;

  /** Packets that the fabric copied. */
  public long duplicated;

  /** Packets that reached their host. */
  public long delivered;

  /** Packets that ended on the way, by the reasons of {@link LinkObserver}. */
  public final long[] dropped = new long[LinkObserver.REASONS];

  /** Packets that were put on a cable: one count for each cable a packet passes. */
  public long hops;

  /** Packets that found no room and were changed to fit by a {@link SwitchExtension}. */
  public long trimmed;

  /** ECN-capable packets that switches took in a class that marks, at each switch. */
  public long markable;

  /** Packets marked by switches. */
  public long marked;

  /** Packets that reached their host and that its port then refused: its queue was full. */
  public long refusedByPort;

  /** Pause frames sent, those that end a pause included. */
  public long pauseFrames;

  FabricCounts() {}

  /**
   * Packets that ended on the way.
   *
   * @return the sum over all reasons
   */
  public long droppedPackets() {
    long sum = 0;
    for (long count : dropped) {
      sum += count;
    }
    return sum;
  }

  /**
   * Packets inside the fabric by the books.
   *
   * @return injected + duplicated - delivered - dropped
   */
  public long inFlight() {
    return injected + duplicated - delivered - droppedPackets();
  }
}
