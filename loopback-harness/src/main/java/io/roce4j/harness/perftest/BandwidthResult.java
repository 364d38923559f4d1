// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.handshake.PerftestReport;
import io.roce4j.harness.measure.Throughput;

/**
 * What a bandwidth run of one size came to.
 *
 * @param sizeBytes message size
 * @param iterations messages measured
 * @param elapsedNs time measured
 * @param peakBytesPerSecond of the best stretch, 0 when not looked for
 * @param bytesPerSecond over all
 * @param messagesPerSecond over all
 */
record BandwidthResult(
    long sizeBytes,
    long iterations,
    long elapsedNs,
    double peakBytesPerSecond,
    double bytesPerSecond,
    double messagesPerSecond) {
  private static final double NS_PER_SECOND = 1e9;
  private static final double MIB = 1 << 20;
  private static final double GIGA_BITS = 1e9 / 8;
  private static final double MEGA = 1e6;

  static BandwidthResult of(
      long sizeBytes, long iterations, long elapsedNs, double bestNsPerMessage) {
    double rate = Throughput.perSecond(iterations, elapsedNs);
    double peak = bestNsPerMessage <= 0 ? 0 : sizeBytes * NS_PER_SECOND / bestNsPerMessage;
    return new BandwidthResult(sizeBytes, iterations, elapsedNs, peak, rate * sizeBytes, rate);
  }

  private static double unit(boolean isGigaBits) {
    return isGigaBits ? GIGA_BITS : MIB;
  }

  /** As the peer is told, in the unit that both print. */
  PerftestReport report(boolean isGigaBits) {
    return new PerftestReport(
        sizeBytes,
        iterations,
        peakBytesPerSecond / unit(isGigaBits),
        bytesPerSecond / unit(isGigaBits),
        messagesPerSecond / MEGA);
  }

  /** What the peer has told. */
  static BandwidthResult of(PerftestReport report, boolean isGigaBits) {
    return new BandwidthResult(
        report.sizeBytes(),
        report.iterations(),
        0,
        report.peak() * unit(isGigaBits),
        report.average() * unit(isGigaBits),
        report.millionMessages() * MEGA);
  }

  /** This and the other direction together. */
  BandwidthResult plus(BandwidthResult other) {
    return new BandwidthResult(
        sizeBytes,
        iterations,
        elapsedNs,
        peakBytesPerSecond + other.peakBytesPerSecond,
        bytesPerSecond + other.bytesPerSecond,
        messagesPerSecond + other.messagesPerSecond);
  }
}
