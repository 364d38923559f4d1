// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.random.SeededStreams;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImpairmentTest {
  private static final int PACKETS = 200_000;

  @Test
  void valuesOutOfRangeNameTheFieldAndTheLimit() {
    Impairment none = Impairment.none();
    Exception e = assertThrows(IllegalArgumentException.class, () -> none.withLoss(1.5));
    assertEquals("loss 1.5: allowed 0 to 1", e.getMessage());
    assertThrows(IllegalArgumentException.class, () -> none.withCorrupt(Double.NaN));
    assertThrows(IllegalArgumentException.class, () -> none.withReorder(-0.1));
    assertThrows(IllegalArgumentException.class, () -> none.withDelayNs(-1));
    assertThrows(IllegalArgumentException.class, () -> none.withReorderGap(0, 1));
  }

  @Test
  void diceHitAsOftenAsConfigured() {
    Impairment impairment =
        Impairment.none().withLoss(0.01).withReorder(0.02).withDuplicate(0.03).withCorrupt(0.04);
    PacketDice dice = new PacketDice(impairment, new SeededStreams(3));
    int[] hits = new int[4];
    for (int i = 0; i < PACKETS; i++) {
      int fate = dice.nextFate();
      hits[0] += PacketFate.isLost(fate) ? 1 : 0;
      hits[1] += PacketFate.isHeld(fate) ? 1 : 0;
      hits[2] += PacketFate.isDuplicated(fate) ? 1 : 0;
      hits[3] += PacketFate.isCorrupted(fate) ? 1 : 0;
    }
    double passed = PACKETS - hits[0];
    assertEquals(0.01, hits[0] / (double) PACKETS, 0.001);
    assertEquals(0.02, hits[1] / passed, 0.0015);
    assertEquals(0.03, hits[2] / passed, 0.0015);
    assertEquals(0.04, hits[3] / passed, 0.0015);
  }

  @Test
  void aLostPacketHasNoOtherFate() {
    Impairment all = Impairment.none().withLoss(1).withReorder(1).withDuplicate(1).withCorrupt(1);
    int fate = new PacketDice(all, new SeededStreams(1)).nextFate();
    assertTrue(PacketFate.isLost(fate));
    assertFalse(PacketFate.isHeld(fate));
    assertFalse(PacketFate.isDuplicated(fate));
    assertFalse(PacketFate.isCorrupted(fate));
  }

  @Test
  void moreLossLeavesTheSamePacketsReordered() {
    Impairment light = Impairment.none().withReorder(0.1);
    PacketDice lossless = new PacketDice(light, new SeededStreams(9));
    PacketDice lossy = new PacketDice(light.withLoss(0.3), new SeededStreams(9));
    for (int i = 0; i < 10_000; i++) {
      int lossyFate = lossy.nextFate();
      int losslessFate = lossless.nextFate();
      if (!PacketFate.isLost(lossyFate)) {
        assertEquals(PacketFate.isHeld(losslessFate), PacketFate.isHeld(lossyFate));
      }
    }
  }

  @Test
  void flippedBitsCoverThePacketButTheByteOutsideTheIcrc() {
    PacketDice dice = new PacketDice(Impairment.none().withCorrupt(1), new SeededStreams(2));
    boolean[] hit = new boolean[20 * 8];
    for (int i = 0; i < 20_000; i++) {
      hit[dice.nextBit(20)] = true;
    }
    for (int bit = 0; bit < hit.length; bit++) {
      assertEquals(bit / 8 != 4, hit[bit], "bit " + bit);
    }
  }

  @ParameterizedTest
  @CsvSource({"0.01, 1", "0.01, 5", "0.05, 3", "0.2, 10", "0.002, 50"})
  void burstsHaveTheLossAndTheLengthAskedFor(double loss, double burst) {
    int packets = 2_000_000;
    LossModel model = GilbertElliottLoss.bursts(loss, burst, new SplittableRandom(5));
    int lost = 0;
    int bursts = 0;
    boolean previous = false;
    for (int i = 0; i < packets; i++) {
      boolean isLost = model.losesNext();
      lost += isLost ? 1 : 0;
      bursts += isLost && !previous ? 1 : 0;
      previous = isLost;
    }
    // The number of bursts is what chance acts on: four standard deviations.
    double tolerance = 4 / Math.sqrt(bursts);
    assertEquals(1, lost / (loss * packets), 1.5 * tolerance);
    assertEquals(1, lost / (burst * bursts), tolerance, "mean burst " + (double) lost / bursts);
  }

  @Test
  void fullGilbertElliottHasItsStationaryLoss() {
    int packets = 2_000_000;
    double toBad = 0.02;
    double toGood = 0.1;
    LossModel model = new GilbertElliottLoss(toBad, toGood, 0.5, 0.01, new SplittableRandom(6));
    int lost = 0;
    for (int i = 0; i < packets; i++) {
      lost += model.losesNext() ? 1 : 0;
    }
    double bad = toBad / (toBad + toGood);
    assertEquals(bad * 0.5 + (1 - bad) * 0.01, lost / (double) packets, 0.002);
  }

  @Test
  void everyNthLosesExactlyThose() {
    LossModel model = LossModel.everyNth(3);
    StringBuilder fates = new StringBuilder();
    for (int i = 0; i < 9; i++) {
      fates.append(model.losesNext() ? 'x' : '.');
    }
    assertEquals("..x..x..x", fates.toString());
  }

  @Test
  void heldPacketsGoAfterTheirGapOrTheirDeadline() {
    HoldQueue held = new HoldQueue(2);
    assertTrue(held.offer(10, 2, 100));
    held.onPassed();
    assertTrue(held.offer(11, 2, 50));
    assertFalse(held.offer(12, 2, 100), "full: the packet is not taken");
    assertEquals(HoldQueue.NONE, held.poll(0));
    held.onPassed();
    assertEquals(10, held.poll(0), "two have passed it");
    assertEquals(HoldQueue.NONE, held.poll(49), "one has passed the other");
    assertEquals(50, held.nextDeadline());
    assertEquals(11, held.poll(50), "its time has come");
    assertFalse(held.takeOwed(), "both were overtaken");
    assertEquals(Long.MAX_VALUE, held.nextDeadline());
  }

  /** A tail: late, but nothing overtook it. */
  @Test
  void aReorderingIsOwedForEveryPacketThatNothingPassed() {
    HoldQueue held = new HoldQueue(4);
    held.offer(1, 3, 100);
    held.offer(2, 3, 100);
    assertEquals(1, held.poll(100));
    assertEquals(2, held.poll(100));
    assertTrue(held.takeOwed());
    assertTrue(held.takeOwed());
    assertFalse(held.takeOwed());
  }

  /** [FC-56] An impairment that the traffic bypasses must not pass. */
  @Test
  void configuredLossThatHitNothingIsInvalid() {
    ImpairmentVerdict verdict = new ImpairmentVerdict();
    verdict.judge("loss", 0.01, 0, 60_000);
    assertFalse(verdict.isValid());
    assertTrue(verdict.faults().getFirst().contains("hit none of 60,000"), verdict.faults() + "");
  }

  /** [FC-56] */
  @ParameterizedTest
  @CsvSource({
    "0.01, 600, 60000, true",
    "0.01, 660, 60000, true",
    "0.01, 540, 60000, true",
    "0.01, 1200, 60000, false",
    "0.01, 300, 60000, false",
    "0.01, 1, 200, true",
    "0.01, 8, 200, false",
    "0.01, 11500, 1000000, false",
    "0.01, 10900, 1000000, true",
    "0.5, 5000, 10000, true",
    "1, 10000, 10000, true"
  })
  void sharesOffByMoreThanATenthBeyondChanceAreInvalid(
      double configured, long hits, long trials, boolean valid) {
    ImpairmentVerdict verdict = new ImpairmentVerdict();
    verdict.judge("loss", configured, hits, trials);
    assertEquals(valid, verdict.isValid(), verdict.faults().toString());
  }

  @Test
  void rightDiceAreAlmostNeverCalledInvalid() {
    int alarms = 0;
    for (int seed = 0; seed < 2_000; seed++) {
      LossModel model = LossModel.independent(0.01, new SplittableRandom(seed));
      int packets = 3_000;
      int lost = 0;
      for (int i = 0; i < packets; i++) {
        lost += model.losesNext() ? 1 : 0;
      }
      alarms += ImpairmentVerdict.isWithin(0.01, lost, packets) ? 0 : 1;
    }
    assertTrue(alarms <= 4, alarms + " false alarms in 2000 right runs");
  }
}
