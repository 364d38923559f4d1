// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.NegotiationBlock;

/**
 * What two sides agreed on, with everything that follows from it: computed once when a connection
 * is made, then only read.
 */
final class MxParameters {
  private static final int SPAN_VECTOR = 224;
  private static final int SPAN_HISTORY = 960;
  private static final int LONG_SPAN_PATHS_MAX = 16;
  private static final long STALE_MAX_NS = 1_000_000_000;
  private static final long STALE_PACKETS = 1 << 22;
  private static final int HEADER_ALLOWANCE = 64;

  private final NegotiationBlock common;
  private final MxSettings settings;
  private final int mtu;
  private final long baseRttNs;
  private final long linkBitsPerSecond;
  private final long pacerCatchUpNs;
  private final int trainPackets;
  private final long windowBytes;
  private final int window;
  private final int fragmentCapacity;
  private final int span;
  private final int ringCapacity;
  private final long staleNs;

  /**
   * Derives the parameters.
   *
   * @param settings this side's
   * @param common what both sides can do
   * @param mtu path MTU, 256..4096
   * @param linkBitsPerSecond rate of one plane
   * @param baseRttNs round trip time without queues
   * @param trainPackets most packets in a train, by the endpoint's settings
   * @param windowPackets most packets one half has in flight, whatever the controller allows
   * @param pacerCatchUpNs lateness of the agent that is made good
   */
  MxParameters(
      MxSettings settings,
      NegotiationBlock common,
      int mtu,
      long linkBitsPerSecond,
      long baseRttNs,
      int trainPackets,
      int windowPackets,
      long pacerCatchUpNs) {
    this.settings = settings;
    this.common = common;
    this.mtu = mtu;
    this.baseRttNs = baseRttNs;
    this.linkBitsPerSecond = linkBitsPerSecond;
    this.pacerCatchUpNs = pacerCatchUpNs;
    this.trainPackets = Math.min(settings.trainPackets(), trainPackets);
    this.windowBytes = (long) windowPackets * (mtu + HEADER_ALLOWANCE);
    this.window = common.trackerUnits() * NegotiationBlock.TRACKER_UNIT;
    this.fragmentCapacity = FragmentTable.capacity(window);
    // Many paths need no long span each, and its memory is what a connection mostly consists of.
    boolean longSpan = hasProbes() && common.maxPaths() <= LONG_SPAN_PATHS_MAX;
    this.span = longSpan ? SPAN_HISTORY : SPAN_VECTOR;
    this.ringCapacity = longSpan ? 1024 : 256;
    double packetSeconds = 8.0 * mtu / linkBitsPerSecond;
    this.staleNs = (long) Math.min(STALE_MAX_NS, packetSeconds * STALE_PACKETS * 1e9);
  }

  int mtu() {
    return mtu;
  }

  int paths() {
    return common.maxPaths();
  }

  int planes() {
    return common.planes();
  }

  /** CPSNs the receiver tracks beyond the cumulative one. */
  int trackerWindow() {
    return window;
  }

  int fragmentCapacity() {
    return fragmentCapacity;
  }

  /** Most transmissions of a path from the oldest live one to the next. */
  int span() {
    return span;
  }

  int ringCapacity() {
    return ringCapacity;
  }

  int ackEvery() {
    return common.ackEvery();
  }

  long maxAckDelayNs() {
    return common.maxAckDelayUs() * 1000L;
  }

  long ackDelayFloorNs() {
    return settings.ackDelayFloorNs();
  }

  int streams() {
    return common.has(NegotiationBlock.CAP_STREAMS) ? common.streams() : 1;
  }

  int trainPackets() {
    return trainPackets;
  }

  /** What may leave back to back: two packets, or one train. */
  long burstBytes() {
    return (long) Math.max(2, trainPackets) * (mtu + HEADER_ALLOWANCE);
  }

  /** Most bytes one half has in flight: what the sockets of both ends can hold. */
  long windowBytes() {
    return windowBytes;
  }

  long pacerCatchUpNs() {
    return pacerCatchUpNs;
  }

  long baseRttNs() {
    return baseRttNs;
  }

  long linkBitsPerSecond() {
    return linkBitsPerSecond;
  }

  /** Age beyond which numbers may have come round: the time of 2^22 full packets, at most 1 s. */
  long staleNs() {
    return staleNs;
  }

  /** Paths that stay out of probing whatever happens. */
  int minActivePaths() {
    return paths() == 1 ? 1 : 2;
  }

  int weight() {
    return settings.weight();
  }

  int weightMax() {
    return settings.weightMax();
  }

  /** Senders the endpoint can give shares of its port to. */
  int sendersMax() {
    return settings.sendersMax();
  }

  boolean hasProbes() {
    return common.has(NegotiationBlock.CAP_PROBE);
  }

  boolean hasHints() {
    return common.has(NegotiationBlock.CAP_HINT);
  }

  boolean hasHostPenalty() {
    return common.has(NegotiationBlock.CAP_HOST_PENALTY);
  }

  boolean hasTrimNack() {
    return common.has(NegotiationBlock.CAP_TRIM_NACK);
  }

  boolean hasRead() {
    return common.has(NegotiationBlock.CAP_READ);
  }

  boolean hasAtomic() {
    return common.has(NegotiationBlock.CAP_ATOMIC);
  }

  boolean hasSend() {
    return common.has(NegotiationBlock.CAP_SEND_MATCH);
  }

  /** Whether a path may change its source port. */
  boolean mayMove() {
    return common.has(NegotiationBlock.CAP_EPOCH_MOVE);
  }

  /** What was agreed on. */
  NegotiationBlock common() {
    return common;
  }
}
