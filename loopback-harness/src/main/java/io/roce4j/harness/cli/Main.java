// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

/** The process entry of {@code ./roce4j}: runs one command and exits with its code. */
public final class Main {
  private Main() {}

  /**
   * Runs the command line and ends the process.
   *
   * @param arguments the words after {@code roce4j}
   */
  public static void main(String[] arguments) {
    System.exit(ToolProcess.run(arguments, Roce4jCommand.tools()));
  }
}
