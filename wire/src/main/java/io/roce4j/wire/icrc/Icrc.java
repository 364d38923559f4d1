// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.icrc;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The invariant CRC: computes, seals, checks, and finds an unknown IPv4 identification (IBA 1.4,
 * 7.8.1; RoCEv2 annex A17).
 *
 * <p>The CRC-32 of Ethernet runs over eight bytes 0xFF (in place of the LRH), the IP header or GRH
 * and the UDP header with the fields a router may change set to ones, the BTH with its byte 4 set
 * to ones, and the rest up to and including the pad. The result stands at the end of the packet,
 * least significant byte first [FC-04].
 *
 * <p><b>Headroom.</b> The masked copy of the headers is written into the {@link #HEADROOM} bytes in
 * front of the BTH, <em>which are overwritten</em>, so that one call of the JDK's CRC intrinsic
 * covers everything. In a train of packets without gaps, seal from the last packet to the first and
 * check from the first to the last: then only bytes not yet built, or already consumed, are
 * overwritten. BTH byte 4 is changed during the call and restored.
 *
 * <p>An instance belongs to one thread and allocates nothing after construction. Buffers over
 * direct {@link ByteBuffer}s and over byte arrays are read in place; during a call the position and
 * limit of the direct ByteBuffer are moved and restored, so it must not be in use by another
 * thread. Buffers over a bare address are copied through a small array.
 */
public final class Icrc {
  /** Bytes in front of the BTH that a call may overwrite. */
  public static final int HEADROOM = 56;

  private static final int ICRC_LENGTH = 4;
  private static final int IPV4_PSEUDO_LENGTH = 36;
  private static final int IPV6_PSEUDO_LENGTH = 56;
  private static final int GRH_PSEUDO_LENGTH = 48;
  private static final int LRH_STAND_IN = 8;
  private static final int BTH_LENGTH = 12;
  private static final int IPV4_LENGTH = 20;
  private static final int UDP_LENGTH = 8;
  private static final int UDP_PROTOCOL = 17;
  private static final int IBA_NEXT_HEADER = 0x1B;
  private static final int MASKED_BYTE = 4;
  private static final int SCRATCH_LENGTH = 4096;

  // Bytes of an IPv4 packet behind its identification field, without the BTH and what follows.
  private static final int AFTER_IDENTIFICATION = IPV4_LENGTH - 6 + UDP_LENGTH;

  private final CRC32 crc = new CRC32();
  private final byte[] scratch = new byte[SCRATCH_LENGTH];
  private final UnsafeBuffer aside = new UnsafeBuffer(new byte[HEADROOM + BTH_LENGTH]);

  /** Makes a calculator for one thread. */
  public Icrc() {}

  /**
   * Computes the ICRC of a packet.
   *
   * @param buffer holds the packet and at least {@link #HEADROOM} bytes in front of it
   * @param bthOffset first byte of the BTH, at least {@link #HEADROOM}
   * @param length bytes from BTH to ICRC, both included; 16..65515
   * @param fields the headers in front
   * @return the CRC-32; its least significant byte goes first on the wire
   */
  public int compute(MutableDirectBuffer buffer, int bthOffset, int length, IpUdpFields fields) {
    int pseudoLength = writePseudoHeader(buffer, bthOffset, length, fields);
    byte masked = buffer.getByte(bthOffset + MASKED_BYTE);
    buffer.putByte(bthOffset + MASKED_BYTE, (byte) 0xFF);
    crc.reset();
    update(buffer, bthOffset - pseudoLength, pseudoLength + length - ICRC_LENGTH);
    int value = (int) crc.getValue();
    buffer.putByte(bthOffset + MASKED_BYTE, masked);
    return value;
  }

  /**
   * Computes the CRC of the beginning of a packet alone, to be completed by {@link #append}.
   *
   * @param buffer holds the beginning and at least {@link #HEADROOM} bytes in front of it
   * @param bthOffset first byte of the BTH, at least {@link #HEADROOM}
   * @param length bytes of the whole packet, from BTH to ICRC, both included; 16..65515
   * @param beginBytes bytes from the BTH on that are taken, 12 or more
   * @param fields the headers in front
   * @return the CRC-32 of headers and beginning
   */
  public int computeBegin(
      MutableDirectBuffer buffer, int bthOffset, int length, int beginBytes, IpUdpFields fields) {
    int pseudoLength = writePseudoHeader(buffer, bthOffset, length, fields);
    byte masked = buffer.getByte(bthOffset + MASKED_BYTE);
    buffer.putByte(bthOffset + MASKED_BYTE, (byte) 0xFF);
    crc.reset();
    update(buffer, bthOffset - pseudoLength, pseudoLength + beginBytes);
    int value = (int) crc.getValue();
    buffer.putByte(bthOffset + MASKED_BYTE, masked);
    return value;
  }

  /**
   * The CRC of two pieces one behind the other, from that of the first and the plain register of
   * the second: a CRC is linear, so nothing has to be read again.
   *
   * @param crcOfFirst CRC-32 of the first piece
   * @param registerOfSecond {@link #register} of the second piece
   * @param secondBytes its length, 0..131071
   * @return CRC-32 of both
   */
  public static int append(int crcOfFirst, int registerOfSecond, int secondBytes) {
    return ~(CrcShift.forth(~crcOfFirst, secondBytes) ^ registerOfSecond);
  }

  /**
   * The plain register of a piece of memory: the CRC-32 that starts from 0 and ends without
   * complement, which pieces can be combined from. Byte by byte: for short pieces.
   *
   * @param register that of what stands in front, 0 for nothing
   * @param buffer holds the piece
   * @param offset its first byte
   * @param bytes its length
   * @return the register behind it
   */
  public static int register(int register, DirectBuffer buffer, int offset, int bytes) {
    int value = register;
    for (int i = 0; i < bytes; i++) {
      value = CrcShift.forth(value ^ (buffer.getByte(offset + i) & 0xFF), 1);
    }
    return value;
  }

  /**
   * The register of the second of two pieces, from the registers of both together and of the first.
   *
   * @param both {@link #register} of the pieces together
   * @param first {@link #register} of the first
   * @param secondBytes length of the second, 0..131071
   * @return {@link #register} of the second
   */
  public static int registerOfSecond(int both, int first, int secondBytes) {
    return both ^ CrcShift.forth(first, secondBytes);
  }

  /**
   * Computes the ICRC and writes it into the last four bytes of the packet.
   *
   * @param buffer holds the packet and at least {@link #HEADROOM} bytes in front of it
   * @param bthOffset first byte of the BTH, at least {@link #HEADROOM}
   * @param length bytes from BTH to ICRC, both included; 16..65515
   * @param fields the headers in front
   */
  public void seal(MutableDirectBuffer buffer, int bthOffset, int length, IpUdpFields fields) {
    int value = compute(buffer, bthOffset, length, fields);
    buffer.putInt(bthOffset + length - ICRC_LENGTH, value, LITTLE_ENDIAN);
  }

  /**
   * Whether the packet ends in the right ICRC.
   *
   * @param buffer holds the packet and at least {@link #HEADROOM} bytes in front of it
   * @param bthOffset first byte of the BTH, at least {@link #HEADROOM}
   * @param length bytes from BTH to ICRC, both included; 16..65515
   * @param fields the headers in front
   * @return true when computed and received value are equal
   */
  public boolean check(MutableDirectBuffer buffer, int bthOffset, int length, IpUdpFields fields) {
    return compute(buffer, bthOffset, length, fields) == received(buffer, bthOffset, length);
  }

  /**
   * Computes the ICRC without touching the buffer: for captures and taps, which show the headers
   * afterwards. Two CRC calls instead of one.
   *
   * @param buffer holds the packet; needs no headroom
   * @param bthOffset first byte of the BTH
   * @param length bytes from BTH to ICRC, both included; 16..65515
   * @param fields the headers in front
   * @return the CRC-32; its least significant byte goes first on the wire
   */
  public int computeAside(DirectBuffer buffer, int bthOffset, int length, IpUdpFields fields) {
    int pseudoLength = writePseudoHeader(aside, HEADROOM, length, fields);
    aside.putBytes(HEADROOM, buffer, bthOffset, BTH_LENGTH);
    aside.putByte(HEADROOM + MASKED_BYTE, (byte) 0xFF);
    crc.reset();
    update(aside, HEADROOM - pseudoLength, pseudoLength + BTH_LENGTH);
    update(buffer, bthOffset + BTH_LENGTH, length - BTH_LENGTH - ICRC_LENGTH);
    return (int) crc.getValue();
  }

  /**
   * The ICRC a packet carries, as a number that {@link #compute} can be compared with.
   *
   * @param buffer holds the packet
   * @param bthOffset first byte of the BTH
   * @param length bytes from BTH to ICRC, both included
   * @return the last four bytes, read least significant first
   */
  public static int received(DirectBuffer buffer, int bthOffset, int length) {
    return buffer.getInt(bthOffset + length - ICRC_LENGTH, LITTLE_ENDIAN);
  }

  /**
   * Finds the IPv4 identification with which the packet's ICRC is right, for ports that cannot see
   * it.
   *
   * <p>The CRC is linear: the difference between the received value and the value computed with
   * identification 0, run backwards to just behind the field, is the identification itself when
   * nothing else is wrong. One answer in 65,536 wrong packets looks right by chance, so 16 bits of
   * the check's strength remain. Fragment word as given in {@code fields}; its identification is
   * ignored and left as it is.
   *
   * @param buffer holds the packet and at least {@link #HEADROOM} bytes in front of it
   * @param bthOffset first byte of the BTH, at least {@link #HEADROOM}
   * @param length bytes from BTH to ICRC, both included; 16..65515
   * @param fields the headers in front, encapsulation {@link IpUdpFields#IPV4}
   * @return 0..65535, or -1 when no identification fits
   */
  public int solveIdentification(
      MutableDirectBuffer buffer, int bthOffset, int length, IpUdpFields fields) {
    int given = fields.identification();
    fields.identification(0);
    int computed = compute(buffer, bthOffset, length, fields);
    fields.identification(given);
    return identificationFor(computed, received(buffer, bthOffset, length), length);
  }

  /**
   * The arithmetic of {@link #solveIdentification} alone, for those who have computed the CRC.
   *
   * @param computedWithZero {@link #compute} or {@link #computeAside} with identification 0
   * @param received {@link #received}
   * @param length bytes from BTH to ICRC, both included; 16..65515
   * @return 0..65535, or -1 when no identification fits
   */
  public static int identificationFor(int computedWithZero, int received, int length) {
    int difference = received ^ computedWithZero;
    int bytesBehind = AFTER_IDENTIFICATION + length - ICRC_LENGTH;
    int state = CrcShift.back(difference, bytesBehind + Short.BYTES);
    if (state >>> Short.SIZE != 0) {
      return -1;
    }
    return ((state & 0xFF) << 8) | (state >>> 8);
  }

  private static int writePseudoHeader(
      MutableDirectBuffer buffer, int bthOffset, int length, IpUdpFields fields) {
    return switch (fields.encapsulation()) {
      case IpUdpFields.IPV4 -> {
        int start = bthOffset - IPV4_PSEUDO_LENGTH;
        buffer.putLong(start, -1L);
        writeIpv4(buffer, start + LRH_STAND_IN, length, fields);
        writeUdp(buffer, bthOffset - UDP_LENGTH, length, fields);
        yield IPV4_PSEUDO_LENGTH;
      }
      case IpUdpFields.IPV6 -> {
        int start = bthOffset - IPV6_PSEUDO_LENGTH;
        buffer.putLong(start, -1L);
        writeIpv6(buffer, start + LRH_STAND_IN, length + UDP_LENGTH, UDP_PROTOCOL, fields);
        writeUdp(buffer, bthOffset - UDP_LENGTH, length, fields);
        yield IPV6_PSEUDO_LENGTH;
      }
      default -> {
        int start = bthOffset - GRH_PSEUDO_LENGTH;
        buffer.putLong(start, -1L);
        writeIpv6(buffer, start + LRH_STAND_IN, length, IBA_NEXT_HEADER, fields);
        yield GRH_PSEUDO_LENGTH;
      }
    };
  }

  /** Type of service, time to live and header checksum count as ones. */
  private static void writeIpv4(
      MutableDirectBuffer buffer, int offset, int length, IpUdpFields fields) {
    int totalLength = IPV4_LENGTH + UDP_LENGTH + length;
    buffer.putInt(offset, 0x45FF_0000 | (totalLength & 0xFFFF), BIG_ENDIAN);
    buffer.putInt(offset + 4, (fields.identification() << 16) | fields.fragmentWord(), BIG_ENDIAN);
    buffer.putInt(offset + 8, 0xFF00_FFFF | (UDP_PROTOCOL << 16), BIG_ENDIAN);
    buffer.putInt(offset + 12, (int) fields.sourceLow(), BIG_ENDIAN);
    buffer.putInt(offset + 16, (int) fields.destinationLow(), BIG_ENDIAN);
  }

  /** Traffic class, flow label and hop limit count as ones [FC-06]. */
  private static void writeIpv6(
      MutableDirectBuffer buffer, int offset, int length, int nextHeader, IpUdpFields fields) {
    buffer.putInt(offset, 0x6FFF_FFFF, BIG_ENDIAN);
    buffer.putInt(offset + 4, (length << 16) | (nextHeader << 8) | 0xFF, BIG_ENDIAN);
    buffer.putLong(offset + 8, fields.sourceHigh(), BIG_ENDIAN);
    buffer.putLong(offset + 16, fields.sourceLow(), BIG_ENDIAN);
    buffer.putLong(offset + 24, fields.destinationHigh(), BIG_ENDIAN);
    buffer.putLong(offset + 32, fields.destinationLow(), BIG_ENDIAN);
  }

  /** The checksum counts as ones. */
  private static void writeUdp(
      MutableDirectBuffer buffer, int offset, int length, IpUdpFields fields) {
    int ports = (fields.sourcePort() << 16) | fields.destinationPort();
    buffer.putInt(offset, ports, BIG_ENDIAN);
    buffer.putInt(offset + 4, ((length + UDP_LENGTH) << 16) | 0xFFFF, BIG_ENDIAN);
  }

  private void update(DirectBuffer buffer, int offset, int length) {
    byte[] array = buffer.byteArray();
    if (array != null) {
      crc.update(array, buffer.wrapAdjustment() + offset, length);
      return;
    }
    ByteBuffer bytes = buffer.byteBuffer();
    if (bytes == null) {
      updateThroughScratch(buffer, offset, length);
      return;
    }
    int position = bytes.position();
    int limit = bytes.limit();
    int start = buffer.wrapAdjustment() + offset;
    bytes.limit(start + length).position(start);
    crc.update(bytes);
    bytes.limit(limit).position(position);
  }

  private void updateThroughScratch(DirectBuffer buffer, int offset, int length) {
    int done = 0;
    while (done < length) {
      int part = Math.min(length - done, SCRATCH_LENGTH);
      buffer.getBytes(offset + done, scratch, 0, part);
      crc.update(scratch, 0, part);
      done += part;
    }
  }
}
