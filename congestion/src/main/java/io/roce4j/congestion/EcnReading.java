// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Reading of ECN on one connection or path: code points of received packets on the one side, the
 * peer's cumulative counters on the other.
 *
 * <p>One thread; allocates nothing.
 */
public final class EcnReading {

  /** Not ECN-capable transport. */
  public static final int NOT_ECT = 0;

  /** ECN-capable transport, code point 1. */
  public static final int ECT_1 = 1;

  /** ECN-capable transport, code point 0: what data is sent with. */
  public static final int ECT_0 = 2;

  /** Congestion experienced. */
  public static final int CE = 3;

  /** The port cannot tell. */
  public static final int UNKNOWN = -1;

  private long notCapable;
  private long capable;
  private long marked;
  private long unknown;

  private boolean peerSeen;
  private int peerPackets;
  private int peerMarked;
  private long newPackets;
  private long newMarked;

  /** A reading without packets. */
  public EcnReading() {}

  /**
   * Packets of one code point were received.
   *
   * @param codePoint 0 to 3, or {@link #UNKNOWN}
   * @param packets how many
   */
  public void onReceived(int codePoint, long packets) {
    switch (codePoint) {
      case NOT_ECT -> notCapable += packets;
      case ECT_0, ECT_1 -> capable += packets;
      case CE -> marked += packets;
      default -> unknown += packets;
    }
  }

  /**
   * The peer reported its counters of this sender's packets, modulo 2^32. A report older than the
   * last one used is skipped.
   *
   * @param packets packets received by the peer so far
   * @param markedPackets how many of these were CE-marked
   * @return true when the report was newer or equal; {@link #newPackets} and {@link #newMarked}
   *     then hold the increase
   */
  public boolean onPeerCounters(int packets, int markedPackets) {
    int packetsSince = peerSeen ? packets - peerPackets : packets;
    int markedSince = peerSeen ? markedPackets - peerMarked : markedPackets;
    if (packetsSince < 0 || markedSince < 0) {
      newPackets = 0;
      newMarked = 0;
      return false;
    }
    peerSeen = true;
    peerPackets = packets;
    peerMarked = markedPackets;
    newPackets = packetsSince;
    // A peer cannot have seen more marks than packets.
    newMarked = Math.min(markedSince, packetsSince);
    return true;
  }

  /**
   * Packets in the last accepted report beyond the one before.
   *
   * @return count, 0 or more
   */
  public long newPackets() {
    return newPackets;
  }

  /**
   * Marked packets in the last accepted report beyond the one before.
   *
   * @return count, 0 to {@link #newPackets}
   */
  public long newMarked() {
    return newMarked;
  }

  /**
   * Marked part of the received packets whose code point was seen.
   *
   * @return 0 to 1; 0 when none was seen
   */
  public double markedFraction() {
    long seen = notCapable + capable + marked;
    return seen == 0 ? 0 : (double) marked / seen;
  }

  /**
   * Packets received Not-ECT: no switch could have marked them.
   *
   * @return count
   */
  public long notCapable() {
    return notCapable;
  }

  /**
   * Packets received ECN-capable and unmarked.
   *
   * @return count
   */
  public long capable() {
    return capable;
  }

  /**
   * Packets received CE-marked.
   *
   * @return count
   */
  public long marked() {
    return marked;
  }

  /**
   * Packets whose code point the port could not tell.
   *
   * @return count
   */
  public long unknown() {
    return unknown;
  }
}
