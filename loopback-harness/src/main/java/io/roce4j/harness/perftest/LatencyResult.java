// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.measure.LatencyRecorder;

/**
 * What a latency run of one size came to.
 *
 * @param sizeBytes message size
 * @param iterations rounds measured
 * @param latencies one-way times of SENDs and WRITEs (half of a round), whole ones of READs and
 *     atomics
 * @param isOneWay whether they are halves
 */
record LatencyResult(long sizeBytes, long iterations, LatencyRecorder latencies, boolean isOneWay) {

  /** Rounds a second, as a timed test reports them. */
  double roundsPerSecond() {
    double meanNs = latencies.meanNs() * (isOneWay ? 2 : 1);
    return meanNs <= 0 ? 0 : 1e9 / meanNs;
  }
}
