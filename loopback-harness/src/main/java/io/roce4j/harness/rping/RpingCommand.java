// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.ByteSize;
import io.roce4j.harness.cli.CommonOptions;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.StopSignal;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.wire.ip.Gid;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./roce4j rping}: librdmacm's rping, over our stack. */
@Command(
    name = "rping",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "The twin of librdmacm's rping, which may be the other side.",
      "A client connects through the connection manager and offers a text; the server READs it",
      "and WRITEs it back; the client compares."
    },
    footer = {
      "",
      "Exit codes: 0 good, 1 data or connection wrong, 2 wrong usage, 3 the machine lacks"
          + " something."
    })
public final class RpingCommand implements Subcommand {
  private static final int SIZE_MAX = 1 << 30;
  private static final int PORT_MAX = 65_535;

  @Mixin private CommonOptions common = new CommonOptions();

  @Option(
      names = {"-s", "--server"},
      description = "Listen.")
  private boolean server;

  @Option(
      names = {"-c", "--client"},
      description = "Connect to the address of -a.")
  private boolean client;

  @Option(
      names = {"-a", "--address"},
      paramLabel = "ADDRESS",
      description = "The server's address; for a server the local one to listen at.")
  private String address;

  @Option(
      names = {"-p", "--port"},
      paramLabel = "N",
      defaultValue = "7174",
      description = "Port of the connection manager. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = {"-C", "--count"},
      paramLabel = "N",
      defaultValue = "0",
      description = "Iterations of a client. Default: until it is stopped.")
  private int count;

  @Option(
      names = {"-S", "--size"},
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      defaultValue = "64",
      description = "Size of the text; the same on both sides. Default: ${DEFAULT-VALUE}.")
  private long size;

  @Option(
      names = {"-v", "--verbose"},
      description = "Show the text.")
  private boolean verbose;

  @Option(
      names = {"-V", "--validate"},
      description = "Compare what comes back (client).")
  private boolean verify;

  @Option(
      names = {"-P", "--persistent"},
      description = "Serve many clients, until stopped.")
  private boolean persistent;

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      defaultValue = "rc",
      description = "rc or mx; mx falls back to rc with a peer that does not offer it.")
  private String transport;

  @Option(
      names = "--io",
      paramLabel = "PORT",
      defaultValue = "auto",
      description = "Kind of port: auto, nio, epoll, io_uring, linux, raw. Default: auto.")
  private String io;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "Local address of a client. Default: the one that reaches the server.")
  private String bind;

  @Option(
      names = "--udp-port",
      paramLabel = "N",
      defaultValue = "4791",
      description = "Local UDP port. Default: ${DEFAULT-VALUE}.")
  private int udpPort;

  @Option(
      names = "--peer-udp-port",
      paramLabel = "N",
      description = "The peer's UDP port. Default: as --udp-port.")
  private Integer peerUdpPort;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      defaultValue = "30s",
      description = "A client gives up when nothing happens for so long. Default: 30s.")
  private long silenceNs;

  /** Used by picocli. */
  public RpingCommand() {}

  @Override
  public Integer call() {
    RpingPlan plan = plan();
    Gid peer = server ? null : LocalAddress.parse("-a", address);
    RpingRun.Network network =
        new RpingRun.Network(
            io,
            local(peer),
            udpPort,
            peerUdpPort == null ? udpPort : peerUdpPort,
            server ? 0 : silenceNs);
    try (JsonReport json = common.openJson();
        StopSignal stop = new StopSignal("rping")) {
      PrintWriter text = common.text();
      RpingRun.Outcome outcome =
          new RpingRun(plan, network, peer, common.seed(), text::println).execute(stop);
      text.println(line(plan, outcome));
      text.flush();
      json.write(form(plan, outcome));
      int exitCode = ExitCode.GOOD;
      if (outcome.fault() != null) {
        common.progress().println("roce4j rping: " + outcome.fault());
        exitCode = ExitCode.CHECK_FAILED;
      }
      stop.onReported(exitCode);
      return exitCode;
    }
  }

  private String local(Gid peer) {
    if (server) {
      return address;
    }
    return bind != null ? bind : LocalAddress.towards(peer);
  }

  private RpingPlan plan() {
    if (server == client) {
      throw ToolException.usage("give -s to serve or -c to connect");
    }
    if (address == null) {
      throw ToolException.usage(
          server
              ? "-a is missing: the local address to listen at"
              : "-a is missing: the address of the server");
    }
    checkRange("-p", port, 1, PORT_MAX);
    checkRange("-S", size, RpingText.SIZE_MIN, SIZE_MAX);
    checkRange("-C", count, 0, Integer.MAX_VALUE);
    checkRange("--udp-port", udpPort, 1, PORT_MAX);
    if (peerUdpPort != null) {
      checkRange("--peer-udp-port", peerUdpPort, 1, PORT_MAX);
    }
    if (!List.of("rc", "mx").contains(transport)) {
      throw ToolException.usage("--transport " + transport + ": allowed are rc and mx");
    }
    return new RpingPlan(server, port, (int) size, count, verify, verbose, persistent, transport);
  }

  private static void checkRange(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw ToolException.usage(option + " " + value + ": allowed are " + least + " to " + most);
    }
  }

  private String line(RpingPlan plan, RpingRun.Outcome outcome) {
    return String.format(
        Locale.ROOT,
        "rping: %s over %s, %d iterations of %d bytes%s in %s; port %s; seed %d",
        plan.server() ? "server" : "client",
        outcome.transport(),
        outcome.iterations(),
        plan.size(),
        plan.server() ? "" : plan.verify() ? ", verified," : ", not compared,",
        TimeSpan.format((double) outcome.durationNs()),
        outcome.portReason(),
        common.seed());
  }

  private ObjectNode form(RpingPlan plan, RpingRun.Outcome outcome) {
    ObjectNode form = JsonReport.mapper().createObjectNode();
    form.put("tool", "rping");
    form.put("version", VersionProvider.version());
    form.put("seed", common.seed());
    form.put("role", plan.server() ? "server" : "client");
    form.put("port", outcome.portName());
    form.put("transport", outcome.transport());
    form.put("sizeBytes", plan.size());
    form.put("iterations", outcome.iterations());
    form.put("verified", !plan.server() && plan.verify() && outcome.fault() == null);
    form.put("durationNs", outcome.durationNs());
    form.put("retransmissions", outcome.retransmissions());
    if (outcome.fault() == null) {
      form.putNull("fault");
    } else {
      form.put("fault", outcome.fault());
    }
    return form;
  }
}
