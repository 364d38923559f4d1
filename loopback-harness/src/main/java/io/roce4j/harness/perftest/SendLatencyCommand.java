// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import picocli.CommandLine.Command;

/** {@code ./roce4j send-lat}. */
@Command(name = "send-lat", description = "Latency of SEND, as perftest's ib_send_lat.")
public final class SendLatencyCommand extends PerftestCommand {
  /** Used by picocli. */
  public SendLatencyCommand() {
    super(PerftestTool.SEND_LAT);
  }
}
