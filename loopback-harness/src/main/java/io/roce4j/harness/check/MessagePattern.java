// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.check;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.roce4j.harness.random.SeededStreams;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The bytes of every message: windows into one table of drawn letters. A message is its length and
 * where its window starts, so that sender and checker agree without copying, messages can be sent
 * straight from the table, and bytes are compared at memory speed.
 *
 * <p>Each byte is one of 64 letters. Wireshark looks into the payload of RDMA packets for protocols
 * it knows by small numbers and zeros (an EtherType and two reserved bytes, a version of
 * RPC-over-RDMA); in all 256 values it would find them now and then, and call them malformed.
 *
 * <p>Two messages of the same window are one in {@link #WINDOWS}; a stale or foreign message that
 * is a few bytes long is therefore told apart as well. Any thread may read.
 */
public final class MessagePattern implements AutoCloseable {
  /** Where windows may start: 0 to this, exclusive. */
  public static final int WINDOWS = 1 << 20;

  // Without G, e and `, so that no EtherType is spelled (0x4742, 0x6558, 0x6000 before pad bytes),
  // and without digits and signs, some of which delimit frames of Fibre Channel.
  private static final byte[] LETTERS =
      ":;<=@ABCDEFHIJKLMNOPQRSTUVWXYZ[\\]^_abcdfghijklmnopqrstuvwxyz{|}~".getBytes(US_ASCII);

  private static final int LETTER_BITS = 6;
  private static final byte[] BITS_OF_LETTER = bitsOfLetters();

  // The 48 bits of a word come from a counter by steps that can be undone: a word tells its place.
  private static final long MASK = (1L << 48) - 1;
  private static final int HALF = 24;
  private static final long STEP = 0x9E37_79B9_7F4BL;
  private static final long MIX_1 = 0xBF58_476D_1CE5L;
  private static final long MIX_2 = 0x94D0_49BB_1331L;
  private static final long STEP_INVERSE = inverse(STEP);
  private static final long MIX_1_INVERSE = inverse(MIX_1);
  private static final long MIX_2_INVERSE = inverse(MIX_2);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment table;
  private final long seed;

  /**
   * Makes the table of a seed.
   *
   * @param streams the streams of the run
   * @param maxMessageBytes longest message, 1 or more
   */
  public MessagePattern(SeededStreams streams, int maxMessageBytes) {
    this.seed = streams.derive("pattern");
    long bytes = (WINDOWS + (long) maxMessageBytes + 7) & -8;
    this.table = arena.allocate(bytes, 4096);
    fill(table);
  }

  private void fill(MemorySegment target) {
    long state = seed;
    for (long at = 0; at < target.byteSize(); at += Long.BYTES) {
      target.set(ValueLayout.JAVA_LONG_UNALIGNED, at, letters(mix(state & MASK)));
      state += STEP;
    }
  }

  /** Eight letters, each chosen by six of the bits. */
  private static long letters(long bits) {
    long letters = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      int letter = (int) (bits >>> (LETTER_BITS * i)) & (LETTERS.length - 1);
      letters = (letters << Byte.SIZE) | LETTERS[letter];
    }
    return letters;
  }

  private static byte[] bitsOfLetters() {
    byte[] bits = new byte[256];
    Arrays.fill(bits, (byte) -1);
    for (int i = 0; i < LETTERS.length; i++) {
      bits[LETTERS[i]] = (byte) i;
    }
    return bits;
  }

  /** A permutation of 48 bits, made like the finaliser of SplitMix64. */
  private static long mix(long value) {
    long mixed = ((value ^ (value >>> HALF)) * MIX_1) & MASK;
    mixed = ((mixed ^ (mixed >>> HALF)) * MIX_2) & MASK;
    return mixed ^ (mixed >>> HALF);
  }

  /** Undoes {@link #mix}: to fold half of the bits onto the other half twice changes nothing. */
  private static long unmix(long value) {
    long mixed = ((value ^ (value >>> HALF)) * MIX_2_INVERSE) & MASK;
    mixed = ((mixed ^ (mixed >>> HALF)) * MIX_1_INVERSE) & MASK;
    return mixed ^ (mixed >>> HALF);
  }

  /** The number that undoes a multiplication by an odd one modulo 2^64: Newton's iteration. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int i = 0; i < 5; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }

  /**
   * Where a word of the table stands, for those who look for a message by its bytes.
   *
   * @param word eight bytes in the machine's order
   * @return offset in the table, a multiple of 8, or -1 when the word is not there at such a place
   */
  public long positionOf(long word) {
    long bits = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      byte letter = BITS_OF_LETTER[(int) (word >>> (Byte.SIZE * (Long.BYTES - 1 - i))) & 0xFF];
      if (letter < 0) {
        return -1;
      }
      bits |= (long) letter << (LETTER_BITS * i);
    }
    long index = ((unmix(bits) - seed) * STEP_INVERSE) & MASK;
    return index < table.byteSize() / Long.BYTES ? index * Long.BYTES : -1;
  }

  /**
   * The table, to register for sending and for remote reads. It must not change.
   *
   * @return all windows
   */
  public MemorySegment table() {
    return table;
  }

  /**
   * Compares received bytes with a message.
   *
   * @param received where they are
   * @param offset first byte there
   * @param window where the message's window starts, 0 to {@link #WINDOWS} - 1
   * @param length bytes, 0 or more
   * @return index of the first byte that differs, or -1 when all are as sent
   */
  public long firstDifference(MemorySegment received, long offset, int window, int length) {
    return MemorySegment.mismatch(
        table, window, (long) window + length, received, offset, offset + length);
  }

  /**
   * Whether the table still is what it was: nobody may write to it.
   *
   * @return index of the first byte that changed, or -1
   */
  public long firstChange() {
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment fresh = scratch.allocate(table.byteSize(), 4096);
      fill(fresh);
      return table.mismatch(fresh);
    }
  }

  /** Frees the table. */
  @Override
  public void close() {
    arena.close();
  }
}
