// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Reaction point of DCQCN as adapters run it (NVIDIA's parameter page; the model of the HPCC
 * simulator, Li et al., SIGCOMM 2019). A notification only raises two flags. Free-running timers,
 * started by the first notification of the flow, look at them: one updates alpha, one cuts the rate
 * at most once per period, and a third, restarted by each cut, raises the rate. How many
 * notifications come does not matter, so marks reported as counts serve as well.
 *
 * <p>At one instant the order is notification, alpha, cut, increase.
 */
public final class DcqcnNic implements CongestionController {

  private static final double ALPHA_NOTHING = 1e-12;

  /** A rate this close to the line is the line: some units in the last place of a double. */
  private static final double AT_LINE = 1e-15;

  private static final String[] METRICS = {
    "alpha",
    "currentRateBitsPerSecond",
    "targetRateBitsPerSecond",
    "increaseStage",
    "rateCuts",
    "cnpsHandled"
  };

  private final double line;
  private final double g;
  private final long alphaPeriodNs;
  private final long cutPeriodNs;
  private final long increasePeriodNs;
  private final int fastRecoverySteps;
  private final double additiveStep;
  private final double hyperStep;
  private final double minimumRate;
  private final boolean clampTarget;
  private final double rateOnFirstCnp;
  private final double maxCut;
  private final double alphaUnits;
  private final boolean cutOnLoss;
  private final long windowBytes;

  private double currentRate;
  private double targetRate;
  private double alpha = 1;
  private int stage;
  private boolean started;
  private boolean cnpSinceAlpha;
  private boolean cnpSinceCut;
  private boolean increasedSinceCut;
  private long alphaDueNs;
  private long cutDueNs;
  private long increaseDueNs = NO_DEADLINE;
  private long rateCuts;
  private long cnpsHandled;

  /**
   * A reaction point at line rate.
   *
   * @param settings link and parameters of {@link DcqcnNicProvider}
   */
  public DcqcnNic(CongestionSettings settings) {
    line = settings.linkBitsPerSecond();
    g = settings.value(DcqcnNicProvider.G);
    alphaPeriodNs = settings.longValue(DcqcnNicProvider.TA);
    cutPeriodNs = settings.longValue(DcqcnNicProvider.TD);
    increasePeriodNs = settings.longValue(DcqcnNicProvider.TI);
    fastRecoverySteps = (int) settings.longValue(DcqcnNicProvider.F);
    additiveStep = settings.value(DcqcnNicProvider.RAI);
    hyperStep = settings.value(DcqcnNicProvider.RHAI);
    minimumRate = ParameterSupport.rateWithinLink(settings, DcqcnNicProvider.RMIN);
    clampTarget = settings.flag(DcqcnNicProvider.CLAMP_TARGET);
    rateOnFirstCnp = settings.value(DcqcnNicProvider.RATE_ON_FIRST_CNP);
    maxCut = settings.value(DcqcnNicProvider.MAX_CUT);
    long alphaBits = settings.longValue(DcqcnNicProvider.ALPHA_BITS);
    alphaUnits = alphaBits == 0 ? 0 : (double) (1L << alphaBits);
    cutOnLoss = settings.flag(DcqcnNicProvider.CUT_ON_LOSS);
    windowBytes = settings.longValue(DcqcnNicProvider.WINDOW);
    currentRate = line;
    targetRate = line;
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
      onCnp(nowNs);
    }
  }

  @Override
  public void onMark(long nowNs, long packets) {
    onCnp(nowNs);
  }

  @Override
  public void onLoss(long nowNs, long lostBytes, long inflightBytes) {
    if (cutOnLoss) {
      notified(nowNs);
    }
  }

  @Override
  public void onPto(long nowNs) {
    if (cutOnLoss) {
      notified(nowNs);
    }
  }

  @Override
  public void onTrim(long nowNs, long bytes) {
    if (cutOnLoss) {
      notified(nowNs);
    }
  }

  @Override
  public void onCnp(long nowNs) {
    cnpsHandled++;
    notified(nowNs);
  }

  private void notified(long nowNs) {
    run(nowNs - 1);
    if (!started) {
      started = true;
      alpha = 1;
      alphaDueNs = nowNs + alphaPeriodNs;
      cutDueNs = nowNs + cutPeriodNs;
      if (rateOnFirstCnp < 1) {
        currentRate = Math.max(minimumRate, line * rateOnFirstCnp);
        increaseDueNs = nowNs + increasePeriodNs;
      }
    } else {
      alphaDueNs = onGrid(alphaDueNs, alphaPeriodNs, nowNs);
      cutDueNs = onGrid(cutDueNs, cutPeriodNs, nowNs);
      cnpSinceAlpha = true;
    }
    cnpSinceCut = true;
  }

  /** First multiple of the period from {@code dueNs} on that is not before {@code nowNs}. */
  private static long onGrid(long dueNs, long periodNs, long nowNs) {
    return dueNs >= nowNs ? dueNs : nowNs + (periodNs - 1) - (nowNs - dueNs - 1) % periodNs;
  }

  @Override
  public void onTimer(long nowNs) {
    run(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    return cnpSinceCut ? Math.min(cutDueNs, increaseDueNs) : increaseDueNs;
  }

  private void run(long limitNs) {
    if (!started) {
      return;
    }
    while (true) {
      // Periods in which a timer would change nothing are skipped; its grid is found again later.
      long alphaNs = alpha == 0 && !cnpSinceAlpha ? NO_DEADLINE : alphaDueNs;
      long cutNs = cnpSinceCut ? cutDueNs : NO_DEADLINE;
      if (alphaNs <= limitNs && alphaNs <= cutNs && alphaNs <= increaseDueNs) {
        updateAlpha();
        alphaDueNs += alphaPeriodNs;
      } else if (cutNs <= limitNs && cutNs <= increaseDueNs) {
        cut();
        increaseDueNs = cutDueNs + increasePeriodNs;
        cutDueNs += cutPeriodNs;
      } else if (increaseDueNs <= limitNs) {
        increaseDueNs += increasePeriodNs;
        increase();
      } else {
        return;
      }
    }
  }

  private void updateAlpha() {
    alpha = (1 - g) * alpha + (cnpSinceAlpha ? g : 0);
    cnpSinceAlpha = false;
    if (alphaUnits > 0) {
      alpha = StrictMath.floor(alpha * alphaUnits) / alphaUnits;
    }
    if (alpha < ALPHA_NOTHING) {
      alpha = 0;
    }
  }

  private void cut() {
    if (clampTarget || increasedSinceCut) {
      targetRate = currentRate;
    }
    currentRate = Math.max(minimumRate, currentRate * (1 - Math.min(maxCut, alpha / 2)));
    stage = 0;
    increasedSinceCut = false;
    cnpSinceCut = false;
    rateCuts++;
  }

  private void increase() {
    if (stage == fastRecoverySteps) {
      targetRate += additiveStep;
    } else if (stage > fastRecoverySteps) {
      targetRate += hyperStep;
    }
    targetRate = Math.min(targetRate, line);
    currentRate = currentRate / 2 + targetRate / 2;
    stage++;
    increasedSinceCut = true;
    if (targetRate >= line && line - currentRate < line * AT_LINE) {
      currentRate = line;
      increaseDueNs = NO_DEADLINE;
    }
  }

  @Override
  public long windowBytes() {
    return windowBytes;
  }

  @Override
  public long rateBitsPerSecond() {
    return ParameterSupport.answerRate(currentRate, (long) line);
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
      case 3 -> stage;
      case 4 -> (double) rateCuts;
      case 5 -> (double) cnpsHandled;
      default -> throw new IndexOutOfBoundsException(index);
    };
  }
}
