// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Ethernet II header without VLAN tags (IEEE 802.3).
 *
 * <pre>
 *  0  destination address 48
 *  6  source address 48
 * 12  EtherType 16, or the TPID of a {@link VlanTag}
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class EthernetHeader {
  /** Bytes of the header. */
  public static final int LENGTH = 14;

  /** EtherType of IPv4. */
  public static final int TYPE_IPV4 = 0x0800;

  /** EtherType of IPv6. */
  public static final int TYPE_IPV6 = 0x86DD;

  /** EtherType of RoCEv1: a GRH follows. */
  public static final int TYPE_ROCE_V1 = 0x8915;

  /** Largest address, all 48 bits set: broadcast. */
  public static final long BROADCAST = 0xFFFF_FFFF_FFFFL;

  private static final int SOURCE_OFFSET = 6;

  private EthernetHeader() {}

  /**
   * {@return destination address, first byte in bits 47..40}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static long destination(DirectBuffer buffer, int offset) {
    return address(buffer, offset);
  }

  /**
   * Sets what {@link #destination} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 48 bits; only the low 48 bits are used
   */
  public static void destination(MutableDirectBuffer buffer, int offset, long value) {
    address(buffer, offset, value);
  }

  /**
   * {@return source address, first byte in bits 47..40}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static long source(DirectBuffer buffer, int offset) {
    return address(buffer, offset + SOURCE_OFFSET);
  }

  /**
   * Sets what {@link #source} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 48 bits; only the low 48 bits are used
   */
  public static void source(MutableDirectBuffer buffer, int offset, long value) {
    address(buffer, offset + SOURCE_OFFSET, value);
  }

  /**
   * {@return EtherType, or the TPID of a VLAN tag, 0..0xFFFF}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int etherType(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 12, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #etherType} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void etherType(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 12, (short) value, BIG_ENDIAN);
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 14 bytes
   * @param offset first byte of the header
   * @param destination 48 bits
   * @param source 48 bits
   * @param etherType 0..0xFFFF
   */
  public static void write(
      MutableDirectBuffer buffer, int offset, long destination, long source, int etherType) {
    destination(buffer, offset, destination);
    source(buffer, offset, source);
    etherType(buffer, offset, etherType);
  }

  /**
   * An address as people write it.
   *
   * @param address 48 bits
   * @return for example {@code 02:77:00:00:00:02}
   */
  public static String format(long address) {
    StringBuilder text = new StringBuilder(17);
    for (int shift = 40; shift >= 0; shift -= 8) {
      int octet = (int) (address >>> shift) & 0xFF;
      text.append(Character.forDigit(octet >>> 4, 16)).append(Character.forDigit(octet & 0xF, 16));
      if (shift > 0) {
        text.append(':');
      }
    }
    return text.toString();
  }

  private static long address(DirectBuffer buffer, int offset) {
    long high = buffer.getShort(offset, BIG_ENDIAN) & 0xFFFFL;
    return (high << 32) | (buffer.getInt(offset + 2, BIG_ENDIAN) & 0xFFFF_FFFFL);
  }

  private static void address(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putShort(offset, (short) (value >>> 32), BIG_ENDIAN);
    buffer.putInt(offset + 2, (int) value, BIG_ENDIAN);
  }
}
