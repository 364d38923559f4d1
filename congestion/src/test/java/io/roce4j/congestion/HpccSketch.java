// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * HPCC (Li et al., SIGCOMM 2019) in outline, to show that the SPI carries what it needs: telemetry
 * per hop before each acknowledgement, bytes sent and acknowledged to find "the acknowledgement of
 * the first packet sent with the present window".
 */
final class HpccSketch implements CongestionController {

  private static final double ETA = 0.95;
  private static final int MAX_STAGE = 5;
  private static final int HOPS = 8;

  private final double line;
  private final double baseRttNs;
  private final double additive;
  private final double maxWindow;
  private final double minWindow;
  private final long[] lastQueue = new long[HOPS];
  private final long[] lastTxBytes = new long[HOPS];
  private final long[] lastTimeNs = new long[HOPS];
  private final boolean[] seen = new boolean[HOPS];

  private double window;
  private double reference;
  private double utilisation = 1;
  private double worstHop;
  private double worstTau;
  private int stage;
  private long sentBytes;
  private long doneBytes;
  private long roundEndBytes;

  HpccSketch(CongestionSettings settings, int flowsExpected) {
    line = settings.linkBitsPerSecond();
    baseRttNs = settings.baseRttNs();
    maxWindow = settings.bdpBytes();
    minWindow = settings.mtuBytes();
    additive = maxWindow * (1 - ETA) / flowsExpected;
    window = maxWindow;
    reference = maxWindow;
  }

  @Override
  public void onSent(long nowNs, long bytes, long inflightBytes) {
    sentBytes += bytes;
  }

  @Override
  public void onIntHop(
      long nowNs, int hop, long queueBytes, long txBytes, long hopTimeNs, long linkRate) {
    if (seen[hop] && hopTimeNs > lastTimeNs[hop]) {
      double tau = hopTimeNs - lastTimeNs[hop];
      double rate = (txBytes - lastTxBytes[hop]) * 8e9 / tau;
      double queue = Math.min(queueBytes, lastQueue[hop]) * 8e9 / (linkRate * baseRttNs);
      double u = queue + rate / linkRate;
      if (u > worstHop) {
        worstHop = u;
        worstTau = Math.min(tau, baseRttNs);
      }
    }
    seen[hop] = true;
    lastQueue[hop] = queueBytes;
    lastTxBytes[hop] = txBytes;
    lastTimeNs[hop] = hopTimeNs;
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
    doneBytes += ackedBytes;
    if (worstTau > 0) {
      double weight = worstTau / baseRttNs;
      utilisation = (1 - weight) * utilisation + weight * worstHop;
      worstHop = 0;
      worstTau = 0;
      boolean firstOfWindow = doneBytes > roundEndBytes;
      boolean over = utilisation >= ETA || stage >= MAX_STAGE;
      window = over ? reference / (utilisation / ETA) + additive : reference + additive;
      window = Math.min(maxWindow, Math.max(minWindow, window));
      if (firstOfWindow) {
        stage = over ? 0 : stage + 1;
        reference = window;
        roundEndBytes = sentBytes;
      }
    }
  }

  @Override
  public void onLoss(long nowNs, long lostBytes, long inflightBytes) {
    doneBytes += lostBytes;
  }

  @Override
  public long windowBytes() {
    return (long) window;
  }

  @Override
  public long rateBitsPerSecond() {
    return ParameterSupport.answerRate(window * 8e9 / baseRttNs, (long) line);
  }
}
