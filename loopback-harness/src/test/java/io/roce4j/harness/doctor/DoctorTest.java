// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Roce4jCommand;
import io.roce4j.harness.doctor.Finding.Status;
import io.roce4j.harness.process.ToolProcess;
import io.roce4j.harness.process.TwoHosts;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every check gives both answers: on hosts made of files, on this one, and in namespaces. */
@Timeout(120)
class DoctorTest {
  private static final String PORT = "24821";

  @TempDir private Path folder;

  private static void assertIs(Status status, Finding finding) {
    assertEquals(status, finding.status(), finding::toString);
    // What is not good has a cure, what is good needs none.
    assertEquals(status != Status.OK, !finding.cure().isEmpty(), finding::toString);
  }

  private void write(String file, String text) throws IOException {
    Path path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void jdkTooOldOrWithoutItsFlags() {
    assertIs(Status.OK, HostChecks.jdk());
    assertIs(Status.OK, HostChecks.jdk(25, null));
    assertIs(Status.FAIL, HostChecks.jdk(24, null));
    assertIs(Status.FAIL, HostChecks.jdk(25, "add --add-exports"));
  }

  @Test
  void bufferLimits() throws IOException {
    HostChecks host = new HostChecks(folder);
    assertIs(Status.OK, host.buffers());
    write("proc/sys/net/core/rmem_max", "4194304\n");
    write("proc/sys/net/core/wmem_max", "4194304\n");
    assertIs(Status.OK, host.buffers());
    write("proc/sys/net/core/rmem_max", "212992\n");
    assertIs(Status.WARN, host.buffers());
    assertTrue(host.buffers().text().contains("208KiB"), host.buffers()::text);
    assertTrue(host.buffers().cure().contains("rmem_max=4194304"), host.buffers()::cure);
  }

  @Test
  void segmentationOfTheKernel() {
    assertIs(Status.OK, HostChecks.segmentation(null, true, true));
    assertIs(Status.WARN, HostChecks.segmentation(null, true, false));
    assertIs(Status.WARN, HostChecks.segmentation(null, false, true));
    assertIs(Status.WARN, HostChecks.segmentation("needs Linux", false, false));
  }

  @Test
  void kernelDriverThatOwnsThePort() throws IOException {
    HostChecks host = new HostChecks(folder);
    assertIs(Status.OK, host.kernelDriver());
    Files.createDirectories(folder.resolve("sys/module/rdma_rxe"));
    assertIs(Status.WARN, host.kernelDriver());
    Files.createDirectories(folder.resolve("sys/class/infiniband/rxe0"));
    assertTrue(host.kernelDriver().text().contains("rxe0"), host.kernelDriver()::text);
  }

  @Test
  void tablesOfThePacketFilter() throws IOException {
    HostChecks host = new HostChecks(folder);
    assertIs(Status.OK, host.packetFilter());
    write("proc/thread-self/net/ip_tables_names", "");
    assertIs(Status.OK, host.packetFilter());
    write("proc/thread-self/net/ip6_tables_names", "filter\n");
    assertIs(Status.WARN, host.packetFilter());
    assertTrue(host.packetFilter().text().contains("IPv6 filter"), host.packetFilter()::text);
  }

  @ParameterizedTest
  @CsvSource({"300, FAIL", "1500, WARN", "2200, WARN", "4200, OK", "9000, OK"})
  void interfaceMtu(int bytes, Status status) {
    assertIs(status, PortChecks.mtu("eth0", bytes));
  }

  private int doctor(StringWriter out, String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "doctor";
    all[1] = "--udp-port";
    all[2] = PORT;
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    return Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(out, true))
        .execute(all);
  }

  @Test
  void nothingIsLackingOnLoopbackAndJsonSaysTheSame() throws IOException {
    Path file = folder.resolve("doctor.json");
    StringWriter out = new StringWriter();
    int exitCode = doctor(out, "--io", "nio", "--json", file.toString());
    assertEquals(ExitCode.GOOD, exitCode, out::toString);
    assertFalse(out.toString().matches("(?s).*rmem_max [0-9]B.*"), out::toString);
    assertTrue(out.toString().contains("nothing that is needed is lacking"), out::toString);
    JsonNode report = JsonReport.mapper().readTree(file.toFile());
    assertEquals(0, report.get("lacking").asInt());
    List<String> checks = new ArrayList<>();
    report.get("findings").forEach(finding -> checks.add(finding.get("check").asText()));
    assertTrue(
        checks.containsAll(
            List.of(
                "JDK",
                "buffers",
                "GSO and GRO",
                "rdma_rxe",
                "packet filter",
                "address",
                "MTU",
                "port nio",
                "UDP port",
                "ECN",
                "reach")),
        checks::toString);
    // nio hears no marks: a warning, and nothing that is needed.
    assertTrue(out.toString().contains("cannot see the marks"), out::toString);
  }

  @Test
  void takenPortAndForeignAddressAreLacking() {
    StringWriter out = new StringWriter();
    try (var taken =
        Ports.open("nio", PortSettings.of("127.0.0.1").withUdpPort(Integer.parseInt(PORT)))
            .port()) {
      assertEquals(Integer.parseInt(PORT), taken.localUdpPort());
      assertEquals(ExitCode.MACHINE, doctor(out, "--io", "nio"), out::toString);
      assertTrue(out.toString().contains("in use by process"), out::toString);
      assertTrue(out.toString().contains("cure: stop it, or choose another"), out::toString);
    }
    StringWriter foreign = new StringWriter();
    assertEquals(ExitCode.MACHINE, doctor(foreign, "--bind", "192.0.2.1"), foreign::toString);
    assertTrue(foreign.toString().contains("1 thing that is needed lacking"), foreign::toString);
  }

  private ToolProcess doctorOn(TwoHosts hosts, List<String> prefix, String... arguments) {
    List<String> words = new ArrayList<>(hosts.on("a"));
    words.addAll(prefix);
    List<String> all = new ArrayList<>(List.of("doctor", "--bind", "10.47.92.1"));
    all.addAll(List.of(arguments));
    ToolProcess process = ToolProcess.start(words, folder, all.toArray(String[]::new));
    process.awaitExit();
    return process;
  }

  @Test
  void onAHostOfItsOwnRightsLinksAndFiltersAreSeen() {
    String reason = TwoHosts.unavailableReason();
    Assumptions.assumeTrue(
        reason == null, () -> "skipped: rights, MTU, link and filter in namespaces: " + reason);
    try (TwoHosts hosts = TwoHosts.make("up", "1500")) {
      try (ToolProcess all = doctorOn(hosts, List.of(), "--io", "raw")) {
        assertEquals(ExitCode.GOOD, all.awaitExit(), all::output);
        assertTrue(all.output().contains("net0 has MTU 1500"), all::output);
      }
      List<String> unprivileged = List.of("setpriv", "--bounding-set=-net_raw", "--inh-caps=-all");
      try (ToolProcess powerless = doctorOn(hosts, unprivileged, "--io", "raw")) {
        assertEquals(ExitCode.MACHINE, powerless.awaitExit(), powerless::output);
        assertTrue(powerless.output().contains("needs CAP_NET_RAW"), powerless::output);
        assertTrue(powerless.output().contains("cure: run as root"), powerless::output);
      }
      // A queue that lets nothing through stands for a filter that drops.
      hosts.run(
          "a", "tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "8bit", "burst", "1",
          "limit", "1");
      try (ToolProcess filtered = doctorOn(hosts, List.of(), "--io", "linux")) {
        assertEquals(ExitCode.MACHINE, filtered.awaitExit(), filtered::output);
        assertTrue(filtered.output().contains("fail  reach"), filtered::output);
        assertFalse(filtered.output().contains("cannot work here"), filtered::output);
      }
      hosts.run("a", "ip", "link", "set", "net0", "down");
      try (ToolProcess down = doctorOn(hosts, List.of())) {
        assertEquals(ExitCode.MACHINE, down.awaitExit(), down::output);
        assertTrue(down.output().contains("net0 is down"), down::output);
      }
    }
  }
}
