// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

import java.util.SplittableRandom;

/**
 * Loss in bursts: two states, good and bad; before each packet the state moves from good to bad
 * with probability p and back with r, then the packet is lost with the probability of the state
 * (Gilbert 1960, Elliott 1963).
 *
 * <p>In the long run the bad state has the share p / (p + r) and lasts 1 / r packets.
 */
public final class GilbertElliottLoss implements LossModel {
  private final double toBad;
  private final double toGood;
  private final double lossWhenBad;
  private final double lossWhenGood;
  private final SplittableRandom random;
  private boolean bad;

  /**
   * Makes the full model, in netem's order of parameters.
   *
   * @param toBad p, 0 to 1
   * @param toGood r, above 0 to 1
   * @param lossWhenBad 1 - h, 0 to 1
   * @param lossWhenGood 1 - k, 0 to 1
   * @param random its dice
   */
  public GilbertElliottLoss(
      double toBad,
      double toGood,
      double lossWhenBad,
      double lossWhenGood,
      SplittableRandom random) {
    check("p", toBad);
    check("r", toGood);
    check("1-h", lossWhenBad);
    check("1-k", lossWhenGood);
    if (toGood == 0) {
      throw new IllegalArgumentException("r 0: the bad state would never end");
    }
    this.toBad = toBad;
    this.toGood = toGood;
    this.lossWhenBad = lossWhenBad;
    this.lossWhenGood = lossWhenGood;
    this.random = random;
  }

  /**
   * Bursts in which everything is lost.
   *
   * @param loss wanted share of lost packets, 0 to below 1
   * @param meanBurstPackets mean length of a burst, 1 or more
   * @param random its dice
   * @return the model with r = 1 / burst and p = r loss / (1 - loss)
   * @throws IllegalArgumentException when that loss cannot come in such short bursts
   */
  public static GilbertElliottLoss bursts(
      double loss, double meanBurstPackets, SplittableRandom random) {
    double toGood = 1 / meanBurstPackets;
    double toBad = toGood * loss / (1 - loss);
    if (!(meanBurstPackets >= 1) || !(toBad <= 1)) {
      throw new IllegalArgumentException(
          "loss " + loss + " in bursts of " + meanBurstPackets + " packets is not possible");
    }
    return new GilbertElliottLoss(toBad, toGood, 1, 0, random);
  }

  @Override
  public boolean losesNext() {
    bad = bad ? random.nextDouble() >= toGood : random.nextDouble() < toBad;
    return random.nextDouble() < (bad ? lossWhenBad : lossWhenGood);
  }

  private static void check(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " " + value + ": allowed 0 to 1");
    }
  }
}
