// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * One run of the command line as a process has it: two streams of bytes, an exit code, and what
 * befalls the process itself - output that nobody takes, a JVM without memory - told in one line.
 */
public final class ToolProcess {
  private ToolProcess() {}

  /**
   * Runs a command line on the standard streams of this process.
   *
   * @param arguments the words after {@code roce4j}
   * @param tools the subcommands
   * @return the exit code
   */
  public static int run(String[] arguments, Subcommand... tools) {
    return run(
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        arguments,
        tools);
  }

  static int run(
      OutputStream standardOut, OutputStream standardErr, String[] arguments, Subcommand... tools) {
    PrintWriter out = writer(new CheckedOutput(standardOut));
    PrintWriter err = writer(standardErr);
    int exitCode;
    try {
      exitCode = Roce4jCommand.commandLine(out, err, tools).execute(arguments);
      out.flush();
    } catch (ToolException e) {
      // By what was still to be written when the tool had ended.
      err.println("roce4j: " + e.getMessage());
      exitCode = e.exitCode();
    } catch (OutOfMemoryError e) {
      err.println(
          "roce4j: out of memory ("
              + e.getMessage()
              + "): raise the limit, as in ROCE4J_JVM_OPTIONS=-Xmx4g for the heap or"
              + " ROCE4J_JVM_OPTIONS=-XX:MaxDirectMemorySize=4g for memory off heap");
      exitCode = ExitCode.MACHINE;
    }
    err.flush();
    return exitCode;
  }

  private static PrintWriter writer(OutputStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
  }
}
