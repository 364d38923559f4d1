// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * When a switch marks packets of a class as having met congestion (RFC 3168; RED, Floyd and
 * Jacobson 1993). Below {@code kmin} nothing is marked, at {@code kmax} with probability {@code
 * pmax}, linearly between, and everything above. Immutable.
 *
 * @param kmin lower threshold, bytes or packets, 0 or more
 * @param kmax upper threshold, not below kmin; the same for a step
 * @param pmax probability at kmax, 0 to 1; 0 marks nothing at all
 * @param scope what is measured
 * @param inPackets true to measure packets instead of bytes
 * @param atDequeue true to measure and mark as a packet leaves its queue, false as it enters
 * @param averagingShift 0 for the momentary length; n for a moving average of weight 2^-n, updated
 *     with every packet; 0 to 15
 * @param dropsNotEct true to drop what cannot be marked instead of letting it pass (WRED)
 * @param lastHop false to leave out the ports that lead to hosts
 */
public record EcnSettings(
    long kmin,
    long kmax,
    double pmax,
    Scope scope,
    boolean inPackets,
    boolean atDequeue,
    int averagingShift,
    boolean dropsNotEct,
    boolean lastHop) {
  /** No marks. */
  public static final EcnSettings OFF =
      new EcnSettings(0, 0, 0, Scope.QUEUE, false, false, 0, false, true);

  private static final long MAX_THRESHOLD = 1L << 40;

  /** What the thresholds are compared with. */
  public enum Scope {
    /** The queue of the packet's class. */
    QUEUE,
    /** All queues of the port. */
    PORT,
    /** All packets in the shared buffer of the switch, in bytes. */
    POOL
  }

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public EcnSettings {
    Limits.check("kmin", kmin, 0, MAX_THRESHOLD);
    Limits.check("kmax", kmax, kmin, MAX_THRESHOLD);
    Limits.check("pmax", pmax, 0, 1);
    Limits.check("averagingShift", averagingShift, 0, 15);
    if (inPackets && scope == Scope.POOL) {
      throw new IllegalArgumentException("inPackets true: scope POOL is measured in bytes");
    }
  }

  /**
   * Marks by the momentary length of the class's queue, as packets enter it.
   *
   * @param kminBytes lower threshold
   * @param kmaxBytes upper threshold
   * @param pmax probability at the upper threshold
   * @return the settings
   */
  public static EcnSettings red(long kminBytes, long kmaxBytes, double pmax) {
    return new EcnSettings(kminBytes, kmaxBytes, pmax, Scope.QUEUE, false, false, 0, false, true);
  }

  /**
   * Marks everything above one threshold, as DCTCP wants it.
   *
   * @param bytes the threshold
   * @return the settings
   */
  public static EcnSettings step(long bytes) {
    return red(bytes, bytes, 1);
  }

  /**
   * Whether anything is ever marked.
   *
   * @return false when pmax is 0
   */
  public boolean isOn() {
    return pmax > 0;
  }

  /**
   * This with another measure.
   *
   * @param value what the thresholds are compared with
   * @return the changed copy
   */
  public EcnSettings measuring(Scope value) {
    return new EcnSettings(
        kmin, kmax, pmax, value, inPackets, atDequeue, averagingShift, dropsNotEct, lastHop);
  }

  /**
   * This with thresholds in packets.
   *
   * @return the changed copy
   */
  public EcnSettings countingPackets() {
    return new EcnSettings(
        kmin, kmax, pmax, scope, true, atDequeue, averagingShift, dropsNotEct, lastHop);
  }

  /**
   * This at dequeue.
   *
   * @return the changed copy
   */
  public EcnSettings markingAtDequeue() {
    return new EcnSettings(
        kmin, kmax, pmax, scope, inPackets, true, averagingShift, dropsNotEct, lastHop);
  }

  /**
   * This over a moving average.
   *
   * @param shift the weight of a new value is 2^-shift
   * @return the changed copy
   */
  public EcnSettings averaging(int shift) {
    return new EcnSettings(
        kmin, kmax, pmax, scope, inPackets, atDequeue, shift, dropsNotEct, lastHop);
  }

  /**
   * This with early drop of packets that cannot be marked.
   *
   * @return the changed copy
   */
  public EcnSettings droppingNotEct() {
    return new EcnSettings(
        kmin, kmax, pmax, scope, inPackets, atDequeue, averagingShift, true, lastHop);
  }

  /**
   * This without marks on the ports that lead to hosts.
   *
   * @return the changed copy
   */
  public EcnSettings withoutLastHop() {
    return new EcnSettings(
        kmin, kmax, pmax, scope, inPackets, atDequeue, averagingShift, dropsNotEct, false);
  }
}
