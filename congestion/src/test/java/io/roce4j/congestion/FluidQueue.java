// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.function.DoubleUnaryOperator;

/**
 * A fluid model of one queue shared by rate-controlled flows, for fixed points: the queue is the
 * integral of what the rates exceed the link by, and each flow takes one round trip sample per
 * round trip. Fixed steps, no randomness.
 */
final class FluidQueue {

  private final double line;
  private final double baseRttNs;
  private final double stepNs;
  private final CongestionController[] flows;
  private final double[] nextSampleNs;

  double queueBytes;
  double nowNs;

  FluidQueue(double line, double baseRttNs, double stepNs, CongestionController... flows) {
    this.line = line;
    this.baseRttNs = baseRttNs;
    this.stepNs = stepNs;
    this.flows = flows;
    this.nextSampleNs = new double[flows.length];
    // Samples of the flows do not fall on one instant.
    for (int i = 0; i < flows.length; i++) {
      nextSampleNs[i] = baseRttNs * (1 + (double) i / flows.length);
    }
  }

  double rttNs() {
    return baseRttNs + queueBytes * 8e9 / line;
  }

  /** Runs for a time; returns the mean of a function of the round trip time over it. */
  double run(double durationNs, DoubleUnaryOperator ofRtt) {
    double endNs = nowNs + durationNs;
    double sum = 0;
    long steps = 0;
    while (nowNs < endNs) {
      double total = 0;
      for (CongestionController flow : flows) {
        total += Math.min(line, (double) flow.rateBitsPerSecond());
      }
      queueBytes = Math.max(0, queueBytes + (total - line) * stepNs / 8e9);
      nowNs += stepNs;
      for (int i = 0; i < flows.length; i++) {
        if (nowNs >= nextSampleNs[i]) {
          double rtt = rttNs();
          long bytes = (long) (flows[i].rateBitsPerSecond() * rtt / 8e9);
          flows[i].onAck((long) nowNs, bytes, 1, 0, (long) rtt, 0, bytes, false);
          nextSampleNs[i] = nowNs + rtt;
        }
      }
      sum += ofRtt.applyAsDouble(rttNs());
      steps++;
    }
    return sum / steps;
  }

  double jain() {
    double sum = 0;
    double squares = 0;
    for (CongestionController flow : flows) {
      double rate = (double) flow.rateBitsPerSecond();
      sum += rate;
      squares += rate * rate;
    }
    return sum * sum / (flows.length * squares);
  }
}
