// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import picocli.CommandLine.Command;

/** {@code ./roce4j atomic-bw}. */
@Command(name = "atomic-bw", description = "Rate of atomics, as perftest's ib_atomic_bw.")
public final class AtomicBandwidthCommand extends PerftestCommand {
  /** Used by picocli. */
  public AtomicBandwidthCommand() {
    super(PerftestTool.ATOMIC_BW);
  }
}
