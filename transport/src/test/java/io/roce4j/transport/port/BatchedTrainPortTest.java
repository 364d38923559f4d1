// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.ip.Gid;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The flush of batched ports when the network refuses: nothing lost, nothing twice, sealed anew.
 */
class BatchedTrainPortTest {
  private static final long MS = 1_000_000;

  private final ScriptedPort port = new ScriptedPort(4);
  private final Destination near = to("127.0.0.2");
  private final Destination far = to("127.0.0.3");
  private int psn;

  @AfterEach
  void close() {
    port.close();
  }

  @Test
  void refusedTrainIsKeptAndSentLater() {
    put(near, 10, 300);
    put(near, 10, 400);
    put(near, 10, 500);
    port.budget = 1;
    assertEquals(10, port.flush(MS));
    assertEquals(1, port.counters().refusedTrains);
    assertTrue(port.nextDeadlineNs() < Long.MAX_VALUE);
    port.budget = Integer.MAX_VALUE;
    assertEquals(20, port.flush(2 * MS));
    assertAllSentInOrder(30);
    assertEquals(Long.MAX_VALUE, port.nextDeadlineNs());
  }

  @Test
  void trainThatIsTooLongIsCutInHalfUntilItFitsAndSealedAnew() { // [FC-50]
    put(near, 50, 300);
    port.maxPackets = 7;
    assertEquals(50, port.flush(MS));
    assertAllSentInOrder(50);
    assertEquals(List.of(6, 6, 6, 6, 6, 6, 6, 6, 2), port.messageSizes);
    assertEquals(3, port.counters().recutTrains);
    assertEquals(0, port.counters().txErrors);
  }

  @Test
  void networkThatCannotSegmentGetsSinglePackets() {
    put(near, 20, 300);
    port.segmentLimit = 1;
    assertEquals(20, port.flush(MS));
    assertAllSentInOrder(20);
    assertEquals(20, port.messageSizes.size());
  }

  @Test
  void cutSurvivesARefusalInTheMiddle() {
    put(near, 20, 300);
    port.maxPackets = 5;
    port.budget = 2;
    assertEquals(10, port.flush(MS));
    port.budget = Integer.MAX_VALUE;
    assertEquals(10, port.flush(2 * MS));
    assertAllSentInOrder(20);
  }

  @Test
  void packetTooLongByItselfIsGivenUpAndCountedAndLaterOnesRefusedAtOpen() {
    put(near, 3, 4000);
    put(near, 2, 300);
    port.maxPacketBytes = 1400;
    port.mtu = 1500;
    assertEquals(2, port.flush(MS));
    assertEquals(3, port.counters().txTooLong);
    assertEquals(3, port.counters().txErrors);
    assertEquals(List.of(3, 4), port.psns);
    assertEquals(TrainSink.TOO_LARGE, port.open(0, near, 0, 4000));
    port.mtu = 9000;
    assertEquals(0, port.flush(20 * MS));
    assertTrue(port.open(0, near, 0, 4000) > 0);
  }

  @Test
  void unreachableDestinationWaitsAndOthersGoOn() {
    port.unreachable.add(far.gidLo());
    put(far, 5, 300);
    put(near, 5, 300);
    put(far, 5, 200);
    put(near, 5, 200);
    assertEquals(10, port.flush(MS));
    assertEquals(List.of(5, 6, 7, 8, 9, 15, 16, 17, 18, 19), port.psns);
    assertEquals(TrainSink.BACK_PRESSURE, port.open(0, far, 0, 300));
    assertEquals(MS + TrainPort.HOLD_NS, port.nextDeadlineNs());
    port.unreachable.clear();
    assertEquals(0, port.flush(MS + TrainPort.HOLD_NS - 1));
    assertEquals(10, port.flush(MS + TrainPort.HOLD_NS));
    assertEquals(0, port.counters().txErrors);
    assertEquals(0, port.wrongIcrcs);
    assertTrue(port.open(0, far, 0, 300) > 0);
  }

  @Test
  void destinationUnreachableForASecondLosesItsTrainsAndIsTriedAnew() {
    port.unreachable.add(far.gidLo());
    put(far, 5, 300);
    put(far, 7, 200);
    put(near, 2, 300);
    assertEquals(2, port.flush(MS));
    assertEquals(0, port.counters().txUnreachable);
    assertEquals(0, port.flush(MS + TrainPort.GIVE_UP_NS));
    assertEquals(12, port.counters().txUnreachable);
    assertEquals(12, port.counters().txErrors);
    assertTrue(port.open(0, far, 0, 300) > 0);
    assertEquals(0, port.flush(MS + 2 * TrainPort.GIVE_UP_NS));
  }

  @Test
  void fullQueueOfARefusingNetworkIsBackPressureAndDrains() {
    port.budget = 0;
    int committed = 0;
    while (port.open(0, near, 0, 1000) > 0) {
      write(1000);
      committed++;
      if (committed % 100 == 0) {
        assertEquals(0, port.flush(MS));
      }
    }
    assertTrue(committed >= TrainQueue.TRAINS, committed + " trains");
    port.budget = Integer.MAX_VALUE;
    assertEquals(committed, port.flush(2 * MS));
    assertAllSentInOrder(committed);
  }

  private void assertAllSentInOrder(int packets) {
    assertEquals(IntStream.range(0, packets).boxed().toList(), port.psns);
    assertEquals(0, port.wrongIcrcs);
    assertEquals(packets, port.counters().txPackets);
  }

  private Destination to(String address) {
    Gid gid = Gid.parse(address);
    return port.destination(gid.high(), gid.low(), 4791, 0, 0);
  }

  private void put(Destination to, int packets, int length) {
    assertTrue(port.open(0, to, 0, length) >= packets);
    for (int i = 0; i < packets; i++) {
      write(length);
    }
  }

  private void write(int length) {
    PortPair.write(port, psn++, length);
    port.commit(length);
  }
}
