// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

class Roce4jCommandTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** A tool as others write them, with every way to end. */
  @Command(name = "probe", mixinStandardHelpOptions = true)
  static final class Probe implements Subcommand {
    @Mixin CommonOptions common = new CommonOptions();

    @Option(names = "--size", converter = ByteSize.Converter.class)
    long size;

    @Option(names = "--journal")
    Path journal;

    @Option(names = "--fail")
    String fail = "";

    @Override
    public Integer call() {
      switch (fail) {
        case "machine" -> throw ToolException.machine("port 4791 is in use:\n stop its owner");
        case "usage" -> throw ToolException.usage("--size 5: must be even");
        case "bug" -> throw new IllegalStateException("broken");
        default -> {}
      }
      common.checkApartFromJson("--journal", journal);
      try (JsonReport json = common.openJson()) {
        common.text().println("seed " + common.seed());
        json.write(JsonReport.mapper().createObjectNode().put("seed", common.seed()));
      }
      return fail.equals("invalid") ? ExitCode.INVALID : ExitCode.GOOD;
    }
  }

  private int run(String... arguments) {
    PrintWriter outWriter = new PrintWriter(out, true);
    CommandLine root =
        Roce4jCommand.commandLine(outWriter, new PrintWriter(err, true), new Probe());
    int code = root.execute(arguments);
    outWriter.flush();
    return code;
  }

  private String errorLine() {
    String text = err.toString().stripTrailing();
    assertEquals(1, text.lines().count(), "an error is one line: " + text);
    return text;
  }

  @Test
  void helpListsTheCommandsAndTheExitCodes() {
    assertEquals(0, run("--help"));
    assertTrue(out.toString().contains("probe"), out.toString());
    assertTrue(out.toString().contains("4 INVALID"), out.toString());
  }

  @Test
  void versionIsTheBuilds() {
    assertEquals(0, run("--version"));
    assertTrue(out.toString().startsWith("roce4j " + VersionProvider.version()), out.toString());
    assertFalse(VersionProvider.version().contains("$"), "the build filters the version");
  }

  @Test
  void unknownOptionIsOneLineWithTheNearestAndExitsTwo() {
    assertEquals(ExitCode.USAGE, run("probe", "--sise", "64K"));
    assertTrue(errorLine().contains("--sise"), err.toString());
    assertTrue(errorLine().contains("did you mean --size?"), err.toString());
  }

  @Test
  void unknownCommandIsOneLineAndExitsTwo() {
    assertEquals(ExitCode.USAGE, run("prob"));
    assertTrue(errorLine().startsWith("roce4j: "), err.toString());
    assertTrue(errorLine().contains("prob"), err.toString());
  }

  @Test
  void badValueNamesOptionValueAndFormsAndExitsTwo() {
    assertEquals(ExitCode.USAGE, run("probe", "--size", "64Q"));
    assertTrue(errorLine().startsWith("roce4j probe: "), err.toString());
    assertTrue(errorLine().contains("--size"), err.toString());
    assertTrue(errorLine().contains("'64Q' is not a size: write 4096, 64K"), err.toString());
  }

  @Test
  void noCommandShowsTheHelpAndExitsTwo() {
    assertEquals(ExitCode.USAGE, run());
    assertTrue(err.toString().contains("probe"), err.toString());
  }

  @Test
  void failuresOfTheMachineAreOneLineAndExitThree() {
    assertEquals(ExitCode.MACHINE, run("probe", "--fail", "machine"));
    assertEquals("roce4j probe: port 4791 is in use: stop its owner", errorLine());
  }

  @Test
  void wrongUsageFoundLaterExitsTwo() {
    assertEquals(ExitCode.USAGE, run("probe", "--fail", "usage"));
    assertEquals("roce4j probe: --size 5: must be even", errorLine());
  }

  @Test
  void ourOwnFaultsShowTheirTrace() {
    assertEquals(ExitCode.CHECK_FAILED, run("probe", "--fail", "bug"));
    assertTrue(err.toString().contains("IllegalStateException: broken"), err.toString());
  }

  @Test
  void exitCodesOfToolsPassThrough() {
    assertEquals(ExitCode.INVALID, run("probe", "--fail", "invalid"));
  }

  @Test
  void jsonOnStandardOutputLeavesItToJsonAlone() throws IOException {
    assertEquals(0, run("probe", "--seed", "0x10", "--json", "-"));
    assertEquals(16, JsonReport.mapper().readTree(out.toString()).get("seed").asLong());
    assertEquals("seed 16", err.toString().strip());
  }

  @Test
  void jsonGoesToItsFile() throws IOException {
    Path file = directory.resolve("out.json");
    assertEquals(0, run("probe", "--seed", "7", "--json", file.toString()));
    assertEquals(7, JsonReport.mapper().readTree(Files.readString(file)).get("seed").asLong());
    assertEquals("seed 7", out.toString().strip());
  }

  @Test
  void jsonFileThatCannotBeWrittenIsNamed() {
    String file = directory.resolve("none").resolve("out.json").toString();
    assertEquals(ExitCode.USAGE, run("probe", "--json", file));
    assertTrue(errorLine().contains(file + ": cannot be written (no such"), err.toString());
  }

  @Test
  void anEmptyFileNameSaysSo() {
    assertEquals(ExitCode.USAGE, run("probe", "--json", ""));
    assertTrue(errorLine().contains("'' is an empty file name"), err.toString());
  }

  @Test
  void anEmptyFileNameSaysSoForEveryPath() {
    assertEquals(ExitCode.USAGE, run("probe", "--journal", " "));
    assertTrue(errorLine().contains("--journal"), err.toString());
    assertTrue(errorLine().contains("' ' is an empty file name"), err.toString());
  }

  @Test
  void theReportDoesNotOverwriteAnotherFileOfTheRun() throws IOException {
    Path file = Files.writeString(directory.resolve("one"), "precious");
    Path link = Files.createLink(directory.resolve("two"), file);
    String detour = directory + "/./one";
    for (String other : new String[] {file.toString(), link.toString(), detour}) {
      err.getBuffer().setLength(0);
      assertEquals(ExitCode.USAGE, run("probe", "--json", file.toString(), "--journal", other));
      assertTrue(errorLine().contains("is the same file as --journal"), err.toString());
    }
    assertEquals("precious", Files.readString(file));
    String fresh = directory.resolve("new").toString();
    assertEquals(ExitCode.USAGE, run("probe", "--json", fresh, "--journal", fresh));
    assertEquals(0, run("probe", "--json", "/dev/null", "--journal", "/dev/null"));
    assertEquals(0, run("probe", "--json", file.toString(), "--journal", fresh));
  }

  @Test
  void drawnSeedIsPrintedAndRepeatable() {
    assertEquals(0, run("probe"));
    String first = out.toString().strip();
    out.getBuffer().setLength(0);
    assertEquals(0, run("probe", "--seed", first.substring("seed ".length())));
    assertEquals(first, out.toString().strip());
  }
}
