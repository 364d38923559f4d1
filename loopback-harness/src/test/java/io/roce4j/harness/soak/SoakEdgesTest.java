// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Roce4jCommand;
import io.roce4j.transport.engine.AckTimeout;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Soaks at the edge: strangers on the port, long delays, and values that make no sense. */
class SoakEdgesTest {
  private static final int UDP_PORT = 24786;
  private static final String[] SMALL = {
    "soak", "--udp-port", "" + UDP_PORT, "--seed", "7", "--warm-up", "100ms", "--size", "1-16KiB"
  };

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  private int soak(String... arguments) {
    return Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
        .execute(
            Stream.concat(Arrays.stream(SMALL), Arrays.stream(arguments)).toArray(String[]::new));
  }

  /** Sends junk of several lengths, also from an address of an endpoint, until it is closed. */
  private static final class Stranger implements AutoCloseable {
    private static final int BURST = 8;
    private static final long PAUSE_NS = 1_000_000;

    private final DatagramChannel channel = DatagramChannel.open();
    private final Thread sending = new Thread(this::send);
    private volatile boolean isOver;

    Stranger() throws IOException {
      channel.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
    }

    void start() {
      sending.start();
    }

    private void send() {
      ByteBuffer junk = ByteBuffer.allocate(200);
      SocketAddress first = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), UDP_PORT);
      SocketAddress second = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), UDP_PORT);
      for (int i = 0; !isOver; i++) {
        junk.clear().limit(new int[] {1, 12, 24, 200}[i & 3]);
        junk.put(0, (byte) i);
        try {
          channel.send(junk, (i & 4) == 0 ? first : second);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        if (i % BURST == 0) {
          LockSupport.parkNanos(PAUSE_NS);
        }
      }
    }

    @Override
    public void close() throws IOException {
      isOver = true;
      try {
        sending.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      channel.close();
    }
  }

  /** [FC-56] */
  @Test
  void thousandsOfDatagramsOfAStrangerChangeNoVerdict() throws IOException {
    Path json = folder.resolve("out.json");
    try (Stranger stranger = new Stranger()) {
      stranger.start();
      int exitCode =
          soak("--duration", "700ms", "--loss", "2%", "--corrupt", "2%", "--json", json.toString());
      assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
    }
    JsonNode runs = JsonReport.mapper().readTree(json.toFile()).get("runs");
    long strangers = 0;
    for (JsonNode run : runs) {
      strangers += run.get("strangers").asLong();
    }
    assertTrue(strangers > 1_000, strangers + " datagrams of a stranger");
    assertEquals(0.02, runs.at("/1/impairment/measured/loss").asDouble(), 0.01);
    assertTrue(out.toString().contains("  strangers sent "), out::toString);
  }

  /** A round trip of 40 ms, far above the ACK timeout of a run without a delay. */
  @ParameterizedTest
  @CsvSource({"rc", "mx"})
  void aDelayFarAboveTheUsualTimeoutEndsNoConnection(String transport) {
    int exitCode =
        soak("--transport", transport, "--duration", "700ms", "--loss", "0.5%", "--delay", "20ms");
    // On a busy host the delay is longer than configured, which is INVALID; the data is good.
    assertTrue(exitCode == ExitCode.GOOD || exitCode == ExitCode.INVALID, () -> out + "\n" + err);
    assertTrue(out.toString().contains("  delayed "), out::toString);
    assertFalse(out.toString().contains("ERROR"), out::toString);
  }

  @ParameterizedTest
  @CsvSource({"8, 0, 8", "8, 50000, 9", "8, 20000000, 15", "13, 20000000, 15", "8, 100000000, 17"})
  void timeoutLeavesRoomForTheDelayThereAndBackTwice(int code, long delayNs, int longer) {
    assertEquals(longer, SoakCommand.timeoutCode(code, delayNs));
    assertTrue(
        AckTimeout.timeoutNs(longer) >= AckTimeout.timeoutNs(code) + 4 * delayNs, "" + longer);
  }

  @ParameterizedTest
  @CsvSource({
    "--delay 10us, allowed are 0 and 50us to 100ms",
    "--delay 101ms, allowed are 0 and 50us to 100ms",
    "--pcap-limit 0, takes no packet",
    "--pcap-limit 1000, takes no packet"
  })
  void valuesThatMakeNoSenseAreOneLine(String options, String expected) {
    assertEquals(ExitCode.USAGE, soak(options.split(" ", -1)), out::toString);
    assertTrue(err.toString().contains(expected), err::toString);
    assertEquals(1, err.toString().lines().count(), err::toString);
  }
}
