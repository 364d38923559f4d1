// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.process;

import io.roce4j.harness.cli.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A tool of the command line in a process of its own, with this JVM's flags and classes; killed at
 * the latest when it is closed.
 */
public final class ToolProcess implements AutoCloseable {
  private static final long POLL_NS = 5_000_000;

  private final Path out;
  private final Path err;
  private final Process process;

  private ToolProcess(Path folder, List<String> command) {
    try {
      out = Files.createTempFile(folder, "tool", ".out");
      err = Files.createTempFile(folder, "tool", ".err");
      process =
          new ProcessBuilder(command)
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts a tool here.
   *
   * @param folder for its outputs
   * @param arguments of the command line
   * @return the running tool
   */
  public static ToolProcess start(Path folder, String... arguments) {
    return start(List.of(), folder, arguments);
  }

  /**
   * Starts a tool by a command that runs another one, such as on a host of {@link TwoHosts}.
   *
   * @param prefix the command
   * @param folder for its outputs
   * @param arguments of the command line
   * @return the running tool
   */
  public static ToolProcess start(List<String> prefix, Path folder, String... arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      // An agent or a dump of the test's own JVM is none of the tool's.
      if (flag.startsWith("--") || flag.startsWith("-Dio.")) {
        command.add(flag);
      }
    }
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    return new ToolProcess(folder, command);
  }

  /**
   * Waits until a text is in one of the outputs.
   *
   * @param text to wait for
   */
  public void awaitText(String text) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!(output() + errors()).contains(text)) {
      if (System.nanoTime() > deadline || !process.isAlive()) {
        throw new AssertionError("no '" + text + "' in:\n" + output() + errors());
      }
      LockSupport.parkNanos(POLL_NS);
    }
  }

  /**
   * Waits for its end.
   *
   * @return exit code
   */
  public int awaitExit() {
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError("does not end:\n" + output() + errors());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * What it has written to standard output so far.
   *
   * @return all of it
   */
  public String output() {
    return read(out);
  }

  /**
   * What it has written to standard error so far.
   *
   * @return all of it
   */
  public String errors() {
    return read(err);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As Ctrl-C does. */
  public void terminate() {
    process.destroy();
  }

  /** No chance to say goodbye. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Stops it in its tracks; its sockets stay. */
  public void freeze() {
    try {
      Process kill = new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start();
      if (kill.waitFor() != 0) {
        throw new AssertionError("cannot stop process " + process.pid());
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    awaitExit();
  }
}
