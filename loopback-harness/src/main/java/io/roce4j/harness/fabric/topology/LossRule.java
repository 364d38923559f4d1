// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import java.util.Set;

/**
 * One way in which a cable loses packets.
 *
 * @param match which packets it is about; others neither are lost nor count
 * @param pattern which of them are lost
 */
public record LossRule(PacketMatch match, Pattern pattern) {
  private static final int PSNS = 1 << 24;

  /** Which of some packets are lost. */
  public sealed interface Pattern {}

  /**
   * Each with the same probability.
   *
   * @param probability 0 to 1
   */
  public record Independent(double probability) implements Pattern {
    /** Checks the range. */
    public Independent {
      Limits.check("loss probability", probability, 0, 1);
    }
  }

  /**
   * Every n-th.
   *
   * @param n 1 for all
   */
  public record EveryNth(int n) implements Pattern {
    /** Checks the range. */
    public EveryNth {
      Limits.check("every n-th", n, 1, Integer.MAX_VALUE);
    }
  }

  /**
   * Bursts by Gilbert and Elliott, in netem's order of parameters.
   *
   * @param toBad p, 0 to 1
   * @param toGood r, above 0 to 1
   * @param lossWhenBad 1 - h, 0 to 1
   * @param lossWhenGood 1 - k, 0 to 1
   */
  public record GilbertElliott(double toBad, double toGood, double lossWhenBad, double lossWhenGood)
      implements Pattern {
    /** Checks the ranges. */
    public GilbertElliott {
      Limits.check("p", toBad, 0, 1);
      Limits.check("r", toGood, Double.MIN_VALUE, 1);
      Limits.check("1-h", lossWhenBad, 0, 1);
      Limits.check("1-k", lossWhenGood, 0, 1);
    }
  }

  /**
   * Bad times in which everything is lost, with exponential lengths: for sparse traffic.
   *
   * @param meanGoodNs mean time between bad times, 1 or more
   * @param meanBadNs mean length of a bad time, 1 or more
   */
  public record BadTimes(long meanGoodNs, long meanBadNs) implements Pattern {
    /** Checks the ranges. */
    public BadTimes {
      Limits.check("meanGoodNs", meanGoodNs, 1, Long.MAX_VALUE);
      Limits.check("meanBadNs", meanBadNs, 1, Long.MAX_VALUE);
    }
  }

  /**
   * The first transmission of certain packets.
   *
   * @param destQp their destination queue pair
   * @param psns their packet sequence numbers
   */
  public record FirstOf(int destQp, Set<Integer> psns) implements Pattern {
    /** Checks the ranges. */
    public FirstOf {
      Limits.check("destQp", destQp, 0, PSNS - 1L);
      psns = Set.copyOf(psns);
      for (int psn : psns) {
        Limits.check("psn", psn, 0, PSNS - 1L);
      }
    }
  }

  /**
   * Those whose IPv4 identification ends in a byte: one of 256 when the port counts
   * identifications.
   *
   * @param lowByte 0 to 255
   */
  public record IpIdentification(int lowByte) implements Pattern {
    /** Checks the range. */
    public IpIdentification {
      Limits.check("lowByte", lowByte, 0, 255);
    }
  }

  /** All of them: a black hole. */
  public record Everything() implements Pattern {}

  /**
   * Independent loss of all packets.
   *
   * @param probability 0 to 1
   * @return the rule
   */
  public static LossRule independent(double probability) {
    return new LossRule(PacketMatch.all(), new Independent(probability));
  }

  /**
   * Loss of every n-th packet.
   *
   * @param n 1 for all
   * @return the rule
   */
  public static LossRule everyNth(int n) {
    return new LossRule(PacketMatch.all(), new EveryNth(n));
  }

  /**
   * Bursts in which everything is lost (Gilbert).
   *
   * @param loss share of lost packets, 0 to below 1
   * @param meanPackets mean length of a burst, 1 or more
   * @return the rule, with r = 1 / burst and p = r loss / (1 - loss)
   */
  public static LossRule bursts(double loss, double meanPackets) {
    Limits.check("loss", loss, 0, 0.999);
    Limits.check("mean burst", meanPackets, 1, 1e9);
    double toGood = 1 / meanPackets;
    double toBad = toGood * loss / (1 - loss);
    Limits.check("p of loss " + loss + " in bursts of " + meanPackets, toBad, 0, 1);
    return new LossRule(PacketMatch.all(), new GilbertElliott(toBad, toGood, 1, 0));
  }

  /**
   * A cable that is up and swallows packets.
   *
   * @param match which
   * @return the rule
   */
  public static LossRule blackHole(PacketMatch match) {
    return new LossRule(match, new Everything());
  }

  /**
   * This for other packets.
   *
   * @param value which packets it is about
   * @return the changed copy
   */
  public LossRule matching(PacketMatch value) {
    return new LossRule(value, pattern);
  }
}
