// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab;

import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.lab.run.Capture;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The file of {@code --pcap PORT[,PORT...]=FILE}; open during the runs. */
final class CaptureFile implements AutoCloseable {
  private final String option;
  private final Capture capture;

  private CaptureFile(String option, Capture capture) {
    this.option = option;
    this.capture = capture;
  }

  /** Opens the file of an option; without an option there is nothing to capture. */
  static CaptureFile open(String option, Topology topology) {
    if (option == null) {
      return new CaptureFile(null, null);
    }
    int equals = option.indexOf('=');
    if (equals < 1 || equals == option.length() - 1) {
      throw ToolException.usage("--pcap " + option + ": write PORT=FILE, such as h0>s0=out.pcapng");
    }
    List<String> ports = List.of(option.substring(0, equals).split(","));
    ports.forEach(port -> check(port, topology));
    Path file = Path.of(option.substring(equals + 1));
    try {
      OutputStream sink = new BufferedOutputStream(Files.newOutputStream(file));
      return new CaptureFile(option, new Capture(ports, sink));
    } catch (IOException e) {
      throw ToolException.usage(
          "--pcap " + file + ": cannot be written (" + IoReason.of(e) + "): name another file", e);
    }
  }

  private static void check(String port, Topology topology) {
    for (Topology.Link link : topology.links()) {
      String from = topology.nodeName(link.from());
      String to = topology.nodeName(link.to());
      if (port.equals(from + ">" + to) || port.equals(to + ">" + from)) {
        return;
      }
    }
    Topology.Link first = topology.links().get(0);
    throw ToolException.usage(
        "--pcap "
            + port
            + ": is not a port; they are named as "
            + topology.nodeName(first.from())
            + ">"
            + topology.nodeName(first.to()));
  }

  Capture capture() {
    return capture;
  }

  @Override
  public void close() {
    if (capture == null) {
      return;
    }
    try {
      capture.sink().close();
    } catch (IOException e) {
      throw ToolException.machine("--pcap " + option + ": write failed: " + IoReason.of(e), e);
    }
  }
}
