// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * AIMD windows per path and per connection. A mark trims the window of the path that saw it and so
 * steers traffic; the connection window falls only when at least half of the active paths are
 * marked; a loss without a sign of congestion changes no window, it only makes the scheduler prefer
 * other paths.
 *
 * <p>Once per round trip of a path, with F the marked part of its packets: the estimate {@code a}
 * moves to F with gain g; a congestive loss halves the path window; else marks cut it by {@code
 * max(a, F/2)/2}; else it grows by one packet (8/n with more than eight paths) when it was at least
 * half full at some time in the round. Once per round trip of the connection: with half of the
 * active paths marked, the window falls by half the mean of their estimates, else it grows by one
 * packet.
 *
 * <p>Two rules that look harmless are left out on purpose: taking losses on several paths at once
 * for congestion (true by chance at 5% random loss), and growth of windows that are not used (they
 * would be found full when another path dies).
 *
 * <p>Sources: the design goals are those published for MetaRoCE (Meta, 2026); rules and constants
 * are this project's own.
 */
public class MxAimd implements MultipathController {

  /** Weight of a new sample in smoothed round trip times, as RFC 6298. */
  private static final double RTT_GAIN = 0.125;

  /** A path's last round counts as marked no longer than this many round trips. */
  private static final int MARK_LIFE_ROUND_TRIPS = 4;

  /** Paths above this number share the increase of this many. */
  private static final int FULL_INCREASE_PATHS = 8;

  private static final String[] METRICS = {
    "connectionWindowBytes", "markedPathFraction", "meanMarkingEstimate", "activePaths"
  };

  final int mtuBytes;
  final double floorBytes;
  final double linkRate;
  final double planeRate;
  final double targetQueue;
  final boolean[] active;
  final double[] pathWindow;

  private final double gain;
  private final double settingsBaseRttNs;
  private final double maximumBdp;
  private final double startPerPath;
  private final int planes;
  private final boolean[] planeDown;
  private int planesUp;

  private final double[] marking;
  private final double[] lastFraction;
  private final long[] lastRoundNs;
  private final double[] smoothedRttNs;
  private final long[] latestRttNs;
  private final long[] minRttNs;
  private final boolean[] roundOpen;
  private final long[] roundStartNs;
  private final long[] roundPackets;
  private final long[] roundMarks;
  private final long[] roundLosses;
  private final boolean[] roundCongestiveLoss;
  private final boolean[] roundHalfFull;
  private final boolean[] markSeen;
  private final long[] lastMarkNs;
  private final int[] timeoutsInARow;
  private final double[] lossFraction;

  double connectionWindow;
  double connectionRttNs;
  private boolean connectionRoundOpen;
  private long connectionRoundStartNs;
  private int activePaths;
  private int penalty;

  private boolean baseRttStale = true;
  private double baseRttNs;
  private boolean markedStale = true;
  private long markedComputedNs;
  private double markedFraction;

  /**
   * A controller with no path opened.
   *
   * @param settings the sender's whole link (the sum over its planes) and parameters
   * @param paths greatest number of paths, 1 or more
   * @param planes number of planes, 1 or more
   */
  public MxAimd(CongestionSettings settings, int paths, int planes) {
    this(settings, paths, planes, MxParameters.START_BDP_AIMD);
  }

  MxAimd(CongestionSettings settings, int paths, int planes, CongestionParameter startBdp) {
    this.planes = planes;
    this.planesUp = planes;
    this.planeDown = new boolean[planes];
    mtuBytes = settings.mtuBytes();
    linkRate = settings.linkBitsPerSecond();
    planeRate = linkRate / planes;
    settingsBaseRttNs = settings.baseRttNs();
    gain = settings.value(MxParameters.G);
    targetQueue = settings.value(MxParameters.TARGET_Q);
    floorBytes =
        mtuBytes
            * Math.max(
                settings.value(MxParameters.MIN_PACKETS), settings.value(MxParameters.TRAIN));
    maximumBdp = settings.value(MxParameters.MAX_BDP);
    startPerPath = settings.value(MxParameters.START_PER_PATH) * paths;

    active = new boolean[paths];
    pathWindow = new double[paths];
    marking = new double[paths];
    lastFraction = new double[paths];
    lastRoundNs = new long[paths];
    smoothedRttNs = new double[paths];
    latestRttNs = new long[paths];
    minRttNs = new long[paths];
    roundOpen = new boolean[paths];
    roundStartNs = new long[paths];
    roundPackets = new long[paths];
    roundMarks = new long[paths];
    roundLosses = new long[paths];
    roundCongestiveLoss = new boolean[paths];
    roundHalfFull = new boolean[paths];
    markSeen = new boolean[paths];
    lastMarkNs = new long[paths];
    timeoutsInARow = new int[paths];
    lossFraction = new double[paths];
    connectionRttNs = settingsBaseRttNs;
    connectionWindow = startWindow(settings.value(startBdp));
  }

  /** Start window for a part of the bandwidth-delay product. */
  final double startWindow(double partOfBdp) {
    return Math.max(floorBytes, Math.min(partOfBdp * bdpBytes(), startPerPath));
  }

  /** Bandwidth-delay product: the planes that are up times the largest base RTT of active paths. */
  final double bdpBytes() {
    return planeRate * Math.max(1, planesUp) / 8 * baseRttNs() / 1e9;
  }

  /** Largest minimum RTT among the active paths; the configured base RTT before any is known. */
  final double baseRttNs() {
    if (baseRttStale) {
      baseRttStale = false;
      long largest = 0;
      for (int i = 0; i < active.length; i++) {
        if (active[i]) {
          largest = Math.max(largest, minRttNs[i]);
        }
      }
      baseRttNs = largest > 0 ? (double) largest : settingsBaseRttNs;
    }
    return baseRttNs;
  }

  final int activePaths() {
    return activePaths;
  }

  final boolean planeUp(int plane) {
    return !planeDown[plane];
  }

  final int planes() {
    return planes;
  }

  /** Whether the last round of a path saw marks or a congestive loss, and is recent enough. */
  final boolean recentlyMarked(int path, long nowNs) {
    return lastFraction[path] > 0
        && nowNs - lastRoundNs[path]
            <= MARK_LIFE_ROUND_TRIPS * Math.max(smoothedRttNs[path], connectionRttNs);
  }

  /** Part of the active paths whose last round was marked. */
  final double markedFraction(long nowNs) {
    if (markedStale || nowNs - markedComputedNs >= connectionRttNs) {
      markedStale = false;
      markedComputedNs = nowNs;
      int marked = 0;
      for (int i = 0; i < active.length; i++) {
        marked += active[i] && recentlyMarked(i, nowNs) ? 1 : 0;
      }
      markedFraction = activePaths == 0 ? 0 : (double) marked / activePaths;
    }
    return markedFraction;
  }

  /** Whether a hint is in force, so that the connection window is not to be searched. */
  boolean hintFresh(long nowNs) {
    return false;
  }

  @Override
  public void onPathOpened(long nowNs, int path, int plane) {
    forget(path);
    activate(path, true);
    pathWindow[path] = Math.max(floorBytes, connectionWindow / active.length);
  }

  @Override
  public void onPathSuspended(long nowNs, int path) {
    activate(path, false);
  }

  @Override
  public void onPathRestored(long nowNs, int path) {
    activate(path, true);
    timeoutsInARow[path] = 0;
    pathWindow[path] = Math.max(floorBytes, pathWindow[path] / 2);
  }

  @Override
  public void onPathRevived(long nowNs, int path) {
    forget(path);
    activate(path, true);
    pathWindow[path] = floorBytes;
  }

  @Override
  public void onPathMoved(long nowNs, int path) {
    double window = pathWindow[path];
    forget(path);
    pathWindow[path] = Math.max(floorBytes, window / 2);
  }

  @Override
  public void onPathClosed(long nowNs, int path) {
    activate(path, false);
    forget(path);
  }

  @Override
  public void onPlane(long nowNs, int plane, boolean up) {
    if (planeDown[plane] == up) {
      planeDown[plane] = !up;
      planesUp += up ? 1 : -1;
    }
  }

  private void activate(int path, boolean on) {
    if (active[path] != on) {
      active[path] = on;
      activePaths += on ? 1 : -1;
    }
    baseRttStale = true;
    markedStale = true;
  }

  private void forget(int path) {
    marking[path] = 0;
    lastFraction[path] = 0;
    smoothedRttNs[path] = 0;
    latestRttNs[path] = 0;
    minRttNs[path] = 0;
    markSeen[path] = false;
    timeoutsInARow[path] = 0;
    lossFraction[path] = 0;
    roundOpen[path] = false;
    clearRound(path);
    baseRttStale = true;
    markedStale = true;
  }

  private void clearRound(int path) {
    roundPackets[path] = 0;
    roundMarks[path] = 0;
    roundLosses[path] = 0;
    roundCongestiveLoss[path] = false;
    roundHalfFull[path] = false;
  }

  @Override
  public void onSent(long nowNs, int path, long bytes, long pathInflightBytes, long inflightBytes) {
    if (!roundOpen[path]) {
      roundOpen[path] = true;
      roundStartNs[path] = nowNs;
    }
    if (!connectionRoundOpen) {
      connectionRoundOpen = true;
      connectionRoundStartNs = nowNs;
    }
    if (2.0 * pathInflightBytes >= pathWindow[path]) {
      roundHalfFull[path] = true;
    }
  }

  @Override
  public void onAck(
      long nowNs,
      int path,
      long ackedBytes,
      long ackedPackets,
      long cePackets,
      long rttNs,
      long minRttSeenNs,
      long pathInflightBytes,
      long inflightBytes,
      boolean appLimited) {
    timeoutsInARow[path] = 0;
    sample(path, rttNs, minRttSeenNs);
    roundPackets[path] += ackedPackets;
    if (cePackets > 0) {
      marks(nowNs, path, cePackets);
    }
    if (2.0 * (pathInflightBytes + ackedBytes) >= pathWindow[path]) {
      roundHalfFull[path] = true;
    }
    boolean something = roundPackets[path] > 0 || roundCongestiveLoss[path];
    if (roundOpen[path] && something && nowNs - roundStartNs[path] >= pathRttNs(path)) {
      endRound(nowNs, path);
    }
    if (connectionRoundOpen && nowNs - connectionRoundStartNs >= connectionRttNs) {
      endConnectionRound(nowNs);
    }
  }

  private void sample(int path, long rttNs, long minRttSeenNs) {
    if (rttNs > 0) {
      latestRttNs[path] = rttNs;
      smoothedRttNs[path] =
          smoothedRttNs[path] == 0
              ? (double) rttNs
              : smoothedRttNs[path] + RTT_GAIN * (rttNs - smoothedRttNs[path]);
      connectionRttNs += RTT_GAIN * (rttNs - connectionRttNs);
    }
    if (minRttSeenNs > 0 && minRttSeenNs != minRttNs[path]) {
      minRttNs[path] = minRttSeenNs;
      baseRttStale = true;
    }
  }

  private double pathRttNs(int path) {
    return smoothedRttNs[path] > 0 ? smoothedRttNs[path] : settingsBaseRttNs;
  }

  private void endRound(long nowNs, int path) {
    double packets = (double) roundPackets[path];
    boolean congestiveLoss = roundCongestiveLoss[path];
    double fraction =
        congestiveLoss ? 1 : packets > 0 ? Math.min(1, roundMarks[path] / packets) : 0;
    marking[path] += gain * (fraction - marking[path]);
    double window = pathWindow[path];
    if (congestiveLoss) {
      window = Math.max(floorBytes, window / 2);
    } else if (fraction > 0) {
      window = Math.max(floorBytes, window * (1 - Math.max(marking[path], fraction / 2) / 2));
    } else if (roundHalfFull[path]) {
      double step = mtuBytes;
      if (activePaths > FULL_INCREASE_PATHS) {
        step = step * FULL_INCREASE_PATHS / activePaths;
      }
      window = Math.min(window + step, Math.max(floorBytes, connectionWindow));
    }
    pathWindow[path] = window;
    double losses = (double) roundLosses[path];
    if (packets + losses > 0) {
      lossFraction[path] += gain * (losses / (packets + losses) - lossFraction[path]);
    }
    lastFraction[path] = fraction;
    lastRoundNs[path] = nowNs;
    roundStartNs[path] = nowNs;
    clearRound(path);
    markedStale = true;
  }

  private void endConnectionRound(long nowNs) {
    connectionRoundStartNs = nowNs;
    if (activePaths > 0 && markedFraction(nowNs) >= 0.5) {
      connectionWindow = Math.max(floorBytes, connectionWindow * (1 - meanMarking() / 2));
    } else if (!hintFresh(nowNs)) {
      connectionWindow += mtuBytes;
    }
    capConnectionWindow();
  }

  final void capConnectionWindow() {
    connectionWindow = Math.max(floorBytes, Math.min(connectionWindow, maximumBdp * bdpBytes()));
  }

  private double meanMarking() {
    double sum = 0;
    for (int i = 0; i < active.length; i++) {
      sum += active[i] ? marking[i] : 0;
    }
    return activePaths == 0 ? 0 : sum / activePaths;
  }

  @Override
  public void onMark(long nowNs, int path, long packets) {
    marks(nowNs, path, packets);
  }

  /** A notification says that there are marks, not how many: it counts as one. */
  @Override
  public void onCnp(long nowNs, int path) {
    marks(nowNs, path, 1);
  }

  private void marks(long nowNs, int path, long packets) {
    roundMarks[path] += packets;
    markSeen[path] = true;
    lastMarkNs[path] = nowNs;
  }

  @Override
  public void onLoss(
      long nowNs, int path, long lostBytes, long pathInflightBytes, long inflightBytes) {
    boolean marked = markSeen[path] && nowNs - lastMarkNs[path] <= pathRttNs(path);
    boolean queued =
        minRttNs[path] > 0 && latestRttNs[path] - minRttNs[path] > 0.5 * targetQueue * baseRttNs();
    if (marked || queued) {
      roundCongestiveLoss[path] = true;
    } else {
      roundLosses[path]++;
    }
  }

  @Override
  public void onTrim(long nowNs, int path, long bytes) {
    roundCongestiveLoss[path] = true;
  }

  @Override
  public void onPto(long nowNs, int path) {
    timeoutsInARow[path]++;
    if (timeoutsInARow[path] >= 2) {
      pathWindow[path] = Math.max(floorBytes, pathWindow[path] / 2);
    }
  }

  @Override
  public void onPenalty(long nowNs, int level) {
    penalty = Math.min(127, Math.max(0, level));
  }

  /** What the receiver's host leaves of a value. */
  final double afterPenalty(double value) {
    return value * (128 - penalty) / 128;
  }

  @Override
  public long windowBytes() {
    return (long) Math.max(mtuBytes, afterPenalty(connectionWindow));
  }

  @Override
  public long rateBitsPerSecond() {
    return CongestionController.UNLIMITED;
  }

  @Override
  public long pathWindowBytes(int path) {
    return (long) Math.max(mtuBytes, pathWindow[path]);
  }

  @Override
  public long pathRateBitsPerSecond(int path) {
    return CongestionController.UNLIMITED;
  }

  @Override
  public double pathLossFraction(int path) {
    return lossFraction[path];
  }

  /**
   * Marking estimate of a path.
   *
   * @param path path number
   * @return 0 to 1
   */
  public double pathMarking(int path) {
    return marking[path];
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
      case 0 -> connectionWindow;
      case 1 -> markedFraction;
      case 2 -> meanMarking();
      case 3 -> activePaths;
      default -> throw new IndexOutOfBoundsException(index);
    };
  }
}
