// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import picocli.CommandLine.Command;

/** {@code ./roce4j write-bw}. */
@Command(name = "write-bw", description = "Bandwidth of RDMA WRITE, as perftest's ib_write_bw.")
public final class WriteBandwidthCommand extends PerftestCommand {
  /** Used by picocli. */
  public WriteBandwidthCommand() {
    super(PerftestTool.WRITE_BW);
  }
}
