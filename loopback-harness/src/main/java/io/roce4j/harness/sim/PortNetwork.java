// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.wire.ip.Gid;

/** What a simulated port needs of the network it stands in. */
public interface PortNetwork {
  /**
   * The memory of all packets inside the network.
   *
   * @return one pool
   */
  PacketSlots slots();

  /**
   * Who is told of the packets that a port drops.
   *
   * @return the observer
   */
  LinkObserver observer();

  /**
   * The way to an address.
   *
   * @param from the sending port
   * @param to the address
   * @return the first step of the way
   * @throws IllegalArgumentException when nobody has that address
   */
  PortUplink uplink(SimPort from, Gid to);
}
