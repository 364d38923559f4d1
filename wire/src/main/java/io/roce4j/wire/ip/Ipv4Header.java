// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * IPv4 header without options, as RoCEv2 sends it (RFC 791, RFC 2474, RFC 3168).
 *
 * <pre>
 *  0  version 4 | IHL 4        1  DSCP 6 | ECN 2     2  total length 16
 *  4  identification 16        6  flags 3 | fragment offset 13
 *  8  time to live 8           9  protocol 8        10  header checksum 16
 * 12  source 32               16  destination 32
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Ipv4Header {
  /** Bytes of the header without options. */
  public static final int LENGTH = 20;

  /** Protocol number of UDP. */
  public static final int PROTOCOL_UDP = 17;

  /** ECN codepoint: congestion experienced. */
  public static final int ECN_CE = 3;

  /** ECN codepoint ECT(0), which RoCEv2 data carry. */
  public static final int ECN_ECT0 = 2;

  /** Bit of {@link #fragmentWord}: do not fragment. */
  public static final int DONT_FRAGMENT = 0x4000;

  /** Bit of {@link #fragmentWord}: more fragments follow. */
  public static final int MORE_FRAGMENTS = 0x2000;

  /** Bits of {@link #fragmentWord}: offset in units of 8 bytes. */
  public static final int FRAGMENT_OFFSET_MASK = 0x1FFF;

  private static final int CHECKSUM_OFFSET = 10;

  private Ipv4Header() {}

  /**
   * {@return version, 0..15; 4 in IPv4}
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
   * @param value 0..15; 4 in IPv4; only the low 4 bits are used
   */
  public static void version(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getByte(offset) & ~(0xF << 4);
    buffer.putByte(offset, (byte) (other | ((value & 0xF) << 4)));
  }

  /**
   * {@return header length in 4-byte words, 0..15; 5 without options}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int headerWords(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xF;
  }

  /**
   * Sets what {@link #headerWords} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..15; 5 without options; only the low 4 bits are used
   */
  public static void headerWords(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getByte(offset) & ~0xF;
    buffer.putByte(offset, (byte) (other | (value & 0xF)));
  }

  /**
   * {@return DSCP and ECN together, 0..0xFF}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int tos(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + 1) & 0xFF;
  }

  /**
   * Sets what {@link #tos} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void tos(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + 1, (byte) value);
  }

  /**
   * {@return differentiated services codepoint, 0..63}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int dscp(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + 1) >>> 2) & 0x3F;
  }

  /**
   * Sets what {@link #dscp} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..63; only the low 6 bits are used
   */
  public static void dscp(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getByte(offset + 1) & ~(0x3F << 2);
    buffer.putByte(offset + 1, (byte) (other | ((value & 0x3F) << 2)));
  }

  /**
   * {@return ECN codepoint, 0..3}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int ecn(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + 1) & 0x3;
  }

  /**
   * Sets what {@link #ecn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..3; only the low 2 bits are used
   */
  public static void ecn(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getByte(offset + 1) & ~0x3;
    buffer.putByte(offset + 1, (byte) (other | (value & 0x3)));
  }

  /**
   * {@return bytes of header and payload, 0..65535}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int totalLength(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 2, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #totalLength} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..65535; only the low 16 bits are used
   */
  public static void totalLength(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 2, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return identification, 0..65535}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int identification(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 4, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #identification} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..65535; only the low 16 bits are used
   */
  public static void identification(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 4, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return flags and fragment offset, 0..0xFFFF}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int fragmentWord(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 6, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #fragmentWord} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void fragmentWord(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 6, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return time to live, 0..255}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int timeToLive(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + 8) & 0xFF;
  }

  /**
   * Sets what {@link #timeToLive} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..255; only the low 8 bits are used
   */
  public static void timeToLive(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + 8, (byte) value);
  }

  /**
   * {@return protocol of the payload, 0..255}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int protocol(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + 9) & 0xFF;
  }

  /**
   * Sets what {@link #protocol} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..255; only the low 8 bits are used
   */
  public static void protocol(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset + 9, (byte) value);
  }

  /**
   * {@return header checksum, 0..0xFFFF}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int checksum(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 10, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #checksum} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void checksum(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 10, (short) value, BIG_ENDIAN);
  }

  /**
   * {@return source address, a.b.c.d with a in bits 31..24}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int source(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + 12, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #source} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value a.b.c.d with a in bits 31..24
   */
  public static void source(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + 12, value, BIG_ENDIAN);
  }

  /**
   * {@return destination address, a.b.c.d with a in bits 31..24}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int destination(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + 16, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #destination} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value a.b.c.d with a in bits 31..24
   */
  public static void destination(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putInt(offset + 16, value, BIG_ENDIAN);
  }

  /**
   * Writes the whole header of a UDP datagram and its checksum.
   *
   * @param buffer receives 20 bytes
   * @param offset first byte of the header
   * @param tos DSCP and ECN, 0..0xFF
   * @param totalLength bytes from this header to the end of the datagram, 28..65535
   * @param identification 0..65535
   * @param fragmentWord flags and fragment offset, normally {@link #DONT_FRAGMENT}
   * @param timeToLive 0..255
   * @param source a.b.c.d with a in bits 31..24
   * @param destination a.b.c.d with a in bits 31..24
   */
  public static void write(
      MutableDirectBuffer buffer,
      int offset,
      int tos,
      int totalLength,
      int identification,
      int fragmentWord,
      int timeToLive,
      int source,
      int destination) {
    int first = (0x45 << 24) | ((tos & 0xFF) << 16) | (totalLength & 0xFFFF);
    buffer.putInt(offset, first, BIG_ENDIAN);
    identification(buffer, offset, identification);
    fragmentWord(buffer, offset, fragmentWord);
    timeToLive(buffer, offset, timeToLive);
    protocol(buffer, offset, PROTOCOL_UDP);
    source(buffer, offset, source);
    destination(buffer, offset, destination);
    checksum(buffer, offset, 0);
    checksum(buffer, offset, computeChecksum(buffer, offset));
  }

  /**
   * Computes the checksum of the twenty bytes, taking the checksum field as zero (RFC 1071).
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFF
   */
  public static int computeChecksum(DirectBuffer buffer, int offset) {
    long sum = OnesComplement.sum(buffer, offset, LENGTH);
    int field = buffer.getShort(offset + CHECKSUM_OFFSET, BIG_ENDIAN) & 0xFFFF;
    return OnesComplement.finish(sum - field);
  }
}
