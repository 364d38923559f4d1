// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

/**
 * How a scenario runs in real time.
 *
 * @param io kind of port, or {@code auto}
 * @param udpPort where endpoints listen; the emulator listens on the next one
 * @param slower real time in the time of the run, 1 to 1,000,000: all rates are lower by it and all
 *     delays longer
 * @param lateAfterNs real time after which a packet is late; 0 for half the base round trip, but 50
 *     us or more
 * @param lateShare largest share of packets that may be late, 0 to 1
 */
public record RealTimeSettings(
    String io, int udpPort, int slower, long lateAfterNs, double lateShare) {
  private static final long LEAST_LATE_NS = 50_000;

  /** The real time after which packets are late in a fabric with this base round trip. */
  long lateAfterNs(long baseRttNs) {
    return lateAfterNs != 0 ? lateAfterNs : Math.max(LEAST_LATE_NS, baseRttNs * slower / 2);
  }
}
