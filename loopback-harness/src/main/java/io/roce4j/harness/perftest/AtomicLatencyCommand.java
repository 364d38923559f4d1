// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import picocli.CommandLine.Command;

/** {@code ./roce4j atomic-lat}. */
@Command(name = "atomic-lat", description = "Latency of atomics, as perftest's ib_atomic_lat.")
public final class AtomicLatencyCommand extends PerftestCommand {
  /** Used by picocli. */
  public AtomicLatencyCommand() {
    super(PerftestTool.ATOMIC_LAT);
  }
}
