// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.benchmarks.congestion;

import io.roce4j.congestion.CongestionController;
import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionSettings;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One update of a one-path controller: a packet sent and acknowledged with a round trip sample,
 * every 32nd time a congestion notification too, timers that are due, and both answers read, as the
 * engine does. Packets follow each other at line rate.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class UpdateBenchmark {
  /** The controller. */
  @Param({"dcqcn", "dcqcn-nic", "timely", "timely-patched", "swift"})
  public String controller;

  private CongestionController subject;
  private Samples samples;
  private long nowNs;

  /** For JMH. */
  public UpdateBenchmark() {}

  /** Makes the controller and draws the samples. */
  @Setup
  public void open() {
    subject =
        CongestionControllers.create(
            controller, CongestionSettings.of(Samples.LINK, Samples.MTU, Samples.BASE_RTT_NS));
    samples = new Samples();
  }

  /**
   * Updates.
   *
   * @return something of all answers
   */
  @Benchmark
  @OperationsPerInvocation(Samples.EVENTS)
  public long update() {
    long sum = 0;
    for (int i = 0; i < Samples.EVENTS; i++) {
      nowNs += Samples.GAP_NS;
      subject.onSent(nowNs, Samples.MTU, 32 * Samples.MTU);
      subject.onAck(
          nowNs, Samples.MTU, 1, 0, samples.rttNs[i], Samples.BASE_RTT_NS, 31 * Samples.MTU, false);
      if (i % Samples.MARK_EVERY == 0) {
        subject.onCnp(nowNs);
      }
      if (subject.nextDeadlineNs() <= nowNs) {
        subject.onTimer(nowNs);
      }
      sum += subject.windowBytes() ^ subject.rateBitsPerSecond();
    }
    return sum;
  }

  /**
   * The yardstick.
   *
   * @return something of all checksums
   */
  @Benchmark
  @OperationsPerInvocation(Samples.EVENTS)
  public long crc32Of64Bytes() {
    return samples.crc32Of64Bytes();
  }
}
