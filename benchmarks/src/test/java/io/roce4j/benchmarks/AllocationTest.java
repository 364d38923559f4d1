// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.roce4j.benchmarks.wire.CaptureBenchmark;
import io.roce4j.benchmarks.wire.EncodeBenchmark;
import io.roce4j.benchmarks.wire.IcrcBenchmark;
import io.roce4j.benchmarks.wire.ParseBenchmark;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The hot paths that are benchmarked allocate not one byte of heap once they are compiled. */
class AllocationTest {
  private static final int WARM_UP = 50_000;
  private static final int OPERATIONS = 100_000;

  private static long allocatedBytes(Runnable operation) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < WARM_UP; i++) {
      operation.run();
    }
    // The first call of the counter itself may allocate.
    threads.getCurrentThreadAllocatedBytes();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < OPERATIONS; i++) {
      operation.run();
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void theMeasureSeesAllocation() {
    Object[] sink = new Object[1];
    assertEquals(true, allocatedBytes(() -> sink[0] = new long[2]) >= OPERATIONS * 2L * Long.BYTES);
  }

  @Test
  void encodeAllocatesNothing() {
    EncodeBenchmark benchmark = new EncodeBenchmark();
    benchmark.payloadBytes = 1024;
    benchmark.open();
    assertEquals(0, allocatedBytes(benchmark::encodeWrite));
    benchmark.close();
  }

  @Test
  void parseAllocatesNothing() {
    ParseBenchmark benchmark = new ParseBenchmark();
    benchmark.open();
    assertEquals(0, allocatedBytes(benchmark::parseAndDispatch));
    benchmark.close();
  }

  @Test
  void icrcCheckAllocatesNothing() {
    IcrcBenchmark benchmark = new IcrcBenchmark();
    benchmark.payloadBytes = 1024;
    benchmark.open();
    assertEquals(0, allocatedBytes(benchmark::check));
    assertEquals(0, allocatedBytes(benchmark::solveIdentification));
    benchmark.close();
  }

  @Test
  void readingACaptureAllocatesNothingPerPacket() throws IOException {
    CaptureBenchmark benchmark = new CaptureBenchmark();
    benchmark.payloadBytes = 1024;
    benchmark.open();
    for (int i = 0; i < 20; i++) {
      benchmark.readAndParse();
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 20; i++) {
      benchmark.readAndParse();
    }
    assertEquals(0, threads.getCurrentThreadAllocatedBytes() - before);
    benchmark.close();
  }
}
