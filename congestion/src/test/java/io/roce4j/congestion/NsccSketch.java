// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * NSCC (Ultra Ethernet's sender-based control) in outline, to show that the SPI carries what it
 * needs: marks and delay of the same acknowledgement, bytes the receiver counted, trims of the last
 * hop told apart, losses for quick adapt, and the receiver's penalty.
 */
final class NsccSketch implements CongestionController {

  private final double mtu;
  private final double baseRttNs;
  private final double targetNs;
  private final double maxWindow;
  private final double alpha;
  private final double fair;
  private final double eta;
  private final double fastScale;
  private final boolean receiverDriven;

  private double window;
  private double averageDelayNs;
  private double pending;
  private double fulfilBytes;
  private long fulfilNs;
  private long decreaseNs;
  private boolean decreased;
  private double fastBytes;
  private long adaptNs;
  private boolean adaptOpen;
  private double achievedBytes;
  private boolean troubled;
  private double ignoreBytes;
  private int penalty;

  NsccSketch(CongestionSettings settings, boolean receiverDriven) {
    this.receiverDriven = receiverDriven;
    mtu = settings.mtuBytes();
    baseRttNs = settings.baseRttNs();
    targetNs = 0.75 * baseRttNs;
    double bdp = settings.bdpBytes();
    maxWindow = 1.5 * bdp;
    double a = bdp / (100e9 / 8 * 12e-6);
    double b = targetNs / 12_000;
    alpha = 4 * mtu * a * b / targetNs;
    fair = 5 * mtu * a;
    eta = 0.15 * mtu * a;
    fastScale = 0.25 * a;
    window = maxWindow;
  }

  @Override
  public void onAck(
      long nowNs,
      long ackedBytes,
      long ackedPackets,
      long cePackets,
      long rttNs,
      long minRttNs,
      long inflightBytes,
      boolean appLimited) {
    achievedBytes += ackedBytes;
    double delayNs = rttNs > 0 ? Math.max(0, rttNs - baseRttNs) : averageDelayNs;
    averageDelayNs += 0.0125 * (delayNs - averageDelayNs);
    troubled |= delayNs > 4 * targetNs;
    if (quickAdapt(nowNs, (double) inflightBytes) || ignoreBytes > 0) {
      ignoreBytes = Math.max(0, ignoreBytes - ackedBytes);
      return;
    }
    boolean marked = cePackets > 0;
    if (!marked && delayNs < targetNs) {
      increase((double) ackedBytes, delayNs);
    } else if (!marked) {
      pending += fair * ackedBytes;
    } else if (delayNs >= targetNs) {
      decrease(nowNs);
    }
    fulfil(nowNs, (double) ackedBytes);
    window = Math.min(maxWindow, Math.max(mtu, window));
  }

  private void increase(double acked, double delayNs) {
    fastBytes = delayNs < 1_000 ? fastBytes + acked : 0;
    if (fastBytes > window) {
      window += fastScale * acked;
    } else {
      pending += alpha * acked * (targetNs - delayNs);
    }
  }

  private void decrease(long nowNs) {
    if (averageDelayNs > targetNs && (!decreased || nowNs - decreaseNs > baseRttNs)) {
      window *= Math.max(1 - 0.8 * (averageDelayNs - targetNs) / averageDelayNs, 0.5);
      decreased = true;
      decreaseNs = nowNs;
    }
  }

  private void fulfil(long nowNs, double acked) {
    fulfilBytes += acked;
    boolean period = nowNs - fulfilNs >= baseRttNs;
    if (fulfilBytes >= 8 * mtu || period) {
      window += pending / window + (period ? eta : 0);
      pending = 0;
      fulfilBytes = 0;
      fulfilNs = period ? nowNs : fulfilNs;
    }
  }

  private boolean quickAdapt(long nowNs, double inflight) {
    if (!adaptOpen) {
      adaptOpen = true;
      adaptNs = nowNs;
    }
    if (nowNs - adaptNs < baseRttNs + targetNs) {
      return false;
    }
    boolean fires = troubled && achievedBytes < maxWindow / 8;
    if (fires) {
      window = Math.max(achievedBytes, mtu);
      ignoreBytes = inflight;
    }
    adaptNs = nowNs;
    achievedBytes = 0;
    troubled = false;
    return fires;
  }

  @Override
  public void onTrim(long nowNs, long bytes) {
    troubled = true;
    window = Math.max(mtu, window - bytes);
  }

  @Override
  public void onLastHopTrim(long nowNs, long bytes) {
    if (!receiverDriven) {
      onTrim(nowNs, bytes);
    }
  }

  @Override
  public void onLoss(long nowNs, long lostBytes, long inflightBytes) {
    onTrim(nowNs, lostBytes);
  }

  @Override
  public void onPenalty(long nowNs, int level) {
    penalty = level;
  }

  @Override
  public long windowBytes() {
    return (long) Math.max(mtu, window * (128 - penalty) / 128);
  }

  @Override
  public long rateBitsPerSecond() {
    return UNLIMITED;
  }
}
