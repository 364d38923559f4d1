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
  private long v0;
  private long v1;
  private long v2;
  private long v3;

  KeySource(long seed) {
    k0 = seed;
    k1 = Long.rotateLeft(seed * 0x9E37_79B9_7F4A_7C15L, 31) ^ 0x6A09_E667_F3BC_C908L;
  }

  /** The next 32-bit draw. */
  int next() {
    return (int) hash(counter++);
  }

  private long hash(long message) {
    v0 = k0 ^ 0x736f6d6570736575L;
    v1 = k1 ^ 0x646f72616e646f6dL;
    v2 = k0 ^ 0x6c7967656e657261L;
    v3 = k1 ^ 0x7465646279746573L;
    compress(message);
    compress(8L << 56);
    v2 ^= 0xff;
    round();
    round();
    round();
    round();
    return v0 ^ v1 ^ v2 ^ v3;
  }

  private void compress(long word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }

  private void round() {
    v0 += v1;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v3;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 += v3;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 += v1;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v2 = Long.rotateLeft(v2, 32);
  }
}
