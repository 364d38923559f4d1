// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import picocli.CommandLine.Command;

/** {@code ./roce4j write-lat}. */
@Command(name = "write-lat", description = "Latency of RDMA WRITE, as perftest's ib_write_lat.")
public final class WriteLatencyCommand extends PerftestCommand {
  /** Used by picocli. */
  public WriteLatencyCommand() {
    super(PerftestTool.WRITE_LAT);
  }
}
