// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * One field of a CM message: its name, where it stands and how wide it is. Bits are counted from
 * the most significant one of the message's first byte. A field of 9 to 32 bits ends within 32 bits
 * of its first byte, a smaller one within its byte; one of 64 bits is aligned to bytes. Immutable;
 * any thread.
 */
public final class MadField {
  private final String name;
  private final int firstBit;
  private final int width;
  private final int at;
  private final int shift;
  private final int mask;

  MadField(String name, int firstBit, int width) {
    this.name = name;
    this.firstBit = firstBit;
    this.width = width;
    this.at = firstBit >>> 3;
    int container = width <= Byte.SIZE ? Byte.SIZE : Integer.SIZE;
    this.shift = container - (firstBit & 7) - width;
    this.mask = width >= Integer.SIZE ? -1 : (1 << width) - 1;
  }

  /** {@return the name, for example {@code localQpn}} */
  public String name() {
    return name;
  }

  /** {@return 1..64 bits} */
  public int width() {
    return width;
  }

  int firstBit() {
    return firstBit;
  }

  /**
   * {@return a field of at most 32 bits, unsigned but for one of 32}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public int get(DirectBuffer buffer, int offset) {
    int container =
        width <= Byte.SIZE ? buffer.getByte(offset + at) : buffer.getInt(offset + at, BIG_ENDIAN);
    return container >>> shift & mask;
  }

  /**
   * {@return a field of 64 bits}
   *
   * @param buffer holds the message
   * @param offset first byte of the message
   */
  public long getLong(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + at, BIG_ENDIAN);
  }

  /**
   * Sets a field of at most 32 bits; the bits beside it stay.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value only as many low bits as the field is wide are used
   */
  public void put(MutableDirectBuffer buffer, int offset, int value) {
    if (width <= Byte.SIZE) {
      int others = buffer.getByte(offset + at) & ~(mask << shift);
      buffer.putByte(offset + at, (byte) (others | (value & mask) << shift));
    } else {
      int others = buffer.getInt(offset + at, BIG_ENDIAN) & ~(mask << shift);
      buffer.putInt(offset + at, others | (value & mask) << shift, BIG_ENDIAN);
    }
  }

  /**
   * Sets a field of 64 bits.
   *
   * @param buffer receives the field
   * @param offset first byte of the message
   * @param value all bits
   */
  public void putLong(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + at, value, BIG_ENDIAN);
  }

  /** {@return the name} */
  @Override
  public String toString() {
    return name;
  }
}
