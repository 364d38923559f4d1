// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import io.roce4j.harness.sim.WireFates;
import java.util.ArrayList;
import java.util.List;

/**
 * What happens to the packets on one direction of a cable. Immutable; {@link #none()} and the
 * {@code with} methods.
 *
 * @param losses ways to lose packets; each sees every packet, and one is enough
 * @param bitErrorRate probability that a bit flips on the wire: the Ethernet FCS shows it and the
 *     packet is lost, with probability 1 - (1 - rate)^bits; 0 to 0.01
 * @param corrupt probability that bits flip behind the back of the FCS, so that only the ICRC can
 *     tell, 0 to 1
 * @param corruptBits bits that flip then, 1 to 32
 * @param duplicate probability that a packet arrives twice, 0 to 1
 * @param duplicateDelayNs how much later the copy arrives, 0 or more
 * @param reorder probability that a packet is held back until later ones of its path have overtaken
 *     it, 0 to 1
 * @param reorderGap how many, 1 or more
 * @param reorderWindow false for exactly that many, true for a number drawn from 1 to that
 * @param reorderHoldNs how long it waits for them at most, 1 or more
 * @param jitter how much later packets arrive
 * @param order what jitter does to the order
 */
public record PortImpairment(
    List<LossRule> losses,
    double bitErrorRate,
    double corrupt,
    int corruptBits,
    double duplicate,
    long duplicateDelayNs,
    double reorder,
    int reorderGap,
    boolean reorderWindow,
    long reorderHoldNs,
    JitterModel jitter,
    WireFates.Order order) {
  private static final PortImpairment NONE =
      new PortImpairment(
          List.of(), 0, 0, 1, 0, 0, 0, 3, false, 500_000, JitterModel.NONE, WireFates.Order.KEPT);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public PortImpairment {
    losses = List.copyOf(losses);
    Limits.check("bitErrorRate", bitErrorRate, 0, 0.01);
    Limits.check("corrupt", corrupt, 0, 1);
    Limits.check("corruptBits", corruptBits, 1, 32);
    Limits.check("duplicate", duplicate, 0, 1);
    Limits.check("duplicateDelayNs", duplicateDelayNs, 0, JitterModel.MAX_NS);
    Limits.check("reorder", reorder, 0, 1);
    Limits.check("reorderGap", reorderGap, 1, 10_000);
    Limits.check("reorderHoldNs", reorderHoldNs, 1, JitterModel.MAX_NS);
  }

  /**
   * A perfect cable.
   *
   * @return nothing happens
   */
  public static PortImpairment none() {
    return NONE;
  }

  /**
   * Whether packets pass as they are.
   *
   * @return true when nothing can happen
   */
  public boolean isNone() {
    return losses.isEmpty()
        && bitErrorRate == 0
        && corrupt == 0
        && duplicate == 0
        && reorder == 0
        && jitter.equals(JitterModel.NONE);
  }

  /**
   * This with one more way to lose packets.
   *
   * @param rule which
   * @return the changed copy
   */
  public PortImpairment losing(LossRule rule) {
    List<LossRule> more = new ArrayList<>(losses);
    more.add(rule);
    return new PortImpairment(
        more,
        bitErrorRate,
        corrupt,
        corruptBits,
        duplicate,
        duplicateDelayNs,
        reorder,
        reorderGap,
        reorderWindow,
        reorderHoldNs,
        jitter,
        order);
  }

  /**
   * This with bit errors that the FCS shows.
   *
   * @param rate per bit
   * @return the changed copy
   */
  public PortImpairment withBitErrorRate(double rate) {
    return new PortImpairment(
        losses,
        rate,
        corrupt,
        corruptBits,
        duplicate,
        duplicateDelayNs,
        reorder,
        reorderGap,
        reorderWindow,
        reorderHoldNs,
        jitter,
        order);
  }

  /**
   * This with silent corruption.
   *
   * @param probability of a packet
   * @param bits that flip, 1 to 32
   * @return the changed copy
   */
  public PortImpairment corrupting(double probability, int bits) {
    return new PortImpairment(
        losses,
        bitErrorRate,
        probability,
        bits,
        duplicate,
        duplicateDelayNs,
        reorder,
        reorderGap,
        reorderWindow,
        reorderHoldNs,
        jitter,
        order);
  }

  /**
   * This with duplication.
   *
   * @param probability of a packet
   * @param delayNs how much later the copy arrives
   * @return the changed copy
   */
  public PortImpairment duplicating(double probability, long delayNs) {
    return new PortImpairment(
        losses,
        bitErrorRate,
        corrupt,
        corruptBits,
        probability,
        delayNs,
        reorder,
        reorderGap,
        reorderWindow,
        reorderHoldNs,
        jitter,
        order);
  }

  /**
   * This with packets that are held back for others of their path.
   *
   * @param probability of a packet
   * @param gap how many overtake it
   * @param window true for a number drawn from 1 to gap
   * @param holdNs how long it waits for them at most
   * @return the changed copy
   */
  public PortImpairment reordering(double probability, int gap, boolean window, long holdNs) {
    return new PortImpairment(
        losses,
        bitErrorRate,
        corrupt,
        corruptBits,
        duplicate,
        duplicateDelayNs,
        probability,
        gap,
        window,
        holdNs,
        jitter,
        order);
  }

  /**
   * This with jitter.
   *
   * @param model how much later packets arrive
   * @param newOrder what that does to the order: with {@link WireFates.Order#PER_PATH} packets are
   *     reordered between paths only
   * @return the changed copy
   */
  public PortImpairment delaying(JitterModel model, WireFates.Order newOrder) {
    return new PortImpairment(
        losses,
        bitErrorRate,
        corrupt,
        corruptBits,
        duplicate,
        duplicateDelayNs,
        reorder,
        reorderGap,
        reorderWindow,
        reorderHoldNs,
        model,
        newOrder);
  }
}
