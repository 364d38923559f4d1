// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * How a switch chooses among equal next hops.
 *
 * @param hash turns a flow into a number
 * @param seed of the hash; {@link #OWN_SEED} for one of each switch's own, anything else for the
 *     same on all, which polarises
 */
public record EcmpSettings(HashFunction hash, long seed) {
  /** Each switch draws its seed from that of the run, by its name. */
  public static final long OWN_SEED = Long.MIN_VALUE;

  private static final EcmpSettings PER_FLOW = new EcmpSettings(HashFunction.MURMUR3, OWN_SEED);

  /**
   * By flow: MurmurHash3 over addresses and UDP ports, with a seed of each switch's own.
   *
   * @return the default settings
   */
  public static EcmpSettings perFlow() {
    return PER_FLOW;
  }

  /**
   * This with another function.
   *
   * @param value the function
   * @return the changed copy
   */
  public EcmpSettings withHash(HashFunction value) {
    return new EcmpSettings(value, seed);
  }

  /**
   * This with the same seed on every switch.
   *
   * @param value any but {@link #OWN_SEED}
   * @return the changed copy
   */
  public EcmpSettings withSeed(long value) {
    return new EcmpSettings(hash, value);
  }
}
