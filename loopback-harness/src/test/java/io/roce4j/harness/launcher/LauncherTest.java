// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the scenarios of {@code src/test/shell/launcher-test.sh} against the launcher of this tree.
 */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {
  private static final Path MODULE = Path.of("").toAbsolutePath();
  private static final Path LAUNCHER = MODULE.resolveSibling("roce4j");
  private static final Path SCRIPT = MODULE.resolve("src/test/shell/launcher-test.sh");
  private static final int SCENARIO_LIMIT_SECONDS = 120;

  static Stream<String> scenarios() throws IOException, InterruptedException {
    return run("bash", SCRIPT.toString(), LAUNCHER.toString(), "--list").lines();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void launcher(String scenario) throws IOException, InterruptedException {
    run("bash", SCRIPT.toString(), LAUNCHER.toString(), scenario);
  }

  @Test
  void everyScenarioOfTheScriptIsRun() throws IOException, InterruptedException {
    String script = Files.readString(SCRIPT);
    String section = script.substring(script.indexOf("# ---- scenarios"));
    long functions =
        section.lines().filter(line -> line.matches("[A-Za-z0-9]+\\(\\) \\{.*")).count();
    // One function is a part that two scenarios share.
    assertEquals(functions - 1, scenarios().count());
  }

  @Test
  void flagsOfThePomStartThisJvmWithoutAWarning() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flagsOfThePom()));
    command.add("-version");
    String output = run(command.toArray(String[]::new));
    assertFalse(output.contains("WARNING"), output);
  }

  @Test
  void testsRunWithTheFlagsThatTheLauncherSets() {
    List<String> arguments =
        java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments();
    for (String flag : flagsOfThePom()) {
      assertTrue(arguments.contains(flag), () -> flag + " is not among " + arguments);
    }
  }

  private static String[] flagsOfThePom() {
    try {
      String pom = Files.readString(MODULE.resolveSibling("pom.xml"));
      Matcher flags =
          Pattern.compile("<roce4j.jvm.flags>(.*?)</roce4j.jvm.flags>", Pattern.DOTALL)
              .matcher(pom);
      assertTrue(flags.find(), "the root pom names the flags");
      return flags.group(1).strip().split("\\s+");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Runs a command to its end, which has to be good; returns what it printed on both outputs. */
  private static String run(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("launcher", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      process.getOutputStream().close();
      if (!process.waitFor(SCENARIO_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        throw new AssertionError(
            "not done after "
                + SCENARIO_LIMIT_SECONDS
                + " s: "
                + List.of(command)
                + Files.readString(output, StandardCharsets.UTF_8));
      }
      String text = Files.readString(output, StandardCharsets.UTF_8);
      assertEquals(0, process.exitValue(), text);
      return text;
    } finally {
      Files.delete(output);
    }
  }
}
