// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

import io.roce4j.harness.random.SeededStreams;
import java.util.SplittableRandom;

/**
 * Draws the fate of each packet of one direction. Every purpose has a stream of its own and every
 * packet draws from each, so that changing the loss leaves the same packets reordered.
 *
 * <p>Allocates nothing after construction. An object belongs to one thread.
 */
public final class PacketDice {
  // BTH byte 4 (FECN, BECN, reserved) is outside the ICRC: a flip there would be no corruption.
  private static final int UNCOVERED_BYTE = 4;

  private final Impairment impairment;
  private final LossModel lossModel;
  private final SplittableRandom corrupt;
  private final SplittableRandom duplicate;
  private final SplittableRandom reorder;
  private final SplittableRandom bit;
  private final SplittableRandom jitter;

  /**
   * Makes the dice of one direction with independent loss.
   *
   * @param impairment the probabilities
   * @param streams where the dice come from
   */
  public PacketDice(Impairment impairment, SeededStreams streams) {
    this(impairment, LossModel.independent(impairment.loss(), streams.stream("loss")), streams);
  }

  /**
   * Makes the dice of one direction with a loss model of its own.
   *
   * @param impairment the probabilities; its loss is not used
   * @param lossModel decides which packets are lost
   * @param streams where the other dice come from
   */
  public PacketDice(Impairment impairment, LossModel lossModel, SeededStreams streams) {
    this.impairment = impairment;
    this.lossModel = lossModel;
    this.corrupt = streams.stream("corrupt");
    this.duplicate = streams.stream("duplicate");
    this.reorder = streams.stream("reorder");
    this.bit = streams.stream("bit");
    this.jitter = streams.stream("jitter");
  }

  /**
   * What these dice were made for.
   *
   * @return the probabilities
   */
  public Impairment impairment() {
    return impairment;
  }

  /**
   * Draws the fate of the next packet.
   *
   * @return bits for the predicates of {@link PacketFate}
   */
  public int nextFate() {
    boolean isLost = lossModel.losesNext();
    boolean isCorrupted = hits(corrupt, impairment.corrupt());
    boolean isDuplicated = hits(duplicate, impairment.duplicate());
    boolean isHeld = hits(reorder, impairment.reorder());
    return PacketFate.of(isLost, isCorrupted, isDuplicated, isHeld);
  }

  /**
   * Draws the bit that flips in a corrupted packet.
   *
   * @param lengthBytes from BTH to ICRC, 6 or more
   * @return bit number from the first byte of the BTH on, never one that the ICRC does not cover
   */
  public int nextBit(int lengthBytes) {
    int covered = bit.nextInt((lengthBytes - 1) * Byte.SIZE);
    return covered < UNCOVERED_BYTE * Byte.SIZE ? covered : covered + Byte.SIZE;
  }

  /**
   * Draws the delay of the next packet.
   *
   * @return the fixed delay and its jitter, ns, 0 or more
   */
  public long nextDelayNs() {
    long jitterNs = impairment.jitterNs();
    return impairment.delayNs() + (jitterNs == 0 ? 0 : jitter.nextLong(jitterNs + 1));
  }

  private static boolean hits(SplittableRandom random, double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }
}
