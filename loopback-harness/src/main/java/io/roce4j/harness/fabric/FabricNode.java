// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

/** What a cable ends at: a switch or a host. */
abstract class FabricNode {
  final String name;
  final FabricPort[] ports;

  FabricNode(String name, int ports) {
    this.name = name;
    this.ports = new FabricPort[ports];
  }

  /**
   * A packet has arrived.
   *
   * @param port the port number it came in by
   * @param slot the packet, the node's from now on
   */
  abstract void receive(int port, int slot);

  /**
   * A packet that was taken from its queue is going to be serialised.
   *
   * @param port whose queue it was in
   * @param trafficClass its class
   * @param slot the packet
   */
  void onDeparture(FabricPort port, int trafficClass, int slot) {}

  /**
   * A packet leaves a queue of this node: to be serialised, or because the queue is emptied.
   *
   * @param port whose queue it was in
   * @param trafficClass its class
   * @param slot the packet
   */
  abstract void onDequeued(FabricPort port, int trafficClass, int slot);
}
