// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.check.MessagePattern;
import io.roce4j.wire.icrc.Icrc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Payloads as places in a {@link MessagePattern}: a packet whose payload is a piece of the pattern
 * need not carry it, and the CRC of the piece comes from sums kept for the table. Every payload is
 * compared with the pattern before it is left out. One thread.
 */
public final class PatternPayload {
  /** The payload is no piece of the pattern. */
  public static final int NOT_FOUND = -1;

  private static final int CHUNK = 64;
  private static final int MOST_AT_ONCE = 1 << 16;

  private final MessagePattern pattern;
  private final MemorySegment table;
  private final UnsafeBuffer bytes;
  // The register of all bytes in front of each chunk.
  private final int[] registers;

  /**
   * Sums a table up.
   *
   * @param pattern the contents of all messages; must outlive this; less than 2 GiB
   */
  public PatternPayload(MessagePattern pattern) {
    this.pattern = pattern;
    this.table = pattern.table();
    this.bytes = new UnsafeBuffer(table.asByteBuffer());
    this.registers = new int[bytes.capacity() / CHUNK + 1];
    for (int chunk = 1; chunk < registers.length; chunk++) {
      registers[chunk] = Icrc.register(registers[chunk - 1], bytes, (chunk - 1) * CHUNK, CHUNK);
    }
  }

  /**
   * Finds a payload.
   *
   * @param memory holds it
   * @param offset its first byte
   * @param length its bytes, 8 or more
   * @return where it stands in the pattern, or {@link #NOT_FOUND}; every byte was compared
   */
  public int find(MemorySegment memory, long offset, int length) {
    long place = pattern.positionOf(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset));
    if (place < 0 || place + length > bytes.capacity()) {
      return NOT_FOUND;
    }
    long difference =
        MemorySegment.mismatch(table, place, place + length, memory, offset, offset + length);
    return difference < 0 ? (int) place : NOT_FOUND;
  }

  /**
   * Writes a payload.
   *
   * @param place as found
   * @param target receives it
   * @param offset first byte there
   * @param length its bytes
   */
  public void copyTo(int place, MutableDirectBuffer target, int offset, int length) {
    target.putBytes(offset, bytes, place, length);
  }

  /**
   * The register of a payload, for {@link Icrc#append}.
   *
   * @param place as found
   * @param length its bytes, up to 64 KiB
   * @return of these bytes alone
   */
  public int register(int place, int length) {
    if (length > MOST_AT_ONCE) {
      throw new IllegalArgumentException("length " + length + ": allowed 0 to " + MOST_AT_ONCE);
    }
    return Icrc.registerOfSecond(upTo(place + length), upTo(place), length);
  }

  private int upTo(int place) {
    int chunk = place / CHUNK;
    return Icrc.register(registers[chunk], bytes, chunk * CHUNK, place % CHUNK);
  }
}
