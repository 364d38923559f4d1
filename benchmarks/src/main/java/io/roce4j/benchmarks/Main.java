// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import io.roce4j.harness.cli.ToolProcess;
import java.io.IOException;
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
    String[] words =
        Stream.concat(Stream.of("bench"), Arrays.stream(arguments)).toArray(String[]::new);
    System.exit(ToolProcess.run(words, new BenchCommand()));
  }
}
