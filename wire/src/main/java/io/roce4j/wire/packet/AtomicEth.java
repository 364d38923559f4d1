// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Atomic extended header (IBA 1.4, 9.3.4). The 64-bit operands travel big-endian whatever the byte
 * order of the memory word they act on. FetchAdd puts its addend into the swap field and 0 into the
 * compare field.
 *
 * <pre>
 *  0  virtual address 64
 *  8  R_Key 32
 * 12  swap or add 64
 * 20  compare 64
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class AtomicEth {
  /** Bytes of the header. */
  public static final int LENGTH = 28;

  private static final int VA_OFFSET = 0;
  private static final int RKEY_OFFSET = 8;
  private static final int SWAP_OR_ADD_OFFSET = 12;
  private static final int COMPARE_OFFSET = 20;

  private AtomicEth() {}

  /**
   * Virtual address of the 8-byte word, unsigned.
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
   * New value (CmpSwap) or addend (FetchAdd).
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 64 bits
   */
  public static long swapOrAdd(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + SWAP_OR_ADD_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #swapOrAdd} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value all 64 bits
   */
  public static void swapOrAdd(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + SWAP_OR_ADD_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * Value CmpSwap expects; FetchAdd ignores it.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 64 bits
   */
  public static long compare(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + COMPARE_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #compare} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value all 64 bits
   */
  public static void compare(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + COMPARE_OFFSET, value, BIG_ENDIAN);
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 28 bytes
   * @param offset first byte of the header
   * @param va virtual address, all 64 bits
   * @param rkey remote key, all 32 bits
   * @param swapOrAdd new value or addend
   * @param compare expected value; 0 for FetchAdd
   */
  public static void write(
      MutableDirectBuffer buffer, int offset, long va, int rkey, long swapOrAdd, long compare) {
    va(buffer, offset, va);
    rkey(buffer, offset, rkey);
    swapOrAdd(buffer, offset, swapOrAdd);
    compare(buffer, offset, compare);
  }
}
