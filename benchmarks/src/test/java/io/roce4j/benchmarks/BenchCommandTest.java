// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.Roce4jCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchCommandTest {
  /** In this JVM, one short iteration: shows that every benchmark runs, not how fast. */
  private static final String SHORTEST = "-f 0 -wi 0 -i 1 -r 1ms";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Roce4jCommand.commandLine(
            new PrintWriter(out, true), new PrintWriter(err, true), new BenchCommand())
        .execute(arguments);
  }

  @Test
  void everyComparisonRunsAndIsReported(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("bench.json");
    Path page = folder.resolve("page.md");
    Files.writeString(
        page,
        """
        before
        <!-- bench wire -->
        old
        <!-- /bench wire -->
        <!-- bench engine -->
        <!-- /bench engine -->
        <!-- bench congestion -->
        <!-- /bench congestion -->
        after
        """);
    int exitCode =
        run(
            "bench",
            "--rounds",
            "1",
            "--jmh-options",
            SHORTEST,
            "--json",
            json.toString(),
            "--update",
            page.toString());
    assertEquals(ExitCode.GOOD, exitCode, err::toString);
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertEquals("bench", report.path("tool").asText());
    Set<String> seen = new HashSet<>();
    for (JsonNode comparison : report.path("comparisons")) {
      seen.add(comparison.path("what").asText());
      assertTrue(comparison.path("ratio").path("median").asDouble() > 0, comparison::toString);
    }
    Set<String> expected = new HashSet<>();
    Comparison.all().forEach(c -> expected.add(c.what()));
    assertEquals(expected, seen);
    String text = Files.readString(page);
    assertTrue(text.startsWith("before\n<!-- bench wire -->\n| compared |"), text);
    assertTrue(text.contains("\n<!-- /bench wire -->\n<!-- bench engine -->\n| compared |"), text);
    assertTrue(text.endsWith("\n<!-- /bench congestion -->\nafter\n"), text);
    assertTrue(!text.contains("old"), text);
  }

  @Test
  void listNamesWhatIsComparedAndRunsNothing() {
    assertEquals(ExitCode.GOOD, run("bench", "--list"));
    assertEquals(Comparison.all().size(), out.toString().lines().count());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nothing|no benchmarks named 'nothing'; there are: congestion, engine, wire",
        "--rounds 0|--rounds 0 is not in 1..1000",
        "--rounds 1 --jmh-options --bogus|--jmh-options '--bogus'",
        "wire --update no-such-file.md|--update no-such-file.md: cannot be read",
      })
  void wrongUsageIsOneLine(String arguments, String message) {
    String[] words = ("bench " + arguments).split(" ", -1);
    assertEquals(ExitCode.USAGE, run(words));
    assertEquals(1, err.toString().lines().count(), err::toString);
    assertTrue(err.toString().contains(message), err::toString);
  }

  @Test
  void pageWithoutMarksIsRefusedBeforeAnythingRuns(@TempDir Path folder) throws IOException {
    Path page = Files.writeString(folder.resolve("page.md"), "no marks\n");
    assertEquals(ExitCode.USAGE, run("bench", "wire", "--update", page.toString()));
    assertTrue(err.toString().contains("lacks the lines"), err::toString);
  }
}
