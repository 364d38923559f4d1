// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Smoothed round trip time, its variation and a windowed minimum, from samples that are checked
 * first. Smoothing and variation follow RFC 6298 (gains 1/8 and 1/4) in whole nanoseconds; the
 * minimum covers the last 1000 round trips and starts anew when the path changes.
 *
 * <p>A sample that is zero, negative, or longer than this estimator has existed cannot be a round
 * trip time, and the answer to a packet sent twice is ambiguous (Karn's rule): such samples are
 * refused and counted, never used [FC-35].
 *
 * <p>One thread; allocates nothing.
 */
public final class RttEstimator {

  /** Round trips the minimum looks back. */
  private static final int MINIMUM_WINDOW_ROUND_TRIPS = 1000;

  private static final long NONE = Long.MAX_VALUE;

  private final long startNs;
  private final long initialRttNs;
  private long smoothedNs;
  private long variationNs;
  private long latestNs;

  /** Minimum of the older and of the younger half of the window. */
  private long olderMinNs = NONE;

  private long youngerMinNs = NONE;
  private long youngerSinceNs;
  private long samples;
  private long refusedNotPositive;
  private long refusedTooLong;
  private long refusedAmbiguous;

  /**
   * An estimator without samples.
   *
   * @param startNs time before which nothing was sent, ns; no sample can be longer than the time
   *     since
   * @param initialRttNs what {@link #smoothedNs} answers before the first sample, ns, 1 or more
   */
  public RttEstimator(long startNs, long initialRttNs) {
    if (initialRttNs < 1) {
      throw new IllegalArgumentException("initial RTT " + initialRttNs + " ns: must be 1 or more");
    }
    this.startNs = startNs;
    this.initialRttNs = initialRttNs;
    this.youngerSinceNs = startNs;
  }

  /**
   * Takes a sample from the time the acknowledged packet was sent.
   *
   * @param nowNs time of the endpoint, ns
   * @param sentNs time at which the packet was sent
   * @param peerDelayNs time the peer held its acknowledgement back, ns, 0 or more
   * @param sentTwice true when the packet was sent more than once and the acknowledgement does not
   *     tell which copy it answers
   * @return the sample in ns, or 0 when it was refused
   */
  public long onAcknowledged(long nowNs, long sentNs, long peerDelayNs, boolean sentTwice) {
    if (sentTwice) {
      refusedAmbiguous++;
      return 0;
    }
    long rttNs = nowNs - sentNs - peerDelayNs;
    return onSample(nowNs, rttNs) ? rttNs : 0;
  }

  /**
   * Takes a sample.
   *
   * @param nowNs time of the endpoint, ns
   * @param rttNs the sample, ns
   * @return false when the sample was refused and counted
   */
  public boolean onSample(long nowNs, long rttNs) {
    if (rttNs <= 0) {
      refusedNotPositive++;
      return false;
    }
    if (rttNs > nowNs - startNs) {
      refusedTooLong++;
      return false;
    }
    latestNs = rttNs;
    if (samples == 0) {
      smoothedNs = rttNs;
      variationNs = rttNs / 2;
    } else {
      variationNs += (Math.abs(smoothedNs - rttNs) - variationNs) / 4;
      smoothedNs += (rttNs - smoothedNs) / 8;
    }
    samples++;
    updateMinimum(nowNs, rttNs);
    return true;
  }

  private void updateMinimum(long nowNs, long rttNs) {
    long halfNs = smoothedNs * (MINIMUM_WINDOW_ROUND_TRIPS / 2);
    if (nowNs - youngerSinceNs >= halfNs) {
      olderMinNs = nowNs - youngerSinceNs >= 2 * halfNs ? NONE : youngerMinNs;
      youngerMinNs = NONE;
      youngerSinceNs = nowNs;
    }
    youngerMinNs = Math.min(youngerMinNs, rttNs);
  }

  /**
   * The path changed (a new epoch, another route): its minimum is unknown again. Smoothed value and
   * variation stay until samples of the new path move them.
   *
   * @param nowNs time of the endpoint, ns
   */
  public void newEpoch(long nowNs) {
    olderMinNs = NONE;
    youngerMinNs = NONE;
    youngerSinceNs = nowNs;
  }

  /**
   * Smoothed round trip time.
   *
   * @return ns, 1 or more; the initial value before the first sample
   */
  public long smoothedNs() {
    return samples == 0 ? initialRttNs : Math.max(1, smoothedNs);
  }

  /**
   * Mean deviation of the samples.
   *
   * @return ns; half the initial value before the first sample
   */
  public long variationNs() {
    return samples == 0 ? initialRttNs / 2 : variationNs;
  }

  /**
   * Least sample of the last 1000 round trips of this epoch.
   *
   * @return ns, or 0 when there is none
   */
  public long minimumNs() {
    long minimum = Math.min(olderMinNs, youngerMinNs);
    return minimum == NONE ? 0 : minimum;
  }

  /**
   * The last accepted sample.
   *
   * @return ns, or 0 when there is none
   */
  public long latestNs() {
    return latestNs;
  }

  /**
   * How long to wait for an acknowledgement before asking: smoothed + max(4 * variation, smoothed /
   * 4) + the peer's delay. Without the floor the variation decays to nothing on a steady path and
   * the timer races a delayed acknowledgement.
   *
   * @param maxAckDelayNs longest time the peer holds an acknowledgement back, ns
   * @return ns, 1 or more
   */
  public long probeTimeoutNs(long maxAckDelayNs) {
    long smoothed = smoothedNs();
    return Math.max(1, smoothed + Math.max(4 * variationNs(), smoothed / 4) + maxAckDelayNs);
  }

  /**
   * Accepted samples.
   *
   * @return count
   */
  public long samples() {
    return samples;
  }

  /**
   * Samples refused because they were zero or negative.
   *
   * @return count
   */
  public long refusedNotPositive() {
    return refusedNotPositive;
  }

  /**
   * Samples refused because they were longer than this estimator has existed.
   *
   * @return count
   */
  public long refusedTooLong() {
    return refusedTooLong;
  }

  /**
   * Samples refused because the packet had been sent more than once.
   *
   * @return count
   */
  public long refusedAmbiguous() {
    return refusedAmbiguous;
  }
}
