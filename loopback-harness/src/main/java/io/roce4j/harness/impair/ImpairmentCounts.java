// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

/**
 * What one direction's impairments did, counted where they act. Written by the thread that carries
 * the packets; read by others only after it has stopped.
 *
 * <p>At rest {@code offered + duplicated = lost + delivered + discarded}, see {@link #balance()}.
 */
public final class ImpairmentCounts {
  /** Packets given to the impairments. */
  public long offered;

  /** Packets that vanished by the dice. */
  public long lost;

  /** Copies made. */
  public long duplicated;

  /** Packets with a flipped bit, copies of such packets included. */
  public long corrupted;

  /** Packets held back by the dice. */
  public long held;

  /**
   * Packets that were overtaken: handed on behind one that was given to the impairments after them,
   * of whatever path. Copies do not count.
   */
  public long displaced;

  /** Packets delayed on purpose. */
  public long delayed;

  /** Nanoseconds those packets were delayed, together. */
  public long delayNsSum;

  /** Of {@link #delayNsSum}: because the thread that carries the packets came late. */
  public long lateNsSum;

  /** Packets handed on. */
  public long delivered;

  /** Packets dropped for other reasons: queue full, link down, no such destination. */
  public long discarded;

  /** Makes counts of zero. */
  public ImpairmentCounts() {}

  /**
   * Packets that are still inside, by the books.
   *
   * @return offered + duplicated - lost - delivered - discarded; 0 at rest, never negative
   */
  public long balance() {
    return offered + duplicated - lost - delivered - discarded;
  }

  /**
   * Adds another direction's counts to these.
   *
   * @param other left unchanged
   */
  public void add(ImpairmentCounts other) {
    offered += other.offered;
    lost += other.lost;
    duplicated += other.duplicated;
    corrupted += other.corrupted;
    held += other.held;
    displaced += other.displaced;
    delayed += other.delayed;
    delayNsSum += other.delayNsSum;
    lateNsSum += other.lateNsSum;
    delivered += other.delivered;
    discarded += other.discarded;
  }
}
