// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.oob.ClientListener;
import io.roce4j.harness.oob.PeerException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./roce4j dut}: an endpoint as a device under test, driven by JSON Lines. */
@Command(
    name = "dut",
    mixinStandardHelpOptions = true,
    description = {
      "An endpoint as a device under test: verbs as JSON Lines on standard input,",
      "answers on standard output, one object a line. With port control packets",
      "travel in the conversation itself, and with clock manual time moves only when",
      "told: no socket, no root, no sleep. docs/DUT.md is the manual."
    })
public final class DutCommand implements Subcommand {
  @Spec private CommandSpec spec;

  @Option(
      names = "--control",
      paramLabel = "ADDR:PORT",
      converter = ControlAddress.Converter.class,
      description =
          "Serve clients on this TCP port instead, one at a time; on the loopback address"
              + " when ADDR is left out.")
  private ControlAddress control;

  @Option(
      names = "--pcap",
      paramLabel = "FILE",
      description = "Capture the packets of every endpoint, both ways, for Wireshark and decode.")
  private Path pcap;

  /** Used by picocli. */
  public DutCommand() {}

  @Override
  public Integer call() {
    PrintStream answers = System.out;
    // Whatever else prints must not end up between the answers.
    System.setOut(System.err);
    PrintWriter log = spec.commandLine().getErr();
    try (DutCapture capture = pcap == null ? null : new DutCapture(pcap, log)) {
      if (control == null) {
        new DutServer(System.in, answers, log, capture).serve();
      } else {
        listen(log, capture);
      }
    } catch (IOException e) {
      throw ToolException.machine("the conversation broke off: " + e.getMessage(), e);
    } finally {
      System.setOut(answers);
    }
    return ExitCode.GOOD;
  }

  private void listen(PrintWriter log, DutCapture capture) throws IOException {
    try (ClientListener listener = ClientListener.open(control.address(), control.port())) {
      log.println("dut: listening on " + listener.address() + " TCP port " + listener.port());
      new DutListener(listener, log, capture).serve();
    } catch (PeerException e) {
      throw ToolException.machine("--control: " + e.getMessage(), e);
    }
  }
}
