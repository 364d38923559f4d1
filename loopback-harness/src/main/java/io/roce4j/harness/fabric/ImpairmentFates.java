// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.JitterModel;
import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentVerdict;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.impair.PacketFate;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.harness.sim.WireFates;
import java.util.SplittableRandom;

/**
 * A {@link PortImpairment} at work: every purpose has dice of its own, and every packet draws from
 * each, so that changing one impairment leaves the others as they were.
 */
final class ImpairmentFates implements WireFates {
  private final PortImpairment settings;
  private final int framingBytes;
  private final boolean passesFrameErrors;
  private final PacketLoss[] losses;
  private final PacketDice dice;
  private final SplittableRandom bitErrors;
  private final SplittableRandom errorPlaces;
  private final SplittableRandom jitter;
  private final SplittableRandom gaps;
  private long packets;
  private double expectedFrameErrors;
  private long frameErrors;
  private long corrupted;
  private long duplicated;
  private long held;
  private int lossReason;

  /**
   * Prepares the dice.
   *
   * @param settings what happens
   * @param framingBytes bytes around an IP packet
   * @param passesFrameErrors false when the node behind the cable stores packets, and so drops
   *     damaged frames at once
   * @param streams of this direction
   */
  ImpairmentFates(
      PortImpairment settings, int framingBytes, boolean passesFrameErrors, SeededStreams streams) {
    this.settings = settings;
    this.framingBytes = framingBytes;
    this.passesFrameErrors = passesFrameErrors;
    losses = new PacketLoss[settings.losses().size()];
    for (int i = 0; i < losses.length; i++) {
      LossRule rule = settings.losses().get(i);
      losses[i] = new PacketLoss(rule, streams.stream("loss" + (i == 0 ? "" : i)));
    }
    Impairment others =
        Impairment.none()
            .withCorrupt(settings.corrupt())
            .withDuplicate(settings.duplicate())
            .withReorder(settings.reorder());
    dice = new PacketDice(others, streams);
    bitErrors = streams.stream("bitError");
    errorPlaces = streams.stream("bitErrorPlace");
    jitter = streams.stream("delay");
    gaps = streams.stream("gap");
  }

  @Override
  public int nextFate(PacketSlots slots, int slot, long nowPs) {
    packets++;
    int fate = dice.nextFate();
    boolean isLost = false;
    for (PacketLoss loss : losses) {
      if (loss.loses(slots, slot, nowPs) && !isLost) {
        isLost = true;
        lossReason = loss.reason();
      }
    }
    boolean isDamaged = hasFrameError(slots, slot);
    if (isDamaged && !isLost && !passesFrameErrors) {
      isLost = true;
      lossReason = LinkObserver.FRAME_ERROR;
    }
    if (isLost) {
      return PacketFate.LOSES;
    }
    corrupted += PacketFate.isCorrupted(fate) ? 1 : 0;
    duplicated += PacketFate.isDuplicated(fate) ? 1 : 0;
    held += PacketFate.isHeld(fate) ? 1 : 0;
    return isDamaged ? fate | PacketFate.FRAME_ERROR : fate;
  }

  private boolean hasFrameError(PacketSlots slots, int slot) {
    if (settings.bitErrorRate() == 0) {
      return false;
    }
    long bits = 8L * (slots.length(slot) + slots.headerBytes(slot) + framingBytes);
    double probability = -StrictMath.expm1(bits * StrictMath.log1p(-settings.bitErrorRate()));
    expectedFrameErrors += probability;
    boolean hit = bitErrors.nextDouble() < probability;
    frameErrors += hit ? 1 : 0;
    return hit;
  }

  @Override
  public int lossReason() {
    return lossReason;
  }

  @Override
  public long nextDelayPs() {
    return (long)
        (Timeline.PS_PER_NS
            * switch (settings.jitter()) {
              case JitterModel.Constant c -> c.ns();
              case JitterModel.Uniform u ->
                  u.leastNs() + jitter.nextDouble() * (u.mostNs() - u.leastNs());
              case JitterModel.Normal n -> Math.max(0, n.meanNs() + n.sigmaNs() * gaussian());
              case JitterModel.Pareto p ->
                  Math.min(
                      JitterModel.MAX_NS,
                      p.scaleNs() / StrictMath.pow(1 - jitter.nextDouble(), 1 / p.shape()));
              case JitterModel.Measured m ->
                  m.samplesNs().get(jitter.nextInt(m.samplesNs().size()));
            });
  }

  /** Box and Muller 1958. */
  private double gaussian() {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - jitter.nextDouble()));
    return radius * StrictMath.cos(2 * Math.PI * jitter.nextDouble());
  }

  @Override
  public int nextBit(int lengthBytes) {
    return dice.nextBit(lengthBytes);
  }

  @Override
  public int nextFrameErrorBit(int lengthBytes) {
    return errorPlaces.nextInt(8 * lengthBytes);
  }

  @Override
  public int corruptBits() {
    return settings.corruptBits();
  }

  @Override
  public long duplicateDelayPs() {
    return settings.duplicateDelayNs() * Timeline.PS_PER_NS;
  }

  @Override
  public Order order() {
    return settings.order();
  }

  @Override
  public int nextReorderGap() {
    return settings.reorderWindow()
        ? 1 + gaps.nextInt(settings.reorderGap())
        : settings.reorderGap();
  }

  @Override
  public long reorderHoldPs() {
    return settings.reorderHoldNs() * Timeline.PS_PER_NS;
  }

  /** Judges whether what was configured has happened, see {@link ImpairmentVerdict}. */
  void judge(String port, ImpairmentVerdict verdict) {
    for (int i = 0; i < losses.length; i++) {
      judgeLoss(port + " loss", settings.losses().get(i), losses[i], verdict);
    }
    if (settings.bitErrorRate() > 0) {
      judgeMean(port + " bit errors", expectedFrameErrors, frameErrors, packets, verdict);
    }
    long survivors = packets - lost();
    verdict.judge(port + " corrupt", settings.corrupt(), corrupted, survivors);
    verdict.judge(port + " duplicate", settings.duplicate(), duplicated, survivors);
    verdict.judge(port + " reorder", settings.reorder(), held, survivors);
  }

  private long lost() {
    long lost = passesFrameErrors ? 0 : frameErrors;
    for (PacketLoss loss : losses) {
      lost += loss.hits();
    }
    return lost;
  }

  private static void judgeLoss(
      String name, LossRule rule, PacketLoss loss, ImpairmentVerdict verdict) {
    switch (rule.pattern()) {
      case LossRule.Independent p ->
          verdict.judge(name, p.probability(), loss.hits(), loss.trials());
      case LossRule.EveryNth p -> verdict.judge(name, 1.0 / p.n(), loss.hits(), loss.trials());
      default -> {
        // Bursts scatter too widely for a bound on their share: they must have hit at all.
        if (loss.hits() == 0) {
          verdict.fail(name + " " + rule.pattern() + " hit none of " + loss.trials() + " packets");
        }
      }
    }
  }

  private static void judgeMean(
      String name, double expected, long hits, long trials, ImpairmentVerdict verdict) {
    if (trials > 0) {
      verdict.judge(name, expected / trials, hits, trials);
    } else {
      verdict.fail(name + ": no packets passed");
    }
  }
}
