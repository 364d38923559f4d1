// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One source cannot take from others: its datagrams and what is refused of it have a limit. */
class SourceLimitTest {

  private static final int QKEY = 0x1234;
  private static final int STRANGER = 0x0A000001;
  private static final int BURST = 5;
  private int traced;
  private HandFed hand;

  @AfterEach
  void close() {
    hand.close();
  }

  private void open(EndpointSettings settings) {
    hand =
        new HandFed(
            settings.withEvents(
                new EventSink() {
                  @Override
                  public void onDrop(long nowNs, int qpn, int reason) {
                    traced++;
                  }
                }));
  }

  private void openLimited() {
    open(
        EndpointSettings.defaults().withSourcePacketsPerSecond(1000).withSourceBurstPackets(BURST));
  }

  private QueuePair datagrams(int qpn) {
    QueuePair qp = hand.pd.createQueuePair(hand.settings(QueuePairType.UD).qpNumWish(qpn));
    qp.modify(
        new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
    qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
    for (int i = 0; i < 20; i++) {
      qp.postReceive(hand.receive(i, 0, 100));
    }
    return qp;
  }

  private HandFed.Packet datagram() {
    return hand.packet(Opcode.UD_SEND_ONLY, 5).to(0x40).bytes(8, 1).qkey(QKEY, 0x99);
  }

  @Test
  void oneSourceCannotEatTheReceivesOfAll() {
    openLimited();
    datagrams(0x40);
    for (int i = 0; i < 12; i++) {
      datagram().inject();
    }
    assertEquals(BURST, hand.completions().size());
    assertEquals(12 - BURST, hand.counter("drop_source_limit"));
    datagram().from(STRANGER).inject();
    assertEquals(1, hand.completions().size());
    hand.advance(2_000_000);
    for (int i = 0; i < 4; i++) {
      datagram().inject();
    }
    assertEquals(2, hand.completions().size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"unknown", "address", "pkey", "state", "icrc", "opcode", "length", "qkey"})
  void refusedPacketsBeyondTheLimitCostOneCounterAndNoTrace(String kind) {
    openLimited();
    hand.rts(new EndpointPair.Wish());
    datagrams(0x40);
    for (int i = 0; i < 12; i++) {
      refused(kind);
    }
    assertEquals(12 - BURST, hand.counter("drop_source_limit"));
    assertEquals(BURST, traced);
    assertEquals(List.of(), hand.said());
    assertEquals(List.of(), hand.completions());
  }

  private void refused(String kind) {
    HandFed.Packet write = hand.packet(Opcode.RC_WRITE_ONLY, HandFed.EXPECTED_PSN);
    switch (kind) {
      case "unknown" -> write.to(0x77).inject();
      case "address" -> write.from(STRANGER).inject();
      case "pkey" -> write.pkey(0x8001).inject();
      case "state" -> hand.packet(Opcode.UC_SEND_ONLY, 1).inject();
      case "icrc" -> write.damaged().inject();
      case "opcode" -> hand.injectSealed(0xFF, HandFed.QPN, 1, 32);
      case "length" -> hand.injectRaw(new byte[5]);
      default -> datagram().qkey(QKEY + 1, 0x99).inject();
    }
  }

  /** Whoever forges the address of a peer must not get the peer's own packets dropped. */
  @Test
  void connectionOfAFloodedAddressGoesOn() {
    openLimited();
    hand.rts(new EndpointPair.Wish());
    for (int i = 0; i < 100; i++) {
      refused("icrc");
      refused("unknown");
    }
    assertEquals(200 - BURST, hand.counter("drop_source_limit"));
    for (int i = 0; i < 50; i++) {
      hand.packet(Opcode.RC_WRITE_ONLY, HandFed.EXPECTED_PSN + i).ack().inject();
    }
    assertEquals(50, hand.said().size());
  }

  @Test
  void datagramToAGroupCountsOnceHoweverManyMembers() {
    openLimited();
    long group = MemoryPort.V4 | 0xE0010203L;
    for (int qpn = 0x40; qpn < 0x44; qpn++) {
      datagrams(qpn).attachMulticast(0, group);
    }
    for (int i = 0; i < BURST + 3; i++) {
      datagram().to(0xFFFFFF).toAddress(0xE0010203).inject();
    }
    assertEquals(4 * BURST, hand.completions().size());
    assertEquals(3, hand.counter("drop_source_limit"));
  }

  @Test
  void limitIsOnUnlessSwitchedOff() {
    EndpointSettings settings = EndpointSettings.defaults();
    assertEquals(1_000_000, settings.sourcePacketsPerSecond());
    open(settings.withSourceBurstPackets(BURST));
    for (int i = 0; i < BURST + 1; i++) {
      refused("unknown");
    }
    assertEquals(1, hand.counter("drop_source_limit"));
    hand.close();
    open(settings.withSourcePacketsPerSecond(0).withSourceBurstPackets(1));
    for (int i = 0; i < 100; i++) {
      refused("unknown");
    }
    assertEquals(0, hand.counter("drop_source_limit"));
  }
}
