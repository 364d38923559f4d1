// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * UDP header (RFC 768).
 *
 * <pre>
 * 0  source port 16    2  destination port 16
 * 4  length 16         6  checksum 16
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class UdpHeader {
  /** Bytes of the header. */
  public static final int LENGTH = 8;

  /** Destination port of RoCEv2. */
  public static final int ROCE_PORT = 4791;

  private static final int CHECKSUM_OFFSET = 6;
  private static final int IPV4_ADDRESSES = 12;
  private static final int IPV6_ADDRESSES = 8;

  private UdpHeader() {}

  /**
   * {@return source port, 0..65535}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int sourcePort(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #sourcePort} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..65535; only the low 16 bits are used
   */
  public static void sourcePort(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return destination port, 0..65535}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int destinationPort(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 2, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #destinationPort} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..65535; only the low 16 bits are used
   */
  public static void destinationPort(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 2, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return bytes of header and payload, 0..65535}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int length(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 4, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #length} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..65535; only the low 16 bits are used
   */
  public static void length(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 4, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return checksum; 0 says there is none, 0..0xFFFF}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int checksum(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 6, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #checksum} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void checksum(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 6, (short) value, BIG_ENDIAN);
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 8 bytes
   * @param offset first byte of the header
   * @param sourcePort 0..65535
   * @param destinationPort 0..65535
   * @param length bytes of header and payload, 8..65535
   * @param checksum 0..0xFFFF; 0 for none
   */
  public static void write(
      MutableDirectBuffer buffer,
      int offset,
      int sourcePort,
      int destinationPort,
      int length,
      int checksum) {
    sourcePort(buffer, offset, sourcePort);
    destinationPort(buffer, offset, destinationPort);
    length(buffer, offset, length);
    checksum(buffer, offset, checksum);
  }

  /**
   * Computes the checksum of a datagram behind an IPv4 header, taking the checksum field as zero.
   *
   * @param buffer holds IPv4 header and datagram
   * @param ipOffset first byte of the IPv4 header
   * @param offset first byte of the UDP header
   * @param length bytes of UDP header and payload, 8..65535
   * @return 1..0xFFFF; a sum of zero is sent as 0xFFFF
   */
  public static int computeChecksumIpv4(DirectBuffer buffer, int ipOffset, int offset, int length) {
    return compute(
        buffer, OnesComplement.sum(buffer, ipOffset + IPV4_ADDRESSES, 8), offset, length);
  }

  /**
   * Computes the checksum of a datagram behind an IPv6 header, taking the checksum field as zero.
   *
   * @param buffer holds IPv6 header and datagram
   * @param ipOffset first byte of the IPv6 header
   * @param offset first byte of the UDP header
   * @param length bytes of UDP header and payload, 8..65535
   * @return 1..0xFFFF; a sum of zero is sent as 0xFFFF
   */
  public static int computeChecksumIpv6(DirectBuffer buffer, int ipOffset, int offset, int length) {
    return compute(
        buffer, OnesComplement.sum(buffer, ipOffset + IPV6_ADDRESSES, 32), offset, length);
  }

  private static int compute(DirectBuffer buffer, long addresses, int offset, int length) {
    long sum = addresses + Ipv4Header.PROTOCOL_UDP + length;
    sum += OnesComplement.sum(buffer, offset, length);
    int field = buffer.getShort(offset + CHECKSUM_OFFSET, BIG_ENDIAN) & 0xFFFF;
    int checksum = OnesComplement.finish(sum - field);
    return checksum == 0 ? 0xFFFF : checksum;
  }
}
