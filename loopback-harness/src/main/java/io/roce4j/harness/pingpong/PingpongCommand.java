// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.pingpong;

import io.roce4j.harness.cli.ByteSize;
import io.roce4j.harness.cli.CommonOptions;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.endpoint.EndpointOptions;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.verbs.PathMtu;
import io.roce4j.transport.verbs.QueuePairType;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./roce4j pingpong}: the twin of libibverbs' pingpong examples. */
@Command(
    name = "pingpong",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Sends a message there and back, as ibv_rc_pingpong, ibv_uc_pingpong and ibv_ud_pingpong do.",
      "Without HOST it waits for a client, with HOST it is the client. The other side may be this",
      "tool or the Linux one of the same transport, with the same --size and --iters."
    },
    footer = {
      "",
      "On one host: './roce4j pingpong', and './roce4j pingpong 127.0.0.2' beside it.",
      "Exit codes: 0 good, 1 the peer or the data failed, 2 wrong usage, 3 the machine lacks",
      "something."
    })
public final class PingpongCommand implements Subcommand {
  private static final int MAX_SIZE = 1 << 30;
  private static final int MAX_RX_DEPTH = 65_536;
  private static final int DATAGRAM_SIZE = 1024;
  private static final int MESSAGE_SIZE = 4096;

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private EndpointOptions endpoint = new EndpointOptions();

  @Parameters(arity = "0..1", paramLabel = "HOST", description = "The server; none: be the server.")
  private String host;

  @Option(
      names = "--transport",
      paramLabel = "rc|uc|ud",
      defaultValue = "rc",
      description = "Queue pair type. Default: rc.")
  private String transport;

  @Option(
      names = {"-p", "--port"},
      paramLabel = "N",
      defaultValue = "18515",
      description = "TCP port of the handshake. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = {"-s", "--size"},
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Message size. Default: 4096, of ud 1024.")
  private Long size;

  @Option(
      names = {"-m", "--mtu"},
      paramLabel = "BYTES",
      defaultValue = "1024",
      description = "Path MTU: 256, 512, 1024, 2048 or 4096. Default: 1024.")
  private int mtu;

  @Option(
      names = {"-r", "--rx-depth"},
      paramLabel = "N",
      defaultValue = "500",
      description = "Receives kept posted. Default: ${DEFAULT-VALUE}.")
  private int rxDepth;

  @Option(
      names = {"-n", "--iters"},
      paramLabel = "N",
      defaultValue = "1000",
      description = "Messages each way. Default: ${DEFAULT-VALUE}.")
  private long iterations;

  @Option(
      names = {"-e", "--events"},
      description = "Wait for completion events instead of polling.")
  private boolean events;

  @Option(
      names = {"-c", "--chk"},
      description = "Compare every message received; give it to both sides.")
  private boolean checks;

  /** Used by picocli. */
  public PingpongCommand() {}

  @Override
  public Integer call() {
    PingpongPlan plan = plan();
    try (JsonReport json = common.openJson()) {
      PrintWriter text = common.text();
      PingpongRun run = new PingpongRun(plan, endpoint, new SeededStreams(common.seed()), text);
      PingpongReport report = new PingpongReport(plan, run.execute());
      report.print(text);
      text.flush();
      json.write(report.json(common.seed()));
    }
    return ExitCode.GOOD;
  }

  private PingpongPlan plan() {
    endpoint.check();
    int type = type();
    long bytes = size != null ? size : type == QueuePairType.UD ? DATAGRAM_SIZE : MESSAGE_SIZE;
    checkRange("--size", bytes, 1, MAX_SIZE);
    checkRange("--port", port, 1, 65_535);
    checkRange("--rx-depth", rxDepth, 1, MAX_RX_DEPTH);
    checkRange("--iters", iterations, 1, Long.MAX_VALUE / (2 * bytes));
    if (!PathMtu.isValid(mtu)) {
      throw ToolException.usage("--mtu " + mtu + ": allowed are 256, 512, 1024, 2048, 4096");
    }
    endpoint.checkCongestion(type, mtu);
    return new PingpongPlan(
        host, port, type, (int) bytes, mtu, rxDepth, iterations, events, checks);
  }

  private int type() {
    return switch (transport.toLowerCase(Locale.ROOT)) {
      case "rc" -> QueuePairType.RC;
      case "uc" -> QueuePairType.UC;
      case "ud" -> QueuePairType.UD;
      default -> throw ToolException.usage("--transport " + transport + ": allowed are rc, uc, ud");
    };
  }

  private static void checkRange(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw ToolException.usage(option + " " + value + ": allowed are " + least + " to " + most);
    }
  }
}
