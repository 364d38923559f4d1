// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Roce4jCommand;
import io.roce4j.wire.capture.CaptureReader;
import io.roce4j.wire.capture.CapturedPacket;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SoakCommandTest {
  private static final String UDP_PORT = "24791";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int soak(String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "soak";
    all[1] = "--udp-port";
    all[2] = UDP_PORT;
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    return Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
        .execute(all);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "auto"})
  void everyByteOfEveryRunIsVerifiedOverRcAndMx(String io, @TempDir Path folder)
      throws IOException {
    Path json = folder.resolve("out.json");
    int exitCode =
        soak(
            "--io",
            io,
            "--seed",
            "7",
            "--duration",
            "700ms",
            "--size",
            "1-64KiB",
            "--loss",
            "4%",
            "--reorder",
            "2%",
            "--duplicate",
            "2%",
            "--corrupt",
            "2%",
            "--json",
            json.toString());
    assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
    JsonNode report = JsonReport.mapper().readTree(json.toFile());
    assertTrue(report.get("valid").asBoolean());
    assertEquals(4, report.get("runs").size());
    for (int i = 0; i < 4; i++) {
      JsonNode run = report.get("runs").get(i);
      assertEquals(i < 2 ? "rc" : "mx", run.get("transport").asText());
      assertEquals(i < 2 ? 1 : 16, run.get("paths").asInt());
      assertTrue(run.get("retainedFraction").asDouble() > 0);
      assertEquals(0, run.get("errors").asInt());
      assertTrue(run.get("bytesVerified").asLong() > 0);
      for (String counter : new String[] {"lo/rx_dropped", "udp/RcvbufErrors"}) {
        JsonNode value = run.at("/hostCounters/" + counter);
        assertTrue(value.get("after").asLong() >= value.get("before").asLong(), counter);
      }
      assertTrue(run.get("goodputBitsPerSecond").asLong() > 0);
    }
    for (int i = 1; i < 4; i += 2) {
      JsonNode impaired = report.get("runs").get(i);
      assertTrue(impaired.get("retransmissions").asLong() > 0);
      assertTrue(impaired.get("icrcErrors").asLong() > 0);
      assertEquals(0.04, impaired.at("/impairment/measured/loss").asDouble(), 0.012);
    }
  }

  /** Retries were used up while answers stood behind those of the other connections. */
  @ParameterizedTest
  @CsvSource({"8, rc", "8, mx"})
  void manyConnectionsRecoverFromTheUsualImpairments(String connections, String transport) {
    int exitCode =
        soak("--transport", transport, "--qps", connections, "--seed", "7", "--duration", "1s");
    assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
  }

  @ParameterizedTest
  @CsvSource({"50, rc", "8, mx", "50, mx"})
  void manyConnectionsShareOneThreadWithoutFailing(String connections, String transport) {
    int exitCode =
        soak(
            "--transport",
            transport,
            "--qps",
            connections,
            "--seed",
            "3",
            "--duration",
            "1s",
            "--loss",
            "0",
            "--reorder",
            "0",
            "--duplicate",
            "0",
            "--corrupt",
            "0");
    assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
  }

  @ParameterizedTest
  @CsvSource({"1, 8", "2, 10", "4, 11", "5, 12", "8, 12", "50, 15", "1024, 19"})
  void timeoutGrowsWithTheConnections(int connections, int code) {
    assertEquals(code, SoakCommand.timeoutCode(connections));
  }

  @Test
  void captureHoldsWholePackets(@TempDir Path folder) throws IOException {
    Path pcap = folder.resolve("soak.pcap");
    int exitCode =
        soak(
            "--transport",
            "mx",
            "--io",
            "nio",
            "--duration",
            "200ms",
            "--loss",
            "0",
            "--reorder",
            "0",
            "--duplicate",
            "0",
            "--corrupt",
            "0",
            "--pcap",
            pcap.toString(),
            "--pcap-limit",
            "1MiB");
    assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
    int packets = 0;
    try (CaptureReader reader = CaptureReader.open(pcap)) {
      CapturedPacket packet = new CapturedPacket();
      while (reader.next(packet)) {
        assertEquals(packet.originalLength(), packet.capturedLength());
        packets++;
      }
    }
    assertTrue(packets > 0);
  }

  /** The table and the conclusion come first, then the one line, then the code of the machine. */
  @Test
  void aCaptureThatTheDiskRefusesIsToldAfterTheReport(@TempDir Path folder) throws IOException {
    assumeTrue(Files.exists(Path.of("/dev/full")), "a device of Linux");
    Path json = folder.resolve("out.json");
    String[] options = {
      "--io",
      "nio",
      "--duration",
      "100ms",
      "--loss",
      "0",
      "--reorder",
      "0",
      "--duplicate",
      "0",
      "--corrupt",
      "0",
      "--pcap",
      "/dev/full",
      "--json",
      json.toString()
    };
    assertEquals(ExitCode.MACHINE, soak(options));
    String expected = "/dev/full, not whole, the disk refused: No space left on device";
    assertTrue(out.toString().stripTrailing().endsWith(expected), out::toString);
    assertTrue(err.toString().stripTrailing().endsWith(expected), err::toString);
    assertTrue(err.toString().contains("roce4j soak: the run was good, but not its capture"));
    assertEquals(0, JsonReport.mapper().readTree(json.toFile()).at("/runs/0/errors").asInt(-1));
  }

  @ParameterizedTest
  @CsvSource({
    "--pcap, '', empty file name",
    "--mtu, 1000, 256",
    "--train, 65, 1 to 64",
    "--qps, 0, 1 to 1024",
    "--size, 65MiB, 64MiB",
    "--loss, 2, loss",
    "--bind, 127.0.0.1, two addresses",
    "--io, carrier-pigeon, carrier-pigeon",
    "--congestion, bogus, bogus",
    "--congestion-set, g=1/256, congestion controller none has no parameter 'g'",
    "--congestion-set, g, NAME=VALUE",
    "--transport, ud, rc or mx",
    "--transport, tcp, rc and mx",
    "--paths, 256, 1 to 255",
    "--select, bogus, least-of-two"
  })
  void wrongValueIsOneLineWithTheLimit(String option, String value, String expected) {
    String[] words = value.isEmpty() ? new String[] {""} : value.split(" ", -1);
    String[] all = new String[words.length + 3];
    all[0] = option;
    System.arraycopy(words, 0, all, 1, words.length);
    all[words.length + 1] = "--duration";
    all[words.length + 2] = "100ms";
    assertEquals(ExitCode.USAGE, soak(all));
    assertEquals("", out.toString(), "nothing is announced that cannot run");
    assertTrue(err.toString().contains(expected), err::toString);
    assertTrue(!err.toString().contains("\tat "), err::toString);
  }

  // Without ECN bits DCQCN never hears of a mark, and time is what the threads make of it.
  @ParameterizedTest
  @CsvSource({"dcqcn, ECN marks", "swift, exact round trip times", "mx-fair, hints of an MX"})
  void controllerThatSeesNothingIsRefusedUnlessForced(String controller, String signal) {
    assertEquals(ExitCode.MACHINE, soak("--congestion", controller, "--io", "nio"));
    assertTrue(err.toString().contains(controller + " reacts to " + signal), err::toString);
    assertTrue(err.toString().contains("meaningless there: dcqcn, dcqcn-nic, "), err::toString);
    assertTrue(err.toString().contains("--force"), err::toString);
  }

  @Test
  void parametersReachTheControllerOfAForcedRun() {
    assertEquals(ExitCode.GOOD, briefly("--congestion", "dcqcn", "--force"), () -> all());
    out.getBuffer().setLength(0);
    assertEquals(
        ExitCode.GOOD,
        briefly("--congestion", "fixed", "--congestion-set", "rate=80Mbit"),
        () -> all());
    Matcher rate = Pattern.compile("none +([0-9.]+) ([KMG])bit/s").matcher(out.toString());
    assertTrue(rate.find() && rate.group(2).equals("M"), () -> all());
  }

  private int briefly(String... choice) {
    List<String> all = new ArrayList<>(List.of(choice));
    all.addAll(List.of("--io", "nio", "--transport", "rc", "--size", "4KiB"));
    all.addAll(List.of("--loss", "0", "--reorder", "0", "--duplicate", "0", "--corrupt", "0"));
    all.addAll(List.of("--warm-up", "100ms", "--duration", "300ms"));
    return soak(all.toArray(String[]::new));
  }

  private String all() {
    return out + "\n" + err;
  }

  @Test
  void oneIpv6AddressWithTwoPortsCarriesRcAndMx() {
    int exitCode =
        soak(
            "--bind",
            "::1,::1",
            "--warm-up",
            "100ms",
            "--duration",
            "300ms",
            "--seed",
            "5",
            "--loss",
            "0",
            "--reorder",
            "0",
            "--duplicate",
            "0",
            "--corrupt",
            "0");
    assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
    assertTrue(out.toString().contains("\nmx "), out::toString);
  }

  @Test
  void lastPortWithOneAddressIsRefusedForTheRightCause() {
    int exitCode =
        Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
            .execute("soak", "--udp-port", "65535", "--bind", "127.0.0.1,127.0.0.1");
    assertEquals(ExitCode.USAGE, exitCode);
    assertTrue(err.toString().contains("the second takes the next port"), err::toString);
  }

  @Test
  void filesOfAnEarlierRunOutliveARunThatCannotStart(@TempDir Path folder) throws IOException {
    Path json = Files.writeString(folder.resolve("old.json"), "earlier");
    Path pcap = Files.writeString(folder.resolve("old.pcap"), "earlier");
    Path fresh = folder.resolve("new.json");
    String[] files = {"--json", json.toString(), "--pcap", pcap.toString()};
    assertEquals(ExitCode.MACHINE, soak(join(files, "--bind", "192.0.2.1,192.0.2.2")));
    assertEquals(ExitCode.USAGE, soak(join(files, "--io", "carrier-pigeon")));
    assertEquals(ExitCode.USAGE, soak("--io", "carrier-pigeon", "--json", fresh.toString()));
    assertEquals("earlier", Files.readString(json));
    assertEquals("earlier", Files.readString(pcap));
    assertTrue(Files.notExists(fresh));
    assertEquals(ExitCode.USAGE, soak("--json", folder.toString()));
  }

  private static String[] join(String[] head, String... tail) {
    return Stream.concat(Arrays.stream(head), Arrays.stream(tail)).toArray(String[]::new);
  }

  @Test
  void portInUseNamesCauseAndCure() throws IOException {
    InetSocketAddress taken =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(UDP_PORT));
    try (DatagramSocket holder = new DatagramSocket(taken)) {
      assertTrue(holder.isBound());
      assertEquals(ExitCode.MACHINE, soak("--io", "nio", "--duration", "100ms"));
      assertTrue(err.toString().contains(UDP_PORT), err::toString);
      assertTrue(err.toString().contains("--udp-port"), err::toString);
    }
  }
}
