// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.Roce4jCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The labs that run in a second or two, on one seed: what each claims is so. */
class ShippedLabsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "incast|pass   mx-fair: queueMaxBytes at most 0.5 times that of rc-none",
        "pfc-storm|root: leaf0>h0 class 3: paused by h0 itself",
        "pfc-deadlock|deadlock: s0>s1 class 3 waits for s1>s2 class 3 waits for s2>s0",
        "lossy-class|pass   dscp-0: bufferDrops at least 100",
      })
  void labShowsWhatItClaims(String lab, String says) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
            .execute("lab", lab, "--seed", "1", "--seeds", "1");
    assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
    assertTrue(out.toString().contains(says), out::toString);
  }
}
