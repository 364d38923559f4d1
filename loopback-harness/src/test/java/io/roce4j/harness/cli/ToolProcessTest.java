// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What befalls a process: output that nobody takes, a JVM without memory. */
class ToolProcessTest {
  private static final String CAPTURE = "../wire/src/test/resources/captures/rc-nak-psn-v4.pcap";

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** A tool with every way to write. */
  @Command(name = "probe", mixinStandardHelpOptions = true)
  static final class Probe implements Subcommand {
    @Mixin CommonOptions common = new CommonOptions();
    @Spec CommandSpec spec;

    @Option(names = "--lines")
    int lines = 1;

    @Option(names = "--end")
    String end = "";

    int written;

    @Override
    public Integer call() {
      if (end.equals("memory")) {
        throw new OutOfMemoryError("Java heap space");
      }
      try (JsonReport json = common.openJson()) {
        for (written = 0; written < lines; written++) {
          if (end.equals("unflushed")) {
            spec.commandLine().getOut().print("x");
          } else {
            common.text().println("a line of text that fills what lies between");
          }
        }
        json.write(JsonReport.mapper().createObjectNode().put("lines", lines));
      }
      return end.equals("failed") ? ExitCode.CHECK_FAILED : ExitCode.GOOD;
    }
  }

  /** A disk with room for some bytes. */
  private static final class FullDisk extends OutputStream {
    private int left;

    FullDisk(int room) {
      this.left = room;
    }

    @Override
    public void write(int value) throws IOException {
      if (left-- <= 0) {
        throw new IOException("No space left on device");
      }
    }
  }

  private void assertOneLine(String expected) {
    assertEquals(1, err.toString(UTF_8).lines().count(), () -> err.toString(UTF_8));
    assertTrue(err.toString(UTF_8).contains(expected), () -> err.toString(UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "probe",
        "probe --json -",
        "probe --end unflushed",
        "probe --end failed",
        "probe --help",
        "--help",
        "--version"
      })
  void outputThatIsNotTakenIsOneLineAndExitsThree(String words) {
    int exitCode = ToolProcess.run(new FullDisk(0), err, words.split(" ", -1), new Probe());
    assertEquals(ExitCode.MACHINE, exitCode);
    String text = err.toString(UTF_8);
    long errors = text.lines().filter(line -> line.startsWith("roce4j")).count();
    assertEquals(1, errors, text);
    assertTrue(text.contains("standard output: write failed: No space left on device"), text);
  }

  @Test
  void aToolEndsWhereItsOutputEnds() {
    Probe probe = new Probe();
    String[] words = {"probe", "--lines", "1000000"};
    assertEquals(ExitCode.MACHINE, ToolProcess.run(new FullDisk(100_000), err, words, probe));
    assertOneLine("roce4j probe: standard output: write failed");
    assertTrue(probe.written < 10_000, () -> "went on for " + probe.written + " lines");
  }

  @Test
  void outputThatIsTakenIsWholeAndExitsAsTheToolSays() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String[] words = {"probe", "--end", "failed", "--lines", "3"};
    assertEquals(ExitCode.CHECK_FAILED, ToolProcess.run(out, err, words, new Probe()));
    assertEquals(3, out.toString(UTF_8).lines().count());
    assertEquals("", err.toString(UTF_8));
  }

  static Stream<String> tools() {
    return Arrays.stream(Roce4jCommand.tools())
        .map(tool -> tool.getClass().getAnnotation(Command.class).name());
  }

  @ParameterizedTest
  @MethodSource("tools")
  void everyToolSaysThatItsHelpWasNotTaken(String tool) {
    String[] words = {tool, "--help"};
    assertEquals(
        ExitCode.MACHINE, ToolProcess.run(new FullDisk(0), err, words, Roce4jCommand.tools()));
    assertOneLine("standard output: write failed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"decode " + CAPTURE, "decode --json - " + CAPTURE, "simulate --seeds 1"})
  void aFullDeviceIsToldByRealTools(String words) throws IOException {
    assumeTrue(Files.exists(Path.of("/dev/full")), "a device of Linux");
    try (OutputStream full = new FileOutputStream("/dev/full")) {
      int exitCode = ToolProcess.run(full, err, words.split(" ", -1), Roce4jCommand.tools());
      assertEquals(ExitCode.MACHINE, exitCode);
    }
    assertTrue(err.toString(UTF_8).contains("write failed: No space left"), err.toString(UTF_8));
  }

  @Test
  void noMemoryIsOneLineWithTheCureAndExitsThree() {
    String[] words = {"probe", "--end", "memory"};
    assertEquals(
        ExitCode.MACHINE, ToolProcess.run(new ByteArrayOutputStream(), err, words, new Probe()));
    assertOneLine("roce4j: out of memory (Java heap space): raise the limit, as in ROCE4J_JVM");
  }
}
