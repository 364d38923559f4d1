// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Reaction point of DCQCN: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
 * SIGCOMM 2015, section 3 and algorithm 1.
 *
 * <p>Each congestion notification cuts the current rate by alpha/2 with the alpha from before and
 * then raises alpha [FC-34]; alpha decays by a timer. A timer and a byte counter, both restarted by
 * the cut, raise the rate again: F halvings of the gap to the target (fast recovery), then additive
 * steps of the target, and hyper steps once both counters have passed F.
 *
 * <p>Nothing runs before the first notification, nor once the rate is back at the line: from there
 * every step would change nothing. Alpha is brought up to date when it is needed, so it asks for no
 * timer of its own.
 */
public final class Dcqcn implements CongestionController {

  /** Alpha below this is nothing: it takes part in a rate that is rounded to whole bit/s. */
  private static final double ALPHA_NOTHING = 1e-12;

  /** A rate this close to the line is the line: some units in the last place of a double. */
  private static final double AT_LINE = 1e-15;

  /** Most byte counter steps one send may cause; only absurd byte counts reach it. */
  private static final long BYTE_STEPS_MAX = 1000;

  private static final String[] METRICS = {
    "alpha",
    "currentRateBitsPerSecond",
    "targetRateBitsPerSecond",
    "timerEvents",
    "byteCounterEvents",
    "cnpsHandled"
  };

  private final double line;
  private final double g;
  private final long alphaPeriodNs;
  private final long increasePeriodNs;
  private final long byteCounter;
  private final int fastRecoverySteps;
  private final double additiveStep;
  private final double hyperStep;
  private final double minimumRate;
  private final boolean constantHyperStep;
  private final boolean clampTarget;
  private final boolean alphaFirst;
  private final long cnpIntervalNs;
  private final long windowBytes;

  private double currentRate;
  private double targetRate;
  private double alpha;
  private int timerEvents;
  private int byteEvents;
  private long bytesSinceEvent;
  private boolean limiting;
  private long alphaDueNs = NO_DEADLINE;
  private long increaseDueNs = NO_DEADLINE;
  private long lastMarkCutNs;
  private boolean cutByMarks;
  private long cnpsHandled;

  /**
   * A reaction point at line rate.
   *
   * @param settings link and parameters of {@link DcqcnProvider}
   */
  public Dcqcn(CongestionSettings settings) {
    line = settings.linkBitsPerSecond();
    g = settings.value(DcqcnProvider.G);
    alphaPeriodNs = settings.longValue(DcqcnProvider.K);
    increasePeriodNs = settings.longValue(DcqcnProvider.T);
    byteCounter = settings.longValue(DcqcnProvider.B);
    fastRecoverySteps = (int) settings.longValue(DcqcnProvider.F);
    additiveStep = settings.value(DcqcnProvider.RAI);
    hyperStep = settings.value(DcqcnProvider.RHAI);
    minimumRate = ParameterSupport.rateWithinLink(settings, DcqcnProvider.RMIN);
    constantHyperStep = settings.choice(DcqcnProvider.HYPER).equals("constant");
    clampTarget = settings.flag(DcqcnProvider.CLAMP_TARGET);
    alphaFirst = settings.choice(DcqcnProvider.ORDER).equals("alpha-first");
    cnpIntervalNs = settings.longValue(DcqcnProvider.CNP_INTERVAL);
    windowBytes = settings.longValue(DcqcnProvider.WINDOW);
    currentRate = line;
    targetRate = line;
    alpha = settings.value(DcqcnProvider.ALPHA0);
  }

  @Override
  public void onSent(long nowNs, long bytes, long inflightBytes) {
    if (!limiting) {
      return;
    }
    run(nowNs);
    bytesSinceEvent += Math.min(bytes, BYTE_STEPS_MAX * Math.min(byteCounter, 1L << 40));
    while (limiting && bytesSinceEvent >= byteCounter) {
      bytesSinceEvent -= byteCounter;
      byteCounterEvent();
    }
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
    if (cePackets > 0) {
      onMark(nowNs, cePackets);
    }
  }

  /** Marks reported as counts cut like one notification, at most once per interval. */
  @Override
  public void onMark(long nowNs, long packets) {
    if (!cutByMarks || nowNs - lastMarkCutNs >= cnpIntervalNs) {
      cutByMarks = true;
      lastMarkCutNs = nowNs;
      onCnp(nowNs);
    }
  }

  @Override
  public void onCnp(long nowNs) {
    // A notification at the instant of a timer comes first and restarts that timer.
    run(nowNs - 1);
    cnp();
    alphaDueNs = nowNs + alphaPeriodNs;
    increaseDueNs = nowNs + increasePeriodNs;
  }

  @Override
  public void onTimer(long nowNs) {
    run(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    return increaseDueNs;
  }

  @Override
  public long windowBytes() {
    return windowBytes;
  }

  @Override
  public long rateBitsPerSecond() {
    return ParameterSupport.answerRate(currentRate, (long) line);
  }

  private void run(long limitNs) {
    while (true) {
      if (alphaDueNs <= increaseDueNs && alphaDueNs <= limitNs) {
        alphaTimer();
        alphaDueNs = alpha == 0 ? NO_DEADLINE : alphaDueNs + alphaPeriodNs;
      } else if (increaseDueNs <= limitNs) {
        increaseDueNs += increasePeriodNs;
        rateTimer();
      } else {
        return;
      }
    }
  }

  /** One notification, timers aside. */
  void cnp() {
    cnpsHandled++;
    limiting = true;
    if (alphaFirst) {
      alpha = (1 - g) * alpha + g;
    }
    targetRate = currentRate;
    currentRate = Math.max(minimumRate, currentRate * (1 - alpha / 2));
    if (!alphaFirst) {
      alpha = (1 - g) * alpha + g;
    }
    timerEvents = 0;
    byteEvents = 0;
    bytesSinceEvent = 0;
  }

  /** One expiry of the alpha timer. */
  void alphaTimer() {
    alpha = (1 - g) * alpha;
    if (alpha < ALPHA_NOTHING) {
      alpha = 0;
    }
  }

  /** One expiry of the increase timer. */
  void rateTimer() {
    timerEvents++;
    increase();
  }

  /** One expiry of the byte counter. */
  void byteCounterEvent() {
    byteEvents++;
    increase();
  }

  private void increase() {
    int least = Math.min(timerEvents, byteEvents);
    if (Math.max(timerEvents, byteEvents) > fastRecoverySteps) {
      if (least > fastRecoverySteps) {
        targetRate += constantHyperStep ? hyperStep : (least - fastRecoverySteps) * hyperStep;
      } else {
        targetRate += additiveStep;
      }
    }
    if (clampTarget) {
      targetRate = Math.min(targetRate, line);
    }
    currentRate = Math.min(line, (currentRate + targetRate) / 2);
    if (targetRate >= line && line - currentRate < line * AT_LINE) {
      currentRate = line;
      limiting = false;
      increaseDueNs = NO_DEADLINE;
    }
  }

  /**
   * Current rate as kept, with its fraction.
   *
   * @return bit/s
   */
  public double currentRate() {
    return currentRate;
  }

  /**
   * Target rate.
   *
   * @return bit/s
   */
  public double targetRate() {
    return targetRate;
  }

  /**
   * Congestion estimate as of the last event.
   *
   * @return 0 to 1
   */
  public double alpha() {
    return alpha;
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
      case 0 -> alpha;
      case 1 -> currentRate;
      case 2 -> targetRate;
      case 3 -> timerEvents;
      case 4 -> byteEvents;
      case 5 -> (double) cnpsHandled;
      default -> throw new IndexOutOfBoundsException(index);
    };
  }
}
