// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import picocli.CommandLine.Command;

/** {@code ./roce4j read-lat}. */
@Command(name = "read-lat", description = "Latency of RDMA READ, as perftest's ib_read_lat.")
public final class ReadLatencyCommand extends PerftestCommand {
  /** Used by picocli. */
  public ReadLatencyCommand() {
    super(PerftestTool.READ_LAT);
  }
}
