// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Roce4jCommand;
import io.roce4j.harness.process.ToolProcess;
import io.roce4j.transport.port.PortProvider;
import io.roce4j.transport.port.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Soak between two processes: this one proposes the runs, a child process listens. */
@Timeout(120)
class PeerSoakTest {
  private static final String LISTEN = "127.0.0.1";
  private static final String PORT = "25791";
  private static final String[] UNIMPAIRED = {
    "--loss", "0", "--reorder", "0", "--duplicate", "0", "--corrupt", "0"
  };

  private static final String RUN =
      "{\"type\":\"run\",\"seed\":1,\"transport\":\"rc\",\"pathMtu\":1024,\"timeout\":12,"
          + "\"retries\":7,\"reads\":4,\"congestion\":\"none\",\"congestionSet\":{},"
          + "\"force\":false,\"leastBytes\":1,"
          + "\"mostBytes\":4096,\"depth\":16,\"qps\":1,\"train\":16,\"window\":64,"
          + "\"warmUpNs\":0,\"durationNs\":1000000,\"loss\":0,\"reorder\":0,\"duplicate\":0,"
          + "\"corrupt\":0,\"delayNs\":0}\n";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  private int soak(String... arguments) {
    return Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
        .execute(join(new String[] {"soak", "--warm-up", "100ms", "--seed", "7"}, arguments));
  }

  private static String[] join(String[] head, String... tail) {
    return Stream.concat(Arrays.stream(head), Arrays.stream(tail)).toArray(String[]::new);
  }

  private ToolProcess listen(String... arguments) {
    ToolProcess listening =
        ToolProcess.start(folder, join(new String[] {"soak", "--listen"}, arguments));
    try {
      listening.awaitText("waiting for a peer");
    } catch (AssertionError e) {
      listening.close(); // or it would keep its port from the tests that follow
      throw e;
    }
    return listening;
  }

  private ToolProcess listen() {
    return listen("--bind", LISTEN, "--udp-port", PORT);
  }

  private static String[] toListener(String... more) {
    return join(
        new String[] {"--peer", LISTEN + ":" + PORT, "--bind", "127.0.0.2", "--udp-port", PORT},
        more);
  }

  @Test
  void bothSidesVerifyThroughLossAndPrintTheSameTable() throws IOException {
    Path ours = folder.resolve("ours.json");
    Path theirs = folder.resolve("theirs.json");
    try (ToolProcess listening =
        listen("--bind", LISTEN, "--udp-port", PORT, "--json", theirs.toString())) {
      int exitCode =
          soak(
              toListener(
                  "--duration",
                  "1s",
                  "--size",
                  "0-64KiB",
                  "--loss",
                  "3%",
                  "--reorder",
                  "2%",
                  "--duplicate",
                  "2%",
                  "--corrupt",
                  "2%",
                  "--json",
                  ours.toString()));
      assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
      assertEquals(ExitCode.GOOD, listening.awaitExit(), listening::output);
      assertTrue(listening.output().contains("all bytes verified"), listening::output);
    }
    JsonNode mine = JsonReport.mapper().readTree(ours.toFile());
    JsonNode its = JsonReport.mapper().readTree(theirs.toFile());
    assertEquals(mine.get("seed"), its.get("seed"));
    assertEquals(4, mine.get("runs").size());
    for (int i = 0; i < 4; i++) {
      JsonNode run = mine.get("runs").get(i);
      for (String both : new String[] {"bytesVerified", "packetsSent", "messages", "impairment"}) {
        assertEquals(run.get(both), its.get("runs").get(i).get(both), both);
      }
      assertTrue(run.get("bytesVerified").asLong() > 0);
      assertEquals(0, run.get("errors").asInt());
    }
    assertEquals(
        0.03, mine.at("/runs/1/impairment/measured/loss").asDouble(), 0.012, mine::toString);
    assertTrue(mine.at("/runs/1/retransmissions").asLong() > 0);
  }

  @ParameterizedTest
  @CsvSource({
    "nio, 127.0.0.1, 127.0.0.2, 25791",
    "epoll, 127.0.0.1, 127.0.0.2, 25791",
    "io_uring, 127.0.0.1, 127.0.0.2, 25791",
    "linux, ::1, ::1, 25792",
    "nio, ::1, ::1, 25792"
  })
  void everyPortCarriesItOverBothFamilies(String io, String there, String here, String ownPort) {
    String missing =
        Ports.providers().stream()
            .filter(provider -> provider.name().equals(io))
            .findFirst()
            .map(PortProvider::unavailableReason)
            .orElse(null);
    Assumptions.assumeTrue(missing == null, () -> "no run over " + io + ": " + missing);
    try (ToolProcess listening = listen("--bind", there, "--udp-port", PORT, "--io", io)) {
      int exitCode =
          soak(
              join(
                  UNIMPAIRED,
                  "--peer",
                  "[" + there + "]:" + PORT,
                  "--bind",
                  here,
                  "--udp-port",
                  ownPort,
                  "--io",
                  io,
                  "--transport",
                  "rc",
                  "--qps",
                  "2",
                  "--duration",
                  "300ms"));
      assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
      assertEquals(ExitCode.GOOD, listening.awaitExit(), listening::output);
      assertTrue(out.toString().contains(" " + io + " "), out::toString);
    }
  }

  @Test
  void killedPeerEndsTheRunWithACompletionErrorAndItsName() {
    try (ToolProcess listening = listen()) {
      killWhenRunning(listening, listening::kill);
      assertEquals(ExitCode.CHECK_FAILED, soak(toListener("--duration", "60s")));
    }
    assertTrue(out.toString().contains("peer 127.0.0.1 is gone"), out::toString);
    assertTrue(out.toString().contains("completed with RETRY_EXC_ERR"), out::toString);
    assertFalse(err.toString().contains("\tat "), err::toString);
  }

  @Test
  void frozenPeerEndsTheRunWithACompletionErrorAndItsName() {
    try (ToolProcess listening = listen()) {
      killWhenRunning(listening, listening::freeze);
      assertEquals(ExitCode.CHECK_FAILED, soak(toListener("--duration", "60s")));
    }
    assertTrue(out.toString().contains("peer 127.0.0.1 says nothing"), out::toString);
    assertTrue(out.toString().contains("completed with RETRY_EXC_ERR"), out::toString);
  }

  private static void killWhenRunning(ToolProcess listening, Runnable kill) {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              listening.awaitText("MB verified");
              kill.run();
            });
  }

  @Test
  void userOfOneSideEndsTheRunOfBoth() {
    try (ToolProcess listening = listen()) {
      killWhenRunning(listening, listening::terminate);
      assertEquals(ExitCode.GOOD, soak(toListener("--duration", "60s")), () -> out + "\n" + err);
      assertEquals(ExitCode.GOOD, listening.awaitExit(), listening::output);
      assertTrue(listening.output().contains("ended early"), listening::output);
    }
    assertTrue(out.toString().contains("ended early"), out::toString);
  }

  @Test
  void listenerSendsStrangersAwayWithOneLineEachAndStays() throws IOException {
    String greeting = "{\"type\":\"roce4j-soak\",\"protocol\":3,\"version\":\"x\",\"udpPort\":9}\n";
    String[][] strangers = {
      {"GET / HTTP/1.1\r\n\r\n", "sends no JSON object"},
      {"[1]\n", "sends no JSON object"},
      {"{\"a\":[[[[[[1]]]]]]}\n", "sends no JSON object"},
      {"x".repeat(40_000), "a line of more than 32768 bytes"},
      {"", "closed the connection"},
      {"{\"type\":\"\\u001b[2Jroot\"}\n", "\"type\" is \"\\u001B[2Jroot\""},
      {greeting.replace(":3,", ":1,"), "run the same version"},
      {greeting.replace(":9}", ":65536}"), "from 1 to 65535"},
      {greeting.replace(":9}", ":-1}"), "from 1 to 65535"},
      {greeting + RUN.replace("\"qps\":1", "\"qps\":1000000000"), "\"qps\""},
      {greeting + RUN.replace("\"mostBytes\":4096", "\"mostBytes\":9e99"), "\"mostBytes\""},
      {greeting + RUN.replace("4096", "-1"), "\"mostBytes\""},
      {greeting + RUN.replace("1024", "1000"), "\"pathMtu\""},
      {greeting + RUN.replace("\"loss\":0", "\"loss\":\"NaN\""), "\"loss\""},
      {greeting + RUN.replace("\"rc\"", "\"telegraph\""), "\"transport\""},
      {greeting + RUN.replace("\"rc\"", "\"mx\",\"paths\":256,\"select\":\"burst\""), "\"paths\""},
      {greeting + RUN.replace("\"rc\"", "\"mx\",\"paths\":4,\"select\":\"x\""), "\"select\""},
      {greeting + RUN.replace("\"depth\":16", "\"depth\":65"), "\"depth\""},
      {greeting + RUN.replace("\"none\"", "\"x\""), "no congestion controller 'x'"},
      {greeting + RUN.replace("n\":\"none\"", "n\":\"\\u001b[31mx\""), "\"congestion\""},
      {greeting + RUN.replace("Set\":{}", "Set\":{\"K\":\"1\"}"), "has no parameter 'K'"},
      {
        greeting + RUN.replace("\"none\"", "\"dcqcn\"").replace("Set\":{}", "Set\":{\"g\":\"x\"}"),
        "\"congestion\""
      },
    };
    try (ToolProcess listening = listen()) {
      for (String[] stranger : strangers) {
        int before = listening.errors().length();
        say(stranger[0]);
        listening.awaitText(stranger[1]);
        String line = listening.errors().substring(before);
        assertTrue(line.contains(stranger[1]) && line.endsWith("; still waiting\n"), line);
        assertEquals(1, line.lines().count(), line);
      }
      listening.terminate();
      assertEquals(ExitCode.GOOD, listening.awaitExit());
      assertFalse(listening.errors().contains("\tat "), listening::errors);
    }
  }

  @Test
  void listenerRefusesAControllerThatItsPortCannotServeAndStays() throws IOException {
    String greeting = "{\"type\":\"roce4j-soak\",\"protocol\":3,\"version\":\"x\",\"udpPort\":9}\n";
    try (ToolProcess listening = listen("--bind", LISTEN, "--udp-port", PORT, "--io", "nio")) {
      say(greeting + RUN.replace("\"none\"", "\"dcqcn\""));
      listening.awaitText("ECN marks, which cannot be seen on");
      assertTrue(listening.errors().endsWith("; still waiting\n"), listening::errors);
      assertEquals(1, listening.errors().lines().count(), listening::errors);
      assertEquals(
          ExitCode.MACHINE,
          soak(toListener("--congestion", "dcqcn", "--io", "nio", "--mtu", "1024")));
      listening.terminate();
      assertEquals(ExitCode.GOOD, listening.awaitExit());
    }
  }

  /** Says something and stays until the other side has closed. */
  private static void say(String text) throws IOException {
    try (Socket socket = new Socket(InetAddress.ofLiteral(LISTEN), Integer.parseInt(PORT))) {
      OutputStream to = socket.getOutputStream();
      to.write(text.getBytes(StandardCharsets.UTF_8));
      to.flush();
      if (text.isEmpty()) {
        return;
      }
      BufferedReader from =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      while (from.readLine() != null) {
        // What it says is for a soak.
      }
    } catch (java.net.SocketException e) {
      // It closed with some of the text unread, which resets the connection.
      assertTrue(e.getMessage().contains("reset"), e::getMessage);
    }
  }

  @Test
  void userEndsAListenerThatAPeerHoldsByTalking() throws IOException {
    try (ToolProcess listening = listen();
        Socket socket = new Socket(InetAddress.ofLiteral(LISTEN), Integer.parseInt(PORT))) {
      OutputStream to = socket.getOutputStream();
      String greeting =
          "{\"type\":\"roce4j-soak\",\"protocol\":3,\"version\":\"x\",\"udpPort\":9}\n";
      String alive = "{\"type\":\"alive\"}\n";
      to.write((greeting + alive.repeat(100)).getBytes(StandardCharsets.UTF_8));
      // Its greeting shows that it is past accepting and waits for what is proposed.
      assertTrue(socket.getInputStream().read() >= 0);
      listening.terminate();
      assertEquals(ExitCode.GOOD, listening.awaitExit(), listening::errors);
      assertTrue(listening.output().contains("ended before a peer came"), listening::output);
    }
  }

  @Test
  void userEndsTheWaitingForASilentServer() throws IOException {
    try (ServerSocket silent = new ServerSocket(25794, 1, InetAddress.ofLiteral(LISTEN));
        ToolProcess leading = ToolProcess.start(folder, "soak", "--peer", LISTEN + ":25794");
        Socket accepted = silent.accept()) {
      assertTrue(accepted.getInputStream().read() >= 0);
      leading.terminate();
      assertEquals(ExitCode.GOOD, leading.awaitExit(), leading::errors);
      assertTrue(
          leading.output().contains("ended before a run with the peer began"), leading::output);
      assertEquals("", leading.errors());
    }
  }

  @Test
  void noListenerIsOneLineWithTheCure() {
    assertEquals(ExitCode.MACHINE, soak("--peer", "127.0.0.1:9", "--duration", "1s"));
    assertTrue(err.toString().contains("does the peer listen there"), err::toString);
    assertEquals(1, err.toString().lines().count(), err::toString);
  }

  @ParameterizedTest
  @CsvSource({
    "--listen --peer 10.0.0.1, give one",
    "--listen --size 4K, --size with --listen",
    "--listen --loss 1%, --loss with --listen",
    "--listen --bind 127.0.0.1;127.0.0.2, one address",
    "--peer 10.0.0.1:0, 1 to 65535",
    "--peer 10.0.0.1:x, 1 to 65535",
    "--peer [::1]:70000, 1 to 65535",
    "--peer 0.0.0.0, not the address of one host",
    "--peer 239.1.1.1, not the address of one host",
    "--peer no.such.host.invalid, no such host",
  })
  void contradictionIsOneLine(String options, String expected) {
    String[] words = options.replace(';', ',').split(" ", -1);
    int exitCode =
        Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
            .execute(join(new String[] {"soak"}, words));
    assertEquals(ExitCode.USAGE, exitCode, () -> out + "\n" + err);
    assertTrue(err.toString().contains(expected), err::toString);
    assertEquals(1, err.toString().lines().count(), err::toString);
  }
}
