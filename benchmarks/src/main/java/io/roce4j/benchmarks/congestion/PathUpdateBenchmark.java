// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.benchmarks.congestion;

import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.congestion.MultipathController;
import io.roce4j.congestion.PathUse;
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
 * One update of a controller over eight paths: a packet sent and acknowledged on one of them, every
 * 32nd marked, a hint with each for the controller that takes them, and all answers read.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PathUpdateBenchmark {
  private static final int PATHS = 8;

  /** The controller. */
  @Param({"mx-aimd", "mx-fair"})
  public String controller;

  private MultipathController subject;
  private Samples samples;
  private long nowNs;

  /** For JMH. */
  public PathUpdateBenchmark() {}

  /** Makes the controller with its paths open, and draws the samples. */
  @Setup
  public void open() {
    CongestionSettings settings =
        CongestionSettings.of(Samples.LINK, Samples.MTU, Samples.BASE_RTT_NS);
    subject =
        CongestionControllers.createMultipath(
            controller, settings, PATHS, 1, PathUse.CONNECTION_WISE);
    for (int path = 0; path < PATHS; path++) {
      subject.onPathOpened(0, path, 0);
    }
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
      int path = i % PATHS;
      subject.onSent(nowNs, path, Samples.MTU, 4 * Samples.MTU, 32 * Samples.MTU);
      subject.onHint(nowNs, 0, i, Samples.LINK / 4 + i);
      subject.onAck(
          nowNs,
          path,
          Samples.MTU,
          1,
          i % Samples.MARK_EVERY == 0 ? 1 : 0,
          samples.rttNs[i],
          Samples.BASE_RTT_NS,
          3 * Samples.MTU,
          31 * Samples.MTU,
          false);
      if (subject.nextDeadlineNs() <= nowNs) {
        subject.onTimer(nowNs);
      }
      sum += subject.windowBytes() ^ subject.rateBitsPerSecond() ^ subject.pathWindowBytes(path);
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
