// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.LossModel;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.random.SeededStreams;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimLinkTest {
  private static final int LENGTH = 200;
  private static final int HEADERS = 28;
  private static final long GBIT = 1_000_000_000;

  private final Timeline timeline = new Timeline();
  private final PacketSlots slots = new PacketSlots(LENGTH, 1 << 16);

  @AfterEach
  void everyPacketIsAccountedFor() {
    while (timeline.step()) {}
    assertEquals(0, slots.live(), "packets neither delivered nor dropped");
    slots.close();
  }

  /** A receiver that notes number and time of what arrives, and whether its bytes are as sent. */
  private final class Receiver implements PacketSink {
    private final List<Integer> numbers = new ArrayList<>();
    private final List<Long> timesPs = new ArrayList<>();
    private int damaged;

    @Override
    public void accept(int slot) {
      int number = slots.buffer(slot).getInt(slots.bth(slot) + 8);
      boolean intact = true;
      for (int i = 12; i < LENGTH; i++) {
        intact &= slots.buffer(slot).getByte(slots.bth(slot) + i) == (byte) (number + i);
      }
      if (intact && number >= 0 && number < 1 << 20) {
        numbers.add(number);
      } else {
        damaged++;
      }
      timesPs.add(timeline.nowPs());
      slots.release(slot);
    }
  }

  private final Receiver receiver = new Receiver();

  private SimLink link(LinkSettings settings, long seed) {
    return new SimLink(
        timeline, slots, "a-b", settings, new SeededStreams(seed), receiver, LinkObserver.NONE);
  }

  private int packet(int number) {
    return packet(number, 49_152);
  }

  private int packet(int number, int sourcePort) {
    int slot = slots.acquire();
    slots.describe(slot, LENGTH, HEADERS, sourcePort);
    slots.buffer(slot).putInt(slots.bth(slot) + 8, number);
    for (int i = 12; i < LENGTH; i++) {
      slots.buffer(slot).putByte(slots.bth(slot) + i, (byte) (number + i));
    }
    return slot;
  }

  /** Sends packets 0 to count - 1, one each microsecond. */
  private void send(SimLink link, int count) {
    for (int i = 0; i < count; i++) {
      timeline.runUntil(i * 1_000_000L);
      link.accept(packet(i));
    }
    while (timeline.step()) {}
  }

  private static LinkSettings tenGbit(Impairment impairment) {
    return LinkSettings.perfect(10 * GBIT, 1_000, 1 << 20).with(impairment);
  }

  @Test
  void aPerfectLinkTakesSerialisationAndPropagation() {
    SimLink link = link(LinkSettings.perfect(GBIT, 500, 1 << 20), 1);
    link.accept(packet(0));
    link.accept(packet(1));
    while (timeline.step()) {}
    long wirePs = (LENGTH + HEADERS + LinkSettings.ETHERNET_OVERHEAD) * 8 * 1_000L;
    assertEquals(List.of(wirePs + 500_000, 2 * wirePs + 500_000), receiver.timesPs);
    assertEquals(List.of(0, 1), receiver.numbers);
  }

  @Test
  void aFullQueueDropsAndAnEmptyOneTakesAnyPacket() {
    int wire = LENGTH + HEADERS + LinkSettings.ETHERNET_OVERHEAD;
    SimLink link = link(LinkSettings.perfect(GBIT, 0, 2L * wire), 1);
    assertTrue(link.hasRoom(wire));
    for (int i = 0; i < 5; i++) {
      link.accept(packet(i));
    }
    assertFalse(link.hasRoom(wire));
    assertEquals(wire * 8_000L, link.nextRoomPs());
    timeline.runUntil(link.nextRoomPs());
    assertTrue(link.hasRoom(wire), "the first has left");
    while (timeline.step()) {}
    assertEquals(List.of(0, 1), receiver.numbers);
    assertEquals(3, link.counts().discarded);
    SimLink narrow = link(LinkSettings.perfect(GBIT, 0, 1), 1);
    assertTrue(narrow.hasRoom(wire));
    narrow.accept(packet(9));
    while (timeline.step()) {}
    assertEquals(List.of(0, 1, 9), receiver.numbers);
  }

  /** [FC-47] Reordering alone loses and doubles nothing, and acts with and without a delay. */
  @ParameterizedTest
  @ValueSource(longs = {0, 500_000})
  void reorderingAloneOnlyReorders(long delayNs) {
    Impairment half =
        Impairment.none().withReorder(0.5).withReorderGap(2, 1_000_000).withDelayNs(delayNs);
    SimLink link = link(tenGbit(half), 1);
    send(link, 10_000);
    assertEquals(10_000, receiver.numbers.size());
    assertEquals(10_000, new TreeSet<>(receiver.numbers).size(), "no duplicates");
    assertTrue(link.counts().displaced > 3_000, "displaced " + link.counts().displaced);
    assertEquals(displaced(receiver.numbers), link.counts().displaced);
    assertEquals(0, link.counts().balance());
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

  /** [FC-47] */
  @Test
  void lossAloneIsAsConfigured() {
    SimLink link = link(tenGbit(Impairment.none().withLoss(0.01)), 1);
    send(link, 10_000);
    int out = receiver.numbers.size();
    assertTrue(out >= 9_850 && out <= 9_950, out + " out");
    assertEquals(10_000 - out, link.counts().lost);
    assertEquals(0, link.counts().displaced);
  }

  /** [FC-47] */
  @Test
  void duplicationAloneOnlyDuplicates() {
    SimLink link = link(tenGbit(Impairment.none().withDuplicate(0.01)), 1);
    send(link, 10_000);
    assertEquals(10_000 + link.counts().duplicated, receiver.numbers.size());
    assertEquals(10_000, new TreeSet<>(receiver.numbers).size());
    assertEquals(100.0, (double) link.counts().duplicated, 50);
  }

  /** [FC-47] */
  @Test
  void corruptionAloneOnlyDamages() {
    SimLink link = link(tenGbit(Impairment.none().withCorrupt(0.01)), 1);
    send(link, 10_000);
    // A flip in the header bytes 0 to 7 goes unseen by this test's receiver, not by an ICRC.
    assertEquals(10_000, receiver.numbers.size() + receiver.damaged);
    assertEquals(100.0, (double) link.counts().corrupted, 50);
    assertEquals((double) link.counts().corrupted, receiver.damaged, 10);
  }

  /** [FC-47] in = out + lost - duplicated, for every mix; the same seed gives the same run. */
  @Test
  void everyMixBalancesAndRepeats() {
    for (int mix = 0; mix < 32; mix++) {
      Impairment impairment =
          Impairment.none()
              .withLoss((mix & 1) != 0 ? 0.01 : 0)
              .withReorder((mix & 2) != 0 ? 0.5 : 0)
              .withReorderGap(2, 200_000)
              .withDuplicate((mix & 4) != 0 ? 0.01 : 0)
              .withCorrupt((mix & 8) != 0 ? 0.01 : 0)
              .withJitterNs((mix & 16) != 0 ? 5_000 : 0);
      List<Integer> first = arrivals(impairment, mix);
      List<Integer> second = arrivals(impairment, mix);
      assertEquals(first, second, impairment.toString());
    }
  }

  private List<Integer> arrivals(Impairment impairment, long seed) {
    Timeline ownTimeline = new Timeline();
    List<Integer> numbers = new ArrayList<>();
    PacketSink sink =
        slot -> {
          numbers.add(slots.buffer(slot).getInt(slots.bth(slot) + 8));
          slots.release(slot);
        };
    SimLink link =
        new SimLink(
            ownTimeline,
            slots,
            "a-b",
            tenGbit(impairment).keepingOrder(false),
            new SeededStreams(seed),
            sink,
            LinkObserver.NONE);
    for (int i = 0; i < 10_000; i++) {
      ownTimeline.runUntil(i * 1_000_000L);
      link.accept(packet(i));
    }
    while (ownTimeline.step()) {}
    ImpairmentCounts counts = link.counts();
    assertEquals(10_000, counts.offered);
    assertEquals(numbers.size(), counts.delivered);
    assertEquals(10_000, numbers.size() + counts.lost - counts.duplicated);
    assertEquals(0, counts.balance());
    assertEquals(impairment.loss() > 0, counts.lost > 0);
    assertEquals(impairment.reorder() > 0, counts.held > 0);
    assertEquals(impairment.reorder() > 0 || impairment.jitterNs() > 0, counts.displaced > 0);
    return numbers;
  }

  @Test
  void jitterReordersUnlessOrderIsKept() {
    Impairment jitter = Impairment.none().withJitterNs(10_000);
    SimLink loose = link(tenGbit(jitter).keepingOrder(false), 1);
    send(loose, 1_000);
    assertTrue(loose.counts().displaced > 100, "displaced " + loose.counts().displaced);
  }

  @Test
  void jitterKeepsOrderWhenTold() {
    SimLink kept = link(tenGbit(Impairment.none().withJitterNs(10_000)), 1);
    send(kept, 1_000);
    assertEquals(0, kept.counts().displaced);
    assertEquals(1_000, receiver.numbers.size());
  }

  @Test
  void aLinkTakenDownLosesWhatIsInFlightAndWhatEnters() {
    SimLink link = link(LinkSettings.perfect(10 * GBIT, 10_000, 1 << 20), 1);
    link.accept(packet(0));
    timeline.runUntil(20_000_000);
    link.accept(packet(1));
    timeline.runUntil(21_000_000);
    link.setUp(false);
    link.accept(packet(2));
    timeline.runUntil(50_000_000);
    link.setUp(true);
    link.accept(packet(3));
    while (timeline.step()) {}
    assertEquals(List.of(0, 3), receiver.numbers);
    assertEquals(2, link.counts().discarded);
  }

  @Test
  void theLastOfABurstIsLateAndNotLost() {
    Impairment all = Impairment.none().withReorder(1).withReorderGap(2, 70_000);
    SimLink link = link(LinkSettings.perfect(GBIT, 0, 1 << 20).with(all), 1);
    link.accept(packet(0));
    while (timeline.step()) {}
    assertArrayEquals(new Object[] {0}, receiver.numbers.toArray());
    long wirePs = (LENGTH + HEADERS + LinkSettings.ETHERNET_OVERHEAD) * 8 * 1_000L;
    assertEquals(wirePs + 70_000_000, receiver.timesPs.getFirst());
  }

  /** A loss model that is asked by the packets of its own source port and by no others. */
  @Test
  void lossesOfEachSourcePortAreClockedByItsOwnPackets() {
    LinkSettings settings = LinkSettings.perfect(10 * GBIT, 1_000, 1 << 20);
    SimLink link = link(settings, 1);
    PacketDice dice = new PacketDice(settings.impairment(), new SeededStreams(1));
    link.reconfigure(settings, dice, port -> LossModel.everyNth(port - 49_150));
    // Port 49152 loses every second of its packets, 49153 every third; they come 2 to 1.
    for (int i = 0; i < 90; i++) {
      link.accept(packet(i, i % 3 == 2 ? 49_153 : 49_152));
    }
    while (timeline.step()) {}
    long lost = link.counts().lost;
    assertEquals(60 / 2 + 30 / 3, lost);
    List<Integer> second = receiver.numbers.stream().filter(n -> n % 3 == 2).toList();
    assertEquals(List.of(2, 5, 11, 14, 20, 23), second.subList(0, 6));
  }
}
