// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import io.roce4j.harness.cli.Fraction;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.ToolException;
import picocli.CommandLine.Option;

/** The options of a lab in real time. */
public final class RealTimeOptions {
  private static final int MAX_SLOWER = 1_000_000;
  private static final int LAST_PORT = 65_534;

  @Option(
      names = "--real-time",
      description =
          "Run by the clock of this machine, with the emulator between endpoints on UDP sockets of"
              + " 127.46.0.0/16: one run after the other. Claims are about virtual time and are not"
              + " judged. Exit code 4 when the emulator was late.")
  private boolean isOn;

  @Option(
      names = "--io",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "With --real-time: the kind of port, such as linux or nio. Default: the best there is.")
  private String io;

  @Option(
      names = "--udp-port",
      paramLabel = "N",
      defaultValue = "27910",
      description =
          "With --real-time: where endpoints listen; the emulator listens on the next one."
              + " Default: ${DEFAULT-VALUE}.")
  private int udpPort;

  @Option(
      names = "--slower",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "With --real-time: let all time pass N times slower, so that rates are N times lower."
              + " Default: ${DEFAULT-VALUE}.")
  private int slower;

  @Option(
      names = "--late-after",
      paramLabel = "TIME",
      converter = TimeSpan.Converter.class,
      description =
          "With --real-time: a packet is late when the emulator handed it on by more than this too"
              + " late. Default: half the base round trip, but 50us or more.")
  private Long lateAfterNs;

  @Option(
      names = "--late-share",
      paramLabel = "SHARE",
      converter = Fraction.Converter.class,
      defaultValue = "1%",
      description =
          "With --real-time: the share of packets that may be late. Default: ${DEFAULT-VALUE}.")
  private double lateShare;

  /** Used by picocli. */
  public RealTimeOptions() {}

  /**
   * Whether the lab is to run in real time.
   *
   * @return true for {@code --real-time}
   */
  public boolean isOn() {
    return isOn;
  }

  /**
   * The options as a value.
   *
   * @return checked
   * @throws ToolException when a value is out of range
   */
  public RealTimeSettings settings() {
    check("--udp-port", udpPort, LAST_PORT);
    check("--slower", slower, MAX_SLOWER);
    if (lateAfterNs != null && lateAfterNs < 1) {
      throw ToolException.usage("--late-after must be 1ns or more");
    }
    return new RealTimeSettings(
        io, udpPort, slower, lateAfterNs == null ? 0 : lateAfterNs, lateShare);
  }

  private static void check(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw ToolException.usage(option + " " + value + ": must be 1 to " + most);
    }
  }
}
