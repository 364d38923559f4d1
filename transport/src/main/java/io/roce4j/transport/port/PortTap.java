// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import org.agrona.concurrent.UnsafeBuffer;

/** Sees packets pass a port, for captures. Called on the agent's thread; bytes are lent. */
public interface PortTap {

  /**
   * A sealed packet that is about to be handed to the network.
   *
   * @param nowNs the endpoint's clock in nanoseconds.
   * @param buffer memory of the port; not to be changed.
   * @param offset first byte of the UDP payload.
   * @param length bytes of the UDP payload, ICRC included.
   * @param meta addresses, ports, TOS, hop limit and identification as they will leave.
   */
  void onTransmit(long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta);

  /**
   * A packet that has arrived, before the endpoint looks at it.
   *
   * @param nowNs the endpoint's clock in nanoseconds.
   * @param buffer memory of the port; not to be changed.
   * @param offset first byte of the UDP payload.
   * @param length bytes of the UDP payload, ICRC included.
   * @param meta what the port knows of it.
   */
  void onReceive(long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta);
}
