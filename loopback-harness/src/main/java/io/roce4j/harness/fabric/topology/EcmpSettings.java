// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * How a switch chooses among equal next hops. Immutable.
 *
 * @param mode by flow, by packet, by flowlet, ...
 * @param hash turns a flow into a number
 * @param seed of the hash; {@link #OWN_SEED} for one of each switch's own, anything else for the
 *     same on all, which polarises
 * @param hashesDestQp true to hash the destination queue pair as well (a user-defined field)
 * @param buckets 0 for the hash modulo the next hops; else the size of a resilient table, in which
 *     a dead next hop moves its own flows only; 1 to 65536
 * @param flowletGapNs {@link Mode#FLOWLET}: a longer silence lets a flow change its next hop;
 *     {@link Mode#ADAPTIVE}: how long a flow keeps its choice
 * @param reconvergenceNs from a cable's failure or return until switches route accordingly; {@link
 *     #NEVER} for static routes
 */
public record EcmpSettings(
    Mode mode,
    HashFunction hash,
    long seed,
    boolean hashesDestQp,
    int buckets,
    long flowletGapNs,
    long reconvergenceNs) {
  /** Each switch draws its seed from that of the run, by its name. */
  public static final long OWN_SEED = Long.MIN_VALUE;

  /** {@link #reconvergenceNs}: routes do not follow failures. */
  public static final long NEVER = -1;

  private static final EcmpSettings PER_FLOW =
      new EcmpSettings(Mode.FLOW, HashFunction.MURMUR3, OWN_SEED, false, 0, 0, 50_000_000);

  /** Ways to choose. */
  public enum Mode {
    /** One next hop for each flow. */
    FLOW,
    /** By flow, in proportion to the rates of the cables. */
    WEIGHTED,
    /** A next hop drawn for each packet. */
    RANDOM_SPRAY,
    /** The next hops in turn, packet by packet. */
    ROUND_ROBIN,
    /** A next hop drawn for each flowlet. */
    FLOWLET,
    /** The next hop with the shortest queue, kept by a flow for a while. */
    ADAPTIVE
  }

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public EcmpSettings {
    Limits.check("buckets", buckets, 0, 65_536);
    Limits.check("flowletGapNs", flowletGapNs, 0, 1_000_000_000);
    Limits.check("reconvergenceNs", reconvergenceNs, NEVER, 60_000_000_000L);
    if (mode == Mode.FLOWLET && flowletGapNs == 0) {
      throw new IllegalArgumentException("flowletGapNs 0: mode FLOWLET needs a gap above 0");
    }
  }

  /**
   * By flow: MurmurHash3 over addresses and UDP ports, with a seed of each switch's own, following
   * failures after 50 ms.
   *
   * @return the default settings
   */
  public static EcmpSettings perFlow() {
    return PER_FLOW;
  }

  /**
   * By packet, drawn.
   *
   * @return the settings
   */
  public static EcmpSettings spraying() {
    return PER_FLOW.withMode(Mode.RANDOM_SPRAY);
  }

  /**
   * This with another mode that needs no gap, or uses the one there is.
   *
   * @param value the mode
   * @return the changed copy
   */
  public EcmpSettings withMode(Mode value) {
    return new EcmpSettings(
        value, hash, seed, hashesDestQp, buckets, flowletGapNs, reconvergenceNs);
  }

  /**
   * By flowlet.
   *
   * @param gapNs a longer silence lets a flow change its next hop
   * @return the changed copy
   */
  public EcmpSettings byFlowlet(long gapNs) {
    return new EcmpSettings(
        Mode.FLOWLET, hash, seed, hashesDestQp, buckets, gapNs, reconvergenceNs);
  }

  /**
   * By the shortest queue.
   *
   * @param keepNs how long a flow keeps its choice, 0 for each packet anew
   * @return the changed copy
   */
  public EcmpSettings adaptive(long keepNs) {
    return new EcmpSettings(
        Mode.ADAPTIVE, hash, seed, hashesDestQp, buckets, keepNs, reconvergenceNs);
  }

  /**
   * This with another function.
   *
   * @param value the function
   * @return the changed copy
   */
  public EcmpSettings withHash(HashFunction value) {
    return new EcmpSettings(
        mode, value, seed, hashesDestQp, buckets, flowletGapNs, reconvergenceNs);
  }

  /**
   * This with the same seed on every switch.
   *
   * @param value any but {@link #OWN_SEED}
   * @return the changed copy
   */
  public EcmpSettings withSeed(long value) {
    return new EcmpSettings(
        mode, hash, value, hashesDestQp, buckets, flowletGapNs, reconvergenceNs);
  }

  /**
   * This with the destination queue pair in the hash.
   *
   * @return the changed copy
   */
  public EcmpSettings hashingDestQp() {
    return new EcmpSettings(mode, hash, seed, true, buckets, flowletGapNs, reconvergenceNs);
  }

  /**
   * This with a resilient table.
   *
   * @param size buckets, 1 to 65536
   * @return the changed copy
   */
  public EcmpSettings resilient(int size) {
    return new EcmpSettings(mode, hash, seed, hashesDestQp, size, flowletGapNs, reconvergenceNs);
  }

  /**
   * This with another reconvergence.
   *
   * @param ns from a failure until routes follow, or {@link #NEVER}
   * @return the changed copy
   */
  public EcmpSettings reconvergingAfterNs(long ns) {
    return new EcmpSettings(mode, hash, seed, hashesDestQp, buckets, flowletGapNs, ns);
  }
}
