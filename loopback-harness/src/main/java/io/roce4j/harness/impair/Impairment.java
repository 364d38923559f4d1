// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

/**
 * What happens to the packets of one direction. Immutable; made by {@link #none()} and the {@code
 * with} methods.
 *
 * @param loss probability that a packet vanishes, 0 to 1
 * @param reorder probability that a packet is held back until {@code reorderGap} later packets of
 *     the link have overtaken it, 0 to 1
 * @param duplicate probability that a packet arrives twice, 0 to 1
 * @param corrupt probability that a bit of a packet flips behind the back of the Ethernet FCS, so
 *     that only the ICRC can tell, 0 to 1
 * @param reorderGap packets that overtake a held one, 1 or more
 * @param reorderHoldNs how long a held packet waits at most for them, so that the last packet of a
 *     burst is late and not lost; 1 or more
 * @param delayNs added to every packet, 0 or more
 * @param jitterNs uniform extra delay between 0 and this, 0 or more; reorders unless the link keeps
 *     order
 */
public record Impairment(
    double loss,
    double reorder,
    double duplicate,
    double corrupt,
    int reorderGap,
    long reorderHoldNs,
    long delayNs,
    long jitterNs) {
  private static final int DEFAULT_GAP = 3;
  private static final long DEFAULT_HOLD_NS = 500_000;
  private static final Impairment NONE =
      new Impairment(0, 0, 0, 0, DEFAULT_GAP, DEFAULT_HOLD_NS, 0, 0);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public Impairment {
    checkProbability("loss", loss);
    checkProbability("reorder", reorder);
    checkProbability("duplicate", duplicate);
    checkProbability("corrupt", corrupt);
    checkAtLeast("reorderGap", reorderGap, 1);
    checkAtLeast("reorderHoldNs", reorderHoldNs, 1);
    checkAtLeast("delayNs", delayNs, 0);
    checkAtLeast("jitterNs", jitterNs, 0);
  }

  /**
   * A perfect link.
   *
   * @return nothing is lost, reordered, duplicated, corrupted or delayed
   */
  public static Impairment none() {
    return NONE;
  }

  /**
   * Whether this leaves every packet as it is.
   *
   * @return true when no probability and no delay is above 0
   */
  public boolean isNone() {
    return loss == 0
        && reorder == 0
        && duplicate == 0
        && corrupt == 0
        && delayNs == 0
        && jitterNs == 0;
  }

  /**
   * This with another loss.
   *
   * @param value 0 to 1
   * @return the changed copy
   */
  public Impairment withLoss(double value) {
    return new Impairment(
        value, reorder, duplicate, corrupt, reorderGap, reorderHoldNs, delayNs, jitterNs);
  }

  /**
   * This with another reordering.
   *
   * @param value 0 to 1
   * @return the changed copy
   */
  public Impairment withReorder(double value) {
    return new Impairment(
        loss, value, duplicate, corrupt, reorderGap, reorderHoldNs, delayNs, jitterNs);
  }

  /**
   * This with another reach of reordering.
   *
   * @param packets how many later packets overtake a held one, 1 or more
   * @param holdNs how long it waits for them at most, 1 or more
   * @return the changed copy
   */
  public Impairment withReorderGap(int packets, long holdNs) {
    return new Impairment(loss, reorder, duplicate, corrupt, packets, holdNs, delayNs, jitterNs);
  }

  /**
   * This with another duplication.
   *
   * @param value 0 to 1
   * @return the changed copy
   */
  public Impairment withDuplicate(double value) {
    return new Impairment(
        loss, reorder, value, corrupt, reorderGap, reorderHoldNs, delayNs, jitterNs);
  }

  /**
   * This with another corruption.
   *
   * @param value 0 to 1
   * @return the changed copy
   */
  public Impairment withCorrupt(double value) {
    return new Impairment(
        loss, reorder, duplicate, value, reorderGap, reorderHoldNs, delayNs, jitterNs);
  }

  /**
   * This with another delay.
   *
   * @param ns added to every packet, 0 or more
   * @return the changed copy
   */
  public Impairment withDelayNs(long ns) {
    return new Impairment(
        loss, reorder, duplicate, corrupt, reorderGap, reorderHoldNs, ns, jitterNs);
  }

  /**
   * This with another jitter.
   *
   * @param ns largest extra delay, 0 or more
   * @return the changed copy
   */
  public Impairment withJitterNs(long ns) {
    return new Impairment(
        loss, reorder, duplicate, corrupt, reorderGap, reorderHoldNs, delayNs, ns);
  }

  private static void checkProbability(String field, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(field + " " + value + ": allowed 0 to 1");
    }
  }

  private static void checkAtLeast(String field, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(field + " " + value + ": must be at least " + least);
    }
  }
}
