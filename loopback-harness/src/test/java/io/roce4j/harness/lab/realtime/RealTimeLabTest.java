// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Roce4jCommand;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.ScenarioReader;
import io.roce4j.harness.process.ToolProcess;
import io.roce4j.transport.port.Ports;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scenarios between real sockets. Nothing here depends on how fast the machine is. */
class RealTimeLabTest {
  private static final int UDP_PORT = 27_930;
  private static final String NEVER_LATE = "--late-share=100%";
  private static final String SCENARIO =
      """
      lab: real
      about: Pairs over tiny-sw.
      topology: {shape: preset, preset: tiny-sw, leaves: 2, hostsPerLeaf: 2, spines: 2}
      traffic:
        - {pattern: pairs, pairs: [h0>h2, h1>h3], message: 16KiB, messages: 20, depth: 2}
      defaults: {preset: tiny-sw, mtu: 1024B, window: 16, timeoutCode: 14}
      schemes:
        - {name: one}
      faults:
        - {fault: impair, port: leaf1>h2, everyNth: 20}
      limit: 120s
      standstill: 100s
      seeds: 1
      claims:
        - {scheme: one, metric: goodputMean, atLeast: 1000}
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  private int lab(String scenario, String... options) throws IOException {
    Path file = folder.resolve("real.yaml");
    Files.writeString(file, scenario);
    String[] all = new String[options.length + 6];
    all[0] = "lab";
    all[1] = file.toString();
    all[2] = "--real-time";
    all[3] = "--udp-port=" + UDP_PORT;
    all[4] = "--json=" + folder.resolve("real.json");
    all[5] = "--seed=3";
    System.arraycopy(options, 0, all, 6, options.length);
    return Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
        .execute(all);
  }

  private JsonNode run() throws IOException {
    return JsonReport.mapper().readTree(folder.resolve("real.json").toFile()).at("/runs/0");
  }

  private String all() {
    return out + "\n" + err;
  }

  private static void assumePort(String io) {
    assumeTrue(
        Ports.providers().stream()
            .anyMatch(port -> port.name().equals(io) && port.unavailableReason() == null),
        "skipped: port " + io + " cannot work here");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "linux"})
  void everyByteArrivesOverALinkThatLosesAndTheBooksBalance(String io) throws IOException {
    assumePort(io);
    assertEquals(ExitCode.GOOD, lab(SCENARIO, "--io=" + io, NEVER_LATE), all());
    JsonNode run = run();
    assertEquals(2, run.get("completed").asInt());
    assertEquals(2 * 20 * 16_384, run.get("bytesVerified").asInt());
    assertTrue(run.at("/drops/lost").asInt() >= 15, all());
    assertTrue(run.get("retransmissions").asInt() >= 15, all());
    assertTrue(run.at("/conservation/balanced").asBoolean());
    assertEquals(run.get("packetsSent").asLong(), run.at("/conservation/injected").asLong());
    assertEquals(0, run.get("damagedSeen").asInt());
    assertTrue(run.at("/emulatorLate/samples").asLong() >= 2L * 2 * 20 * 16, all());
    assertTrue(run.at("/emulatorLate/longestPauseNs").asLong() > 0, all());
    assertTrue(out.toString().contains("claims: about virtual time, not judged"), all());
    assertEquals(io.equals("nio"), out.toString().contains("shows no marks"), all());
  }

  @Test
  void multipathGoesOverTheSameFabricAtALowerRate() throws IOException {
    String mx =
        SCENARIO.replace(
            "{name: one}", "{name: one, transport: mx, congestion: mx-fair, paths: 4}");
    assertEquals(ExitCode.GOOD, lab(mx, "--slower=10", NEVER_LATE), all());
    assertEquals(2 * 20 * 16_384, run().get("bytesVerified").asInt());
    assertTrue(run().at("/drops/lost").asInt() >= 15, all());
  }

  @Test
  void marksOfSwitchesReachTheEndpoints() throws IOException {
    assumePort("linux");
    String marking =
        // A slow last cable: what comes in a burst has to queue.
        SCENARIO.replace(
            "- {name: one}",
            """
            - name: one
                congestion: dcqcn
                switches: {ecn: {kmin: 2kB, kmax: 4kB, pmax: 100%}}
                faults:
                  - {fault: link-rate, link: leaf1>h3, rate: 100Mbit, delay: 20us}\
            """);
    assertEquals(ExitCode.GOOD, lab(marking, "--io=linux", NEVER_LATE), all());
    assertTrue(run().get("ecnMarks").asInt() > 0, all());
    assertTrue(run().get("marksSeen").asInt() > 0, all());
  }

  @Test
  void whatTheFabricDamagesIsDamagedAtTheEndpoint() throws IOException {
    String damaging =
        SCENARIO
            .replace("everyNth: 20", "corrupt: 100%")
            .replace("pairs: [h0>h2, h1>h3]", "pairs: [h0>h2]")
            .replace("timeoutCode: 14", "timeoutCode: 8, retries: 1");
    assertEquals(ExitCode.CHECK_FAILED, lab(damaging, NEVER_LATE), all());
    assertEquals(0, run().get("bytesVerified").asInt());
    assertTrue(run().get("damagedSeen").asInt() > 0, all());
    assertTrue(out.toString().contains("WRONG  1 of 1 flows have not ended"), all());
  }

  @Test
  void aRunIsInvalidWhenTheEmulatorWasLate() throws IOException {
    int code = lab(SCENARIO, "--late-after=1ns", "--late-share=0%");
    assertEquals(ExitCode.INVALID, code, all());
    assertTrue(out.toString().contains("INVALID  the emulator was more than 1ns late"), all());
    assertFalse(out.toString().contains("WRONG"), all());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--slower=1000|would last",
        "--slower=0|--slower 0: must be 1 to 1000000",
        "--late-after=0ns|must be 1ns or more",
        "--report=x.html|takes no --report",
        "--threads=2|takes no --report, --page, --pcap or --threads",
        "--io=none|no port named none",
      })
  void anOptionThatCannotBeIsRefusedWithTheLimit(String option, String says) throws IOException {
    assertEquals(ExitCode.USAGE, lab(SCENARIO, option), all());
    assertTrue(err.toString().contains(says), all());
  }

  @Test
  void aRateThatNoMachineCarriesIsRefusedAndSlowedDownItIsNot() throws IOException {
    String fast = SCENARIO.replace("preset: tiny-sw, leaves", "preset: lossless-100g, leaves");
    assertEquals(ExitCode.USAGE, lab(fast), all());
    assertTrue(err.toString().contains("give --slower 23 or more"), all());
    Scenario scenario = ScenarioReader.read("real.yaml", fast);
    RealTimeSettings settings = new RealTimeSettings("nio", UDP_PORT, 23, 0, 1);
    // Two lines of 100 Gbit/s, packets of 1,024 and 98 bytes.
    assertEquals(
        (long) (2 * 100e9 / 23 / 8 / 1_122),
        new RealTimeLab(scenario, 3, settings).packetsPerSecond());
  }

  @Test
  void moreHostsThanThereIsRoomForAreRefused() throws IOException {
    String many =
        SCENARIO
            .replace("hostsPerLeaf: 2", "hostsPerLeaf: 20")
            .replace("pairs, pairs: [h0>h2, h1>h3]", "incast, to: h0, senders: 35")
            .replace("leaf1>h2", "leaf0>h0");
    assertEquals(ExitCode.USAGE, lab(many), all());
    assertTrue(err.toString().contains("36 hosts with traffic, and 32 are allowed"), all());
  }

  @Test
  void aLabWithoutAFileIsRefused() {
    int code =
        Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
            .execute("lab", "mx-loss", "--real-time");
    assertEquals(ExitCode.USAGE, code);
    assertTrue(err.toString().contains("lab mx-loss has no scenario file"), all());
  }

  @Test
  void aRunEndsWhenTheUserWantsAndStrangersAreNotLetIn() throws IOException {
    String endless = SCENARIO.replace("messages: 20", "messages: endless");
    Scenario scenario = ScenarioReader.read("real.yaml", endless);
    RealTimeSettings settings = new RealTimeSettings("nio", UDP_PORT, 1, 0, 1);
    int[] turns = {0};
    try (DatagramSocket stranger = new DatagramSocket()) {
      List<RealTimeResult> results =
          new RealTimeLab(scenario, 3, settings)
              .run(
                  () -> {
                    turns[0]++;
                    if (turns[0] == 10) {
                      knock(stranger);
                    }
                    return turns[0] > 2_000;
                  },
                  result -> {});
      assertEquals(1, results.size());
      RealTimeResult result = results.get(0);
      assertEquals(List.of(), result.findings());
      assertTrue(result.notes().contains("ended by the user"), result.notes()::toString);
      assertEquals(2, result.strangers());
      assertTrue(result.books().isBalanced());
    }
  }

  @Test
  void ctrlCEndsTheRunWithItsReport() throws IOException {
    Path file = folder.resolve("endless.yaml");
    Files.writeString(file, SCENARIO.replace("messages: 20", "messages: endless"));
    String port = "--udp-port=" + UDP_PORT;
    try (ToolProcess tool =
        ToolProcess.start(
            folder, "lab", file.toString(), "--real-time", port, "--io=nio", NEVER_LATE)) {
      tool.awaitText("full packets a second");
      tool.terminate();
      assertEquals(ExitCode.GOOD, tool.awaitExit(), tool.output() + tool.errors());
      assertTrue(tool.output().contains("note: ended by the user"), tool.output());
      assertTrue(tool.output().contains("emulator late:"), tool.output());
    }
  }

  /** A short packet and one that looks like a good one, both from no endpoint. */
  private static void knock(DatagramSocket stranger) {
    try {
      InetAddress host = InetAddress.ofLiteral("127.46.0.3");
      stranger.send(new DatagramPacket(new byte[1], 1, host, UDP_PORT + 1));
      stranger.send(new DatagramPacket(new byte[1_084], 1_084, host, UDP_PORT + 1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
