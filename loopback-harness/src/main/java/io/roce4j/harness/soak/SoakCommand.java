// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.ByteSize;
import io.roce4j.harness.cli.CommonOptions;
import io.roce4j.harness.cli.Fraction;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.harness.workload.SizeMix;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.verbs.PathMtu;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./roce4j soak}: verified RDMA over real UDP, without and with a lossy link. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Verified RDMA over real UDP, without and with a lossy link.",
      "Moves data between two endpoints of this process: first as the machine is, then",
      "through loss, reordering, duplication and corruption. Every byte that arrives is compared,",
      "every work request must complete exactly once, every impairment must prove itself."
    },
    footer = {
      "",
      "Exit codes: 0 good, 1 data or completions wrong, 2 wrong usage, 3 the machine lacks",
      "something, 4 INVALID: an impairment did not act as configured.",
      "",
      "Wireshark and tshark guess protocols inside the payload, which here is random: where they",
      "say \"malformed\" above InfiniBand, use --disable-heuristic rpcrdma_infiniband and",
      "--disable-heuristic eth_over_ib."
    })
public final class SoakCommand implements Subcommand {
  private static final int MAX_MESSAGE_BYTES = 64 << 20;
  private static final int DEPTH = 16;
  private static final int DEPTH_OF_ALL = 128;
  private static final int WINDOW = 64;
  private static final int WINDOW_OF_ALL = 256;
  private static final int MX_WINDOW = 256;
  private static final int MX_WINDOW_OF_ALL = 512;
  private static final int TIMEOUT_CODE = 8;
  private static final int RETRIES = 7;
  // Nothing paces READ responses: these times the size must fit a socket buffer.
  private static final int READS_IN_FLIGHT = 4;
  private static final long WARM_UP_NS = 1_500_000_000;
  private static final int MAX_TRAIN = 64;
  private static final int MAX_QUEUE_PAIRS = 1024;
  private static final int MAX_WINDOW = 1 << 20;

  @Mixin private CommonOptions common = new CommonOptions();

  @Mixin private TransportOptions transports = new TransportOptions();

  @Option(
      names = "--io",
      paramLabel = "PORT",
      defaultValue = "auto",
      description = "Kind of port: auto, nio, epoll, io_uring, linux, raw. Default: auto.")
  private String portName;

  @Option(
      names = "--bind",
      paramLabel = "A,B",
      split = ",",
      defaultValue = "127.0.0.1,127.0.0.2",
      description = "Addresses of the two endpoints. Default: ${DEFAULT-VALUE}.")
  private List<String> bind;

  @Option(
      names = "--udp-port",
      paramLabel = "N",
      defaultValue = "4791",
      description =
          "UDP port; the second endpoint takes the next one when both have one address."
              + " Default: ${DEFAULT-VALUE}.")
  private int udpPort;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      defaultValue = "5s",
      description = "Time counted of each run, after 1.5 s of warm-up. Default: 5s.")
  private long durationNs;

  @Option(
      names = "--size",
      paramLabel = "SIZE[-SIZE]",
      defaultValue = "1-1MiB",
      description = "Message size, or a range drawn log-uniformly. Default: 1-1MiB.")
  private String size;

  @Option(
      names = "--qps",
      paramLabel = "N",
      defaultValue = "1",
      description = "Connections, each loaded both ways. Default: 1.")
  private int queuePairs;

  @Option(
      names = "--mtu",
      paramLabel = "BYTES",
      defaultValue = "4096",
      description = "Path MTU: 256, 512, 1024, 2048 or 4096. Default: 4096.")
  private int mtu;

  @Option(
      names = "--train",
      paramLabel = "N",
      defaultValue = "16",
      description = "Most packets in one train, 1 to 64. Default: 16.")
  private int train;

  @Option(
      names = "--window",
      paramLabel = "N",
      description =
          "Most request packets unacknowledged on a connection: go-back-N sends all of them again"
              + " after a loss. Default: 256 over the connections, at most 64 and at least 2;"
              + " for mx twice that, at most 256.")
  private Integer window;

  @Option(
      names = "--congestion",
      paramLabel = "NAME",
      defaultValue = "none",
      description = "Congestion controller. Default: none.")
  private String congestion;

  @Option(
      names = "--loss",
      paramLabel = "P",
      converter = Fraction.Converter.class,
      defaultValue = "1%",
      description = "Packets lost in the second run, 1%% or 0.01. Default: 1%%.")
  private double loss;

  @Option(
      names = "--reorder",
      paramLabel = "P",
      converter = Fraction.Converter.class,
      defaultValue = "1%",
      description = "Packets overtaken by up to three later ones. Default: 1%%.")
  private double reorder;

  @Option(
      names = "--duplicate",
      paramLabel = "P",
      converter = Fraction.Converter.class,
      defaultValue = "1%",
      description = "Packets sent twice. Default: 1%%.")
  private double duplicate;

  @Option(
      names = "--corrupt",
      paramLabel = "P",
      converter = Fraction.Converter.class,
      defaultValue = "0.5%",
      description = "Packets with a flipped bit, which only the ICRC can tell. Default: 0.5%%.")
  private double corrupt;

  @Option(
      names = "--delay",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      defaultValue = "0us",
      description = "Added to every packet of the second run. Default: none.")
  private long delayNs;

  @Option(
      names = "--pcap",
      paramLabel = "FILE",
      description = "Capture every packet that leaves a port, impairments included.")
  private Path pcap;

  @Option(
      names = "--pcap-limit",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      defaultValue = "256MiB",
      description = "Stop the capture at this size. Default: 256MiB.")
  private long pcapLimit;

  /** Used by picocli. */
  public SoakCommand() {}

  @Override
  public Integer call() {
    SoakPlan plan = plan();
    List<SoakPlan> plans = new ArrayList<>();
    for (String name : transports.names()) {
      plans.add(over(plan, transports.settings(plan.connection(), name, train)));
    }
    try (StopSignal stop = new StopSignal()) {
      // All files are complete before the signal may end the process.
      int exitCode = soak(plans, impairment(), stop);
      stop.onReported(exitCode);
      return exitCode;
    }
  }

  private SoakPlan over(SoakPlan plan, ConnectionSettings settings) {
    boolean own = window == null && settings.profile().equals("mx");
    int packets = Math.clamp(MX_WINDOW_OF_ALL / queuePairs, 2, MX_WINDOW);
    return plan.over(settings, own ? packets : plan.windowPackets());
  }

  /** After a finding or a signal further runs prove nothing. */
  private static boolean isOver(SoakResult last, StopSignal stop) {
    return last.findings().count() > 0 || stop.isStopped();
  }

  private int soak(List<SoakPlan> plans, Impairment impairment, StopSignal stop) {
    SoakPlan plan = plans.getFirst();
    List<SoakResult> results = new ArrayList<>();
    try (JsonReport json = common.openJson();
        CaptureTap tap = pcap == null ? null : new CaptureTap(pcap, pcapLimit)) {
      PrintWriter text = common.text();
      text.println(
          "soak: "
              + String.join(" and ", transports.names())
              + " between "
              + plan.first().bindAddress().getHostAddress()
              + " and "
              + plan.second().bindAddress().getHostAddress()
              + ", UDP "
              + udpPort
              + ", message bytes "
              + plan.load().sizes()
              + ", seed "
              + plan.seed());
      SoakProgress progress = new SoakProgress(common.progress());
      for (SoakPlan run : plans) {
        if (!results.isEmpty() && isOver(results.getLast(), stop)) {
          break;
        }
        results.add(new SoakRun(run, Impairment.none(), progress, stop, tap).execute());
        if (results.size() == 1) {
          text.println("port " + results.getFirst().portReason());
        }
        if (!impairment.isNone() && !isOver(results.getLast(), stop)) {
          results.add(new SoakRun(run, impairment, progress, stop, tap).execute());
        }
      }
      SoakReport report = new SoakReport(plan, results);
      report.print(text);
      if (tap != null) {
        text.println("capture: " + tap.summary());
      }
      text.flush();
      json.write(report.json());
      return report.exitCode();
    }
  }

  private Impairment impairment() {
    return Impairment.none()
        .withLoss(loss)
        .withReorder(reorder)
        .withDuplicate(duplicate)
        .withCorrupt(corrupt)
        .withDelayNs(delayNs);
  }

  private SoakPlan plan() {
    checkRange("--qps", queuePairs, 1, MAX_QUEUE_PAIRS);
    checkRange("--train", train, 1, MAX_TRAIN);
    if (window != null) {
      checkRange("--window", window, 2, MAX_WINDOW);
    }
    if (!PathMtu.isValid(mtu)) {
      throw ToolException.usage("--mtu " + mtu + ": allowed are 256, 512, 1024, 2048, 4096");
    }
    if (durationNs <= 0) {
      throw ToolException.usage("--duration " + durationNs + " ns: must be above 0");
    }
    if (bind.size() != 2) {
      throw ToolException.usage(
          "--bind " + String.join(",", bind) + ": give two addresses, separated by a comma");
    }
    boolean oneAddress = bind.get(0).equals(bind.get(1));
    ConnectionSettings connection =
        ConnectionSettings.defaults()
            .withPathMtu(mtu)
            .withReads(READS_IN_FLIGHT)
            .withTimeout(timeoutCode(queuePairs), RETRIES)
            .withCongestion(congestion);
    try {
      PortSettings first = PortSettings.of(bind.get(0)).withUdpPort(udpPort);
      PortSettings second =
          PortSettings.of(bind.get(1)).withUdpPort(oneAddress ? udpPort + 1 : udpPort);
      if (oneAddress) {
        // Two pools on one address: each its own source ports.
        second =
            second.withSourcePorts(
                PortSettings.DEFAULT_POOL_BASE + PortSettings.DEFAULT_POOL_SIZE,
                PortSettings.DEFAULT_POOL_SIZE);
      }
      return new SoakPlan(
          common.seed(),
          portName,
          first,
          second,
          connection,
          FlowSettings.mixed(sizes(), Math.clamp(DEPTH_OF_ALL / queuePairs, 2, DEPTH)),
          queuePairs,
          train,
          window != null ? window : Math.clamp(WINDOW_OF_ALL / queuePairs, 2, WINDOW),
          WARM_UP_NS,
          durationNs);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage(e.getMessage(), e);
    }
  }

  /**
   * All connections share one thread and one socket: with more of them an answer comes later, and a
   * timeout that does not grow with their number only adds to the load.
   */
  static int timeoutCode(int queuePairs) {
    return TIMEOUT_CODE + Integer.SIZE - Integer.numberOfLeadingZeros((queuePairs - 1) / 4);
  }

  private SizeMix sizes() {
    int dash = size.indexOf('-');
    String least = dash < 0 ? size : size.substring(0, dash);
    String most = dash < 0 ? size : size.substring(dash + 1);
    long low = ByteSize.parse(least);
    long high = ByteSize.parse(most);
    if (low < 0 || high > MAX_MESSAGE_BYTES) {
      throw ToolException.usage("--size " + size + ": allowed are 0 to 64MiB");
    }
    return SizeMix.between((int) low, (int) high);
  }

  private static void checkRange(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw ToolException.usage(option + " " + value + ": allowed are " + least + " to " + most);
    }
  }
}
