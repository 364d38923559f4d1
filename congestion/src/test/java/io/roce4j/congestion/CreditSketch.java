// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * The sender of a receiver-driven scheme (RCCC of Ultra Ethernet, EQDS, NDP) in outline, to show
 * that the SPI carries what it needs: grants, and bytes sent and in flight. It may send one
 * bandwidth-delay product unasked and what was granted after that; unused credit is kept.
 */
final class CreditSketch implements CongestionController {

  private final long speculativeBytes;
  private final long minimumBytes;
  private long creditBytes;
  private long inflightBytes;

  CreditSketch(CongestionSettings settings) {
    speculativeBytes = settings.bdpBytes();
    minimumBytes = settings.mtuBytes();
    creditBytes = speculativeBytes;
  }

  @Override
  public void onSent(long nowNs, long bytes, long inflight) {
    creditBytes = Math.max(0, creditBytes - bytes);
    inflightBytes = inflight;
  }

  @Override
  public void onCredit(long nowNs, long bytes) {
    creditBytes += bytes;
  }

  @Override
  public void onAck(
      long nowNs,
      long ackedBytes,
      long ackedPackets,
      long cePackets,
      long rttNs,
      long minRttNs,
      long inflight,
      boolean appLimited) {
    inflightBytes = inflight;
  }

  @Override
  public void onLoss(long nowNs, long lostBytes, long inflight) {
    inflightBytes = inflight;
  }

  @Override
  public void onIdle(long nowNs) {
    creditBytes = speculativeBytes;
  }

  /** What is in flight plus what may still leave: the window form of a credit. */
  @Override
  public long windowBytes() {
    return Math.max(minimumBytes, inflightBytes + creditBytes);
  }

  @Override
  public long rateBitsPerSecond() {
    return UNLIMITED;
  }

  long creditBytes() {
    return creditBytes;
  }
}
