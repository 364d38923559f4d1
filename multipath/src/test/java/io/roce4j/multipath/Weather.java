// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/** What a model network does to a packet. The default: constant delay, nothing else. */
class Weather {
  /** {@link #fate}: it arrives. */
  static final int PASS = 0;

  /** {@link #fate}: it does not. */
  static final int DROP = 1;

  /** {@link #fate}: it arrives twice. */
  static final int TWIN = 2;

  /** {@link #fate}: it arrives marked with congestion experienced. */
  static final int MARK = 4;

  private final long oneWayNs;

  /** Constant delay. */
  Weather(long oneWayNs) {
    this.oneWayNs = oneWayNs;
  }

  /** One-way delay. */
  long delayNs(Packet packet) {
    return oneWayNs;
  }

  /** {@link #PASS} or a combination of the others. */
  int fate(Packet packet) {
    return PASS;
  }
}
