// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.measure;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.HdrHistogram.Histogram;

/**
 * Latencies of a run. Whatever is recorded is kept: a value outside the histogram's range is
 * clamped and counted apart, and the report says that the run was saturated; nothing is thrown
 * [FC-60].
 *
 * <p>There is no correction for coordinated omission here, and must not be: who sends on a schedule
 * records from the intended start, which needs none, and applying both counts the same delay twice
 * [FC-59]. One thread records; nothing is allocated per value.
 */
public final class LatencyRecorder {
  /** Longest latency kept as it is: one hour. */
  public static final long HIGHEST_NS = 3_600_000_000_000L;

  private static final int SIGNIFICANT_DIGITS = 3;

  private final Histogram histogram = new Histogram(HIGHEST_NS, SIGNIFICANT_DIGITS);
  private long clamped;

  /** Makes an empty recorder. */
  public LatencyRecorder() {}

  /**
   * Records one latency.
   *
   * @param latencyNs end minus start; what is below 0 or above {@link #HIGHEST_NS} is clamped
   */
  public void record(long latencyNs) {
    record(latencyNs, 1);
  }

  /**
   * Records one latency several times.
   *
   * @param latencyNs end minus start
   * @param count how often, 1 or more
   */
  public void record(long latencyNs, long count) {
    long value = Math.clamp(latencyNs, 0, HIGHEST_NS);
    if (value != latencyNs) {
      clamped += count;
    }
    histogram.recordValueWithCount(value, count);
  }

  /**
   * Adds what another recorder has.
   *
   * @param other left unchanged, and not written meanwhile
   */
  public void add(LatencyRecorder other) {
    histogram.add(other.histogram);
    clamped += other.clamped;
  }

  /** Forgets everything. */
  public void reset() {
    histogram.reset();
    clamped = 0;
  }

  /**
   * Values recorded, clamped ones included.
   *
   * @return 0 or more
   */
  public long count() {
    return histogram.getTotalCount();
  }

  /**
   * Values that were out of range.
   *
   * @return 0 or more
   */
  public long clamped() {
    return clamped;
  }

  /**
   * Whether the percentiles are cut by the recorder's range.
   *
   * @return true when a value was clamped: the report has to say so
   */
  public boolean isSaturated() {
    return clamped > 0;
  }

  /**
   * A percentile.
   *
   * @param percent 0 to 100
   * @return nanoseconds to three digits, 0 when nothing was recorded
   */
  public long percentileNs(double percent) {
    return count() == 0 ? 0 : Math.min(histogram.getValueAtPercentile(percent), maxNs());
  }

  /**
   * The longest latency.
   *
   * @return nanoseconds to three digits, 0 when nothing was recorded
   */
  public long maxNs() {
    return Math.min(histogram.getMaxValue(), HIGHEST_NS);
  }

  /**
   * The shortest latency.
   *
   * @return nanoseconds to three digits, 0 when nothing was recorded
   */
  public long minNs() {
    return count() == 0 ? 0 : histogram.getMinValue();
  }

  /**
   * How far the latencies are from their mean.
   *
   * @return nanoseconds, 0 when nothing was recorded
   */
  public double standardDeviationNs() {
    return count() == 0 ? 0 : histogram.getStdDeviation();
  }

  /**
   * Prints the whole distribution, in HdrHistogram's own form.
   *
   * @param out where to
   * @param unitNs nanoseconds of the unit to print in
   */
  public void print(PrintWriter out, double unitNs) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    histogram.outputPercentileDistribution(
        new PrintStream(bytes, false, StandardCharsets.UTF_8), unitNs);
    out.print(bytes.toString(StandardCharsets.UTF_8));
  }

  /**
   * The mean.
   *
   * @return nanoseconds, 0 when nothing was recorded
   */
  public double meanNs() {
    return histogram.getMean();
  }
}
