// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.process.ToolProcess;
import io.roce4j.harness.process.TwoHosts;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Soak between two hosts, which are network namespaces with a link between them. */
@Timeout(180)
class TwoHostsSoakTest {
  @TempDir private Path folder;

  @BeforeAll
  static void namespacesCanBeMade() {
    String reason = TwoHosts.unavailableReason();
    Assumptions.assumeTrue(
        reason == null,
        () ->
            "skipped: soak over raw, over linux without offload, and the checks of the path MTU,"
                + " which need network namespaces: "
                + reason);
  }

  private ToolProcess soak(TwoHosts hosts, String host, String... options) {
    String[] all =
        Stream.concat(Stream.of("soak", "--seed", "7"), Arrays.stream(options))
            .toArray(String[]::new);
    return ToolProcess.start(hosts.on(host), folder, all);
  }

  private ToolProcess listen(TwoHosts hosts, String io) {
    ToolProcess listening =
        ToolProcess.start(hosts.on("b"), folder, "soak", "--listen", "--io", io);
    listening.awaitText("waiting for a peer");
    return listening;
  }

  @ParameterizedTest
  @CsvSource({"raw, 10.47.92.2", "raw, fd47:92::2", "linux, 10.47.92.2"})
  void everyByteIsVerifiedThroughOnePercentLossWithoutOffload(String io, String peer) {
    try (TwoHosts hosts = TwoHosts.make("up", "9000")) {
      hosts.run("segment");
      try (ToolProcess listening = listen(hosts, io);
          ToolProcess leading =
              soak(
                  hosts,
                  "a",
                  "--peer",
                  peer,
                  "--io",
                  io,
                  "--duration",
                  "2s",
                  "--warm-up",
                  "200ms",
                  "--size",
                  "1-64KiB",
                  "--loss",
                  "1%")) {
        assertEquals(ExitCode.GOOD, leading.awaitExit(), () -> leading.output() + leading.errors());
        assertEquals(ExitCode.GOOD, listening.awaitExit(), listening::output);
        assertTrue(leading.output().contains("all bytes verified"), leading::output);
      }
    }
  }

  @Test
  void pathMtuIsFoundBeforeTheFirstPacket() {
    try (TwoHosts hosts = TwoHosts.make("up", "1500");
        ToolProcess listening = listen(hosts, "linux")) {
      try (ToolProcess forced = soak(hosts, "a", "--peer", "10.47.92.2", "--mtu", "4096")) {
        assertEquals(ExitCode.MACHINE, forced.awaitExit(), forced::errors);
        assertEquals(1, forced.errors().lines().count(), forced::errors);
        assertTrue(forced.errors().contains("--mtu 4096"), forced::errors);
        assertTrue(forced.errors().contains("net0 has MTU 1500"), forced::errors);
        assertTrue(forced.errors().contains("use --mtu 1024"), forced::errors);
      }
      // The listener has sent it away and still waits; without a wish the largest is taken.
      Path json = folder.resolve("mtu.json");
      try (ToolProcess leading =
          soak(
              hosts,
              "a",
              "--peer",
              "10.47.92.2",
              "--duration",
              "200ms",
              "--warm-up",
              "0",
              "--json",
              json.toString(),
              "--loss",
              "0",
              "--reorder",
              "0",
              "--duplicate",
              "0",
              "--corrupt",
              "0")) {
        assertEquals(ExitCode.GOOD, leading.awaitExit(), () -> leading.output() + leading.errors());
        assertEquals(ExitCode.GOOD, listening.awaitExit(), listening::output);
        assertTrue(Texts.read(json).contains("\"mtu\" : 1024"), () -> Texts.read(json));
      }
    }
  }

  @Test
  void narrowWayBackIsBlamedOnThePeersRoute() {
    try (TwoHosts hosts = TwoHosts.make("up", "9000")) {
      hosts.run("b", "ip", "route", "replace", "10.47.92.1/32", "dev", "net0", "mtu", "1300");
      try (ToolProcess listening = listen(hosts, "linux");
          ToolProcess forced = soak(hosts, "a", "--peer", "10.47.92.2", "--mtu", "4096")) {
        assertEquals(ExitCode.MACHINE, forced.awaitExit(), forced::errors);
        assertTrue(forced.errors().contains("peer's route does not take"), forced::errors);
        assertTrue(forced.errors().contains("use --mtu 1024"), forced::errors);
        assertTrue(listening.output().contains("waiting"), listening::output);
      }
    }
  }

  @Test
  void narrowLinkBehindARouterIsFoundToo() {
    try (TwoHosts hosts = TwoHosts.make("routed", "9000", "1400");
        ToolProcess listening = listen(hosts, "linux");
        ToolProcess forced = soak(hosts, "a", "--peer", "10.47.93.2", "--mtu", "2048")) {
      assertEquals(ExitCode.MACHINE, forced.awaitExit(), forced::errors);
      assertTrue(forced.errors().contains("on the way"), forced::errors);
      assertTrue(forced.errors().contains("use --mtu 1024"), forced::errors);
      assertTrue(listening.output().contains("waiting"), listening::output);
    }
  }
}
