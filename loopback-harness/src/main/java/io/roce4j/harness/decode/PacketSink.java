// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

/** Takes the packets of a capture in order. */
interface PacketSink {
  /**
   * Takes one packet.
   *
   * @param packet valid during the call
   */
  void onPacket(DecodedPacket packet);
}
