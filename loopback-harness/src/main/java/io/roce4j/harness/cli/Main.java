// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** The process entry of {@code ./roce4j}: runs one command and exits with its code. */
public final class Main {
  private Main() {}

  /**
   * Runs the command line and ends the process.
   *
   * @param arguments the words after {@code roce4j}
   */
  public static void main(String[] arguments) {
    PrintWriter out = writer(System.out);
    PrintWriter err = writer(System.err);
    int exitCode = Roce4jCommand.commandLine(out, err).execute(arguments);
    out.flush();
    err.flush();
    System.exit(exitCode);
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
  }
}
