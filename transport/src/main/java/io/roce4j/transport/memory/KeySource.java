// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.memory;

/**
 * Draws key indices and variant bytes that a peer cannot foresee: SipHash-2-4 over a counter, keyed
 * by the context's seed.
 *
 * <p>A plain generator would do for spread, but whoever was granted a few keys could solve for its
 * state and compute everybody else's. The seed comes in from outside, so that the same seed gives
 * the same keys in a simulation and a live context takes one from the system's secure source.
 */
final class KeySource {
  private final long k0;
  private final long k1;
  private long counter;

  KeySource(long seed) {
    k0 = seed;
    k1 = Long.rotateLeft(seed * 0x9E37_79B9_7F4A_7C15L, 31) ^ 0x6A09_E667_F3BC_C908L;
  }

  /** The next 32-bit draw. */
  int next() {
    return (int) hash(k0, k1, counter++);
  }

  /** SipHash-2-4 of eight bytes, all words little-endian. */
  static long hash(long key0, long key1, long message) {
    long[] v = {
      key0 ^ 0x736f6d6570736575L,
      key1 ^ 0x646f72616e646f6dL,
      key0 ^ 0x6c7967656e657261L,
      key1 ^ 0x7465646279746573L
    };
    compress(v, message);
    compress(v, 8L << 56);
    v[2] ^= 0xff;
    round(v);
    round(v);
    round(v);
    round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
  }

  private static void compress(long[] v, long word) {
    v[3] ^= word;
    round(v);
    round(v);
    v[0] ^= word;
  }

  private static void round(long[] v) {
    v[0] += v[1];
    v[1] = Long.rotateLeft(v[1], 13) ^ v[0];
    v[0] = Long.rotateLeft(v[0], 32);
    v[2] += v[3];
    v[3] = Long.rotateLeft(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = Long.rotateLeft(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = Long.rotateLeft(v[1], 17) ^ v[2];
    v[2] = Long.rotateLeft(v[2], 32);
  }
}
