// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.Roce4jCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Controllers over RC and MX in the fabric: the figures that papers and field cases give. */
class CongestionLabTest {
  @TempDir private Path folder;

  private void holds(String scenario) throws IOException {
    Path file = folder.resolve("lab.yaml");
    Files.writeString(file, scenario);
    holds(file.toString(), "--seeds", "1");
  }

  private static void holds(String lab, String... options) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] all = new String[options.length + 4];
    all[0] = "lab";
    all[1] = lab;
    all[2] = "--seed";
    all[3] = "1";
    System.arraycopy(options, 0, all, 4, options.length);
    int exitCode =
        Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
            .execute(all);
    assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
  }

  // One flow keeps what it has with the original, both come to a half with the correction.
  @Test
  void originalTimelyIsUnfairWhereThePatchedFormIsFair() {
    holds("fairness", "--seeds", "1", "--scheme", "timely,timely-patched");
  }

  /**
   * [FC-39] Rate control alone lets 64 senders fill the buffer until it pauses them; a window of 20
   * kB bounds what each has at the switch. The pause threshold is 3 MB over 64 ingress ports.
   */
  @Test
  void windowedDcqcnNeverPausesWhereRateControlAloneDoes() throws IOException {
    holds(
        """
        lab: windowed
        topology: {shape: single, hosts: 65, hostRate: 100Gbit, hostDelay: 2us}
        traffic:
          - {pattern: incast, to: h0, senders: 64, message: 256KiB}
        defaults:
          mtu: 1024B
          congestion: dcqcn
          switches:
            memory: 64MiB
            lossless: true
            pfc: {xoff: 47kB}
            ecn: {kmin: 5kB, kmax: 200kB, pmax: 1%}
        schemes:
          - {name: rate}
          - {name: window, congestionSet: {window: 20kB}}
        limit: 50ms
        claims:
          - {scheme: rate, metric: pauses, atLeast: 1}
          - {scheme: rate, metric: drops, atMost: 0}
          - {scheme: window, metric: pauses, atMost: 0}
          - {scheme: window, metric: drops, atMost: 0}
          - {scheme: window, metric: queueMaxBytes, atMost: 1.36e6}
          - {scheme: rate, metric: queueMaxBytes, atLeast: 2, timesThatOf: window}
        """);
  }

  /** [FC-36] Data under control is ECN-capable, is marked, and slows down; without, nothing is. */
  @Test
  void controlledDataIsMarkedAndSlowsDownAndUncontrolledIsNot() throws IOException {
    holds(
        """
        lab: two-to-one
        topology: {shape: single, hosts: 3, hostRate: 100Gbit, hostDelay: 1us}
        traffic:
          - {pattern: incast, to: h0, senders: 2, message: 64KiB, messages: endless, depth: 32}
        defaults: {window: 1024, switches: {memory: 64MiB, ecn: {kmin: 5kB, kmax: 200kB, pmax: 1%}}}
        schemes:
          - {name: on, congestion: dcqcn}
          - {name: off}
        limit: 3ms
        claims:
          - {scheme: on, metric: ecnMarks, atLeast: 1}
          - {scheme: off, metric: ecnMarks, atMost: 0}
          - {scheme: on, metric: queueMeanBytes, atMost: 0.5, timesThatOf: off}
          - {scheme: on, metric: retransmissions, atMost: 0}
        """);
  }

  /** Hints share the line of N flows at once, and within a few parts of a thousand. */
  @Test
  void hintsShareTheLineOfEightFlowsWithinTheFirstWindow() throws IOException {
    holds(
        """
        lab: hints
        topology: {shape: single, hosts: 9, hostRate: 100Gbit, hostDelay: 1us}
        traffic:
          - {pattern: incast, to: h0, senders: 8, message: 16KiB, messages: endless, depth: 32}
        schemes:
          - {name: mx, transport: mx, congestion: mx-fair, paths: 8}
        samples: {every: 25us, window: 100us}
        limit: 2ms
        claims:
          - {scheme: mx, metric: convergenceNs, atMost: 400e3}
          - {scheme: mx, metric: lateJain, atLeast: 0.999}
          - {scheme: mx, metric: goodputMean, atLeast: 0.11}
        """);
  }
}
