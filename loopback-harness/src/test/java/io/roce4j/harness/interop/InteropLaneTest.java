// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.roce4j.harness.cli.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The interop lane as far as it goes without a peer: its list, and what it says when it cannot. */
class InteropLaneTest {
  private static final String LANE = "interop/lane";
  private static final Set<String> VARIANTS =
      Set.of("client", "server", "IPv4", "IPv6", "1024", "4096", "linux", "raw");

  /** What a process came to. */
  private record Outcome(int exitCode, String text) {}

  @BeforeEach
  void needsPython() {
    String path = System.getenv("PATH");
    boolean hasPython =
        path != null
            && Stream.of(path.split(":", -1))
                .anyMatch(f -> Files.isExecutable(Path.of(f, "python3")));
    assumeTrue(hasPython, "skipped: there is no python3 on the PATH");
  }

  private static Outcome run(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it does not end");
    return new Outcome(process.exitValue(), text);
  }

  @Test
  void everyToolMeetsEveryValueOfEveryVariant() throws Exception {
    Outcome outcome = run(new ProcessBuilder("python3", "-B", LANE, "--list"));
    assertEquals(ExitCode.GOOD, outcome.exitCode(), outcome::text);
    Map<String, Set<String>> seen = new HashMap<>();
    for (String line : outcome.text().lines().skip(1).toList()) {
      String[] columns = line.strip().split(" {2,}", -1);
      assertEquals(7, columns.length, line);
      String tool = columns[0].equals("pingpong") ? columns[2] + " pingpong" : columns[0];
      Set<String> values = seen.computeIfAbsent(tool, t -> new TreeSet<>());
      values.addAll(List.of(columns[1], columns[4], columns[5], columns[6]));
    }
    assertEquals(
        Set.of(
            "rc pingpong",
            "uc pingpong",
            "ud pingpong",
            "write-bw",
            "send-bw",
            "read-bw",
            "atomic-bw",
            "write-lat",
            "send-lat",
            "read-lat",
            "atomic-lat",
            "rping",
            "ucmatose"),
        seen.keySet());
    seen.forEach((tool, values) -> assertEquals(new TreeSet<>(VARIANTS), values, tool));
  }

  @Test
  void whereTheMachineCannotItSaysWhatIsMissing(@TempDir Path folder) throws Exception {
    String python =
        run(new ProcessBuilder("python3", "-c", "import sys; print(sys.executable)"))
            .text()
            .strip();
    List<String> command = new ArrayList<>(List.of(python, "-B", LANE));
    command.addAll(List.of("--cache", folder.toString(), "--out", folder.toString()));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PATH", folder.toString()); // None of the programs is there.
    Outcome outcome = run(builder);
    assertEquals(ExitCode.MACHINE, outcome.exitCode(), outcome::text);
    assertEquals(1, outcome.text().lines().count(), outcome::text);
    assertTrue(outcome.text().startsWith("interop: "), outcome::text);
  }
}
