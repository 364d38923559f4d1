// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.endpoint;

import io.roce4j.harness.cli.Roce4jCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a tool as server and as client against each other, over 127.0.0.2 and 127.0.0.1. */
public final class ToolPair {
  /** UDP port of both ends; not RoCE's own, which a program beside the tests may have. */
  public static final String UDP_PORT = "24795";

  private static final long LIMIT_SECONDS = 60;

  private ToolPair() {}

  /**
   * What a command line came to.
   *
   * @param exitCode of the process it would have been
   * @param out what it printed
   * @param err what it complained of
   */
  public record Outcome(int exitCode, String out, String err) {
    @Override
    public String toString() {
      return "exit code " + exitCode + "\n" + out + "\n" + err;
    }
  }

  /**
   * Both ends.
   *
   * @param server the one without a host
   * @param client the one with
   */
  public record Outcomes(Outcome server, Outcome client) {}

  /**
   * Runs a command line.
   *
   * @param words after {@code roce4j}
   * @return when it has ended
   */
  public static Outcome run(List<String> words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
            .execute(words.toArray(String[]::new));
    return new Outcome(exitCode, out.toString(), err.toString());
  }

  /**
   * Runs a command line on a thread of its own.
   *
   * @param words after {@code roce4j}
   * @return done when it has ended
   */
  public static CompletableFuture<Outcome> start(List<String> words) {
    CompletableFuture<Outcome> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(run(words));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            },
            "tool " + words);
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  /**
   * Waits for a started command line, a minute at most.
   *
   * @param outcome from {@link #start}
   * @return what it came to
   */
  public static Outcome await(CompletableFuture<Outcome> outcome) {
    try {
      return outcome.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("the tool did not end", e);
    }
  }

  /**
   * A TCP port that nobody uses.
   *
   * @return its number
   * @throws IOException when there is none
   */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /**
   * Server and client of one tool with the same arguments.
   *
   * @param words after {@code roce4j}
   * @param clientOnly further arguments of the client
   * @return what both came to
   * @throws IOException when there is no TCP port
   */
  public static Outcomes run(List<String> words, List<String> clientOnly) throws IOException {
    int port = freePort();
    List<String> server = withPorts(words, port);
    List<String> client = withPorts(words, port);
    client.addAll(clientOnly);
    client.add("127.0.0.2");
    CompletableFuture<Outcome> serving = start(server);
    Outcome asked = connect(client, serving);
    return new Outcomes(await(serving), asked);
  }

  /**
   * Runs the client again until the server listens.
   *
   * @param client words after {@code roce4j}
   * @param serving the started server
   * @return what the client came to
   */
  public static Outcome connect(List<String> client, CompletableFuture<Outcome> serving) {
    Outcome asked = run(client);
    while (asked.err().contains("start the server there first") && !serving.isDone()) {
      asked = run(client);
    }
    return asked;
  }

  /**
   * The words with TCP and UDP ports of the test.
   *
   * @param words after {@code roce4j}
   * @param port TCP port
   * @return a list that may grow
   */
  public static List<String> withPorts(List<String> words, int port) {
    List<String> all = new ArrayList<>(words);
    all.addAll(List.of("--port", Integer.toString(port)));
    all.addAll(List.of("--udp-port", UDP_PORT, "--peer-udp-port", UDP_PORT));
    return all;
  }
}
