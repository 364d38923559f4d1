// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

/** Sees packets at the moment at which a port begins to send them. */
interface PacketCapture {
  /**
   * A packet is being sent.
   *
   * @param port the sender
   * @param slot the packet, lent for the call
   */
  void onSent(FabricPort port, int slot);
}
