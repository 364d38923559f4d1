// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * IPv6 header without extension headers (RFC 8200), and with it the GRH of RoCEv1, which has the
 * same layout (IBA 1.4, 8.3).
 *
 * <pre>
 *  0  version 4 | traffic class 8 | flow label 20
 *  4  payload length 16    6  next header 8    7  hop limit 8
 *  8  source 128          24  destination 128
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Ipv6Header {
  /** Bytes of the header. */
  public static final int LENGTH = 40;

  /** Next header of a GRH: an IBA transport header follows. */
  public static final int NEXT_HEADER_IBA = 0x1B;

  private static final int FLOW_LABEL_MASK = 0xF_FFFF;

  private Ipv6Header() {}

  /**
   * {@return version, 0..15; 6 in IPv6 and GRH}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int version(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset) >>> 4) & 0xF;
  }

  /**
   * Sets what {@link #version} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..15; 6 in IPv6 and GRH; only the low 4 bits are used
   */
  public static void version(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getByte(offset) & ~(0xF << 4);
    buffer.putByte(offset, (byte) (other | ((value & 0xF) << 4)));
  }

  /**
   * {@return DSCP and ECN together, 0..0xFF}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int trafficClass(DirectBuffer buffer, int offset) {
    return (buffer.getShort(offset, BIG_ENDIAN) >>> 4) & 0xFF;
  }

  /**
   * Sets what {@link #trafficClass} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void trafficClass(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getShort(offset, BIG_ENDIAN) & ~(0xFF << 4);
    buffer.putShort(offset, (short) (other | ((value & 0xFF) << 4)), BIG_ENDIAN);
  }

  /**
   * {@return ECN codepoint, 0..3}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int ecn(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + 1) >>> 4) & 0x3;
  }

  /**
   * Sets what {@link #ecn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..3; only the low 2 bits are used
   */
  public static void ecn(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getByte(offset + 1) & ~(0x3 << 4);
    buffer.putByte(offset + 1, (byte) (other | ((value & 0x3) << 4)));
  }

  /**
   * {@return flow label, 0..0xFFFFF}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int flowLabel(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset, BIG_ENDIAN) & 0xFFFFF;
  }

  /**
   * Sets what {@link #flowLabel} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFFF; only the low 20 bits are used
   */
  public static void flowLabel(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getInt(offset, BIG_ENDIAN) & ~0xFFFFF;
    buffer.putInt(offset, (other | (value & 0xFFFFF)), BIG_ENDIAN);
  }

  /**
   * {@return bytes behind this header, 0..65535}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int payloadLength(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 4, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #payloadLength} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..65535; only the low 16 bits are used
   */
  public static void payloadLength(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 4, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return type of what follows, 0..255}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int nextHeader(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + 6) & 0xFF;
  }

  /**
   * Sets what {@link #nextHeader} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..255; only the low 8 bits are used
   */
  public static void nextHeader(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + 6, (byte) value);
  }

  /**
   * {@return hop limit, 0..255}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int hopLimit(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + 7) & 0xFF;
  }

  /**
   * Sets what {@link #hopLimit} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..255; only the low 8 bits are used
   */
  public static void hopLimit(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + 7, (byte) value);
  }

  /**
   * {@return first eight bytes of the source address, big-endian}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static long sourceHigh(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + 8, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #sourceHigh} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value big-endian
   */
  public static void sourceHigh(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + 8, value, BIG_ENDIAN);
  }

  /**
   * {@return last eight bytes of the source address, big-endian}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static long sourceLow(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + 16, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #sourceLow} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value big-endian
   */
  public static void sourceLow(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + 16, value, BIG_ENDIAN);
  }

  /**
   * {@return first eight bytes of the destination address, big-endian}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static long destinationHigh(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + 24, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #destinationHigh} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value big-endian
   */
  public static void destinationHigh(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + 24, value, BIG_ENDIAN);
  }

  /**
   * {@return last eight bytes of the destination address, big-endian}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static long destinationLow(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + 32, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #destinationLow} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value big-endian
   */
  public static void destinationLow(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + 32, value, BIG_ENDIAN);
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 40 bytes
   * @param offset first byte of the header
   * @param trafficClass DSCP and ECN, 0..0xFF
   * @param flowLabel 0..0xFFFFF
   * @param payloadLength bytes behind this header, 0..65535
   * @param nextHeader {@link Ipv4Header#PROTOCOL_UDP} or {@link #NEXT_HEADER_IBA}
   * @param hopLimit 0..255
   * @param sourceHigh first eight bytes of the source address, big-endian
   * @param sourceLow last eight
   * @param destinationHigh first eight bytes of the destination address, big-endian
   * @param destinationLow last eight
   */
  public static void write(
      MutableDirectBuffer buffer,
      int offset,
      int trafficClass,
      int flowLabel,
      int payloadLength,
      int nextHeader,
      int hopLimit,
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow) {
    int first = (6 << 28) | ((trafficClass & 0xFF) << 20) | (flowLabel & FLOW_LABEL_MASK);
    buffer.putInt(offset, first, BIG_ENDIAN);
    payloadLength(buffer, offset, payloadLength);
    nextHeader(buffer, offset, nextHeader);
    hopLimit(buffer, offset, hopLimit);
    sourceHigh(buffer, offset, sourceHigh);
    sourceLow(buffer, offset, sourceLow);
    destinationHigh(buffer, offset, destinationHigh);
    destinationLow(buffer, offset, destinationLow);
  }
}
