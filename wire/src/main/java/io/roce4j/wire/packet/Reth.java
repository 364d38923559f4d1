// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * RDMA extended header: where an RDMA WRITE or READ works (IBA 1.4, 9.3.3).
 *
 * <pre>
 *  0  virtual address 64
 *  8  R_Key 32
 * 12  DMA length 32
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Reth {
  /** Bytes of the header. */
  public static final int LENGTH = 16;

  private static final int VA_OFFSET = 0;
  private static final int RKEY_OFFSET = 8;
  private static final int DMA_LENGTH_OFFSET = 12;

  private Reth() {}

  /**
   * Virtual address in the responder's region, unsigned.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 64 bits
   */
  public static long va(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + VA_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #va} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value all 64 bits
   */
  public static void va(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + VA_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * Remote key.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits
   */
  public static int rkey(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + RKEY_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #rkey} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value all 32 bits
   */
  public static void rkey(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + RKEY_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * Length of the whole message in bytes; more than 2^31 is an invalid request, which the responder
   * judges.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFFFF
   */
  public static long dmaLength(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + DMA_LENGTH_OFFSET, BIG_ENDIAN) & 0xFFFF_FFFFL;
  }

  /**
   * Sets what {@link #dmaLength} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFFFFFF; only the low 32 bits are used
   */
  public static void dmaLength(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putInt(offset + DMA_LENGTH_OFFSET, (int) value, BIG_ENDIAN);
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 16 bytes
   * @param offset first byte of the header
   * @param va virtual address, all 64 bits
   * @param rkey remote key, all 32 bits
   * @param dmaLength 0..0xFFFFFFFF; only the low 32 bits are used
   */
  public static void write(
      MutableDirectBuffer buffer, int offset, long va, int rkey, long dmaLength) {
    va(buffer, offset, va);
    rkey(buffer, offset, rkey);
    dmaLength(buffer, offset, dmaLength);
  }
}
