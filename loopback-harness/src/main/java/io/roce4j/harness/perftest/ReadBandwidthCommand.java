// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import picocli.CommandLine.Command;

/** {@code ./roce4j read-bw}. */
@Command(name = "read-bw", description = "Bandwidth of RDMA READ, as perftest's ib_read_bw.")
public final class ReadBandwidthCommand extends PerftestCommand {
  /** Used by picocli. */
  public ReadBandwidthCommand() {
    super(PerftestTool.READ_BW);
  }
}
