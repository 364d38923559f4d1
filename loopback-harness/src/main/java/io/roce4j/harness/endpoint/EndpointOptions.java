// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.endpoint;

import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.congestion.CongestionOptions;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.engine.IcrcMode;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.verbs.QueuePairType;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of a tool that has one endpoint and a peer somewhere else, for use as a picocli
 * mixin.
 */
public final class EndpointOptions {
  private static final int MAX_TRAIN = 64;
  private static final String NO_CONGESTION = "none";

  @Option(
      names = "--io",
      paramLabel = "PORT",
      defaultValue = "auto",
      description = "Kind of port: auto, nio, epoll, io_uring, linux, raw. Default: auto.")
  private String io;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description =
          "Local address for RoCE; it is the GID. Default: the one the TCP connection has.")
  private String bind;

  @Option(
      names = {"-d", "--ib-dev"},
      paramLabel = "INTERFACE",
      description = "Interface whose GIDs --gid-index counts. Default: the TCP connection's.")
  private String device;

  @Option(
      names = {"-x", "-g", "--gid-index", "--gid-idx"},
      paramLabel = "N",
      description =
          "Take the interface's GID N: link-local first, then IPv4, then other IPv6 ones.")
  private Integer gidIndex;

  @Option(
      names = "--udp-port",
      paramLabel = "N",
      defaultValue = "4791",
      description = "Local UDP port. Default: ${DEFAULT-VALUE}.")
  private int udpPort;

  @Option(
      names = "--peer-udp-port",
      paramLabel = "N",
      defaultValue = "4791",
      description = "The peer's UDP port. Default: ${DEFAULT-VALUE}.")
  private int peerUdpPort;

  @Option(
      names = "--train",
      paramLabel = "N",
      defaultValue = "16",
      description = "Most packets in one train, 1 to 64. Default: 16.")
  private int train;

  @Option(
      names = "--window",
      paramLabel = "N",
      defaultValue = "128",
      description =
          "Most request packets a connection has unacknowledged, 2 or more. Default: 128.")
  private int window;

  @Option(
      names = "--congestion",
      paramLabel = "NAME",
      defaultValue = "none",
      description = "Congestion controller, of RC. Default: none.")
  private String congestion;

  @Mixin private CongestionOptions congestionOptions = new CongestionOptions();

  @Option(
      names = "--icrc",
      paramLabel = "MODE",
      defaultValue = "solve",
      description = {
        "How strictly ICRCs are checked on ports that do not see the IPv4 header: strict,",
        "plausible, solve, off. Default: solve, as Linux numbers its packets from anywhere."
      })
  private IcrcMode icrc;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      defaultValue = "30s",
      description = "Give up when the peer shows no sign of life for so long. Default: 30s.")
  private long silenceNs;

  /** Used by picocli. */
  public EndpointOptions() {}

  /**
   * The longest silence of the peer.
   *
   * @return nanoseconds
   */
  public long silenceNs() {
    return silenceNs;
  }

  /**
   * The kind of port.
   *
   * @return its name, or auto
   */
  public String io() {
    return io;
  }

  /**
   * The congestion controller of the queue pairs.
   *
   * @return its name
   */
  public String congestion() {
    return congestion;
  }

  /**
   * Parameters of the congestion controller.
   *
   * @return those that were set, text by name
   */
  public Map<String, String> congestionParameters() {
    return congestionOptions.parameters();
  }

  /**
   * Whether a congestion controller may run without the signal it reacts to.
   *
   * @return true when asked for
   */
  public boolean isForced() {
    return congestionOptions.isForced();
  }

  /**
   * Where the peer's endpoint listens.
   *
   * @return UDP port
   */
  public int peerUdpPort() {
    return peerUdpPort;
  }

  /**
   * Checks what can be checked before anything is opened.
   *
   * @throws ToolException naming the option, the value and the limit
   */
  public void check() {
    checkRange("--udp-port", udpPort, 1, 65_535);
    checkRange("--peer-udp-port", peerUdpPort, 1, 65_535);
    checkRange("--train", train, 1, MAX_TRAIN);
    checkRange("--window", window, 2, 1 << 20);
    if (silenceNs <= 0) {
      throw ToolException.usage("--timeout " + silenceNs + " ns: must be above 0");
    }
    if (bind != null && (gidIndex != null || device != null)) {
      throw ToolException.usage("--bind and --gid-index or --ib-dev: give one of them");
    }
    if (device != null && gidIndex == null) {
      throw ToolException.usage("--ib-dev " + device + ": give --gid-index too");
    }
    if (bind != null) {
      settings(null);
    }
  }

  /**
   * Checks the congestion controller and its parameters.
   *
   * @param type of the queue pairs, see {@link QueuePairType}
   * @param mtuBytes path MTU of the queue pairs
   * @throws ToolException when there is no such controller, none for the type, or it does not take
   *     what was set
   */
  public void checkCongestion(int type, int mtuBytes) {
    if (!congestion.equals(NO_CONGESTION) && type != QueuePairType.RC) {
      throw ToolException.usage("--congestion is for RC: leave it out");
    }
    congestionOptions.check(congestion, EndpointSettings.defaults().linkBitsPerSecond(), mtuBytes);
  }

  /**
   * How the port is opened.
   *
   * @param tcpAddress the local address of the TCP connection to the peer
   * @return settings with the address chosen
   * @throws ToolException when an address or index is none of this host
   */
  public PortSettings settings(InetAddress tcpAddress) {
    try {
      PortSettings settings =
          bind != null ? PortSettings.of(bind) : PortSettings.of(chosenAddress(tcpAddress));
      return settings.withUdpPort(udpPort);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--bind: " + e.getMessage(), e);
    }
  }

  private InetAddress chosenAddress(InetAddress tcpAddress) {
    if (gidIndex == null) {
      return tcpAddress;
    }
    return GidTable.entry(
        device != null ? GidTable.ofInterface(device) : GidTable.ofAddress(tcpAddress), gidIndex);
  }

  /**
   * How the engines behave.
   *
   * @return settings
   */
  public EndpointSettings engine() {
    return EndpointSettings.defaults()
        .withTrainPackets(train)
        .withWindowPackets(window)
        .withIcrcMode(icrc);
  }

  /**
   * The ICRC mode in words.
   *
   * @return as on the command line
   */
  public String icrc() {
    return icrc.name().toLowerCase(Locale.ROOT);
  }

  private static void checkRange(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw ToolException.usage(option + " " + value + ": allowed are " + least + " to " + most);
    }
  }
}
