// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.endpoint.ToolPair;
import io.roce4j.harness.endpoint.ToolPair.Outcome;
import io.roce4j.harness.endpoint.ToolPair.Outcomes;
import io.roce4j.harness.handshake.HostilePeer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PingpongCommandTest {

  private static void assertGood(Outcomes both) {
    assertEquals(ExitCode.GOOD, both.client().exitCode(), both::toString);
    assertEquals(ExitCode.GOOD, both.server().exitCode(), both::toString);
  }

  @ParameterizedTest
  @CsvSource({
    "rc, linux, 4096",
    "rc, nio, 1",
    "rc, epoll, 10000",
    "rc, io_uring, 4097",
    "uc, linux, 5000",
    "ud, linux, 1024",
    "ud, nio, 1"
  })
  void everyMessageIsComparedAtBothEnds(String transport, String io, int size, @TempDir Path folder)
      throws IOException {
    Path json = folder.resolve("client.json");
    Outcomes both =
        ToolPair.run(
            List.of(
                "pingpong",
                "--transport",
                transport,
                "--io",
                io,
                "--chk",
                "-n",
                "60",
                "-r",
                "7",
                "-s",
                Integer.toString(size)),
            List.of("--json", json.toString()));
    assertGood(both);
    assertTrue(both.server().out().contains("60 messages compared"), both::toString);
    JsonNode report = JsonReport.mapper().readTree(json.toFile());
    assertEquals(60, report.get("messagesChecked").asInt());
    assertEquals(2L * 60 * size, report.get("bytes").asLong());
    assertEquals("127.0.0.2", report.at("/remote/gid").asText());
    assertTrue(report.at("/roundTripNs/max").asLong() > 0);
    assertEquals(0, report.at("/counters/icrcErrors").asInt());
  }

  @Test
  void completionEventsDriveItToo() throws IOException {
    assertGood(ToolPair.run(List.of("pingpong", "-e", "-n", "50"), List.of()));
  }

  @Test
  void itPrintsWhatTheLinuxToolsPrint() throws IOException {
    Outcomes both = ToolPair.run(List.of("pingpong", "-n", "10"), List.of());
    assertGood(both);
    assertTrue(
        both.client()
            .out()
            .matches(
                "(?s)  local address:  LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID"
                    + " ::ffff:127.0.0.1\\R"
                    + "  remote address: LID 0x0000, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID"
                    + " ::ffff:127.0.0.2\\R"
                    + "81920 bytes in [0-9.]+ seconds = [0-9.]+ Mbit/sec\\R"
                    + "10 iters in [0-9.]+ seconds = [0-9.]+ usec/iter\\R"),
        both::toString);
  }

  @Test
  void messagesOfAnotherSizeAreNamed() throws IOException {
    int port = ToolPair.freePort();
    var serving =
        ToolPair.start(
            ToolPair.withPorts(List.of("pingpong", "-s", "100", "--timeout", "2s"), port));
    List<String> client =
        ToolPair.withPorts(List.of("pingpong", "-s", "64", "--timeout", "2s"), port);
    client.add("127.0.0.2");
    ToolPair.connect(client, serving);
    Outcome server = ToolPair.await(serving);
    assertEquals(ExitCode.CHECK_FAILED, server.exitCode());
    assertTrue(server.err().contains("has 64 bytes, not 100"), server::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0000:000123",
        "0000:000123:abcdef:00000000000000000000ffff7f00000",
        "zzzz:000123:abcdef:00000000000000000000ffff7f000002\0",
        "0000:000123:abcdef:00000000000000000000ffff7f000002 and more than that",
        "0000:ffffff:ffffff:fd770000000000000000000000000002\0",
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
      })
  void aHostileServerEndsInOneLineAndInTime(String answer) throws IOException {
    for (boolean closes : new boolean[] {true, false}) {
      try (HostilePeer peer = HostilePeer.start(answer, closes)) {
        List<String> client =
            new ArrayList<>(List.of("pingpong", "--timeout", "300ms", "--udp-port", "24796"));
        client.addAll(List.of("-p", Integer.toString(peer.port()), "127.0.0.1"));
        Outcome outcome =
            Assertions.assertTimeout(Duration.ofSeconds(20), () -> ToolPair.run(client));
        assertEquals(ExitCode.CHECK_FAILED, outcome.exitCode(), outcome::toString);
        assertEquals(1, outcome.err().lines().count(), outcome::toString);
        assertTrue(outcome.err().contains("peer"), outcome::toString);
      }
    }
  }

  @Test
  void nobodyThereNamesTheCure() throws IOException {
    Outcome outcome =
        ToolPair.run(List.of("pingpong", "-p", Integer.toString(ToolPair.freePort()), "127.0.0.1"));
    assertEquals(ExitCode.CHECK_FAILED, outcome.exitCode());
    assertTrue(outcome.err().contains("start the server there first"), outcome::toString);
  }

  @ParameterizedTest
  @CsvSource({
    "--transport, xrc, 'allowed are rc, uc, ud'",
    "--mtu, 1500, 'allowed are 256, 512, 1024, 2048, 4096'",
    "--size, 0, '--size 0: allowed are 1 to'",
    "--iters, 0, '--iters 0: allowed are 1 to'",
    "--rx-depth, 0, '--rx-depth 0: allowed are 1 to'",
    "--window, 1, '--window 1: allowed are 2 to'",
    "--icrc, maybe, 'maybe'",
    "--ib-dev, eth0, 'give --gid-index too'"
  })
  void wrongUsageNamesTheValueAndTheLimit(String option, String value, String line) {
    Outcome outcome = ToolPair.run(List.of("pingpong", option, value, "127.0.0.1"));
    assertEquals(ExitCode.USAGE, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.err().contains(line), outcome::toString);
  }
}
