// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * How strictly received ICRCs are checked. The ICRC covers the IPv4 identification, which a UDP
 * socket never shows; IPv6 has none, so there every mode but {@link #OFF} is strict.
 */
public enum IcrcMode {
  /** {@link #STRICT} where the port sees the IP header, else {@link #PLAUSIBLE}. */
  AUTO,

  /**
   * The identification is what the port says. On a port that does not see it only packets with the
   * identification a peer of this stack uses pass: 0, or the index in a train.
   */
  STRICT,

  /**
   * Identifications 0 to 63, which a sender on unconnected sockets uses, or near that of the flow's
   * last packet, which counting senders use, are taken: about 25 bits of strength stay.
   */
  PLAUSIBLE,

  /** Any identification that makes the ICRC right is taken: 16 bits of strength stay. Counted. */
  SOLVE,

  /** The ICRC is not checked. Counted, and only for those who ask for it by name. */
  OFF
}
