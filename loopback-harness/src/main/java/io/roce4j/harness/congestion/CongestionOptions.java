// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.congestion;

import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.harness.cli.ToolException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of every tool that has {@code --congestion}. */
public final class CongestionOptions {
  private static final long RTT_NS = 1_000;

  @Option(
      names = "--congestion-set",
      paramLabel = "NAME=VALUE",
      split = ",",
      description =
          "Parameters of the congestion controller, separated by commas: for instance"
              + " g=1/256,Rai=40Mbit. docs/CONGESTION.md lists them.")
  private Map<String, String> parameters = new LinkedHashMap<>();

  @Option(
      names = "--force",
      description =
          "Run a congestion controller although the signal it reacts to cannot be seen there.")
  private boolean force;

  /** Used by picocli. */
  public CongestionOptions() {}

  /**
   * What was set.
   *
   * @return text by name; empty when all parameters are left at their defaults
   */
  public Map<String, String> parameters() {
    return parameters;
  }

  /**
   * Whether controllers that see nothing may run.
   *
   * @return true when asked for
   */
  public boolean isForced() {
    return force;
  }

  /**
   * Checks that a controller exists and takes what was set.
   *
   * @param controller registry name
   * @param linkBitsPerSecond the sender's link; limits of rates depend on it
   * @param mtuBytes payload bytes of a full packet
   * @throws ToolException naming the option, the value and what is allowed
   */
  public void check(String controller, long linkBitsPerSecond, int mtuBytes) {
    check(controller, parameters, linkBitsPerSecond, mtuBytes);
  }

  /**
   * Checks that a controller exists and takes parameters, whoever gave them.
   *
   * @param controller registry name
   * @param parameters text by name
   * @param linkBitsPerSecond the sender's link; limits of rates depend on it
   * @param mtuBytes payload bytes of a full packet
   * @throws ToolException naming the option, the value and what is allowed
   */
  public static void check(
      String controller, Map<String, String> parameters, long linkBitsPerSecond, int mtuBytes) {
    try {
      CongestionControllers.provider(controller);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--congestion " + controller + ": " + e.getMessage(), e);
    }
    try {
      CongestionControllers.check(
          controller,
          CongestionSettings.of(linkBitsPerSecond, mtuBytes, RTT_NS).withAll(parameters));
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--congestion-set: " + e.getMessage(), e);
    }
  }
}
