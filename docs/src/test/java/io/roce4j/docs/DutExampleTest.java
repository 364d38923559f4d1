// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.roce4j.harness.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Runs the worked example of docs/DUT.md: a peer written in Python, which makes and checks every
 * packet itself, its ICRC included, against the tool in a process of its own.
 */
class DutExampleTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final int LIMIT_SECONDS = 60;

  private static boolean hasPython() {
    String path = System.getenv("PATH");
    return path != null
        && Stream.of(path.split(":", -1)).anyMatch(f -> Files.isExecutable(Path.of(f, "python3")));
  }

  private static List<String> tool() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-cp",
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
        Main.class.getName(),
        "dut");
  }

  @Test
  void pythonExampleRunsToItsEnd() throws IOException, InterruptedException {
    assumeTrue(hasPython(), "skipped: there is no python3 on the PATH");
    List<String> command = new ArrayList<>();
    command.add("python3");
    command.add(ROOT.resolve("docs/examples/dut_session.py").toString());
    command.addAll(tool());
    Path output = Files.createTempFile("dut-example", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      String text = Files.readString(output);
      assertEquals(0, process.exitValue(), text);
      assertTrue(text.endsWith("all as expected" + System.lineSeparator()), text);
      for (String step :
          List.of("connect", "write", "read back", "duplicate", "gap", "rnr", "timeout", "flush")) {
        assertTrue(text.lines().anyMatch(line -> line.startsWith(step)), step);
      }
      assertEquals(List.of(), missingFromPage(text));
    } finally {
      Files.delete(output);
    }
  }

  /** The page shows this very output. */
  private static List<String> missingFromPage(String text) throws IOException {
    String page = Files.readString(ROOT.resolve("docs/DUT.md"));
    return text.lines().filter(line -> !page.contains(line)).toList();
  }
}
