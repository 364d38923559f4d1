// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

/** Whatever a packet can be handed to inside the simulated network. */
@FunctionalInterface
public interface PacketSink {
  /**
   * Takes a packet over.
   *
   * @param slot the packet in {@link PacketSlots}; the receiver owns it from now on
   */
  void accept(int slot);
}
