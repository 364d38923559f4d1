// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * How long a run takes in real time: set-up and the run proper apart, and how much of that its
 * thread had a core, for machines that do other things as well. Used by the thread of the run.
 */
final class RunClock {
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final long createdNs = System.nanoTime();
  private long begunNs;
  private long begunCpuNs;
  private long wallNs;
  private long cpuNs;

  /** The set-up is over. */
  void begin() {
    begunNs = System.nanoTime();
    begunCpuNs = cpuTimeNs();
  }

  /** The run is over. */
  void end() {
    wallNs = Math.max(1, System.nanoTime() - begunNs);
    cpuNs = Math.max(1, cpuTimeNs() - begunCpuNs);
  }

  private long cpuTimeNs() {
    return threads.isCurrentThreadCpuTimeSupported()
        ? threads.getCurrentThreadCpuTime()
        : System.nanoTime();
  }

  long setUpNs() {
    return begunNs - createdNs;
  }

  long wallNs() {
    return wallNs;
  }

  long cpuNs() {
    return cpuNs;
  }
}
