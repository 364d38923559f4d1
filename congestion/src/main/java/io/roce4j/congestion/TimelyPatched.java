// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Patched TIMELY: Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY",
 * CoNEXT 2016. Between the thresholds the decrease follows the absolute error of the round trip
 * time instead of its gradient, weighted by the gradient, and the increase takes the rest of the
 * weight. N flows then settle at equal rates and {@code (rtt - rttRef) / rttRef = N * delta / (beta
 * * C)}.
 *
 * <p>That point is stable when a flow updates once a minimum round trip or so, as the paper's fluid
 * model has it: the larger of a segment's time and the minimum round trip. A fast flow that updates
 * with each segment corrects the same error several times before it sees the first correction, and
 * the gradient of so short a distance damps too little: few fast flows then swing around the point.
 */
public final class TimelyPatched implements CongestionController {

  private static final String[] METRICS = {
    "rateBitsPerSecond", "gradient", "rttError", "weight", "updates"
  };

  private final double line;
  private final RttGradient gradient;
  private final double beta;
  private final double lowNs;
  private final double highNs;
  private final double referenceNs;
  private final double step;
  private final double minimumRate;
  private final long windowBytes;

  private double rate;
  private double error;
  private double weight;
  private long updates;

  /**
   * A controller at its start rate.
   *
   * @param settings link and parameters of {@link TimelyPatchedProvider}
   */
  public TimelyPatched(CongestionSettings settings) {
    ParameterSupport.requireBelow(
        TimelyPatchedProvider.TLOW, TimelyPatchedProvider.THIGH, settings);
    line = settings.linkBitsPerSecond();
    gradient =
        new RttGradient(
            settings.value(TimelyPatchedProvider.ALPHA),
            settings.value(TimelyPatchedProvider.MIN_RTT),
            settings.longValue(TimelyPatchedProvider.SEGMENT),
            settings.choice(TimelyPatchedProvider.UPDATE));
    beta = settings.value(TimelyPatchedProvider.BETA);
    lowNs = settings.value(TimelyPatchedProvider.TLOW);
    highNs = settings.value(TimelyPatchedProvider.THIGH);
    referenceNs = settings.value(TimelyPatchedProvider.RTT_REF);
    step = settings.value(TimelyPatchedProvider.DELTA);
    minimumRate = ParameterSupport.rateWithinLink(settings, TimelyPatchedProvider.RMIN);
    windowBytes = settings.longValue(TimelyPatchedProvider.WINDOW);
    rate = Math.max(minimumRate, line * settings.value(TimelyPatchedProvider.START));
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
    if (gradient.completes(nowNs, ackedBytes, rttNs) && gradient.update(nowNs, (double) rttNs)) {
      completion((double) rttNs);
    }
  }

  private void completion(double rttNs) {
    updates++;
    weight = Math.min(1, Math.max(0, 2 * gradient.gradient() + 0.5));
    error = (rttNs - referenceNs) / referenceNs;
    double next;
    if (rttNs < lowNs) {
      next = rate + step;
    } else if (rttNs > highNs) {
      next = rate * (1 - beta * (1 - highNs / rttNs));
    } else {
      next = rate * (1 - beta * weight * error) + step * (1 - weight);
    }
    rate = Math.min(line, Math.max(minimumRate, next));
  }

  @Override
  public void onIdle(long nowNs) {
    gradient.reset();
  }

  @Override
  public long windowBytes() {
    return windowBytes;
  }

  @Override
  public long rateBitsPerSecond() {
    return ParameterSupport.answerRate(rate, (long) line);
  }

  /**
   * Rate as kept, with its fraction.
   *
   * @return bit/s
   */
  public double rate() {
    return rate;
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
      case 0 -> rate;
      case 1 -> gradient.gradient();
      case 2 -> error;
      case 3 -> weight;
      case 4 -> (double) updates;
      default -> throw new IndexOutOfBoundsException(index);
    };
  }
}
