// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * TIMELY: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
 * algorithm 1, with the authors' later snippet as a variant.
 *
 * <p>It has no unique fixed point: any split of the link among flows with a zero gradient stays
 * (Zhu et al., CoNEXT 2016). {@link TimelyPatched} does not have that fault.
 */
public final class Timely implements CongestionController {

  private static final String[] METRICS = {
    "rateBitsPerSecond", "gradient", "rttDifferenceNs", "fallingCompletions", "updates"
  };

  private final double line;
  private final RttGradient gradient;
  private final boolean authors;
  private final double beta;
  private final double lowNs;
  private final double highNs;
  private final double minRttNs;
  private final double step;
  private final long hyperCount;
  private final double minimumRate;
  private final long windowBytes;

  private double rate;
  private long falling;
  private long updates;

  /**
   * A controller at its start rate.
   *
   * @param settings link and parameters of {@link TimelyProvider}
   */
  public Timely(CongestionSettings settings) {
    ParameterSupport.requireBelow(TimelyProvider.TLOW, TimelyProvider.THIGH, settings);
    line = settings.linkBitsPerSecond();
    authors = settings.choice(TimelyProvider.VARIANT).equals("authors");
    minRttNs = settings.value(TimelyProvider.MIN_RTT);
    gradient =
        new RttGradient(
            settings.value(TimelyProvider.ALPHA),
            minRttNs,
            settings.longValue(TimelyProvider.SEGMENT),
            settings.choice(TimelyProvider.UPDATE));
    beta = settings.value(TimelyProvider.BETA);
    lowNs = settings.value(TimelyProvider.TLOW);
    highNs = settings.value(TimelyProvider.THIGH);
    step = settings.value(TimelyProvider.DELTA);
    hyperCount = settings.longValue(TimelyProvider.N);
    minimumRate = ParameterSupport.rateWithinLink(settings, TimelyProvider.RMIN);
    windowBytes = settings.longValue(TimelyProvider.WINDOW);
    rate = Math.max(minimumRate, line * settings.value(TimelyProvider.START));
  }

  @Override
  public void onAck(
      long nowNs,
      long ackedBytes,
      long ackedPackets,
      long cePackets,
      long rttNs,
      long minRttSeenNs,
      long inflightBytes,
      boolean appLimited) {
    if (gradient.completes(nowNs, ackedBytes, rttNs)) {
      completion(nowNs, (double) rttNs);
    }
  }

  private void completion(long nowNs, double rttNs) {
    // The authors weigh an update by the time since the last, up to one minimum RTT.
    double elapsed = Math.max(0, (double) (nowNs - gradient.lastUpdateNs())) / minRttNs;
    double weight = authors ? Math.min(1, elapsed) : 1;
    if (!gradient.update(nowNs, rttNs)) {
      return;
    }
    updates++;
    double slope = gradient.gradient();
    boolean fell = authors ? gradient.lastDifferenceNs() < 0 : slope < 0;
    falling = fell ? falling + 1 : 0;

    double next;
    if (rttNs < lowNs) {
      next = rate + step * weight;
    } else if (rttNs > highNs) {
      next = rate * (1 - beta * weight * (1 - highNs / rttNs));
    } else if (slope <= 0) {
      next = rate + (falling >= hyperCount ? hyperCount : 1) * step * weight;
    } else {
      next = rate * Math.max(0, 1 - beta * weight * slope);
    }
    if (authors) {
      next = Math.max(next, rate / 2);
    }
    rate = Math.min(line, Math.max(minimumRate, next));
  }

  @Override
  public void onIdle(long nowNs) {
    gradient.reset();
    falling = 0;
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

  /**
   * Smoothed gradient in units of the minimum round trip time.
   *
   * @return the gradient
   */
  public double gradient() {
    return gradient.gradient();
  }

  /**
   * Smoothed difference of successive round trip times.
   *
   * @return ns
   */
  public double rttDifferenceNs() {
    return gradient.smoothedDifferenceNs();
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
      case 2 -> gradient.smoothedDifferenceNs();
      case 3 -> (double) falling;
      case 4 -> (double) updates;
      default -> throw new IndexOutOfBoundsException(index);
    };
  }
}
