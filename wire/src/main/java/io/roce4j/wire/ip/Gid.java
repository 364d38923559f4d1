// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A 128-bit address of a port, as two big-endian longs: IPv6 as it is, IPv4 as {@code
 * ::ffff:a.b.c.d} (RoCEv2 annex A17).
 *
 * <p>The static methods take the two halves and allocate nothing except text; the value itself, for
 * control paths, is immutable. Any thread.
 *
 * @param high first eight bytes, big-endian
 * @param low last eight bytes, big-endian
 */
public record Gid(long high, long low) implements Comparable<Gid> {
  /** Bytes of a GID. */
  public static final int LENGTH = 16;

  /** The unspecified address. */
  public static final Gid ZERO = new Gid(0, 0);

  private static final long IPV4_MAPPED = 0x0000_FFFF_0000_0000L;
  private static final long IPV4_MAPPED_MASK = 0xFFFF_FFFF_0000_0000L;

  /**
   * Makes the GID of an IPv4 address.
   *
   * @param address a.b.c.d with a in bits 31..24
   * @return {@code ::ffff:a.b.c.d}
   */
  public static Gid ofIpv4(int address) {
    return new Gid(0, mappedLow(address));
  }

  /**
   * Makes a GID of an address as sockets give it.
   *
   * @param address 4 or 16 bytes, network order
   * @return the GID
   * @throws IllegalArgumentException on any other length
   */
  public static Gid ofAddress(byte[] address) {
    if (address.length == 4) {
      return ofIpv4((int) bigEndian(address, 0, 4));
    }
    if (address.length == LENGTH) {
      return new Gid(bigEndian(address, 0, 8), bigEndian(address, 8, 8));
    }
    throw new IllegalArgumentException(
        "address of " + address.length + " bytes: IPv4 has 4, IPv6 and GID have 16");
  }

  /**
   * Reads a GID's 16 bytes.
   *
   * @param buffer holds them
   * @param offset first byte
   * @return the GID
   */
  public static Gid read(DirectBuffer buffer, int offset) {
    return new Gid(buffer.getLong(offset, BIG_ENDIAN), buffer.getLong(offset + 8, BIG_ENDIAN));
  }

  /**
   * Writes the 16 bytes.
   *
   * @param buffer receives them
   * @param offset first byte
   */
  public void write(MutableDirectBuffer buffer, int offset) {
    buffer.putLong(offset, high, BIG_ENDIAN);
    buffer.putLong(offset + 8, low, BIG_ENDIAN);
  }

  /**
   * Parses an IPv4 or IPv6 address, or 32 hex digits as verbs tools print a GID.
   *
   * @param text for example {@code 10.0.0.1}, {@code fe80::1}, {@code ::ffff:10.0.0.1}
   * @return the GID
   * @throws IllegalArgumentException when it is none of these; host names are not looked up
   */
  public static Gid parse(String text) {
    return GidText.parse(text);
  }

  /**
   * Second half of the GID of an IPv4 address; the first half is 0.
   *
   * @param address a.b.c.d with a in bits 31..24
   * @return eight bytes, big-endian
   */
  public static long mappedLow(int address) {
    return IPV4_MAPPED | (address & 0xFFFF_FFFFL);
  }

  /**
   * Whether the halves are an IPv4 address in GID form.
   *
   * @param high first eight bytes
   * @param low last eight bytes
   * @return true for {@code ::ffff:a.b.c.d}
   */
  public static boolean isIpv4Mapped(long high, long low) {
    return high == 0 && (low & IPV4_MAPPED_MASK) == IPV4_MAPPED;
  }

  /**
   * Whether the halves are a multicast address: IPv4 224.0.0.0/4 in GID form, or ff00::/8.
   *
   * @param high first eight bytes
   * @param low last eight bytes
   * @return true for multicast
   */
  public static boolean isMulticast(long high, long low) {
    return isIpv4Mapped(high, low) ? (low & 0xF000_0000L) == 0xE000_0000L : high >>> 56 == 0xFF;
  }

  /**
   * The Ethernet address a multicast GID is sent to: 01:00:5e and the low 23 bits for IPv4, 33:33
   * and the low 32 bits for IPv6.
   *
   * @param high first eight bytes of a multicast GID
   * @param low last eight bytes
   * @return 48 bits, first byte in bits 47..40
   */
  public static long multicastMac(long high, long low) {
    return isIpv4Mapped(high, low)
        ? 0x0100_5E00_0000L | (low & 0x7F_FFFF)
        : 0x3333_0000_0000L | (low & 0xFFFF_FFFFL);
  }

  /**
   * The link-local GID of an Ethernet port: fe80::/64 and the EUI-64 of its address.
   *
   * @param mac 48 bits, first byte in bits 47..40
   * @return the GID
   */
  public static Gid linkLocal(long mac) {
    return new Gid(0xFE80_0000_0000_0000L, nodeGuid(mac));
  }

  /**
   * The EUI-64 of an Ethernet address, which is also the node GUID.
   *
   * @param mac 48 bits, first byte in bits 47..40
   * @return eight bytes, big-endian
   */
  public static long nodeGuid(long mac) {
    long upper = (mac >>> 24) ^ 0x02_0000L;
    return (upper << 40) | 0xFF_FE00_0000L | (mac & 0xFF_FFFF);
  }

  /**
   * Whether this is an IPv4 address in GID form.
   *
   * @return true for {@code ::ffff:a.b.c.d}
   */
  public boolean isIpv4() {
    return isIpv4Mapped(high, low);
  }

  /**
   * Whether this is a multicast address.
   *
   * @return true for multicast
   */
  public boolean isMulticast() {
    return isMulticast(high, low);
  }

  /**
   * The IPv4 address in a mapped GID.
   *
   * @return a.b.c.d with a in bits 31..24; meaningless when not {@link #isIpv4}
   */
  public int ipv4() {
    return (int) low;
  }

  /**
   * The address as sockets take it.
   *
   * @return 4 bytes for IPv4, else 16
   */
  public byte[] toAddress() {
    int bytes = isIpv4() ? 4 : LENGTH;
    byte[] address = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      int bit = 8 * (bytes - 1 - i);
      address[i] = (byte) (bit >= 64 ? high >>> (bit - 64) : low >>> bit);
    }
    return address;
  }

  /**
   * All 16 bytes as verbs tools print them.
   *
   * @return 32 hex digits
   */
  public String toHex() {
    return GidText.hex(high, low);
  }

  @Override
  public int compareTo(Gid other) {
    int first = Long.compareUnsigned(high, other.high);
    return first != 0 ? first : Long.compareUnsigned(low, other.low);
  }

  /**
   * The address as people write it.
   *
   * @return {@code a.b.c.d} for IPv4, else IPv6 text with the longest run of zeros shortened
   */
  @Override
  public String toString() {
    return GidText.format(high, low);
  }

  private static long bigEndian(byte[] bytes, int from, int count) {
    long value = 0;
    for (int i = 0; i < count; i++) {
      value = (value << 8) | (bytes[from + i] & 0xFF);
    }
    return value;
  }
}
