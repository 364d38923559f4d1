// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The library in a program of its own, as an embedder starts it [FC-52]. */
@EnabledOnOs(OS.LINUX) // the second loopback address
class EmbeddingTest {
  private static final String AGRONA_FLAG = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";
  private static final int LIMIT_SECONDS = 60;

  private record Outcome(int exitCode, String text) {}

  private static Outcome start(List<String> flags) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(WriteToPeer.class.getName());
    command.add("127.0.83.1");
    command.add("127.0.83.2");
    Path output = Files.createTempFile("embedding", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new AssertionError("not done: " + Files.readString(output));
      }
      return new Outcome(process.exitValue(), Files.readString(output));
    } finally {
      Files.delete(output);
    }
  }

  private static List<String> flagsOfReadme() throws IOException {
    String readme = Files.readString(Path.of("..", "README.md"));
    Matcher matcher = Pattern.compile("(?m)^(--[a-z-]+=\\S+)$").matcher(readme);
    List<String> flags = new ArrayList<>();
    while (matcher.find()) {
      flags.add(matcher.group(1));
    }
    return flags;
  }

  @Test
  void plainProgramStopsWithOneLineThatNamesTheFlag() throws IOException, InterruptedException {
    Outcome outcome = start(List.of());
    assertNotEquals(0, outcome.exitCode());
    List<String> named = outcome.text().lines().filter(line -> line.contains(AGRONA_FLAG)).toList();
    assertEquals(1, named.size(), outcome.text());
    assertTrue(
        named.getFirst().startsWith("Exception in thread \"main\" java.lang.IllegalStateException"),
        outcome.text());
    assertFalse(outcome.text().contains("Caused by"), outcome.text());
  }

  @Test
  void flagNamedIsEnough() throws IOException, InterruptedException {
    Outcome outcome = start(List.of(AGRONA_FLAG));
    assertEquals(0, outcome.exitCode(), outcome.text());
    assertTrue(outcome.text().contains("written by RDMA"), outcome.text());
  }

  @Test
  void flagsOfTheReadmeLeaveNoWarning() throws IOException, InterruptedException {
    List<String> flags = flagsOfReadme();
    assertTrue(flags.contains(AGRONA_FLAG), flags::toString);
    Outcome outcome = start(flags);
    assertEquals(new Outcome(0, "written by RDMA" + System.lineSeparator()), outcome);
  }
}
