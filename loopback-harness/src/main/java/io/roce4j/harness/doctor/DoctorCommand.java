// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.ReportOption;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.harness.device.PortOptions;
import io.roce4j.harness.doctor.Finding.Status;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./roce4j doctor}: says what this machine lacks, with cause and cure. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "What this machine lacks for the traffic that is wanted, each with its cause and its cure:",
      "JDK, socket buffers, segmentation, ECN, MTU, rights, ports in use, the kernel's own driver,",
      "packet filters, addresses. Say with --io, --bind and --udp-port what is wanted."
    },
    footer = {"", "Exit codes: 0 nothing needed is lacking, 2 wrong usage, 3 something is."})
public final class DoctorCommand implements Subcommand {
  @Mixin private PortOptions options = new PortOptions();

  @Mixin private ReportOption report = new ReportOption();

  /** Used by picocli. */
  public DoctorCommand() {}

  @Override
  public Integer call() {
    String portName = options.portName();
    try (JsonReport json = report.open()) {
      List<Finding> findings = new ArrayList<>();
      findings.add(HostChecks.jdk());
      HostChecks host = new HostChecks(Path.of("/"));
      findings.add(host.buffers());
      findings.add(HostChecks.segmentation());
      findings.add(host.kernelDriver());
      findings.add(host.packetFilter());
      findings.addAll(new PortChecks(portName, options.settings()).findings());
      long lacking = findings.stream().filter(f -> f.status() == Status.FAIL).count();
      PrintWriter text = report.text();
      print(text, findings, lacking);
      text.flush();
      json.write(json(findings, lacking));
      return lacking == 0 ? ExitCode.GOOD : ExitCode.MACHINE;
    }
  }

  private static void print(PrintWriter out, List<Finding> findings, long lacking) {
    for (Finding finding : findings) {
      out.printf(
          Locale.ROOT,
          "%-4s  %-14s %s%n",
          finding.status().word(),
          finding.check(),
          finding.text());
      if (!finding.cure().isEmpty()) {
        out.printf(Locale.ROOT, "%-21scure: %s%n", "", finding.cure());
      }
    }
    out.println(
        lacking == 0
            ? "nothing that is needed is lacking"
            : lacking + (lacking == 1 ? " thing that is" : " things that are") + " needed lacking");
  }

  private static ObjectNode json(List<Finding> findings, long lacking) {
    ObjectNode node = JsonReport.mapper().createObjectNode();
    node.put("tool", "doctor");
    node.put("version", VersionProvider.version());
    node.put("lacking", lacking);
    ArrayNode list = node.putArray("findings");
    for (Finding finding : findings) {
      ObjectNode each = list.addObject();
      each.put("check", finding.check());
      each.put("status", finding.status().word());
      each.put("text", finding.text());
      each.put("cure", finding.cure());
    }
    return node;
  }
}
