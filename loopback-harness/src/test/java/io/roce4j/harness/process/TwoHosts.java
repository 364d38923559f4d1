// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two hosts in network namespaces, made by the script that users have for it, removed when closed.
 */
public final class TwoHosts implements AutoCloseable {
  private static final Path SCRIPT = Path.of("").toAbsolutePath().resolve("netns/two-hosts.sh");
  private static final AtomicInteger NEXT = new AtomicInteger();

  private final String prefix = "r4j" + ProcessHandle.current().pid() + NEXT.getAndIncrement();

  private TwoHosts() {}

  /**
   * Why there can be none here.
   *
   * @return null when there can
   */
  public static String unavailableReason() {
    try (TwoHosts trial = new TwoHosts()) {
      return trial.attempt("up");
    }
  }

  /**
   * Makes hosts.
   *
   * @param words of the script: {@code up 9000}, {@code routed 9000 1400}
   * @return the hosts, to be closed
   */
  public static TwoHosts make(String... words) {
    TwoHosts hosts = new TwoHosts();
    hosts.run(words);
    return hosts;
  }

  /**
   * Runs a command of the script.
   *
   * @param words such as {@code segment}
   */
  public void run(String... words) {
    String failure = attempt(words);
    if (failure != null) {
      close();
      throw new IllegalStateException(String.join(" ", words) + ": " + failure);
    }
  }

  /**
   * Words that make a command run on a host.
   *
   * @param host {@code a} or {@code b}
   * @return to stand before the command
   */
  public List<String> on(String host) {
    return List.of("env", "ROCE4J_NETNS=" + prefix, "bash", SCRIPT.toString(), host);
  }

  private String attempt(String... words) {
    List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
    command.addAll(Arrays.asList(words));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("ROCE4J_NETNS", prefix);
    try {
      Process process = builder.start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return "hangs";
      }
      return process.exitValue() == 0 ? null : text.strip().replaceAll("\\s*\\R\\s*", "; ");
    } catch (IOException e) {
      return e.getMessage();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    // A host that was never made cannot be removed; nothing is left behind either way.
    attempt("down");
  }
}
