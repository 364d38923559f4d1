// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

/**
 * Where a switch can be given more than this package does: what becomes of packets that find no
 * room (trimming), and what a packet is told as it leaves (in-band telemetry). A switch has none
 * unless {@link Fabric#extend} gives it one. Slots are those of {@link Fabric#slots}; what is
 * written into a packet must keep its headers right. Called inside the run; must not schedule
 * anything in the past, draw from anything but the streams of the run, or allocate per packet.
 */
public interface SwitchExtension {
  /** {@link #onOverflow}: the packet is to be dropped. */
  int DROP = -1;

  /**
   * A packet finds no room in the queue it was meant for.
   *
   * @param out the port it was to leave by
   * @param trafficClass its class
   * @param slot the packet, which may be cut and changed
   * @return the class in whose queue it is tried once more, counted as trimmed when it fits; or
   *     {@link #DROP}
   */
  default int onOverflow(FabricPort out, int trafficClass, int slot) {
    return DROP;
  }

  /**
   * A packet has left its queue and is going to be serialised.
   *
   * @param out the port
   * @param trafficClass the class it waited in
   * @param slot the packet, which may be changed
   */
  default void onDeparture(FabricPort out, int trafficClass, int slot) {}
}
