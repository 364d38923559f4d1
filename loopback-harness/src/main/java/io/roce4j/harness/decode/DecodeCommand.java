// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.FileName;
import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.wire.capture.CaptureException;
import io.roce4j.wire.capture.CaptureReader;
import io.roce4j.wire.packet.WireFault;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./roce4j decode FILE...}: prints captures packet by packet and judges every ICRC. */
@Command(
    name = "decode",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Print captures packet by packet, verify every ICRC, explain wrong ones.",
    footer = {
      "",
      "Reads pcap and pcapng of any size: Ethernet (VLAN too), Linux cooked, raw IP; RoCEv2 over"
          + " IPv4 and IPv6, RoCEv1. Faults: ok, too-short, unknown-opcode, truncated,"
          + " bad-transport-version, bad-icrc, bad-ip-header, ip-options, ip-fragment,"
          + " length-mismatch, capture-truncated, bad-mx-header, bad-mad, bad-grh, not-ip,"
          + " not-roce."
    })
public final class DecodeCommand implements Subcommand {
  private static final int BLOCK = 1 << 16;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Captures to read; '-' is standard input.")
  private List<String> files;

  @Option(
      names = {"-v", "--verbose"},
      description = "Print every field.")
  private boolean verbose;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print no packets, only totals and what else was asked for.")
  private boolean quiet;

  @Option(
      names = "--json",
      paramLabel = "FILE|-",
      description =
          "Write JSON Lines, one object a packet, to FILE, or to standard output for '-'.")
  private String json;

  @Option(
      names = "--strict",
      description = "Exit with 1 when a packet has a bad ICRC or is malformed.")
  private boolean strict;

  @Option(
      names = "--qp",
      split = ",",
      paramLabel = "N",
      description = "Only packets to (UD: or from) these queue pairs.")
  private List<String> queuePairs = new ArrayList<>();

  @Option(
      names = "--opcode",
      split = ",",
      paramLabel = "NAME",
      description = "Only these opcodes: RC_SEND_ONLY, RC_*, 0x11.")
  private List<String> opcodes = new ArrayList<>();

  @Option(
      names = "--fault",
      split = ",",
      paramLabel = "NAME",
      description = "Only packets with these faults, or 'any' of them.")
  private List<String> faults = new ArrayList<>();

  @Option(
      names = "--follow",
      paramLabel = "SRC>DST:QPN",
      description = "Only this connection, both directions, with relative PSNs, gaps and ACKs.")
  private String follow;

  @Option(
      names = "--summary",
      description = "Print counts per direction and queue pair at the end.")
  private boolean summary;

  @Option(
      names = "--udp-port",
      paramLabel = "PORT",
      defaultValue = "4791",
      description = "Take this UDP port for RoCE, besides 4791.")
  private int udpPort;

  private PacketFilter filter;
  private FlowKey flow;
  private TextForm text;
  private boolean bad;

  /** Used by picocli. */
  public DecodeCommand() {}

  @Override
  public Integer call() {
    if (udpPort < 1 || udpPort > 65_535) {
      throw ToolException.usage("--udp-port " + udpPort + " is outside 1..65535");
    }
    filter = new PacketFilter(queuePairs, opcodes, faults);
    flow = follow == null ? null : FlowKey.parse(follow);
    if (flow != null && files.contains("-")) {
      throw ToolException.usage(
          "--follow reads a capture twice, which standard input cannot: give a file");
    }
    for (String file : files) {
      if (flow != null && Files.exists(path(file)) && !Files.isRegularFile(path(file))) {
        throw ToolException.usage(
            "--follow reads a capture twice, and "
                + file
                + " is no regular file: keep a pipe's bytes in one first");
      }
      JsonReport.checkApart(json, "the capture", path(file));
    }
    text = new TextForm(verbose);
    int exitCode = ExitCode.GOOD;
    try (JsonReport report = JsonReport.open(json, spec.commandLine().getOut())) {
      for (String file : files) {
        exitCode = Math.max(exitCode, decode(file, report));
      }
    }
    return exitCode == ExitCode.GOOD && strict && bad ? ExitCode.CHECK_FAILED : exitCode;
  }

  private PrintWriter lines() {
    return "-".equals(json) ? spec.commandLine().getErr() : spec.commandLine().getOut();
  }

  private int decode(String file, JsonReport report) {
    FlowFollower follower = null;
    StringBuilder out = new StringBuilder(BLOCK + BLOCK / 4);
    if (flow != null) {
      follower = pair(file, out);
    }
    QueuePairSummary counts = summary ? new QueuePairSummary() : null;
    CaptureScan scan = new CaptureScan(udpPort);
    FlowFollower followed = follower;
    CaptureException failure =
        scan(
            scan,
            file,
            packet -> {
              if (counts != null) {
                counts.onPacket(packet);
              }
              show(packet, followed, report, out);
            });
    if (failure == null || scan.frames > 0) {
      report.begin();
      conclude(file, scan, failure == null, followed, counts, report, out);
    } else {
      out.setLength(0); // What was announced did not happen.
    }
    print(out);
    lines().flush();
    if (failure == null) {
      return ExitCode.GOOD;
    }
    spec.commandLine().getErr().println(spec.qualifiedName() + ": " + failure.getMessage());
    return failure.isCutShort() ? ExitCode.CHECK_FAILED : ExitCode.USAGE;
  }

  private void conclude(
      String file,
      CaptureScan scan,
      boolean isComplete,
      FlowFollower followed,
      QueuePairSummary counts,
      JsonReport report,
      StringBuilder out) {
    if (followed != null) {
      out.append(followTotals(followed));
    }
    if (counts != null && json == null) {
      counts.append(out);
    } else if (counts != null) {
      counts.write(report, file);
    }
    out.append(totals(file, scan, isComplete)).append('\n');
  }

  /** First pass: which direction answers the one to follow. */
  private FlowFollower pair(String file, StringBuilder out) {
    FlowPairing pairing = new FlowPairing(flow);
    // A file that ends too early is reported by the second pass, which reads it again.
    CaptureException failure = scan(new CaptureScan(udpPort), file, pairing);
    if (pairing.packets() == 0 && (failure == null || failure.isCutShort())) {
      throw ToolException.usage(
          "--follow "
              + follow
              + ": "
              + file
              + " has no such packets; 'decode --summary -q' lists"
              + " the directions and queue pairs");
    }
    int reverseQp = pairing.reverseQp();
    out.append("following ").append(flow);
    if (reverseQp == FlowPairing.NOT_FOUND) {
      out.append("; no direction back found\n");
    } else {
      out.append(String.format("; answers go to qp 0x%06x", reverseQp));
      out.append(pairing.isByCm() ? " (by CM)\n" : " (by acknowledgements)\n");
    }
    return new FlowFollower(flow, reverseQp, pairing.mtus());
  }

  private CaptureException scan(CaptureScan scan, String file, PacketSink sink) {
    try (CaptureReader reader = open(file)) {
      scan.run(reader, file, sink);
      return null;
    } catch (CaptureException e) {
      return e;
    } catch (IOException e) {
      throw ToolException.machine(file + ": closing fails: " + IoReason.of(e), e);
    }
  }

  private static CaptureReader open(String file) throws CaptureException {
    if (file.equals("-")) {
      return CaptureReader.open(new StandardInput(), "standard input");
    }
    return CaptureReader.open(path(file));
  }

  /** Standard input too has a name, where the system gives it one. */
  private static Path path(String file) {
    try {
      return FileName.parse(file.equals("-") ? "/dev/stdin" : file);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage(e.getMessage(), e);
    }
  }

  /** Standard input, which a reader must not close. */
  private static final class StandardInput extends FilterInputStream {
    StandardInput() {
      super(System.in);
    }

    @Override
    public void close() {
      // It belongs to the process.
    }
  }

  private void show(
      DecodedPacket packet, FlowFollower follower, JsonReport report, StringBuilder out) {
    if (follower != null && !follower.accept(packet)) {
      return;
    }
    if (!filter.accepts(packet)) {
      return;
    }
    bad |= packet.isBad();
    if (json != null) {
      ObjectNode object = JsonForm.of(packet);
      if (follower != null) {
        ObjectNode node = object.putObject("follow");
        node.put("direction", follower.isForward() ? "forward" : "reverse");
        node.put("relativePsn", follower.relative());
        node.put("note", follower.note().toString());
      }
      report.writeLine(object);
    }
    if (quiet || "-".equals(json)) {
      return;
    }
    text.append(out, packet);
    if (follower != null) {
      out.append(follower.isForward() ? "  | > rel " : "  | < rel ").append(follower.relative());
      out.append(follower.note().isEmpty() ? "" : ": ").append(follower.note());
    }
    out.append('\n');
    if (out.length() >= BLOCK) {
      print(out);
    }
  }

  private void print(StringBuilder out) {
    lines().append(out);
    out.setLength(0);
  }

  private static String followTotals(FlowFollower follower) {
    return String.format(
        "followed %d packets: %d retransmissions, %d missing, %d acknowledged, %d NAKs%n",
        follower.packets,
        follower.retransmissions,
        follower.missing,
        follower.acknowledged,
        follower.naks);
  }

  private static String totals(String file, CaptureScan scan, boolean isComplete) {
    StringBuilder line = new StringBuilder(file).append(": ");
    line.append(scan.frames).append(" frames, ").append(scan.packets).append(" RoCE packets");
    if (scan.trains > 0) {
      line.append(", ").append(scan.trains).append(" trains");
    }
    if (scan.otherFrames > 0) {
      line.append(", ").append(scan.otherFrames).append(" other frames");
    }
    boolean any = false;
    for (int fault = 1; fault < scan.faults.length; fault++) {
      if (scan.faults[fault] > 0 && fault != WireFault.NOT_IP && fault != WireFault.NOT_ROCE) {
        line.append(", ").append(scan.faults[fault]).append(' ').append(WireFault.name(fault));
        any = true;
      }
    }
    line.append(any ? "" : ", no faults");
    return line.append(isComplete ? "" : ", not read to its end").toString();
  }
}
