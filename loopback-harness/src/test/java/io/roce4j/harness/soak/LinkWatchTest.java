// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.wire.ip.Gid;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** [FC-56] The order of packets as the receiving port sees it. */
class LinkWatchTest {
  private static final int LENGTH = 60;
  private static final int OTHER_END = 0x7F00_0002;
  private static final int HERE = 0x7F00_0001;
  private static final int FIRST_PORT = 50_000;
  private static final int PATHS = 16;
  private static final int PACKETS = 200_000;
  private static final int IN_FLIGHT = 50;

  private final UnsafeBuffer packet = new UnsafeBuffer(new byte[LENGTH]);
  private final DatagramMeta meta = new DatagramMeta();
  private final LinkWatch watch = new LinkWatch(null);

  LinkWatchTest() {
    BitSet ports = new BitSet();
    ports.set(FIRST_PORT, FIRST_PORT + PATHS);
    watch.expect(Gid.ofIpv4(OTHER_END), ports);
  }

  private void write(int content) {
    packet.setMemory(0, LENGTH, (byte) 0);
    packet.putInt(8, content);
  }

  private void send(int... contents) {
    for (int content : contents) {
      write(content);
      watch.onSent(packet, 0, LENGTH);
    }
  }

  private void arriveFrom(int address, int port, int content) {
    write(content);
    packet.putInt(LENGTH - 4, content * 31); // the ICRC, sealed on the way
    meta.ip.ipv4(address, HERE, port, 4791);
    watch.onReceive(0, packet, 0, LENGTH, meta);
  }

  private void arrive(int... contents) {
    for (int content : contents) {
      arriveFrom(OTHER_END, FIRST_PORT + content % PATHS, content);
    }
  }

  @Test
  void onePacketHeldBackIsOneOvertaken() {
    send(1, 2, 3, 4, 5, 6);
    arrive(1, 3, 4, 5, 2, 6);
    assertEquals(new LinkOrder(6, 1), watch.order());
  }

  @Test
  void lossAndCopiesAreNoReordering() {
    send(1, 2, 3, 4, 5);
    arrive(1, 1, 3, 3, 5);
    assertEquals(new LinkOrder(3, 0), watch.order());
  }

  /** Go-back-N: 2 was lost, 3 to 5 arrived and are sent again all the same. */
  @Test
  void packetsSentAgainAreNoReordering() {
    send(1, 2, 3, 4, 5);
    arrive(1, 3, 4);
    send(2, 3, 4, 5, 6);
    arrive(5, 2, 3, 4, 5, 6);
    assertEquals(0, watch.order().overtaken());
  }

  @Test
  void strangersAreCountedApartAndDisturbNothing() {
    send(1, 2, 3);
    arrive(1);
    arriveFrom(OTHER_END, FIRST_PORT + PATHS, 3);
    arriveFrom(OTHER_END, 4791, 3);
    arriveFrom(OTHER_END + 1, FIRST_PORT, 3);
    arrive(2, 3);
    assertEquals(new LinkOrder(3, 0), watch.order());
    assertEquals(3, watch.strangers());
  }

  /** More packets than are remembered; many lost, sent twice, or behind three others. */
  @Test
  void overtakenAreThoseThatArriveBehindALaterOne() {
    SplittableRandom random = new SplittableRandom(1);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < PACKETS; i++) {
      for (int copies = random.nextInt(10) / 4; copies > 0; copies--) {
        order.add(i);
      }
    }
    for (int i = 0; i + 4 < order.size(); i += 10) {
      Collections.rotate(order.subList(i, i + 4), -1);
    }
    BitSet seen = new BitSet();
    int overtaken = 0;
    int highest = -1;
    for (int number : order) {
      overtaken += !seen.get(number) && number < highest ? 1 : 0;
      seen.set(number);
      highest = Math.max(highest, number);
    }
    int arriving = 0;
    for (int i = 0; i < PACKETS; i++) {
      send(i);
      while (arriving < order.size() && order.get(arriving) <= i - IN_FLIGHT) {
        arrive(order.get(arriving++));
      }
    }
    while (arriving < order.size()) {
      arrive(order.get(arriving++));
    }
    assertEquals(new LinkOrder(seen.cardinality(), overtaken), watch.order());
  }
}
