// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.PortTap;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimPortTest {
  private static final Gid A = Gid.parse("10.0.0.1");
  private static final Gid B = Gid.parse("10.0.0.2");
  private static final long GBIT = 1_000_000_000;
  private static final int ROCE = 4791;

  private final Timeline timeline = new Timeline();
  private final SimNetwork network = network(LinkSettings.perfect(100 * GBIT, 1_000, 1 << 20));

  private SimNetwork network(LinkSettings link) {
    return new SimNetwork(timeline, new SeededStreams(1), 4_224, link, LinkObserver.NONE);
  }

  @AfterEach
  void nothingStaysAllocated() {
    network.close();
    assertEquals(0, NativeMemory.liveBytes(), NativeMemory.report());
  }

  /** What a handler was shown. */
  private record Seen(
      int length, int segmentBytes, boolean icrcOk, int sourcePort, int tos, int ecn, int hops) {}

  private static DatagramHandler into(List<Seen> seen) {
    Icrc icrc = new Icrc();
    return (buffer, offset, length, segmentBytes, meta) -> {
      for (int at = 0; at < length; at += segmentBytes) {
        int part = Math.min(segmentBytes, length - at);
        boolean ok = icrc.check(buffer, offset + at, part, meta.ip);
        seen.add(
            new Seen(
                part, segmentBytes, ok, meta.ip.sourcePort(), meta.tos, meta.ecn, meta.hopLimit));
      }
    };
  }

  private static void send(TrainSink port, Destination to, int path, int tos, int... lengths) {
    int segment = lengths[0];
    assertTrue(port.open(path, to, tos, segment) >= lengths.length);
    for (int length : lengths) {
      int offset = port.claim();
      for (int i = 0; i < length - 4; i++) {
        port.transmitBuffer().putByte(offset + i, (byte) (i * 7 + length));
      }
      port.commit(length);
    }
  }

  private static Destination to(SimPort from, Gid peer) {
    return from.destination(peer.high(), peer.low(), ROCE, 33, 0);
  }

  private void deliver() {
    while (timeline.step()) {}
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1 10.0.0.2", "fd00::1 fd00::2"})
  void packetsArriveSealedWithTheirHeaders(String addresses) {
    String[] pair = addresses.split(" ", -1);
    Gid from = Gid.parse(pair[0]);
    Gid target = Gid.parse(pair[1]);
    SimPort a = network.addPort("a", from, ROCE, SimPortSettings.defaults());
    SimPort b = network.addPort("b", target, ROCE, SimPortSettings.defaults());
    send(a, to(a, target), 5, 0x6A, 64, 64, 32);
    assertEquals(3, a.flush(0));
    deliver();
    List<Seen> seen = new ArrayList<>();
    assertEquals(2, b.receive(into(seen), 2, 0), "the limit holds");
    assertEquals(1, b.receive(into(seen), 10, 0));
    assertEquals(
        List.of(
            new Seen(64, 64, true, 49_157, 0x6A, 2, 33),
            new Seen(64, 64, true, 49_157, 0x6A, 2, 33),
            new Seen(32, 32, true, 49_157, 0x6A, 2, 33)),
        seen);
    assertEquals(3, a.counters().txPackets);
    assertEquals(160, a.counters().txBytes);
    assertEquals(3, b.counters().rxPackets);
    assertEquals(0, network.packetsInside());
  }

  @Test
  void damagedPacketsFailTheirIcrcAndNoOther() {
    SimPort a = network.addPort("a", A, ROCE, SimPortSettings.defaults());
    SimPort b = network.addPort("b", B, ROCE, SimPortSettings.defaults());
    Destination to = to(a, B);
    for (int bit : new int[] {0, 7, 8, 95, 8 * 64 - 1}) {
      a.open(0, to, 0, 64);
      a.transmitBuffer().setMemory(a.claim(), 60, (byte) 0x55);
      a.commitDamaged(64, bit);
    }
    send(a, to, 0, 0, 64);
    a.flush(0);
    deliver();
    List<Seen> seen = new ArrayList<>();
    b.receive(into(seen), 10, 0);
    assertEquals(
        List.of(false, false, false, false, false, true), seen.stream().map(Seen::icrcOk).toList());
  }

  @Test
  void countedIdentificationsAreKnownAndSealed() {
    SimPort a = network.addPort("a", A, ROCE, SimPortSettings.defaults().countingIpIds(true));
    SimPort b = network.addPort("b", B, ROCE, SimPortSettings.defaults());
    send(a, to(a, B), 0, 0, 64, 64, 64);
    a.flush(0);
    deliver();
    List<Integer> ids = new ArrayList<>();
    Icrc icrc = new Icrc();
    b.receive(
        (buffer, offset, length, segmentBytes, meta) -> {
          assertEquals(DatagramMeta.ID_KNOWN, meta.idKnowledge);
          assertTrue(icrc.check(buffer, offset, length, meta.ip));
          ids.add(meta.ip.identification());
        },
        10,
        0);
    assertEquals(List.of(0, 1, 2), ids);
  }

  /** [FC-49] A batch keeps its datagrams' bounds. */
  @Test
  void coalescedPacketsKeepTheirBounds() {
    SimPort a = network.addPort("a", A, ROCE, SimPortSettings.defaults());
    SimPort b = network.addPort("b", B, ROCE, SimPortSettings.defaults().coalescing(4));
    Destination to = to(a, B);
    send(a, to, 0, 0, 64, 64, 64, 64, 64, 32);
    send(a, to, 0, 0, 64);
    send(a, to, 1, 0, 64);
    send(a, to, 1, 3, 64);
    send(a, to, 1, 3, 128);
    a.flush(0);
    deliver();
    List<String> batches = new ArrayList<>();
    List<Seen> seen = new ArrayList<>();
    DatagramHandler check = into(seen);
    int packets =
        b.receive(
            (buffer, offset, length, segmentBytes, meta) -> {
              assertEquals(DatagramMeta.ID_UNKNOWN, meta.idKnowledge);
              batches.add(length + "/" + segmentBytes);
              check.onDatagram(buffer, offset, length, segmentBytes, meta);
            },
            100,
            0);
    assertEquals(10, packets);
    assertEquals(List.of("256/64", "96/64", "64/64", "64/64", "64/64", "128/128"), batches);
    assertTrue(seen.stream().allMatch(Seen::icrcOk), seen.toString());
    assertEquals(6, b.counters().rxBatches);
  }

  @Test
  void aFullLinkRefusesAndThePacketsWait() {
    try (SimNetwork narrow = network(LinkSettings.perfect(GBIT, 0, 300))) {
      SimPort a = narrow.addPort("a", A, ROCE, SimPortSettings.defaults());
      SimPort b = narrow.addPort("b", B, ROCE, SimPortSettings.defaults());
      send(a, to(a, B), 0, 0, 64, 64, 64, 64, 64);
      assertEquals(2, a.flush(0), "two of 130 wire bytes fit 300");
      long wakeNs = a.nextDeadlineNs();
      assertEquals((64 + 28 + 38) * 8, wakeNs, "when the first has left");
      int sent = 2;
      while (sent < 5) {
        timeline.runUntil(a.nextDeadlineNs() * 1_000);
        sent += a.flush(timeline.nowNs());
      }
      assertEquals(Long.MAX_VALUE, a.nextDeadlineNs());
      deliver();
      List<Seen> seen = new ArrayList<>();
      assertEquals(5, b.receive(into(seen), 10, 0), "local refusal is never loss");
      assertEquals(0, narrow.counts().discarded);
    }
  }

  @Test
  void aPortThatDoesNotWaitLetsTheLinkDrop() {
    try (SimNetwork narrow = network(LinkSettings.perfect(GBIT, 0, 300))) {
      SimPort a = narrow.addPort("a", A, ROCE, SimPortSettings.defaults().waitingForRoom(false));
      narrow.addPort("b", B, ROCE, SimPortSettings.defaults());
      send(a, to(a, B), 0, 0, 64, 64, 64, 64, 64);
      assertEquals(5, a.flush(0));
      deliver();
      assertEquals(3, narrow.counts().discarded);
    }
  }

  @Test
  void aFullReceiveQueueDropsAndCounts() {
    SimPort a = network.addPort("a", A, ROCE, SimPortSettings.defaults());
    SimPort b = network.addPort("b", B, ROCE, SimPortSettings.defaults().receiving(2));
    send(a, to(a, B), 0, 0, 64, 64, 64);
    a.flush(0);
    deliver();
    assertEquals(1, b.counters().rxSocketOverflow);
    assertEquals(2, b.receive(into(new ArrayList<>()), 10, 0));
  }

  @Test
  void roomEndsWithBackPressureAndTooLargeIsSaid() {
    SimPort a = network.addPort("a", A, ROCE, SimPortSettings.defaults());
    network.addPort("b", B, ROCE, SimPortSettings.defaults());
    Destination to = to(a, B);
    assertEquals(TrainSink.TOO_LARGE, a.open(0, to, 0, 5_000));
    int staged = 0;
    int room = a.open(0, to, 0, 64);
    while (room != TrainSink.BACK_PRESSURE) {
      for (int i = 0; i < room; i++) {
        a.claim();
        a.commit(64);
        staged++;
      }
      room = a.open(0, to, 0, 64);
    }
    assertEquals(SimPortSettings.defaults().stagePackets(), staged);
    a.flush(0);
    assertTrue(a.open(0, to, 0, 64) > 0);
    deliver();
  }

  @Test
  void unknownAndMixedAddressesAreRefusedByName() {
    SimPort a = network.addPort("a", A, ROCE, SimPortSettings.defaults());
    network.addPort("six", Gid.parse("fd00::9"), ROCE, SimPortSettings.defaults());
    Gid stranger = Gid.parse("10.0.0.9");
    Exception e = assertThrows(IllegalArgumentException.class, () -> to(a, stranger));
    assertTrue(e.getMessage().contains("10.0.0.9"), e.getMessage());
    assertThrows(IllegalArgumentException.class, () -> to(a, Gid.parse("fd00::9")));
    assertThrows(
        IllegalArgumentException.class,
        () -> network.addPort("again", A, ROCE, SimPortSettings.defaults()));
  }

  @Test
  void aTapSeesWholeSealedPackets() {
    SimPort a = network.addPort("a", A, ROCE, SimPortSettings.defaults());
    SimPort b = network.addPort("b", B, ROCE, SimPortSettings.defaults());
    List<String> tapped = new ArrayList<>();
    a.tap(new RecordingTap("a", tapped));
    b.tap(new RecordingTap("b", tapped));
    send(a, to(a, B), 0, 2, 64, 32);
    a.flush(7);
    deliver();
    b.receive(into(new ArrayList<>()), 10, 9);
    assertEquals(
        List.of("a tx 7 64 true", "a tx 7 32 true", "b rx 9 64 true", "b rx 9 32 true"), tapped);
    a.tap(null);
    send(a, to(a, B), 0, 2, 64);
    a.flush(10);
    deliver();
    assertEquals(4, tapped.size());
  }

  private record RecordingTap(String name, List<String> lines) implements PortTap {
    @Override
    public void onTransmit(
        long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
      add("tx", nowNs, buffer, offset, length, meta);
    }

    @Override
    public void onReceive(
        long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
      add("rx", nowNs, buffer, offset, length, meta);
    }

    private void add(
        String what, long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
      UnsafeBuffer copy = new UnsafeBuffer(new byte[Icrc.HEADROOM + length]);
      copy.putBytes(Icrc.HEADROOM, buffer, offset, length);
      boolean ok = new Icrc().check(copy, Icrc.HEADROOM, length, meta.ip);
      lines.add(name + " " + what + " " + nowNs + " " + length + " " + ok);
      assertFalse(meta.tos != 2);
    }
  }
}
