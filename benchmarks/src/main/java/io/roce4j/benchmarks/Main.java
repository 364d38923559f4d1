// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import io.roce4j.harness.cli.Roce4jCommand;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;

/** The process entry of {@code ./roce4j bench}. */
public final class Main {
  private Main() {}

  /**
   * Runs the benchmarks and ends the process; {@code --jmh} first hands the rest to JMH's own
   * command line.
   *
   * @param arguments the words after {@code bench}
   * @throws IOException as JMH's command line
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length > 0 && arguments[0].equals("--jmh")) {
      org.openjdk.jmh.Main.main(Arrays.copyOfRange(arguments, 1, arguments.length));
      return;
    }
    PrintWriter out = writer(System.out);
    PrintWriter err = writer(System.err);
    String[] words =
        Stream.concat(Stream.of("bench"), Arrays.stream(arguments)).toArray(String[]::new);
    int exitCode = Roce4jCommand.commandLine(out, err, new BenchCommand()).execute(words);
    out.flush();
    err.flush();
    System.exit(exitCode);
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
  }
}
