// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * How many datagrams one source may send: a bucket of tokens for each of the sources heard lately,
 * in a table of fixed size. It bounds what no connection vouches for, so that one sender cannot eat
 * the receives of a datagram queue pair that many share.
 *
 * <p>Sources that fall on the same entry push each other out; the newcomer starts with a full
 * bucket, so a collision lets more through, never less. One thread; allocates nothing.
 */
final class SourceLimiter {

  private static final int ENTRIES = 1 << 12;
  private static final long NS_PER_SECOND = 1_000_000_000L;

  private final long nsPerPacket;
  private final long depthNs;
  private final long[] sourceHi = new long[ENTRIES];
  private final long[] sourceLo = new long[ENTRIES];

  /** Time up to which the source has used its rate. */
  private final long[] usedUntilNs = new long[ENTRIES];

  private final boolean[] used = new boolean[ENTRIES];

  /**
   * A limiter.
   *
   * @param packetsPerSecond 1 to 10^9.
   * @param burstPackets packets a source may send at once, 1 or more.
   */
  SourceLimiter(int packetsPerSecond, int burstPackets) {
    this.nsPerPacket = NS_PER_SECOND / packetsPerSecond;
    this.depthNs = (burstPackets - 1) * nsPerPacket;
  }

  /** Whether the source may send one more datagram now; if so it is counted. */
  boolean admits(long gidHi, long gidLo, long nowNs) {
    long hash = (gidLo ^ Long.rotateLeft(gidHi, 29)) * 0x9E3779B97F4A7C15L;
    int entry = (int) (hash >>> 52);
    if (!used[entry] || sourceLo[entry] != gidLo || sourceHi[entry] != gidHi) {
      used[entry] = true;
      sourceHi[entry] = gidHi;
      sourceLo[entry] = gidLo;
      usedUntilNs[entry] = nowNs;
    }
    long from = Math.max(usedUntilNs[entry], nowNs);
    if (from - nowNs > depthNs) {
      return false;
    }
    usedUntilNs[entry] = from + nsPerPacket;
    return true;
  }
}
