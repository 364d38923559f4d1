// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import io.roce4j.congestion.CongestionController;
import io.roce4j.congestion.CongestionControllerProvider;
import io.roce4j.congestion.CongestionParameter;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.congestion.CongestionSignal;
import io.roce4j.congestion.ParameterUnit;
import java.util.List;
import java.util.Set;

/**
 * DCTCP (Alizadeh et al., SIGCOMM 2010; RFC 8257) as a controller in one class: provider and
 * controller at once. The worked example of docs/CONGESTION.md.
 */
public final class DctcpExample implements CongestionControllerProvider, CongestionController {

  /** Gain of alpha. */
  public static final CongestionParameter G =
      CongestionParameter.of(
          "g",
          ParameterUnit.RATIO,
          1e-6,
          1,
          1.0 / 16,
          "gain of the marking estimate",
          "DCTCP (SIGCOMM 2010), section 3.3");

  private final double g;
  private final double mtuBytes;
  private double window;
  private double alpha = 1;
  private double smoothedRttNs;
  private boolean roundOpen;
  private long roundStartNs;
  private long roundPackets;
  private long roundMarks;
  private boolean roundLoss;

  /** The provider; what it would control is of no consequence. */
  public DctcpExample() {
    this(CongestionSettings.of(1_000_000_000L, 1024, 100_000));
  }

  private DctcpExample(CongestionSettings settings) {
    g = settings.value(G);
    mtuBytes = settings.mtuBytes();
    window = Math.max(2 * mtuBytes, (double) settings.bdpBytes());
    smoothedRttNs = settings.baseRttNs();
  }

  @Override
  public String name() {
    return "dctcp";
  }

  @Override
  public List<CongestionParameter> parameters() {
    return List.of(G);
  }

  @Override
  public Set<CongestionSignal> needs() {
    return Set.of(CongestionSignal.ECN);
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    return new DctcpExample(settings);
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
    if (rttNs > 0) {
      smoothedRttNs += (rttNs - smoothedRttNs) / 8;
    }
    if (!roundOpen) {
      roundOpen = true;
      roundStartNs = nowNs;
    }
    roundPackets += ackedPackets;
    roundMarks += cePackets;
    if (roundPackets > 0 && nowNs - roundStartNs >= smoothedRttNs) {
      endRound(nowNs, appLimited);
    }
  }

  private void endRound(long nowNs, boolean appLimited) {
    double fraction = Math.min(1, (double) roundMarks / roundPackets);
    alpha += g * (fraction - alpha);
    if (roundLoss) {
      window /= 2;
    } else if (fraction > 0) {
      window *= 1 - alpha / 2;
    } else if (!appLimited) {
      window += mtuBytes;
    }
    window = Math.max(2 * mtuBytes, window);
    roundStartNs = nowNs;
    roundPackets = 0;
    roundMarks = 0;
    roundLoss = false;
  }

  @Override
  public void onMark(long nowNs, long packets) {
    roundMarks += packets;
  }

  @Override
  public void onCnp(long nowNs) {
    roundMarks++;
  }

  @Override
  public void onLoss(long nowNs, long lostBytes, long inflightBytes) {
    roundLoss = true;
  }

  @Override
  public void onPto(long nowNs) {
    window = 2 * mtuBytes;
  }

  @Override
  public long windowBytes() {
    return (long) window;
  }

  @Override
  public long rateBitsPerSecond() {
    return UNLIMITED;
  }
}
