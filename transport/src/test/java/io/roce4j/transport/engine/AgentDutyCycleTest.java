// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.agent.CounterPublisher;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The duty cycle around an endpoint. */
class AgentDutyCycleTest {

  private HandFed hand;

  @BeforeEach
  void open() {
    hand = new HandFed();
    hand.rts(new EndpointPair.Wish());
  }

  @AfterEach
  void close() {
    hand.close();
  }

  @Test
  void idleEndpointDoesNoWorkAndHasNoDeadline() {
    hand.settle();
    assertEquals(0, hand.agent.doWork());
    assertEquals(Long.MAX_VALUE, hand.agent.nextDeadlineNs());
  }

  /** What a driver in virtual time relies on: at rest, another cycle finds nothing. */
  @Test
  void agentIsAtRestWhenAnotherCycleWouldDoNothing() {
    hand.settle();
    assertTrue(hand.agent.isAtRest());
    hand.qp.postSend(hand.send(1, WorkRequestOpcode.SEND, 0, 8));
    assertFalse(hand.agent.isAtRest(), "somebody has rung");
    hand.port.refuses = true;
    hand.agent.doWork();
    assertFalse(hand.agent.isAtRest(), "a connection waits for its turn");
    hand.port.refuses = false;
    hand.settle();
    assertTrue(hand.agent.isAtRest());
    assertEquals(0, hand.agent.doWork());
    hand.nowNs = hand.agent.nextDeadlineNs();
    assertTrue(hand.agent.doWork() > 0);
    hand.settle();
    assertTrue(hand.agent.isAtRest());
    assertTrue(hand.agent.nextDeadlineNs() > hand.nowNs);
  }

  @Test
  void oneCycleReceivesAndAnswers() {
    hand.packet(Opcode.RC_WRITE_ONLY, HandFed.EXPECTED_PSN).ack().enqueue();
    assertTrue(hand.agent.doWork() > 0);
    assertEquals(1, hand.said().size());
  }

  @Test
  void packetsThatThePortGivesUpAreSendErrors() {
    hand.agent.doWork();
    assertEquals(0, hand.counter("send_err"));
    hand.port.counters().txErrors += 3;
    hand.agent.doWork();
    hand.port.counters().txErrors += 2;
    hand.agent.doWork();
    hand.agent.doWork();
    assertEquals(5, hand.counter("send_err"));
  }

  @Test
  void oneCycleSendsWhatWasPosted() {
    hand.qp.postSend(hand.send(1, WorkRequestOpcode.SEND, 0, 8));
    assertEquals(List.of(), hand.said());
    hand.agent.doWork();
    assertEquals(1, hand.said().size());
    assertTrue(hand.agent.nextDeadlineNs() > hand.nowNs);
  }

  @Test
  void portThatRefusesLeavesTheAgentIdle() {
    hand.port.refuses = true;
    hand.qp.postSend(hand.send(1, WorkRequestOpcode.SEND, 0, 8));
    hand.agent.doWork();
    assertEquals(0, hand.agent.doWork());
    hand.port.refuses = false;
    assertTrue(hand.agent.doWork() > 0);
    assertEquals(1, hand.said().size());
  }

  @Test
  void connectionsTakeTurns() {
    QueuePair other =
        hand.pd.createQueuePair(
            hand.settings(io.roce4j.transport.verbs.QueuePairType.RC).qpNumWish(0x55));
    EndpointPair.bring(
        other,
        HandFed.PEER_QPN,
        HandFed.PEER,
        HandFed.SEND_PSN,
        HandFed.EXPECTED_PSN,
        new EndpointPair.Wish());
    hand.port.roomLimit = 2;
    hand.qp.postSend(hand.send(1, WorkRequestOpcode.SEND, 0, 6000));
    other.postSend(hand.send(2, WorkRequestOpcode.SEND, 0, 2000));
    hand.settle();
    assertEquals(
        "[RC_SEND_FIRST 4096, RC_SEND_MIDDLE 4097, RC_SEND_FIRST 4096, RC_SEND_LAST 4097,"
            + " RC_SEND_MIDDLE 4098, RC_SEND_MIDDLE 4099, RC_SEND_MIDDLE 4100, RC_SEND_LAST 4101]",
        hand.said().toString());
  }

  @Test
  void countersArePublishedUnderTheNamesUsersKnow() {
    UnsafeBuffer labels = new UnsafeBuffer(new byte[256 * 1024]);
    UnsafeBuffer values = new UnsafeBuffer(new byte[64 * 1024]);
    CountersManager manager = new CountersManager(labels, values, StandardCharsets.US_ASCII);
    try (CounterPublisher publisher = new CounterPublisher(manager, 7)) {
      hand.agent.publishTo(publisher);
      hand.packet(Opcode.RC_WRITE_ONLY, HandFed.EXPECTED_PSN).ack().inject();
      hand.packet(Opcode.RC_WRITE_ONLY, HandFed.EXPECTED_PSN).ack().inject();
      Map<String, Long> read = read(new CountersReader(labels, values));
      assertEquals(2, read.get("rcvd_pkts"));
      assertEquals(1, read.get("duplicate_request"));
      assertEquals(0, read.get("packet_seq_err"));
      assertNotNull(read.get("port_rx_packets"));
      assertEquals("roce4j-endpoint", hand.agent.roleName());
    }
    assertEquals(0, read(new CountersReader(labels, values)).size());
  }

  private static Map<String, Long> read(CountersReader reader) {
    Map<String, Long> all = new HashMap<>();
    reader.forEach((value, id, label) -> all.put(label, value));
    return all;
  }

  @Test
  void closedAgentDoesNothing() {
    hand.agent.close();
    hand.agent.close();
    assertEquals(0, hand.agent.doWork());
    assertEquals(Long.MAX_VALUE, hand.agent.nextDeadlineNs());
  }

  @Test
  void overflowingDoorbellsLoseNothing() {
    hand.close();
    hand = new HandFed(EndpointSettings.defaults());
    int count = 40;
    QueuePair[] qps = new QueuePair[count];
    for (int i = 0; i < count; i++) {
      qps[i] =
          hand.pd.createQueuePair(
              hand.settings(io.roce4j.transport.verbs.QueuePairType.RC).qpNumWish(0x100 + i));
      EndpointPair.bring(qps[i], 0x22, HandFed.PEER, HandFed.SEND_PSN, 0, new EndpointPair.Wish());
    }
    for (int round = 0; round < 3; round++) {
      for (QueuePair qp : qps) {
        qp.postSend(hand.send(1, WorkRequestOpcode.SEND, 0, 1));
      }
    }
    hand.settle();
    assertEquals(3 * count, hand.said().size());
  }
}
