// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * How many packets one source may send that no connection vouches for: datagrams, and everything
 * the endpoint refuses. A bucket of tokens for each of the sources heard lately, in a table of
 * fixed size. Without it one sender could eat the receives of a datagram queue pair that many
 * share, and fill traces with refusals.
 *
 * <p>Packets that a connection takes are not counted: their source is known to be its peer, and a
 * stranger who forges the peer's address must not be able to use up its limit.
 *
 * <p>Sources that fall on the same entry push each other out; the newcomer starts with a full
 * bucket, so a collision lets more through, never less. One thread; allocates nothing.
 */
final class SourceLimiter {

  private static final int ENTRIES = 1 << 12;
  private static final long NS_PER_SECOND = 1_000_000_000L;

  private final boolean limits;
  private final long nsPerPacket;
  private final long depthNs;
  private final long[] sourceHi;
  private final long[] sourceLo;

  /** Time up to which the source has used its rate. */
  private final long[] usedUntilNs;

  private final boolean[] used;

  // The packet at hand.
  private long gidHi;
  private long gidLo;
  private boolean judged;
  private boolean exceeded;

  /**
   * A limiter.
   *
   * @param packetsPerSecond 1 to 10^9, or 0 for no limit.
   * @param burstPackets packets a source may send at once, 1 or more.
   */
  SourceLimiter(int packetsPerSecond, int burstPackets) {
    this.limits = packetsPerSecond != 0;
    this.nsPerPacket = NS_PER_SECOND / Math.max(1, packetsPerSecond);
    this.depthNs = (burstPackets - 1) * nsPerPacket;
    int entries = limits ? ENTRIES : 0;
    this.sourceHi = new long[entries];
    this.sourceLo = new long[entries];
    this.usedUntilNs = new long[entries];
    this.used = new boolean[entries];
  }

  /** A packet of this source is looked at. */
  void beginPacket(long sourceGidHi, long sourceGidLo) {
    gidHi = sourceGidHi;
    gidLo = sourceGidLo;
    judged = !limits;
    exceeded = false;
  }

  /**
   * Nobody vouches for the packet at hand: counts it, once, and tells whether it is one too many.
   */
  boolean isExceeded(long nowNs) {
    if (!judged) {
      judged = true;
      exceeded = !admits(nowNs);
    }
    return exceeded;
  }

  private boolean admits(long nowNs) {
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
