// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

/**
 * Where a train goes: an address vector prepared by a port, so that sending looks nothing up.
 * Immutable but for the port's own state; used on the agent's thread.
 */
public final class Destination {

  private final long gidHi;
  private final long gidLo;
  private final int udpPort;
  private final int hopLimit;
  private final int flowLabel;
  private final Object portState;

  /**
   * Made by ports only.
   *
   * @param gidHi first 8 bytes of the GID.
   * @param gidLo last 8 bytes of the GID.
   * @param udpPort UDP destination port.
   * @param hopLimit TTL or hop limit, 1 to 255.
   * @param flowLabel IPv6 flow label, 0 to 0xfffff.
   * @param portState what the port keeps for this destination (a socket address, a neighbour), or
   *     null.
   */
  public Destination(
      final long gidHi,
      final long gidLo,
      final int udpPort,
      final int hopLimit,
      final int flowLabel,
      final Object portState) {
    this.gidHi = gidHi;
    this.gidLo = gidLo;
    this.udpPort = udpPort;
    this.hopLimit = hopLimit;
    this.flowLabel = flowLabel;
    this.portState = portState;
  }

  /**
   * First half of the destination GID.
   *
   * @return first 8 bytes.
   */
  public long gidHi() {
    return gidHi;
  }

  /**
   * Second half of the destination GID.
   *
   * @return last 8 bytes.
   */
  public long gidLo() {
    return gidLo;
  }

  /**
   * UDP destination port.
   *
   * @return 1 to 65535.
   */
  public int udpPort() {
    return udpPort;
  }

  /**
   * TTL or hop limit.
   *
   * @return 1 to 255.
   */
  public int hopLimit() {
    return hopLimit;
  }

  /**
   * IPv6 flow label.
   *
   * @return 0 to 0xfffff.
   */
  public int flowLabel() {
    return flowLabel;
  }

  /**
   * What the port that made this keeps in it.
   *
   * @return the port's own object, perhaps null.
   */
  public Object portState() {
    return portState;
  }
}
