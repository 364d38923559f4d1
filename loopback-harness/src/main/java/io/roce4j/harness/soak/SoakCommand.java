// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.ByteSize;
import io.roce4j.harness.cli.CommonOptions;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.Fraction;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.StopSignal;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.congestion.CongestionOptions;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.transport.engine.AckTimeout;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.verbs.PathMtu;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./roce4j soak}: verified RDMA over real UDP, without and with a lossy link. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Verified RDMA over real UDP, without and with a lossy link.",
      "Moves data between two endpoints, of this process or (--listen, --peer) of two: first as",
      "the machine is, then through loss, reordering, duplication and corruption. Every byte that",
      "arrives is compared, every work request must complete exactly once, every impairment must",
      "prove itself."
    },
    footer = {
      "",
      "Exit codes: 0 good, 1 data or completions wrong, 2 wrong usage, 3 the machine lacks",
      "something, 4 INVALID: an impairment did not act as configured, or nothing was measured."
    })
public final class SoakCommand implements Subcommand {
  private static final int DEPTH = 16;
  private static final int DEPTH_OF_ALL = 128;
  private static final int WINDOW = 64;
  private static final int WINDOW_OF_ALL = 256;
  private static final int MX_WINDOW = 256;
  private static final int MX_WINDOW_OF_ALL = 512;
  private static final int TIMEOUT_CODE = 8;
  private static final int RETRIES = 7;
  // Of all connections together. Nothing paces READ responses: these times the size must fit a
  // socket buffer, and what else is asked for waits behind them.
  private static final int READS_IN_FLIGHT = 4;
  private static final List<String> LOOPBACK = List.of("127.0.0.1", "127.0.0.2");
  // Between two processes an answer also waits for the other one to get its turn of a processor.
  private static final int PEER_TIMEOUT_STEPS = 5;

  // With --listen the peer decides everything else.
  private static final Set<String> OF_LISTENER =
      Set.of("--listen", "--io", "--bind", "--udp-port", "--json", "--pcap", "--pcap-limit");

  @Spec private CommandSpec spec;

  @Mixin private CommonOptions common = new CommonOptions();

  @Mixin private TransportOptions transports = new TransportOptions();

  @Mixin private PeerOptions peers = new PeerOptions();

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
      description =
          "Addresses of the two endpoints; of this one with --listen or --peer. Default:"
              + " 127.0.0.1,127.0.0.2; or as the connection to the peer has it.")
  private List<String> bind = List.of();

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
      description = "Time counted of each run. Default: 5s.")
  private long durationNs;

  @Option(
      names = "--warm-up",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      defaultValue = "1500ms",
      description = "Time before counting starts. Default: 1500ms.")
  private long warmUpNs;

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
      description =
          "Path MTU: 256, 512, 1024, 2048 or 4096. Default: 4096; with --peer the largest that"
              + " passes.")
  private Integer mtu;

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

  @Mixin private CongestionOptions congestionOptions = new CongestionOptions();

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
      description = "Added to every packet of the second run, 50us to 100ms. Default: none.")
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
    checkOptions();
    List<SoakPlan> plans = peers.isUsed() ? null : localPlans();
    try (StopSignal stop = new StopSignal("soak")) {
      // All files are complete before the signal may end the process.
      int exitCode = soak(plans, stop);
      stop.onReported(exitCode);
      return exitCode;
    }
  }

  private int soak(List<SoakPlan> plans, StopSignal stop) {
    common.checkApartFromJson("--pcap", pcap);
    try (JsonReport json = common.openJson();
        CaptureTap tap = pcap == null ? null : new CaptureTap(pcap, pcapLimit)) {
      PrintWriter text = common.text();
      SoakReport report = plans == null ? peerSoak(stop, tap) : localSoak(plans, stop, tap);
      if (report == null) {
        text.println(
            "ended before a "
                + (peers.isListening() ? "peer came that ran" : "run with the peer began"));
        text.flush();
        return ExitCode.GOOD;
      }
      report.print(text);
      if (tap != null) {
        tap.finish();
        text.println("capture: " + tap.summary());
      }
      text.flush();
      json.write(report.json());
      if (report.exitCode() == ExitCode.GOOD && tap != null && tap.hasFailed()) {
        throw ToolException.machine("the run was good, but not its capture: " + tap.summary());
      }
      return report.exitCode();
    }
  }

  /** After a finding or a signal further runs prove nothing. */
  private static boolean isOver(SoakResult last, StopSignal stop) {
    return last.findings().count() > 0 || stop.isStopped();
  }

  private SoakReport localSoak(List<SoakPlan> plans, StopSignal stop, CaptureTap tap) {
    PrintWriter text = common.text();
    SoakProgress progress = new SoakProgress(common.progress());
    progress.announce(() -> text.println(plans.getFirst().title(transports.text())));
    List<SoakResult> results = new ArrayList<>();
    for (SoakPlan run : plans) {
      if (!results.isEmpty() && isOver(results.getLast(), stop)) {
        break;
      }
      results.add(new SoakRun(run, Impairment.none(), progress, stop, tap).execute());
      if (results.size() == 1) {
        text.println("port " + results.getFirst().portReason());
      }
      if (!impairment().isNone() && !isOver(results.getLast(), stop)) {
        results.add(new SoakRun(run, impairment(), progress, stop, tap).execute());
      }
    }
    return new SoakReport(plans.getFirst(), results);
  }

  private SoakReport peerSoak(StopSignal stop, CaptureTap tap) {
    InetAddress own = bind.isEmpty() ? null : portSettings(bind.getFirst()).bindAddress();
    PeerSession session =
        new PeerSession(portName, own, udpPort, common.text(), common.progress(), stop, tap);
    if (peers.isListening()) {
      return session.follow();
    }
    return session.lead(
        peers,
        transports.text(),
        mtu == null ? 0 : mtu,
        impairment(),
        (here, there, pathMtu) ->
            plans(here, there, pathMtu, timeoutCode(queuePairs) + PEER_TIMEOUT_STEPS));
  }

  private Impairment impairment() {
    return Impairment.none()
        .withLoss(loss)
        .withReorder(reorder)
        .withDuplicate(duplicate)
        .withCorrupt(corrupt)
        .withDelayNs(delayNs);
  }

  private void checkOptions() {
    checkRange("--qps", queuePairs, 1, SoakLimits.MAX_QUEUE_PAIRS);
    checkRange("--train", train, 1, SoakLimits.MAX_TRAIN);
    checkRange("--udp-port", udpPort, 1, 65535);
    if (window != null) {
      checkRange("--window", window, 2, SoakLimits.MAX_WINDOW);
    }
    if (mtu != null && !PathMtu.isValid(mtu)) {
      throw ToolException.usage("--mtu " + mtu + ": allowed are 256, 512, 1024, 2048, 4096");
    }
    if (durationNs <= 0) {
      throw ToolException.usage("--duration " + durationNs + " ns: must be above 0");
    }
    if (delayNs != 0 && (delayNs < SoakLimits.MIN_DELAY_NS || delayNs > SoakLimits.MAX_DELAY_NS)) {
      throw ToolException.usage(
          "--delay "
              + TimeSpan.format((double) delayNs)
              + ": allowed are 0 and 50us to 100ms: a shorter one is less than threads are late, a"
              + " longer one leaves a run too few round trips");
    }
    if (pcapLimit < SoakLimits.MIN_CAPTURE_BYTES) {
      throw ToolException.usage(
          "--pcap-limit "
              + ByteSize.format(pcapLimit)
              + ": takes no packet; allowed is "
              + ByteSize.format(SoakLimits.MIN_CAPTURE_BYTES)
              + " or more");
    }
    checkName("--io", portName);
    checkName("--congestion", congestion);
    congestionOptions.check(
        congestion,
        EndpointSettings.defaults().linkBitsPerSecond(),
        mtu == null ? PathMtu.MAX_BYTES : mtu);
    String tooMuch = PeerPlan.excess(load(), queuePairs);
    if (tooMuch != null) {
      throw ToolException.usage(
          "--qps "
              + queuePairs
              + " with --size "
              + size
              + ": "
              + tooMuch
              + "; ask for fewer or smaller");
    }
    checkPeers();
    transports.check(train);
  }

  private static void checkName(String option, String value) {
    if (value.isBlank()) {
      throw ToolException.usage(option + " is empty: give a name, or leave the option out");
    }
  }

  private void checkPeers() {
    peers.check();
    if (peers.isUsed() && bind.size() > 1) {
      throw ToolException.usage(
          "--bind "
              + String.join(",", bind)
              + ": with --listen or --peer give the one address of this side");
    }
    if (peers.isListening()) {
      for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
        if (!OF_LISTENER.contains(option.longestName())) {
          throw ToolException.usage(
              option.longestName()
                  + " with --listen: give it to the side with --peer, which decides");
        }
      }
    }
  }

  private FlowSettings load() {
    return FlowSettings.mixed(
        SizeRange.parse(size), Math.clamp(DEPTH_OF_ALL / queuePairs, 2, DEPTH));
  }

  private PortSettings portSettings(String address) {
    try {
      return PortSettings.of(address).withUdpPort(udpPort);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--bind " + String.join(",", bind) + ": " + e.getMessage(), e);
    }
  }

  private List<SoakPlan> localPlans() {
    List<String> addresses = bind.isEmpty() ? LOOPBACK : bind;
    if (addresses.size() != 2) {
      throw ToolException.usage(
          "--bind " + String.join(",", bind) + ": give two addresses, separated by a comma");
    }
    PortSettings first = portSettings(addresses.get(0));
    PortSettings second = portSettings(addresses.get(1));
    if (first.bindAddress().equals(second.bindAddress())) {
      if (udpPort == 65535) {
        throw ToolException.usage(
            "--udp-port 65535: both endpoints have the address "
                + first.bindAddress().getHostAddress()
                + ", so the second takes the next port, and there is none; give 65534 or less, or"
                + " two addresses");
      }
      // Two pools on one address: each its own source ports.
      second =
          second
              .withUdpPort(udpPort + 1)
              .withSourcePorts(
                  PortSettings.DEFAULT_POOL_BASE + PortSettings.DEFAULT_POOL_SIZE,
                  PortSettings.DEFAULT_POOL_SIZE);
    }
    return plans(first, second, mtu == null ? PathMtu.MAX_BYTES : mtu, timeoutCode(queuePairs));
  }

  /** One plan for each transport. */
  private List<SoakPlan> plans(
      PortSettings first, PortSettings second, int pathMtu, int timeoutCode) {
    ConnectionSettings connection =
        ConnectionSettings.defaults()
            .withPathMtu(pathMtu)
            .withReads(Math.max(1, READS_IN_FLIGHT / queuePairs))
            .withTimeout(timeoutCode(timeoutCode, delayNs), RETRIES)
            .withCongestion(congestion, congestionOptions.parameters());
    List<SoakPlan> plans = new ArrayList<>();
    for (String name : transports.names()) {
      ConnectionSettings settings = transports.settings(connection, name, train);
      plans.add(
          new SoakPlan(
              common.seed(),
              portName,
              first,
              second,
              settings,
              congestionOptions.isForced(),
              load(),
              queuePairs,
              train,
              windowOf(settings),
              warmUpNs,
              durationNs));
    }
    return plans;
  }

  private int windowOf(ConnectionSettings settings) {
    if (window != null) {
      return window;
    }
    return settings.profile().equals("mx")
        ? Math.clamp(MX_WINDOW_OF_ALL / queuePairs, 2, MX_WINDOW)
        : Math.clamp(WINDOW_OF_ALL / queuePairs, 2, WINDOW);
  }

  /**
   * All connections share one thread and one socket: an answer waits for the windows and the READ
   * responses of the others, and a timeout that does not grow with their number only adds to the
   * load. Twice as long for twice as many, and twice more since each of them recovers for itself.
   */
  static int timeoutCode(int queuePairs) {
    int doublings = Integer.SIZE - Integer.numberOfLeadingZeros(queuePairs - 1);
    return TIMEOUT_CODE + (queuePairs > 1 ? doublings + 1 : 0);
  }

  /**
   * An answer is late by the delay there and the delay back. It may take twice that: after a loss
   * the answer to what is sent again queues behind a window that is on its way.
   *
   * @param code enough without a delay
   * @param delayNs each way
   * @return the same for none
   */
  static int timeoutCode(int code, long delayNs) {
    int longer = code;
    while (AckTimeout.timeoutNs(longer) < AckTimeout.timeoutNs(code) + 4 * delayNs) {
      longer++;
    }
    return longer;
  }

  private static void checkRange(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw ToolException.usage(option + " " + value + ": allowed are " + least + " to " + most);
    }
  }
}
