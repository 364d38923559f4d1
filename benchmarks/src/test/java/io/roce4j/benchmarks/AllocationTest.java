// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.roce4j.benchmarks.congestion.PathUpdateBenchmark;
import io.roce4j.benchmarks.congestion.UpdateBenchmark;
import io.roce4j.benchmarks.engine.RcBenchmark;
import io.roce4j.benchmarks.wire.CaptureBenchmark;
import io.roce4j.benchmarks.wire.EncodeBenchmark;
import io.roce4j.benchmarks.wire.IcrcBenchmark;
import io.roce4j.benchmarks.wire.ParseBenchmark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hot paths that are benchmarked allocate not one byte of heap once they are compiled. */
class AllocationTest {
  private static final int OPERATIONS = 50_000;
  private static final int WINDOWS = 10;

  /**
   * Heap bytes of the best of some windows: while code is being compiled the JVM itself allocates a
   * little on the thread now and then; what a packet costs shows in every window.
   */
  private static long allocatedBytes(Runnable operation, int operations) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    // The first call of the counter itself may allocate.
    threads.getCurrentThreadAllocatedBytes();
    long least = Long.MAX_VALUE;
    for (int window = 0; window < WINDOWS && least > 0; window++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < operations; i++) {
        operation.run();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @Test
  void theMeasureSeesAllocation() {
    Object[] sink = new Object[1];
    assertEquals(
        true,
        allocatedBytes(() -> sink[0] = new long[2], OPERATIONS) >= OPERATIONS * 2L * Long.BYTES);
  }

  @Test
  void encodeAllocatesNothing() {
    EncodeBenchmark benchmark = new EncodeBenchmark();
    benchmark.payloadBytes = 1024;
    benchmark.open();
    assertEquals(0, allocatedBytes(benchmark::encodeWrite, OPERATIONS));
    benchmark.close();
  }

  @Test
  void parseAllocatesNothing() {
    ParseBenchmark benchmark = new ParseBenchmark();
    benchmark.open();
    assertEquals(0, allocatedBytes(benchmark::parseAndDispatch, OPERATIONS));
    benchmark.close();
  }

  @Test
  void icrcCheckAllocatesNothing() {
    IcrcBenchmark benchmark = new IcrcBenchmark();
    benchmark.payloadBytes = 1024;
    benchmark.open();
    assertEquals(0, allocatedBytes(benchmark::check, OPERATIONS));
    assertEquals(0, allocatedBytes(benchmark::solveIdentification, OPERATIONS));
    benchmark.close();
  }

  @Test
  void readingACaptureAllocatesNothingPerPacket() throws IOException {
    CaptureBenchmark benchmark = new CaptureBenchmark();
    benchmark.payloadBytes = 1024;
    benchmark.open();
    assertEquals(0, allocatedBytes(() -> readAndParse(benchmark), 5));
    benchmark.close();
  }

  @Test
  void rcInTheEmulatedNetworkAllocatesNothing() {
    RcBenchmark benchmark = new RcBenchmark();
    benchmark.mtuBytes = 1024;
    benchmark.open();
    assertEquals(0, allocatedBytes(benchmark::write, 10_000));
    assertEquals(0, allocatedBytes(benchmark::read, 10_000));
    benchmark.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"dcqcn", "dcqcn-nic", "timely", "timely-patched", "swift"})
  void anUpdateOfAControllerAllocatesNothing(String controller) {
    UpdateBenchmark benchmark = new UpdateBenchmark();
    benchmark.controller = controller;
    benchmark.open();
    assertEquals(0, allocatedBytes(benchmark::update, 100));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mx-aimd", "mx-fair"})
  void anUpdateOfAControllerOfPathsAllocatesNothing(String controller) {
    PathUpdateBenchmark benchmark = new PathUpdateBenchmark();
    benchmark.controller = controller;
    benchmark.open();
    assertEquals(0, allocatedBytes(benchmark::update, 100));
  }

  private static void readAndParse(CaptureBenchmark benchmark) {
    try {
      benchmark.readAndParse();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
