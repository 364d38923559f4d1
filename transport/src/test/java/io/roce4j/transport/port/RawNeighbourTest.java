// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.roce4j.transport.port.raw.RawPortProvider;
import io.roce4j.wire.ip.Gid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.SocketException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Port raw finds neighbours without making anybody wait, however many do not exist. */
class RawNeighbourTest {
  private static final int SEARCHES = 128;
  private static final int FIRST_ABSENT = 3;
  private static final int SECOND_TICKS = 1_000;

  private final PacketCollector seen = new PacketCollector();
  private NetworkNamespaces namespaces;
  private PortPair pair;

  @BeforeEach
  void open() {
    String reason = NetworkNamespaces.unavailableReason();
    assumeTrue(reason == null, reason);
    reason = new RawPortProvider().unavailableReason();
    assumeTrue(reason == null, reason);
    namespaces = NetworkNamespaces.create(9000);
    pair = PortPair.openIn(namespaces, "raw", false);
  }

  @AfterEach
  void close() {
    if (pair != null) {
      pair.close();
    }
    if (namespaces != null) {
      namespaces.close();
    }
  }

  @Test
  void packetsToNobodyDoNotHoldUpOthersAndAreCountedAfterASecond() {
    long waits = waits();
    for (int i = 0; i < SEARCHES - 1; i++) {
      sendTo(absent(i));
    }
    assertEquals(waits, waits(), "the thread has waited");
    int expected = 0;
    for (int i = 0; i < 20; i++) {
      sendToRight(20);
      pair.pump(seen, 20);
      expected += 20;
    }
    assertEquals(expected, seen.packets.size());
    for (int i = 0; i < 2 * SECOND_TICKS; i++) {
      pair.left.flush(pair.tick());
    }
    assertEquals(SEARCHES - 1, pair.left.counters().txUnreachable);
    assertEquals(SEARCHES - 1, pair.left.counters().txErrors);
    assertEquals(expected, pair.left.counters().txPackets);
  }

  @Test
  void nobodyIsAskedForAgainForASecond() {
    sendTo(absent(0));
    Destination silent = absent(0);
    for (int i = 0; i < SECOND_TICKS + 10; i++) {
      pair.left.flush(pair.tick());
    }
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> absent(0));
    assertTrue(refused.getMessage().contains("does not answer"), refused.getMessage());
    sendTo(silent);
    pair.left.flush(pair.tick());
    assertEquals(2, pair.left.counters().txUnreachable, "the second one was not kept");
    for (int i = 0; i < SECOND_TICKS; i++) {
      pair.left.flush(pair.tick());
    }
    assertDoesNotThrow(() -> absent(0));
  }

  @Test
  void neighbourThatComesUpLaterIsFound() {
    String late = "10.47.91.99";
    Destination to = to(Gid.parse(late));
    sendTo(to);
    pair.left.flush(pair.tick());
    assertEquals(0, pair.left.counters().txPackets);
    namespaces.in(NetworkNamespaces.RIGHT, "addr", "add", late + "/24", "dev", "ve");
    for (int i = 0; i < 2 * SECOND_TICKS + 10; i++) {
      pair.left.flush(pair.tick());
    }
    namespaces.in(NetworkNamespaces.LEFT, "neigh", "flush", "dev", "ve");
    sendTo(to);
    for (int i = 0; i < SECOND_TICKS && pair.left.counters().txPackets == 0; i++) {
      pair.left.flush(pair.tick());
    }
    assertEquals(1, pair.left.counters().txPackets);
  }

  @Test
  void theKernelIsAskedWithoutAPacketThatLooksLikeRoce() throws IOException {
    namespaces.in(NetworkNamespaces.RIGHT, "addr", "add", "10.47.91.98/24", "dev", "ve");
    try (DatagramSocket discard =
        namespaces.inside(NetworkNamespaces.RIGHT, RawNeighbourTest::discard)) {
      discard.setSoTimeout(10_000);
      to(Gid.parse("10.47.91.98"));
      DatagramPacket asked = new DatagramPacket(new byte[16], 16);
      discard.receive(asked);
      assertEquals(1, asked.getLength());
      assertNotEquals(PortSettings.DEFAULT_UDP_PORT, asked.getPort());
    }
  }

  private static DatagramSocket discard() {
    try {
      return new DatagramSocket(9);
    } catch (SocketException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void onlySoManyAreLookedForAtATimeAndKnownOnesAreNotAmongThem() {
    for (int i = 0; i < SEARCHES; i++) {
      absent(i);
    }
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> absent(SEARCHES));
    assertTrue(refused.getMessage().contains("too many"), refused.getMessage());
    sendTo(to(new Gid(pair.right.localGidHi(), pair.right.localGidLo())));
    pair.pump(seen, 1);
    assertEquals(1, seen.packets.size());
    for (int i = 0; i < 2 * SECOND_TICKS; i++) {
      pair.left.flush(pair.tick());
    }
    assertDoesNotThrow(() -> absent(SEARCHES));
  }

  @Test
  void packetsToNobodyGiveWayWhenTheRingFills() {
    sendTo(absent(0));
    int total = 6_000;
    for (int i = 0; i < total; i++) {
      sendToRight(1);
      // No time passes: only the room can be the reason.
      pair.left.flush(1);
      pair.right.receive(seen, 64, 1);
    }
    pair.pump(seen, total - seen.packets.size());
    assertEquals(1, pair.left.counters().txUnreachable);
    assertEquals(IntStream.range(1, total + 1).boxed().toList(), seen.psns());
  }

  /** How often this thread has waited for anything. */
  private static long waits() {
    long id = Thread.currentThread().threadId();
    return ManagementFactory.getThreadMXBean().getThreadInfo(id).getWaitedCount();
  }

  private Destination absent(int i) {
    return to(Gid.parse("10.47.91." + (FIRST_ABSENT + i)));
  }

  private Destination to(Gid gid) {
    return pair.left.destination(gid.high(), gid.low(), 4791, 0, 0);
  }

  private void sendTo(Destination to) {
    assertTrue(pair.left.open(0, to, 0, 500) > 0);
    pair.put(500);
  }

  private void sendToRight(int packets) {
    assertTrue(pair.open(0, 2, 1000) >= packets);
    for (int i = 0; i < packets; i++) {
      pair.put(1000);
    }
  }
}
