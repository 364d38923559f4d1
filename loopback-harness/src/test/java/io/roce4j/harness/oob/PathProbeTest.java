// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.oob;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.harness.oob.PathProbe.Outcome;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathProbeTest {
  private static final InetAddress A = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress B = InetAddress.ofLiteral("127.0.0.2");
  private static final int PORT = 25770;

  @ParameterizedTest
  @CsvSource({"127.0.0.1, 127.0.0.2, 25770", "::1, ::1, 25771"})
  void sizesThatFitPassAndNothingIsLeftBehind(String here, String there, int port)
      throws IOException, InterruptedException {
    InetAddress a = InetAddress.ofLiteral(here);
    InetAddress b = InetAddress.ofLiteral(there);
    AtomicBoolean over = new AtomicBoolean();
    try (PathProbe asking = new PathProbe(a, PORT, b, port, 42);
        PathProbe answering = new PathProbe(b, port, a, PORT, 42)) {
      Thread answerer = answer(answering, over);
      assertEquals(Outcome.PASSED, asking.ask(4192));
      assertEquals(Outcome.PASSED, asking.ask(352));
      over.set(true);
      answerer.join();
      assertEquals(0, answering.answer());
    }
  }

  @Test
  void otherNumberOrSenderGetsNoAnswer() throws IOException, InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    try (PathProbe asking = new PathProbe(A, PORT, B, PORT, 42);
        PathProbe answering = new PathProbe(B, PORT, A, PORT, 43);
        DatagramSocket stranger = new DatagramSocket(new InetSocketAddress(A, PORT + 5))) {
      Thread answerer = answer(answering, over);
      stranger.send(new DatagramPacket(new byte[500], 500, B, PORT));
      assertEquals(Outcome.NO_ANSWER, asking.ask(352));
      over.set(true);
      answerer.join();
    }
  }

  private static Thread answer(PathProbe probe, AtomicBoolean over) {
    return Thread.ofPlatform()
        .start(
            () -> {
              while (!over.get()) {
                try {
                  probe.answer();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
                Thread.onSpinWait();
              }
            });
  }
}
