// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * From which source addresses packets are taken. Immutable; read on the agent's thread for every
 * batch.
 */
public final class SourceFilter {

  /** Takes packets from everywhere. */
  public static final SourceFilter ALLOW_ALL = new SourceFilter(new long[0]);

  private static final int STRIDE = 4;
  private static final int WORD_BITS = 64;
  private static final int GID_BITS = 128;

  /** Four words a prefix: first and second half of its value, of its mask. */
  private final long[] prefixes;

  private SourceFilter(long[] prefixes) {
    this.prefixes = prefixes;
  }

  /**
   * This filter with one more prefix from which packets are taken. The first prefix added to {@link
   * #ALLOW_ALL} closes it for everyone else.
   *
   * @param gidHi first 8 bytes of the prefix, IPv4 as ::ffff:a.b.c.d.
   * @param gidLo last 8 bytes.
   * @param prefixBits 0 to 128; an IPv4 prefix of n bits has 96 + n.
   * @return the wider filter.
   * @throws IllegalArgumentException when the number of bits is out of range.
   */
  public SourceFilter allow(long gidHi, long gidLo, int prefixBits) {
    if (prefixBits < 0 || prefixBits > GID_BITS) {
      throw new IllegalArgumentException(
          "prefix of " + prefixBits + " bits: must be from 0 to " + GID_BITS);
    }
    long[] wider = java.util.Arrays.copyOf(prefixes, prefixes.length + STRIDE);
    long maskHi = mask(Math.min(prefixBits, WORD_BITS));
    long maskLo = mask(Math.max(0, prefixBits - WORD_BITS));
    wider[prefixes.length] = gidHi & maskHi;
    wider[prefixes.length + 1] = gidLo & maskLo;
    wider[prefixes.length + 2] = maskHi;
    wider[prefixes.length + 3] = maskLo;
    return new SourceFilter(wider);
  }

  private static long mask(int bits) {
    return bits == 0 ? 0 : -1L << (WORD_BITS - bits);
  }

  /**
   * Whether packets of a source are taken.
   *
   * @param gidHi first 8 bytes of the source GID.
   * @param gidLo last 8 bytes.
   * @return true when no prefix was ever added, or one matches.
   */
  public boolean allows(long gidHi, long gidLo) {
    for (int i = 0; i < prefixes.length; i += STRIDE) {
      if ((gidHi & prefixes[i + 2]) == prefixes[i]
          && (gidLo & prefixes[i + 3]) == prefixes[i + 1]) {
        return true;
      }
    }
    return prefixes.length == 0;
  }
}
