// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.random;

import java.util.SplittableRandom;

/**
 * Independent random streams derived from one seed by name, such as {@code "link.a-b.loss"}.
 *
 * <p>Two objects of the same seed give the same stream for the same name, whatever else was asked
 * for before. Adding a link or a purpose therefore changes no other dice. A stream belongs to one
 * thread.
 */
public final class SeededStreams {
  private static final long FNV_OFFSET = 0xCBF2_9CE4_8422_2325L;
  private static final long FNV_PRIME = 0x0000_0100_0000_01B3L;
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private final long seed;

  /**
   * Makes the streams of a seed.
   *
   * @param seed any 64 bits
   */
  public SeededStreams(long seed) {
    this.seed = seed;
  }

  /**
   * The seed these streams come from.
   *
   * @return as given
   */
  public long seed() {
    return seed;
  }

  /**
   * A fresh stream at its beginning.
   *
   * @param name what the draws are for
   * @return a generator; asking again starts it again
   */
  public SplittableRandom stream(String name) {
    return new SplittableRandom(derive(name));
  }

  /**
   * Streams of their own for one part of the run, such as one link or one queue pair.
   *
   * @param name the part
   * @return streams that differ from these and from those of every other name
   */
  public SeededStreams child(String name) {
    return new SeededStreams(derive(name));
  }

  /**
   * A single number derived from the seed by name, for things that take a seed of their own.
   *
   * @param name what it is for
   * @return 64 well-mixed bits
   */
  public long derive(String name) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * FNV_PRIME;
    }
    return mix(hash ^ mix(seed + GOLDEN));
  }

  /** The finaliser of MurmurHash3: every input bit reaches every output bit. */
  private static long mix(long value) {
    long mixed = (value ^ (value >>> 33)) * 0xFF51_AFD7_ED55_8CCDL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xC4CE_B9FE_1A85_EC53L;
    return mixed ^ (mixed >>> 33);
  }
}
