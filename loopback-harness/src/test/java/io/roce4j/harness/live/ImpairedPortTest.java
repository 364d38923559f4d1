// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.ImpairmentVerdict;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.LinkSettings;
import io.roce4j.harness.sim.SimNetwork;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ImpairedPortTest {
  private static final Gid A = Gid.parse("10.0.0.1");
  private static final Gid B = Gid.parse("10.0.0.2");
  private static final int LENGTH = 128;
  private static final int PACKETS = 10_000;

  private final Timeline timeline = new Timeline();
  private final SimNetwork network =
      new SimNetwork(
          timeline,
          new SeededStreams(1),
          4_224,
          LinkSettings.perfect(100_000_000_000L, 1_000, 1 << 20),
          LinkObserver.NONE);
  private final SimPort inner = network.addPort("a", A, 4791, SimPortSettings.defaults());
  private final SimPort peer = network.addPort("b", B, 4791, SimPortSettings.defaults());
  private final Icrc icrc = new Icrc();
  private final List<Integer> arrived = new ArrayList<>();
  private final List<Long> arrivalNs = new ArrayList<>();
  private final List<ImpairedPort> opened = new ArrayList<>();
  private int damaged;

  @AfterEach
  void nothingStaysAllocated() {
    opened.forEach(ImpairedPort::close);
    network.close();
    assertEquals(0, NativeMemory.liveBytes(), NativeMemory.report());
  }

  private ImpairedPort impaired(Impairment impairment, long seed, int stagePackets) {
    PacketDice dice = new PacketDice(impairment, new SeededStreams(seed));
    ImpairedPort port = new ImpairedPort(inner, dice, stagePackets);
    opened.add(port);
    return port;
  }

  private int sendTrain(ImpairedPort port, Destination to, int number, int count) {
    return sendTrain(port, 0, to, number, count);
  }

  private int sendTrain(ImpairedPort port, int pathSlot, Destination to, int number, int count) {
    int room = port.open(pathSlot, to, 0, LENGTH);
    int sent = 0;
    while (sent < Math.min(room, count)) {
      int offset = port.claim();
      port.transmitBuffer().setMemory(offset, LENGTH - 4, (byte) 0);
      port.transmitBuffer().putInt(offset + 12, number + sent);
      port.commit(LENGTH);
      sent++;
    }
    return sent;
  }

  private void step(ImpairedPort port, long untilNs) {
    port.flush(timeline.nowNs());
    timeline.runUntil(untilNs * Timeline.PS_PER_NS);
    peer.receive(
        (buffer, offset, length, segmentBytes, meta) -> {
          if (icrc.check(buffer, offset, length, meta.ip)) {
            arrived.add(buffer.getInt(offset + 12));
            arrivalNs.add(timeline.nowNs());
          } else {
            damaged++;
          }
        },
        1_000,
        timeline.nowNs());
  }

  /** Sends in trains of 16, one every 2 us, and lets everything that is held come out. */
  private void sendAll(ImpairedPort port) {
    Destination to = port.destination(B.high(), B.low(), 4791, 0, 0);
    int sent = 0;
    while (sent < PACKETS) {
      sent += sendTrain(port, to, sent, Math.min(16, PACKETS - sent));
      step(port, timeline.nowNs() + 2_000);
    }
    long deadlineNs = port.nextDeadlineNs();
    while (deadlineNs != Long.MAX_VALUE) {
      step(port, Math.max(deadlineNs, timeline.nowNs() + 1));
      deadlineNs = port.nextDeadlineNs();
    }
    step(port, timeline.nowNs() + 10_000);
    step(port, timeline.nowNs() + 10_000);
  }

  /** [FC-47] in = out + lost - duplicated for every mix, and each impairment does its own. */
  @Test
  void everyMixBalancesAndActs() {
    for (int mix = 0; mix < 16; mix++) {
      arrived.clear();
      damaged = 0;
      Impairment impairment =
          Impairment.none()
              .withLoss((mix & 1) != 0 ? 0.01 : 0)
              .withReorder((mix & 2) != 0 ? 0.5 : 0)
              .withReorderGap(2, 20_000)
              .withDuplicate((mix & 4) != 0 ? 0.01 : 0)
              .withCorrupt((mix & 8) != 0 ? 0.01 : 0);
      ImpairedPort port = impaired(impairment, mix, 1_024);
      sendAll(port);
      ImpairmentCounts counts = port.impairmentCounts();
      String what = impairment.toString();
      assertEquals(PACKETS, counts.offered, what);
      assertEquals(0, counts.balance(), what);
      assertEquals(0, port.packetsInside(), what);
      assertEquals(PACKETS, arrived.size() + damaged + counts.lost - counts.duplicated, what);
      assertEquals(counts.corrupted, damaged, what);
      assertEquals(displaced(arrived) > 0, (mix & 2) != 0, what);
      assertEquals(share(mix, 1), (double) counts.lost, 50, what);
      assertEquals(share(mix, 4), (double) counts.duplicated, 50, what);
      assertEquals(share(mix, 8), (double) counts.corrupted, 50, what);
      if (mix == 2) {
        assertEquals(PACKETS, new TreeSet<>(arrived).size(), "reordering alone loses nothing");
        assertEquals(displaced(arrived), counts.displaced);
      }
    }
  }

  /** [FC-56] Each packet goes another way than those next to it, as MX sprays them. */
  @Test
  void packetsOfOtherPathsOvertakeOneThatIsHeld() {
    ImpairedPort port = impaired(Impairment.none().withReorder(0.1), 5, 1_024);
    Destination to = port.destination(B.high(), B.low(), 4791, 0, 0);
    int paths = port.capabilities().pathSlots();
    for (int sent = 0; sent < PACKETS; sent++) {
      sendTrain(port, sent % paths, to, sent, 1);
      step(port, timeline.nowNs() + 10_000);
    }
    step(port, port.nextDeadlineNs());
    step(port, timeline.nowNs() + 100_000);
    step(port, timeline.nowNs() + 100_000);
    assertTrue(paths > 4, paths + " paths");
    assertEquals(PACKETS, arrived.size());
    long displaced = port.impairmentCounts().displaced;
    assertEquals(displaced(arrived), displaced);
    assertTrue(ImpairmentVerdict.isWithin(0.1, displaced, PACKETS), displaced + " displaced");
  }

  /** [FC-56] Bursts of three with pauses: nothing can overtake the last of each. */
  @Test
  void tailsAreReleasedByTimeAndOthersReorderedInTheirPlace() {
    ImpairedPort port = impaired(Impairment.none().withReorder(0.1), 5, 1_024);
    Destination to = port.destination(B.high(), B.low(), 4791, 0, 0);
    for (int sent = 0; sent < PACKETS; sent += 3) {
      sendTrain(port, to, sent, 3);
      step(port, timeline.nowNs() + 600_000);
      step(port, timeline.nowNs() + 100_000);
    }
    step(port, timeline.nowNs() + 100_000);
    ImpairmentCounts counts = port.impairmentCounts();
    assertEquals(counts.offered, arrived.size(), "a tail is late and not lost");
    assertEquals(displaced(arrived), counts.displaced);
    assertTrue(counts.held > counts.displaced + 250, counts.held + " held");
    assertTrue(
        ImpairmentVerdict.isWithin(0.1, counts.displaced, counts.offered),
        counts.displaced + " displaced of " + counts.held + " held");
  }

  private static double share(int mix, int bit) {
    return (mix & bit) != 0 ? PACKETS * 0.01 : 0;
  }

  private static long displaced(List<Integer> numbers) {
    int highest = -1;
    long displaced = 0;
    for (int number : numbers) {
      displaced += number < highest ? 1 : 0;
      highest = Math.max(highest, number);
    }
    return displaced;
  }

  @Test
  void theSameSeedGivesTheSameFates() {
    Impairment impairment =
        Impairment.none().withLoss(0.05).withReorder(0.1).withDuplicate(0.05).withCorrupt(0.05);
    sendAll(impaired(impairment, 3, 1_024));
    List<Integer> first = new ArrayList<>(arrived);
    arrived.clear();
    sendAll(impaired(impairment, 3, 1_024));
    assertEquals(first, arrived);
    arrived.clear();
    sendAll(impaired(impairment, 4, 1_024));
    assertTrue(!first.equals(arrived), "another seed, other fates");
  }

  @Test
  void aDelayHoldsEveryPacketForItsTime() {
    ImpairedPort port = impaired(Impairment.none().withDelayNs(50_000), 1, 1_024);
    Destination to = port.destination(B.high(), B.low(), 4791, 0, 0);
    sendTrain(port, to, 0, 3);
    step(port, 10_000);
    sendTrain(port, to, 3, 2);
    step(port, 49_999);
    assertEquals(List.of(), arrived);
    assertEquals(50_000, port.nextDeadlineNs());
    timeline.runUntil(50_000_000);
    step(port, 59_000);
    assertEquals(List.of(0, 1, 2), arrived);
    assertEquals(60_000, port.nextDeadlineNs());
    timeline.runUntil(60_000_000);
    step(port, 70_000);
    assertEquals(List.of(0, 1, 2, 3, 4), arrived);
    assertEquals(5, port.impairmentCounts().delayed);
    assertEquals(250_000, port.impairmentCounts().delayNsSum);
    assertEquals(0, port.impairmentCounts().lateNsSum);
    sendTrain(port, to, 5, 1);
    step(port, 200_000);
    step(port, 300_000);
    assertEquals(80_000, port.impairmentCounts().lateNsSum, "called at 200 us, due at 120 us");
    assertEquals(250_000 + 130_000, port.impairmentCounts().delayNsSum);
  }

  @Test
  void fullStagesPushBackAndLoseNothing() {
    try (SimNetwork narrow =
        new SimNetwork(
            timeline,
            new SeededStreams(1),
            4_224,
            LinkSettings.perfect(1_000_000_000, 0, 600),
            LinkObserver.NONE)) {
      SimPort slow = narrow.addPort("slow", A, 4791, SimPortSettings.defaults());
      SimPort end = narrow.addPort("end", B, 4791, SimPortSettings.defaults());
      PacketDice dice = new PacketDice(Impairment.none().withDuplicate(0.5), new SeededStreams(1));
      try (ImpairedPort port = new ImpairedPort(slow, dice, 8)) {
        Destination to = port.destination(B.high(), B.low(), 4791, 0, 0);
        int refusals = 0;
        int sent = 0;
        int received = 0;
        while (sent < 500 || port.nextDeadlineNs() != Long.MAX_VALUE) {
          int room = sent < 500 ? sendTrain(port, to, sent, Math.min(8, 500 - sent)) : 0;
          refusals += sent < 500 && room == 0 ? 1 : 0;
          sent += Math.max(0, room);
          port.flush(timeline.nowNs());
          timeline.runUntil(timeline.nowPs() + 1_000_000);
          received += end.receive((b, o, l, s, m) -> {}, 100, timeline.nowNs());
        }
        while (timeline.step()) {}
        received += end.receive((b, o, l, s, m) -> {}, 100, timeline.nowNs());
        assertTrue(refusals > 0, "the stage filled up");
        assertEquals(500 + port.impairmentCounts().duplicated, received);
        assertTrue(port.impairmentCounts().duplicated > 200);
      }
    }
  }

  @Test
  void packetsTooLargeForTheInnerPortAreRefusedAtOpen() {
    for (Impairment impairment :
        List.of(Impairment.none().withDuplicate(0.5), Impairment.none().withLoss(0.5))) {
      ImpairedPort port = impaired(impairment, 1, 8);
      Destination to = port.destination(B.high(), B.low(), 4791, 0, 0);
      assertEquals(TrainSink.TOO_LARGE, port.open(0, to, 0, 4_225));
      int room = port.open(0, to, 0, 4_224);
      assertEquals(impairment.duplicate() > 0 ? 8 : inner.open(0, to, 0, 4_224), room);
    }
  }

  @Test
  void aStagedTrainIsNoLongerThanTheInnerPortCanSendIt() {
    ImpairedPort port = impaired(Impairment.none().withDuplicate(0.5), 1, 1_024);
    Destination to = port.destination(B.high(), B.low(), 4791, 0, 0);
    int fit = inner.capabilities().maxTrainBytes() / 4_224;
    assertTrue(fit < inner.capabilities().maxTrainSegments(), "the bytes of a train limit it");
    assertEquals(fit, port.open(0, to, 0, 4_224));
  }

  @Test
  void closingTwiceIsNoFault() {
    ImpairedPort port = impaired(Impairment.none(), 1, 8);
    port.close();
    port.close();
  }

  @Test
  void jitterIsRefusedAndNotIgnored() {
    Exception e =
        assertThrows(
            IllegalArgumentException.class,
            () -> impaired(Impairment.none().withJitterNs(5), 1, 8));
    assertTrue(e.getMessage().contains("jitter 5 ns"), e.getMessage());
  }
}
