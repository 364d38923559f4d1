// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.cli.CommonOptions;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.endpoint.EndpointOptions;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.verbs.PathMtu;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What all tools of this package are; each names only the test that it is. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Without HOST it waits for a client, with HOST it is the client. The other side may be this",
      "tool or perftest's (ib_write_bw for write-bw and so on) with the same options: only queue",
      "pairs and path MTU are told to the peer.",
      "Exit codes: 0 good, 1 the peer or a request failed, 2 wrong usage, 3 the machine lacks",
      "something."
    })
abstract class PerftestCommand implements Subcommand {
  private final PerftestTool tool;

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private EndpointOptions endpoint = new EndpointOptions();
  @Mixin private PerftestOptions options = new PerftestOptions();

  PerftestCommand(PerftestTool tool) {
    this.tool = tool;
  }

  @Override
  public Integer call() {
    endpoint.check();
    PerftestPlan plan = options.plan(tool);
    endpoint.checkCongestion(plan.type(), plan.mtu() == 0 ? PathMtu.MAX_BYTES : plan.mtu());
    try (JsonReport json = common.openJson()) {
      PerftestReporter reporter =
          new PerftestReporter(
              plan, options.isGigaBits(), options.isHistogramWanted(), common.text());
      new PerftestRun(plan, endpoint, new SeededStreams(common.seed()), reporter).execute();
      json.write(reporter.json(common.seed()));
    }
    return ExitCode.GOOD;
  }
}
