// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.wire.cm.CmTime;

/**
 * The times of connection management, as Linux works them out from the codes of the messages [cm
 * 8].
 */
final class CmTimes {
  /** Largest 5-bit code. */
  static final int CODE_MAX = 31;

  private CmTimes() {}

  /**
   * How long an unanswered REQ waits: there, back, and the time granted to the peer.
   *
   * @param packetLifeCode life of a packet in the network, 0..31
   * @param responseCode time granted, 0..31
   */
  static long requestIntervalNs(int packetLifeCode, int responseCode) {
    return 2 * CmTime.toLinuxNs(packetLifeCode) + CmTime.toLinuxNs(responseCode);
  }

  /**
   * Code of the ACK timeout of a queue pair: twice the packet life, and the peer's delay when that
   * is not negligible beside it.
   *
   * @param packetLifeCode 0..31
   * @param ackDelayCode 0..31
   * @return 0..31
   */
  static int ackTimeoutCode(int packetLifeCode, int ackDelayCode) {
    int code = packetLifeCode + 1;
    if (code >= ackDelayCode) {
      code += ackDelayCode >= code - 1 ? 1 : 0;
    } else {
      code = ackDelayCode + (code >= ackDelayCode - 1 ? 1 : 0);
    }
    return Math.min(code, CODE_MAX);
  }

  /**
   * Life of a packet behind an ACK timeout that was set by hand. Code 0 is no logarithm but "no
   * timer", so it says nothing about the life [FC-29].
   *
   * @param ackTimeoutCode 0..31
   * @param usualLifeCode taken for 0
   * @return 0..31
   */
  static int packetLifeCode(int ackTimeoutCode, int usualLifeCode) {
    return ackTimeoutCode == 0 ? usualLifeCode : ackTimeoutCode - 1;
  }
}
