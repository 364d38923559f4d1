// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Roce4jCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DevinfoCommandTest {
  private static final String PORT = "24811";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int devinfo(String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "devinfo";
    all[1] = "--udp-port";
    all[2] = PORT;
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    return Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
        .execute(all);
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1, ::ffff:127.0.0.1", "::1, ::1"})
  void saysWhatTheEndpointIsInTextAndJson(String bind, String gid, @TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("devinfo.json");
    int exitCode = devinfo("--io", "nio", "--bind", bind, "--json", file.toString());
    assertEquals(ExitCode.GOOD, exitCode, err::toString);
    for (String part : new String[] {"PORT_ACTIVE (4)", "active_mtu:", "4096 (5)", gid, "0xffff"}) {
      assertTrue(out.toString().contains(part), () -> part + " in\n" + out);
    }
    JsonNode report = JsonReport.mapper().readTree(file.toFile());
    assertEquals(gid, report.at("/port/gids/0/gid").asText());
    assertEquals(4096, report.at("/port/activeMtu").asInt());
    assertEquals(Integer.parseInt(PORT), report.at("/port/udpPort").asInt());
    assertEquals("nio", report.at("/io/name").asText());
    assertEquals(64, report.at("/io/pathSlots").asInt());
    assertTrue(report.at("/limits/maxQp").asInt() > 0);
    assertEquals(1L << 31, report.at("/limits/maxMessageBytes").asLong());
  }

  @Test
  void whatCannotBeOpenedIsOneLine() {
    assertEquals(ExitCode.MACHINE, devinfo("--bind", "192.0.2.1"));
    assertTrue(err.toString().contains("192.0.2.1 is not of this host"), err::toString);
    assertEquals(1, err.toString().lines().count());
  }

  @ParameterizedTest
  @CsvSource({"--io, x, there are auto", "--bind, x, not an IPv4", "--bind, 0.0.0.0, not one host"})
  void wrongUsageIsOneLine(String option, String value, String expected) {
    assertEquals(ExitCode.USAGE, devinfo(option, value));
    assertTrue(err.toString().contains(expected), err::toString);
  }
}
