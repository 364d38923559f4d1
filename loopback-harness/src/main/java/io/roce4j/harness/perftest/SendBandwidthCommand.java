// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import picocli.CommandLine.Command;

/** {@code ./roce4j send-bw}. */
@Command(name = "send-bw", description = "Bandwidth of SEND, as perftest's ib_send_bw.")
public final class SendBandwidthCommand extends PerftestCommand {
  /** Used by picocli. */
  public SendBandwidthCommand() {
    super(PerftestTool.SEND_BW);
  }
}
