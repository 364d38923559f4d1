// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.device;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.transport.port.PortProvider;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Which port a tool is to look at; a picocli mixin. */
public final class PortOptions {
  @Option(
      names = "--io",
      paramLabel = "PORT",
      defaultValue = Ports.AUTO,
      description = "Kind of port: auto, nio, epoll, io_uring, linux, raw. Default: auto.")
  private String portName;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Address of the endpoint. Default: ${DEFAULT-VALUE}.")
  private String bind;

  @Option(
      names = "--udp-port",
      paramLabel = "N",
      defaultValue = "4791",
      description = "UDP port of the endpoint. Default: ${DEFAULT-VALUE}.")
  private int udpPort;

  /** Used by picocli. */
  public PortOptions() {}

  /**
   * The kind of port.
   *
   * @return a name that exists, or auto
   * @throws ToolException when there is none of the name
   */
  public String portName() {
    List<String> names = new ArrayList<>(List.of(Ports.AUTO));
    Ports.providers().stream().map(PortProvider::name).forEach(names::add);
    if (!names.contains(portName)) {
      throw ToolException.usage("--io " + portName + ": there are " + String.join(", ", names));
    }
    return portName;
  }

  /**
   * How it is to be opened.
   *
   * @return address and UDP port
   * @throws ToolException when one of them is none
   */
  public PortSettings settings() {
    try {
      return PortSettings.of(bind).withUdpPort(udpPort);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage(e.getMessage(), e);
    }
  }
}
