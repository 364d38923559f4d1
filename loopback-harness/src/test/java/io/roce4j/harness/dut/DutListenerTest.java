// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.Roce4jCommand;
import io.roce4j.harness.oob.ClientListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The conversation over TCP. */
class DutListenerTest {
  private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

  private static String ask(int port, String... lines) throws IOException {
    StringBuilder answers = new StringBuilder();
    try (Socket socket = new Socket(LOOPBACK, port);
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line : lines) {
        socket
            .getOutputStream()
            .write((line.replace('\'', '"') + "\n").getBytes(StandardCharsets.UTF_8));
        answers.append(in.readLine()).append('\n');
      }
    }
    return answers.toString();
  }

  @Test
  void clientsAreServedOneAfterTheOtherEachWithNothingOpen()
      throws IOException, InterruptedException {
    ClientListener listener = ClientListener.open(LOOPBACK, 0);
    AtomicReference<IOException> failure = new AtomicReference<>();
    StringWriter log = new StringWriter();
    Thread server =
        new Thread(
            () -> {
              try {
                new DutListener(listener, new PrintWriter(log, true), null).serve();
              } catch (IOException e) {
                failure.set(e);
              }
            });
    server.start();
    String open = "{'id':1,'cmd':'open','port':'control','bind':'192.0.2.2'}";
    for (int client = 0; client < 3; client++) {
      String answers = ask(listener.port(), open, "{'id':2,'cmd':'alloc_pd'}");
      assertTrue(answers.startsWith("{\"id\":1,\"ok\":true"), answers);
      assertTrue(answers.endsWith("{\"id\":2,\"ok\":true,\"pd\":1}\n"), answers);
    }
    listener.close();
    server.join();
    assertEquals(null, failure.get());
    assertEquals("", log.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:9000,127.0.0.1,9000",
    ":9000,127.0.0.1,9000",
    "9000,127.0.0.1,9000",
    "0.0.0.0:0,0.0.0.0,0",
    "[::1]:65535,0:0:0:0:0:0:0:1,65535"
  })
  void addressMayBeLeftOut(String text, String address, int port) {
    ControlAddress parsed = ControlAddress.parse(text);
    assertEquals(address, parsed.address().getHostAddress());
    assertEquals(port, parsed.port());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "localhost:9000", "127.0.0.1", "1.2.3.4:65536", "::1:9000", ":-1"})
  void whatIsNoAddressIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> ControlAddress.parse(text));
  }

  @Test
  void portInUseIsToldInOneLine() {
    try (ClientListener listener = ClientListener.open(LOOPBACK, 0)) {
      StringWriter err = new StringWriter();
      int exitCode =
          Roce4jCommand.commandLine(new PrintWriter(new StringWriter()), new PrintWriter(err, true))
              .execute("dut", "--control", "127.0.0.1:" + listener.port());
      assertEquals(ExitCode.MACHINE, exitCode);
      assertTrue(
          err.toString().startsWith("roce4j dut: --control: cannot listen on 127.0.0.1 TCP port"),
          err::toString);
      assertEquals(1, err.toString().lines().count());
    }
  }
}
