// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.oob;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The exchange with a peer that may be anybody. */
class PeerLinkTest {
  private static final long SECOND = 1_000_000_000;
  private static final int PORT = 25780;

  private PeerListener listener;
  private Socket peer;
  private PeerLink link;

  @BeforeEach
  void connect() throws IOException {
    InetAddress local = InetAddress.ofLiteral("127.0.0.1");
    listener = new PeerListener(local, PORT);
    peer = new Socket(local, PORT);
    link = listener.accept(() -> false);
  }

  @AfterEach
  void close() throws IOException {
    link.close();
    peer.close();
    listener.close();
  }

  private void say(String text) throws IOException {
    peer.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void linesArriveWholeHoweverTheyAreCut() throws IOException {
    say("{\"type\":\"a\",");
    assertNull(link.poll());
    say("\"n\":5}\n{\"type\":\"b\"}\n{\"ty");
    PeerMessage first = link.await(SECOND);
    assertEquals("a", first.type());
    assertEquals(5, first.integer("n", 0, 9));
    assertEquals("b", link.await(SECOND).type());
    say("pe\":\"c\"}\n");
    assertEquals("c", link.await(SECOND).type());
  }

  @Test
  void longestLinePassesAndOneByteMoreEndsIt() throws IOException {
    String frame = "{\"type\":\"\"}\n";
    String text = "x".repeat(PeerLink.MAX_LINE_BYTES - frame.length());
    say(frame.replace("\"\"", '"' + text + '"'));
    assertEquals(PeerMessage.MAX_TEXT, link.await(SECOND).type().length());
    say("x".repeat(PeerLink.MAX_LINE_BYTES));
    PeerException e = assertThrows(PeerException.class, () -> link.await(5 * SECOND));
    assertTrue(e.getMessage().contains("a line of more than"), e::getMessage);
  }

  @Test
  void talkingDoesNotLengthenATotalLimit() throws IOException {
    say("{\"type\":\"alive\"}\n".repeat(1000));
    long sinceNs = System.nanoTime();
    assertEquals("alive", link.await(sinceNs, 5 * SECOND, () -> false).type());
    PeerException e =
        assertThrows(
            PeerException.class, () -> link.await(sinceNs - 6 * SECOND, 5 * SECOND, () -> false));
    assertTrue(e.getMessage().contains("says nothing that counts for 5 s"), e::getMessage);
  }

  @Test
  void userEndsTheWaitingForATalkingPeer() throws IOException {
    say("{\"type\":\"alive\"}\n");
    assertThrows(
        PeerStoppedException.class, () -> link.await(System.nanoTime(), SECOND, () -> true));
  }

  @Test
  void closedConnectionAndSilenceAreNamed() throws IOException {
    PeerException silent = assertThrows(PeerException.class, () -> link.await(1));
    assertTrue(silent.getMessage().contains("peer 127.0.0.1 says nothing"), silent::getMessage);
    peer.close();
    PeerException gone = assertThrows(PeerException.class, () -> link.await(SECOND));
    assertTrue(gone.getMessage().contains("peer 127.0.0.1 is gone"), gone::getMessage);
  }

  @Test
  void takenPortIsNamedWithTheCure() {
    InetAddress local = InetAddress.ofLiteral("127.0.0.1");
    PeerException e = assertThrows(PeerException.class, () -> new PeerListener(local, PORT));
    assertTrue(e.getMessage().contains("TCP port " + PORT), e::getMessage);
    assertTrue(e.getMessage().contains("choose another"), e::getMessage);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"a\"} x",
        "{\"type\":\"a\"",
        "null",
        "7",
        "\"type\"",
        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}",
        "{\"n\":11111111111111111111111111111111111111111111111111}",
      })
  void whatIsNoPlainObjectIsRefused(String line) throws IOException {
    say(line + "\n");
    PeerException e = assertThrows(PeerException.class, () -> link.await(SECOND));
    assertTrue(e.getMessage().contains("sends no JSON object"), e::getMessage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.5", "-1", "11", "9223372036854775808", "\"5\"", "null", "true", "{}"})
  void numberOutOfRangeIsRefusedByName(String value) throws IOException {
    say("{\"type\":\"t\",\"n\":" + value + "}\n");
    PeerMessage message = link.await(SECOND);
    PeerException e = assertThrows(PeerException.class, () -> message.integer("n", 0, 10));
    assertTrue(e.getMessage().contains("\"n\""), e::getMessage);
  }

  @Test
  void textsAreFitForATerminalAndBounded() throws IOException {
    say("{\"type\":\"a\\u001b]0;x\\u0007\\u202e\\n\",\"list\":[\"a\\r\",\"b\",\"c\"],\"f\":2}\n");
    PeerMessage message = link.await(SECOND);
    assertEquals("a?]0;x???", message.type());
    assertEquals(List.of("a?", "b"), message.texts("list", 2));
    assertThrows(PeerException.class, () -> message.texts("type", 2));
    assertThrows(PeerException.class, () -> message.fraction("f"));
    assertThrows(PeerException.class, () -> message.flag("f"));
    assertThrows(PeerException.class, () -> message.object("f"));
    assertThrows(PeerException.class, () -> message.text("missing"));
  }

  @Test
  void noiseNeverEndsInAnotherException() throws IOException {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 200; i++) {
      byte[] line = new byte[random.nextInt(1, 80)];
      random.nextBytes(line);
      line[line.length - 1] = '\n';
      peer.getOutputStream().write(line);
      try {
        link.await(5 * SECOND).type();
      } catch (PeerException e) {
        assertTrue(e.getMessage().chars().noneMatch(Character::isISOControl), e::getMessage);
      }
    }
  }
}
