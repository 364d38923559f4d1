// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Swift: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020, in the form of the Falcon specification's fabric congestion control.
 *
 * <p>The window, in packets, rises by {@code ai} per round trip while the delay is at most the
 * target and falls in proportion to the excess otherwise, at most once per round trip. The target
 * grows with the number of hops and for small windows (flow scaling): {@code aF / sqrt(cwnd) + bF}
 * with {@code aF = fsRange / (1/sqrt(fsMin) - 1/sqrt(fsMax))}; the printed Falcon text lacks the
 * reciprocals, which would make aF negative. Below one packet the window becomes a pace of one
 * packet every {@code rtt / cwnd}.
 *
 * <p>Where the peer reports the delay in its host, a second window follows it by the same rules and
 * the smaller one counts.
 */
public final class Swift implements CongestionController {

  private static final String[] METRICS = {
    "cwndPackets", "hostCwndPackets", "targetNs", "cuts", "timeoutsInARow"
  };

  private final long line;
  private final int mtuBytes;
  private final double hopTargetNs;
  private final double scaleRangeNs;
  private final double scaleFactorNs;
  private final double scaleOffsetNs;
  private final double step;
  private final double beta;
  private final double maxCut;
  private final double minimum;
  private final double maximum;
  private final long retryLimit;
  private final double hostTargetNs;
  private final double plbFactor;
  private final double plbThreshold;
  private final long plbAttempts;

  private double window;
  private double hostWindow;
  private boolean hostSeen;
  private long hostDelayNs = -1;
  private double smoothedRttNs;
  private long lastCutNs;
  private boolean hasCut;
  private long lastHostCutNs;
  private boolean hasHostCut;
  private long timeoutsInARow;
  private long cuts;

  private long plbRoundEndNs;
  private boolean plbRoundOpen;
  private long plbAcks;
  private long plbCongestedAcks;
  private long plbCongestedRounds;
  private long pathChangesWanted;

  /**
   * A controller at its start window.
   *
   * @param settings link, packet size and parameters of {@link SwiftProvider}
   */
  public Swift(CongestionSettings settings) {
    ParameterSupport.requireBelow(SwiftProvider.FS_MIN, SwiftProvider.FS_MAX, settings);
    ParameterSupport.requireBelow(SwiftProvider.MIN_CWND, SwiftProvider.MAX_CWND, settings);
    line = settings.linkBitsPerSecond();
    mtuBytes = settings.mtuBytes();
    hopTargetNs =
        settings.value(SwiftProvider.BASE)
            + settings.value(SwiftProvider.HOPS) * settings.value(SwiftProvider.H);
    scaleRangeNs = settings.value(SwiftProvider.FS_RANGE);
    double rootMin = StrictMath.sqrt(settings.value(SwiftProvider.FS_MIN));
    double rootMax = StrictMath.sqrt(settings.value(SwiftProvider.FS_MAX));
    scaleFactorNs = scaleRangeNs / (1 / rootMin - 1 / rootMax);
    scaleOffsetNs = -scaleFactorNs / rootMax;
    step = settings.value(SwiftProvider.AI);
    beta = settings.value(SwiftProvider.BETA);
    maxCut = settings.value(SwiftProvider.MAX_MDF);
    minimum = settings.value(SwiftProvider.MIN_CWND);
    maximum = settings.value(SwiftProvider.MAX_CWND);
    retryLimit = settings.longValue(SwiftProvider.RETRY_LIMIT);
    hostTargetNs = settings.value(SwiftProvider.HOST_TARGET);
    plbFactor = settings.value(SwiftProvider.PLB_FACTOR);
    plbThreshold = settings.value(SwiftProvider.PLB_THRESHOLD);
    plbAttempts = settings.longValue(SwiftProvider.PLB_ATTEMPTS);
    window = clamp(settings.value(SwiftProvider.START_CWND));
    hostWindow = maximum;
    smoothedRttNs = settings.baseRttNs();
  }

  @Override
  public void onHostDelay(long nowNs, long delayNs) {
    hostSeen = true;
    hostDelayNs = delayNs;
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
    timeoutsInARow = 0;
    if (rttNs > 0) {
      smoothedRttNs += (rttNs - smoothedRttNs) / 8;
      double targetNs = targetNs();
      if (rttNs <= targetNs) {
        window = appLimited ? window : grown(window, (double) ackedPackets);
      } else if (mayCut(nowNs, hasCut, lastCutNs)) {
        window = clamp(window * cutFactor((double) rttNs, targetNs));
        cutNow(nowNs);
      }
      balance(nowNs, rttNs > plbFactor * targetNs);
    }
    if (hostDelayNs >= 0) {
      followHost(nowNs, (double) ackedPackets, appLimited);
    }
  }

  private void followHost(long nowNs, double ackedPackets, boolean appLimited) {
    double delayNs = (double) hostDelayNs;
    hostDelayNs = -1;
    if (delayNs <= hostTargetNs) {
      hostWindow = appLimited ? hostWindow : grown(hostWindow, ackedPackets);
    } else if (mayCut(nowNs, hasHostCut, lastHostCutNs)) {
      // From where it binds: a window far above the fabric's would take many cuts to matter.
      hostWindow = clamp(Math.min(hostWindow, window) * cutFactor(delayNs, hostTargetNs));
      hasHostCut = true;
      lastHostCutNs = nowNs;
      cuts++;
    }
  }

  private double grown(double from, double packets) {
    return clamp(from >= 1 ? from + step * packets / from : from + step * packets);
  }

  private double cutFactor(double delayNs, double targetNs) {
    return Math.max(1 - beta * (delayNs - targetNs) / delayNs, 1 - maxCut);
  }

  private boolean mayCut(long nowNs, boolean cutBefore, long lastNs) {
    return !cutBefore || nowNs - lastNs >= smoothedRttNs;
  }

  private void cutNow(long nowNs) {
    hasCut = true;
    lastCutNs = nowNs;
    cuts++;
  }

  private void balance(long nowNs, boolean congested) {
    if (plbAttempts == 0) {
      return;
    }
    if (!plbRoundOpen) {
      plbRoundOpen = true;
      plbRoundEndNs = nowNs + (long) smoothedRttNs;
    }
    plbAcks++;
    plbCongestedAcks += congested ? 1 : 0;
    if (nowNs < plbRoundEndNs) {
      return;
    }
    boolean congestedRound = plbCongestedAcks >= plbThreshold * plbAcks && plbCongestedAcks > 0;
    plbCongestedRounds = congestedRound ? plbCongestedRounds + 1 : 0;
    if (plbCongestedRounds >= plbAttempts) {
      pathChangesWanted++;
      plbCongestedRounds = 0;
    }
    plbRoundOpen = false;
    plbAcks = 0;
    plbCongestedAcks = 0;
  }

  @Override
  public void onLoss(long nowNs, long lostBytes, long inflightBytes) {
    cutForRetransmission(nowNs);
  }

  @Override
  public void onTrim(long nowNs, long bytes) {
    cutForRetransmission(nowNs);
  }

  @Override
  public void onPto(long nowNs) {
    timeoutsInARow++;
    if (timeoutsInARow >= retryLimit) {
      window = minimum;
      cutNow(nowNs);
    } else if (timeoutsInARow == 1) {
      cutForRetransmission(nowNs);
    }
  }

  private void cutForRetransmission(long nowNs) {
    if (mayCut(nowNs, hasCut, lastCutNs)) {
      window = clamp(window * (1 - maxCut));
      cutNow(nowNs);
    }
  }

  private double clamp(double packets) {
    return Math.min(maximum, Math.max(minimum, packets));
  }

  private double effectiveWindow() {
    return hostSeen ? Math.min(window, hostWindow) : window;
  }

  /**
   * Target delay for the present window.
   *
   * @return ns
   */
  public double targetNs() {
    double scaling = scaleFactorNs / StrictMath.sqrt(window) + scaleOffsetNs;
    return hopTargetNs + Math.min(scaleRangeNs, Math.max(0, scaling));
  }

  /**
   * Window in packets, with its fraction.
   *
   * @return packets
   */
  public double windowPackets() {
    return effectiveWindow();
  }

  @Override
  public long windowBytes() {
    return (long) Math.max(mtuBytes, effectiveWindow() * mtuBytes);
  }

  @Override
  public long rateBitsPerSecond() {
    double packets = effectiveWindow();
    return packets >= 1
        ? UNLIMITED
        : ParameterSupport.answerRate(packets * mtuBytes * 8e9 / smoothedRttNs, line);
  }

  @Override
  public long pathChangesWanted() {
    return pathChangesWanted;
  }

  @Override
  public int metricCount() {
    return METRICS.length;
  }

  @Override
  public String metricName(int index) {
    return METRICS[index];
  }

  @Override
  public double metric(int index) {
    return switch (index) {
      case 0 -> window;
      case 1 -> hostWindow;
      case 2 -> targetNs();
      case 3 -> (double) cuts;
      case 4 -> (double) timeoutsInARow;
      default -> throw new IndexOutOfBoundsException(index);
    };
  }
}
