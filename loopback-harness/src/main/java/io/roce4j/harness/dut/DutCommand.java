// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.ToolException;
import java.io.IOException;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ./roce4j dut}: an endpoint as a device under test, driven by JSON Lines. */
@Command(
    name = "dut",
    mixinStandardHelpOptions = true,
    description = {
      "An endpoint as a device under test: verbs as JSON Lines on standard input, answers on",
      "standard output, one object a line. With port control packets travel in the conversation",
      "itself, and with clock manual time moves only when told: no socket, no root, no sleep.",
      "docs/DUT.md is the manual."
    })
public final class DutCommand implements Subcommand {
  @Spec private CommandSpec spec;

  /** Used by picocli. */
  public DutCommand() {}

  @Override
  public Integer call() {
    PrintStream answers = System.out;
    // Whatever else prints must not end up between the answers.
    System.setOut(System.err);
    try {
      new DutServer(System.in, answers, spec.commandLine().getErr()).serve();
    } catch (IOException e) {
      throw ToolException.machine("answers cannot be written: " + e.getMessage(), e);
    } finally {
      System.setOut(answers);
    }
    return ExitCode.GOOD;
  }
}
