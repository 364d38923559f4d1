// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

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
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PerftestCommandTest {

  private static JsonNode run(Path folder, String... words) throws IOException {
    Path json = folder.resolve("client.json");
    Outcomes both = ToolPair.run(List.of(words), List.of("--json", json.toString()));
    assertEquals(ExitCode.GOOD, both.client().exitCode(), both::toString);
    assertEquals(ExitCode.GOOD, both.server().exitCode(), both::toString);
    JsonNode report = JsonReport.mapper().readTree(json.toFile());
    assertEquals(0, report.at("/counters/icrcErrors").asInt());
    return report;
  }

  @ParameterizedTest
  @CsvSource({
    "write-bw, linux, -n 40 -s 20000",
    "write-bw, nio, -n 200 -s 2 -q 2 -I 64",
    "write-bw, linux, -n 20 -b --congestion dcqcn --congestion-set Rmin=1Gbit",
    "write-bw, epoll, -n 20 -c UC -s 3000",
    "send-bw, epoll, -n 40 -s 5000 -r 7",
    "send-bw, linux, -n 30 -b -q 2 -e",
    "send-bw, io_uring, -n 30 -c UD -s 1000",
    "read-bw, linux, -n 20 -o 4",
    "read-bw, io_uring, -n 20 -b -s 3000",
    "atomic-bw, linux, -n 60",
    "atomic-bw, nio, -n 40 -b -A CMP_AND_SWAP",
    "send-lat, linux, -n 30",
    "send-lat, nio, -n 30 -c UD -e",
    "write-lat, linux, -n 30 -s 4097",
    "write-lat, epoll, -n 30 -c UC",
    "read-lat, linux, -n 30 -H",
    "atomic-lat, linux, -n 30 -e"
  })
  void everyMessageOfEveryToolIsDone(String tool, String io, String words, @TempDir Path folder)
      throws IOException {
    List<String> all = new ArrayList<>(List.of(tool, "--io", io));
    all.addAll(List.of(words.split(" ", -1)));
    JsonNode report = run(folder, all.toArray(String[]::new));
    assertEquals(tool, report.get("tool").asText());
    assertEquals(io, report.get("port").asText());
    assertEquals(1, report.get("runs").size());
    JsonNode one = report.get("runs").get(0);
    int wanted = Integer.parseInt(words.split(" ", -1)[1]) * report.get("qps").asInt();
    assertEquals(wanted, one.get("iterations").asInt());
    if (tool.endsWith("-bw")) {
      assertTrue(one.get("bitsPerSecond").asLong() > 0);
      assertTrue(
          one.get("peakBitsPerSecond").asLong() * 1.001 >= one.get("bitsPerSecond").asLong());
    } else {
      JsonNode latencies = one.has("oneWayNs") ? one.get("oneWayNs") : one.get("latencyNs");
      assertTrue(latencies.get("min").asLong() > 0);
      assertTrue(latencies.get("p50").asLong() >= latencies.get("min").asLong());
      assertTrue(latencies.get("max").asLong() >= latencies.get("p999").asLong());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"write-bw", "write-bw -b", "send-bw -b", "read-bw", "write-lat", "read-lat"})
  void allSizesRunOneAfterTheOther(String words, @TempDir Path folder) throws IOException {
    List<String> all = new ArrayList<>(List.of(words.split(" ", -1)));
    all.addAll(List.of("-a", "-n", "5"));
    JsonNode runs = run(folder, all.toArray(String[]::new)).get("runs");
    assertEquals(23, runs.size());
    assertEquals(2, runs.get(0).get("messageBytes").asLong());
    assertEquals(1 << 23, runs.get(22).get("messageBytes").asLong());
  }

  @ParameterizedTest
  @ValueSource(strings = {"write-bw", "send-bw", "send-lat", "write-lat", "read-lat"})
  void theClockEndsATimedTest(String tool, @TempDir Path folder) throws IOException {
    JsonNode one = run(folder, tool, "-D", "0.4", "-f", "0.1").get("runs").get(0);
    assertTrue(one.get("iterations").asLong() > 0);
    if (tool.endsWith("-bw")) {
      assertEquals(200_000_000, one.get("durationNs").asLong());
    }
  }

  @Test
  void bothSidesPrintTheClientsRow() throws IOException {
    Outcomes both = ToolPair.run(List.of("write-bw", "-n", "10", "--report_gbits"), List.of());
    List<String> client = both.client().out().lines().toList();
    List<String> server = both.server().out().lines().toList();
    String row = client.get(client.size() - 2);
    assertTrue(row.matches(" 65536 +10 +[0-9.]+ +[0-9.]+\\s+[0-9.]+"), both::toString);
    assertEquals(row, server.get(server.size() - 2));
    assertTrue(client.contains(" Connection type : RC"), both::toString);
    assertTrue(both.client().out().contains("BW average[Gb/sec]"), both::toString);
  }

  @Test
  void datagramsAreNoLongerThanThePathMtu() throws IOException {
    Outcomes both =
        ToolPair.run(List.of("send-bw", "-c", "UD", "-n", "10", "-m", "1024"), List.of());
    assertEquals(ExitCode.GOOD, both.client().exitCode(), both::toString);
    assertTrue(both.client().out().contains("changing to this MTU"), both::toString);
    assertTrue(both.client().out().contains("\n 1024 "), both::toString);
  }

  @Test
  void aWriteBeyondThePeersMemoryEndsAsBetweenLinuxPeers() throws IOException {
    int port = ToolPair.freePort();
    var serving = ToolPair.start(ToolPair.withPorts(List.of("write-bw", "-s", "64"), port));
    List<String> client = ToolPair.withPorts(List.of("write-bw", "-s", "1M", "-n", "5"), port);
    client.add("127.0.0.2");
    Outcome asked = ToolPair.connect(client, serving);
    assertEquals(ExitCode.CHECK_FAILED, asked.exitCode());
    assertTrue(asked.err().contains("REM_ACCESS_ERR (status 10)"), asked::toString);
    Outcome server = ToolPair.await(serving);
    assertEquals(ExitCode.CHECK_FAILED, server.exitCode());
    assertTrue(server.err().contains("closed the connection"), server::toString);
  }

  @Test
  void aSendThatIsTooLongEndsAsBetweenLinuxPeers() throws IOException {
    int port = ToolPair.freePort();
    var serving = ToolPair.start(ToolPair.withPorts(List.of("send-bw", "-s", "64"), port));
    List<String> client = ToolPair.withPorts(List.of("send-bw", "-s", "1M", "-n", "5"), port);
    client.add("127.0.0.2");
    Outcome asked = ToolPair.connect(client, serving);
    assertEquals(ExitCode.CHECK_FAILED, asked.exitCode());
    assertTrue(asked.err().contains("REM_INV_REQ_ERR (status 9)"), asked::toString);
    Outcome server = ToolPair.await(serving);
    assertEquals(ExitCode.CHECK_FAILED, server.exitCode());
    assertTrue(server.err().contains("LOC_LEN_ERR (status 1)"), server::toString);
  }

  private static final String HEAD = "6.06\0\0\0\0\0\0\0\0\0\0\0\0";
  private static final String SIZES = "\0\0\u0010\0" + "\0\0\0@";

  static List<String> hostileAnswers() {
    String key =
        "0000:0000:ffffff:ffffff:ffffffff:ffffffffffffffff:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:7f:00:00:02:00000000:\0";
    return List.of(
        "",
        "6.0",
        "5.60\0\0\0\0\0\0\0\0\0\0\0\0",
        "1e99\0\0\0\0\0\0\0\0\0\0\0\0",
        "HTTP/1.1 400 Bad Request",
        HEAD,
        HEAD + "\u00ff\u00ff\u00ff\u00ff",
        HEAD + "\0\0\0\0",
        HEAD + "\0\0\u0010\0" + "\u007f\u00ff\u00ff\u00ff",
        HEAD + SIZES + "9\0",
        HEAD + SIZES + "\0\0",
        HEAD + SIZES + "3\0" + key.substring(0, 60),
        HEAD + SIZES + "3\0" + key.replace(':', ';'),
        HEAD + SIZES + "3\0" + key.replace("ff:ff:7f", "00:00:fd"),
        HEAD + SIZES + "3\0" + key);
  }

  @ParameterizedTest
  @MethodSource("hostileAnswers")
  void aHostileServerEndsInOneLineAndInTime(String answer) throws IOException {
    for (boolean closes : new boolean[] {true, false}) {
      try (HostilePeer peer = HostilePeer.start(answer, closes)) {
        List<String> client =
            List.of(
                "read-bw",
                "--timeout",
                "250ms",
                "--udp-port",
                "24797",
                "-p",
                Integer.toString(peer.port()),
                "127.0.0.1");
        Outcome outcome =
            Assertions.assertTimeout(Duration.ofSeconds(20), () -> ToolPair.run(client));
        assertEquals(ExitCode.CHECK_FAILED, outcome.exitCode(), outcome::toString);
        assertEquals(1, outcome.err().lines().count(), outcome::toString);
        assertTrue(outcome.err().contains("peer"), outcome::toString);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"pingpong, 0000:0001", "write-bw, 6.06", "write-lat, GET / HTTP/1.1", "send-bw, ''"})
  void aHostileClientEndsTheServerInOneLineAndInTime(String tool, String words) throws Exception {
    for (boolean closes : new boolean[] {true, false}) {
      int port = ToolPair.freePort();
      var serving = ToolPair.start(ToolPair.withPorts(List.of(tool, "--timeout", "250ms"), port));
      try (Socket client = connect(port)) {
        client.getOutputStream().write(words.getBytes(StandardCharsets.US_ASCII));
        if (closes) {
          client.shutdownOutput();
        }
        Outcome outcome = ToolPair.await(serving);
        assertEquals(ExitCode.CHECK_FAILED, outcome.exitCode(), outcome::toString);
        assertEquals(1, outcome.err().lines().count(), outcome::toString);
      }
    }
  }

  /** Until the server listens. */
  private static Socket connect(int port) throws IOException {
    while (true) {
      try {
        return new Socket(InetAddress.getLoopbackAddress(), port);
      } catch (ConnectException e) {
        Thread.onSpinWait();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "write-bw, --size 0, '--size 0: allowed are 1 to'",
    "write-bw, -n 4, '--iters 4: allowed are 5 to'",
    "write-bw, -e, '--events is not for write-bw'",
    "write-bw, -r 5, '--rx-depth is not for write-bw'",
    "write-bw, -c UD, '--connection UD: allowed for write-bw are RC, UC'",
    "read-bw, -c UC, '--connection UC: allowed for read-bw is RC'",
    "send-bw, -c XRC, 'allowed for send-bw are RC, UC, UD'",
    "atomic-bw, -s 16, '--size, --all is not for atomic-bw'",
    "atomic-bw, -A ADD, 'allowed are CMP_AND_SWAP, FETCH_AND_ADD'",
    "read-lat, -b, '--bidirectional is not for read-lat'",
    "send-bw, -a -s 4, '--all and --size'",
    "send-bw, -D 5 -n 9, '--iters and --duration'",
    "send-bw, -D 1 -f 1, '--margin 1.0'",
    "send-bw, -m 1500, 'allowed are 256, 512, 1024, 2048, 4096'",
    "write-bw, -s 1G -q 9, 'of memory: allowed are'",
    "send-bw, -q 1000 -r 16384 -D 5, 'allowed are 1048576 requests over all'",
    "send-bw, --congestion fast, 'no congestion controller'",
    "send-bw, --congestion dcqcn -c UC, '--congestion is for RC'",
    "write-bw, --congestion dcqcn --congestion-set Rmin=200Gbit, 'must not be above the link'",
    "read-bw, --congestion dcqcn --congestion-set h=1, 'no parameter'",
    "write-bw, --congestion none --congestion-set g=1, 'no parameter'"
  })
  void wrongUsageNamesTheValueAndTheLimit(String tool, String words, String line) {
    List<String> all = new ArrayList<>(List.of(tool));
    all.addAll(List.of(words.split(" ", -1)));
    all.add("127.0.0.1");
    Outcome outcome = ToolPair.run(all);
    assertEquals(ExitCode.USAGE, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.err().contains(line), outcome::toString);
  }
}
