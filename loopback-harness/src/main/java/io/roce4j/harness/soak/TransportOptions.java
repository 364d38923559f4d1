// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.multipath.MxSettings;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of {@code soak} about transports and their paths. */
final class TransportOptions {
  private static final List<String> RELIABLE = List.of("rc", "mx");
  private static final List<String> UNRELIABLE = List.of("uc", "ud");

  /** Most paths of an mx connection. */
  static final int MAX_PATHS = 255;

  @Option(
      names = "--transport",
      paramLabel = "NAME[,NAME]",
      split = ",",
      defaultValue = "rc,mx",
      description = "Transports, one after the other: rc, mx. Default: ${DEFAULT-VALUE}.")
  private List<String> names;

  @Option(
      names = "--paths",
      paramLabel = "N",
      defaultValue = "16",
      description = "Paths of an mx connection, 1 to 255. Default: ${DEFAULT-VALUE}.")
  private int paths;

  @Option(
      names = "--select",
      paramLabel = "NAME",
      defaultValue = "burst",
      description = "How mx chooses the path of a train. Default: ${DEFAULT-VALUE}.")
  private String selector;

  TransportOptions() {}

  /**
   * The transports to run, in their order.
   *
   * @return names of profiles
   * @throws ToolException when one of them is no reliable transport or is named twice
   */
  List<String> names() {
    for (String name : names) {
      if (UNRELIABLE.contains(name)) {
        throw ToolException.usage(
            "--transport "
                + name
                + ": soak expects every message to arrive, which it does not promise; use rc or"
                + " mx");
      }
      if (!RELIABLE.contains(name)) {
        throw ToolException.usage("--transport " + name + ": allowed are rc and mx");
      }
      if (names.indexOf(name) != names.lastIndexOf(name)) {
        throw ToolException.usage(
            "--transport " + String.join(",", names) + ": " + name + " twice");
      }
    }
    return names;
  }

  /**
   * The transports in words.
   *
   * @return for instance {@code rc and mx}
   */
  String text() {
    return String.join(" and ", names());
  }

  /**
   * Checks all options before anything is opened.
   *
   * @param trainPackets most packets in a train
   * @throws ToolException when one is out of range
   */
  void check(int trainPackets) {
    for (String name : names()) {
      settings(ConnectionSettings.defaults(), name, trainPackets);
    }
  }

  /**
   * Settings of connections over one of the transports.
   *
   * @param common what all transports share
   * @param name of the transport
   * @param trainPackets most packets in a train
   * @return the settings
   * @throws ToolException when an option is out of range
   */
  ConnectionSettings settings(ConnectionSettings common, String name, int trainPackets) {
    if (paths < 1 || paths > MAX_PATHS) {
      throw ToolException.usage("--paths " + paths + ": allowed are 1 to " + MAX_PATHS);
    }
    try {
      return common.withProfile(name, name.equals("mx") ? mx(paths, selector, trainPackets) : null);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--select " + selector + ": " + e.getMessage(), e);
    }
  }

  /** How mx connections of a soak are set up. */
  static MxSettings mx(int paths, String selector, int trainPackets) {
    return MxSettings.defaults()
        .withPaths(paths)
        .withTrainPackets(trainPackets)
        // The window is many trains long: more answers would only cost system calls.
        .withAckEvery(trainPackets)
        .withSelector(selector);
  }
}
