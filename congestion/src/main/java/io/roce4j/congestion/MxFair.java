// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Receiver fair-share hints over {@link MxAimd}. Each receiving port (plane) tells the sender its
 * share; the connection's rate R is the sum over planes and its window follows from R. A smaller
 * window is obeyed at once; a larger one is jumped to, without searching, while fewer than half of
 * the paths are marked.
 *
 * <p>While a hint is fresh one packet may leave every two packet times of R whatever is in flight,
 * so that something follows a lost tail. A hint holds for {@code max(4 srtt, 100 us)}, then halves
 * as often, and is forgotten below a sixteenth of its plane; a plane without hint counts as at most
 * that sixteenth. With no hint left there is no pacing and plain AIMD governs. Numbers of shares
 * are compared modulo 256; an older one is ignored unless the present one has expired.
 *
 * <p>Rules and constants are this project's own.
 */
public final class MxFair extends MxAimd {

  /** A hint below this part of its plane is forgotten, and a plane without one counts as it. */
  private static final double FORGET_PART = 1.0 / 16;

  /** After a pause, a share below this part of the link means a crowded receiver. */
  private static final double CROWDED_PART = 0.25;

  private static final double CROWDED_START_BDP = 0.25;

  private static final String[] METRICS = {"hintRateBitsPerSecond", "hintWindowBytes", "hintFresh"};

  private final double startBdp;
  private final double maxAckDelayNs;
  private final double lifeRtts;
  private final double lifeMinNs;
  private final double idleRtts;

  private final boolean[] hinted;
  private final boolean[] fresh;
  private final double[] planeShare;
  private final double[] lastShare;
  private final int[] generation;
  private final long[] nextDecayNs;
  private int hintedPlanes;
  private int freshPlanes;

  private double hintRate;

  /** Sum of the shares when the last hint came, before any decay; 0 when none ever came. */
  private double lastHeardRate;

  private double hintWindow;
  private long nextPathRaiseNs = Long.MIN_VALUE;
  private long lastActiveNs;
  private boolean everActive;
  private long lastSentNs;
  private boolean everSent;

  /**
   * A controller with no path opened.
   *
   * @param settings the sender's whole link (the sum over its planes) and parameters
   * @param paths greatest number of paths, 1 or more
   * @param planes number of planes, 1 or more
   */
  public MxFair(CongestionSettings settings, int paths, int planes) {
    super(settings, paths, planes, MxParameters.START_BDP_FAIR);
    startBdp = settings.value(MxParameters.START_BDP_FAIR);
    maxAckDelayNs = settings.value(MxParameters.MAX_ACK_DELAY);
    lifeRtts = settings.value(MxParameters.HINT_RTTS);
    lifeMinNs = settings.value(MxParameters.HINT_MIN);
    idleRtts = settings.value(MxParameters.IDLE_RTTS);
    hinted = new boolean[planes];
    fresh = new boolean[planes];
    planeShare = new double[planes];
    lastShare = new double[planes];
    generation = new int[planes];
    nextDecayNs = new long[planes];
    for (int i = 0; i < planes; i++) {
      lastShare[i] = planeRate;
    }
  }

  @Override
  public void onSent(long nowNs, int path, long bytes, long pathInflightBytes, long inflightBytes) {
    lastSentNs = nowNs;
    everSent = true;
    alive(nowNs);
    super.onSent(nowNs, path, bytes, pathInflightBytes, inflightBytes);
  }

  @Override
  public void onAck(
      long nowNs,
      int path,
      long ackedBytes,
      long ackedPackets,
      long cePackets,
      long rttNs,
      long minRttNs,
      long pathInflightBytes,
      long inflightBytes,
      boolean appLimited) {
    decay(nowNs);
    alive(nowNs);
    super.onAck(
        nowNs,
        path,
        ackedBytes,
        ackedPackets,
        cePackets,
        rttNs,
        minRttNs,
        pathInflightBytes,
        inflightBytes,
        appLimited);
  }

  private void alive(long nowNs) {
    everActive = true;
    lastActiveNs = nowNs;
  }

  @Override
  public void onHint(long nowNs, int plane, int newGeneration, long bitsPerSecond) {
    decay(nowNs);
    boolean older = (byte) (newGeneration - generation[plane]) < 0;
    if (older && fresh[plane]) {
      return;
    }
    if (!hinted[plane]) {
      hinted[plane] = true;
      hintedPlanes++;
    }
    if (!fresh[plane]) {
      fresh[plane] = true;
      freshPlanes++;
    }
    generation[plane] = newGeneration & 0xff;
    planeShare[plane] = Math.min(planeRate, Math.max(1, (double) bitsPerSecond));
    lastShare[plane] = planeShare[plane];
    nextDecayNs[plane] = nowNs + lifeNs();
    recompute();
    lastHeardRate = hintRate;
    obey(nowNs);
  }

  private void obey(long nowNs) {
    if (hintWindow < connectionWindow) {
      connectionWindow = hintWindow;
    } else if (markedFraction(nowNs) < 0.5) {
      boolean raised = hintWindow > connectionWindow;
      connectionWindow = hintWindow;
      capConnectionWindow();
      // Paths that lost their mark since are raised once per round trip even at a steady share.
      if (raised || nowNs >= nextPathRaiseNs) {
        nextPathRaiseNs = nowNs + (long) connectionRttNs;
        raisePaths(nowNs);
      }
    }
  }

  private void raisePaths(long nowNs) {
    double part = connectionWindow / Math.max(1, activePaths());
    for (int i = 0; i < pathWindow.length; i++) {
      if (active[i] && !recentlyMarked(i, nowNs)) {
        pathWindow[i] = Math.max(pathWindow[i], part);
      }
    }
  }

  private long lifeNs() {
    return (long) Math.max(1, Math.max(lifeRtts * connectionRttNs, lifeMinNs));
  }

  private void decay(long nowNs) {
    if (hintedPlanes == 0) {
      return;
    }
    boolean changed = false;
    for (int i = 0; i < hinted.length; i++) {
      while (hinted[i] && nextDecayNs[i] <= nowNs) {
        changed = true;
        if (fresh[i]) {
          fresh[i] = false;
          freshPlanes--;
        }
        planeShare[i] /= 2;
        nextDecayNs[i] += lifeNs();
        if (planeShare[i] < planeRate * FORGET_PART) {
          forgetHint(i);
        }
      }
    }
    if (changed) {
      recompute();
    }
  }

  private void forgetHint(int plane) {
    lastShare[plane] = planeShare[plane];
    if (fresh[plane]) {
      fresh[plane] = false;
      freshPlanes--;
    }
    if (hinted[plane]) {
      hinted[plane] = false;
      hintedPlanes--;
    }
  }

  /** Rate and window from the shares of all planes. */
  private void recompute() {
    double sum = 0;
    for (int i = 0; i < hinted.length; i++) {
      if (planeUp(i)) {
        sum += hinted[i] ? planeShare[i] : Math.min(lastShare[i], planeRate * FORGET_PART);
      }
    }
    hintRate = Math.min(linkRate, Math.max(1, sum));
    double base = baseRttNs();
    double timeNs = base + targetQueue * base / 2 + maxAckDelayNs;
    hintWindow = Math.max(floorBytes, hintRate / 8 * timeNs / 1e9);
  }

  @Override
  boolean hintFresh(long nowNs) {
    return freshPlanes > 0;
  }

  @Override
  public void onPlane(long nowNs, int plane, boolean up) {
    super.onPlane(nowNs, plane, up);
    if (hintedPlanes > 0) {
      recompute();
    }
  }

  @Override
  public void onIdle(long nowNs) {
    decay(nowNs);
    if (!everActive || nowNs - lastActiveNs <= idleRtts * connectionRttNs) {
      return;
    }
    boolean crowded = lastHeardRate > 0 && lastHeardRate < linkRate * CROWDED_PART;
    for (int i = 0; i < hinted.length; i++) {
      forgetHint(i);
      lastShare[i] = planeRate;
    }
    connectionWindow = startWindow(crowded ? CROWDED_START_BDP : startBdp);
    for (int i = 0; i < pathWindow.length; i++) {
      if (active[i]) {
        pathWindow[i] = Math.max(floorBytes, connectionWindow / pathWindow.length);
      }
    }
  }

  @Override
  public void onTimer(long nowNs) {
    decay(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    long earliest = CongestionController.NO_DEADLINE;
    for (int i = 0; i < hinted.length; i++) {
      if (hinted[i]) {
        earliest = Math.min(earliest, nextDecayNs[i]);
      }
    }
    return earliest;
  }

  @Override
  public long windowBytes() {
    double window = hintedPlanes > 0 ? Math.min(connectionWindow, hintWindow) : connectionWindow;
    return (long) Math.max(mtuBytes, afterPenalty(window));
  }

  @Override
  public long rateBitsPerSecond() {
    return hintedPlanes > 0
        ? ParameterSupport.answerRate(afterPenalty(hintRate), (long) linkRate)
        : CongestionController.UNLIMITED;
  }

  @Override
  public long trickleNs() {
    if (freshPlanes == 0) {
      return CongestionController.NO_DEADLINE;
    }
    double gapNs = 2.0 * mtuBytes * 8e9 / Math.max(1, afterPenalty(hintRate));
    return everSent ? lastSentNs + (long) Math.ceil(gapNs) : Long.MIN_VALUE;
  }

  @Override
  public int metricCount() {
    return super.metricCount() + METRICS.length;
  }

  @Override
  public String metricName(int index) {
    int own = index - super.metricCount();
    return own < 0 ? super.metricName(index) : METRICS[own];
  }

  @Override
  public double metric(int index) {
    return switch (index - super.metricCount()) {
      case 0 -> hintedPlanes > 0 ? hintRate : 0;
      case 1 -> hintedPlanes > 0 ? hintWindow : 0;
      case 2 -> freshPlanes > 0 ? 1 : 0;
      default -> super.metric(index);
    };
  }
}
