// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * The smoothed, normalised gradient of the round trip time that both forms of TIMELY use, and the
 * decision when a sample is a completion event.
 */
final class RttGradient {

  private final double weight;
  private final double minRttNs;
  private final long segmentBytes;
  private final boolean oncePerRtt;
  private final boolean spaced;

  private double previousRttNs;
  private double smoothedDifferenceNs;
  private double lastDifferenceNs;
  private boolean hasPrevious;
  private long bytesSinceUpdate;
  private long lastUpdateNs;

  /**
   * A gradient without samples.
   *
   * @param weight weight of a new difference, 0 to 1
   * @param minRttNs normalisation, ns
   * @param segmentBytes bytes acknowledged per completion event
   * @param update {@code segment}, {@code spaced}: no two completion events closer than the
   *     normalisation, or {@code rtt}: one completion event a round trip
   */
  RttGradient(double weight, double minRttNs, long segmentBytes, String update) {
    this.weight = weight;
    this.minRttNs = minRttNs;
    this.segmentBytes = segmentBytes;
    this.oncePerRtt = update.equals("rtt");
    this.spaced = update.equals("spaced");
  }

  /**
   * Counts an acknowledgement.
   *
   * @param nowNs time, ns
   * @param ackedBytes bytes acknowledged
   * @param rttNs round trip sample, 0 or less: none
   * @return true when this completes a segment (or a round trip) and carries a sample
   */
  boolean completes(long nowNs, long ackedBytes, long rttNs) {
    bytesSinceUpdate = Math.min(bytesSinceUpdate + ackedBytes, Long.MAX_VALUE / 4);
    if (rttNs <= 0) {
      return false;
    }
    boolean due =
        oncePerRtt
            ? !hasPrevious || nowNs - lastUpdateNs >= rttNs
            : bytesSinceUpdate >= segmentBytes
                && (!spaced || !hasPrevious || nowNs - lastUpdateNs >= minRttNs);
    if (due) {
      bytesSinceUpdate = 0;
    }
    return due;
  }

  /**
   * Takes the sample of a completion event.
   *
   * @param nowNs time, ns
   * @param rttNs round trip time, ns
   * @return false for the first sample, which only sets the base of the next difference
   */
  boolean update(long nowNs, double rttNs) {
    lastUpdateNs = nowNs;
    double before = previousRttNs;
    previousRttNs = rttNs;
    if (!hasPrevious) {
      hasPrevious = true;
      return false;
    }
    lastDifferenceNs = rttNs - before;
    smoothedDifferenceNs = (1 - weight) * smoothedDifferenceNs + weight * lastDifferenceNs;
    return true;
  }

  /** Forgets the samples: a difference over a pause is no gradient. */
  void reset() {
    hasPrevious = false;
    smoothedDifferenceNs = 0;
    lastDifferenceNs = 0;
    bytesSinceUpdate = 0;
  }

  long lastUpdateNs() {
    return lastUpdateNs;
  }

  double lastDifferenceNs() {
    return lastDifferenceNs;
  }

  double smoothedDifferenceNs() {
    return smoothedDifferenceNs;
  }

  double gradient() {
    return smoothedDifferenceNs / minRttNs;
  }
}
