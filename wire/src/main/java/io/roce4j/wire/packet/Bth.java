// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Base transport header, first in every packet (IBA 1.4, 9.2; RoCEv2 annex A17 for FECN and BECN).
 *
 * <pre>
 *  0  opcode 8
 *  1  SE 1 | MigReq 1 | PadCnt 2 | TVer 4
 *  2  P_Key 16
 *  4  FECN 1 | BECN 1 | reserved 6   (all of byte 4 counts as ones in the ICRC)
 *  5  DestQP 24
 *  8  AckReq 1 | reserved 7
 *  9  PSN 24
 * </pre>
 *
 * <p>Setters use only as many low bits of a value as the field has, so that no value spills into a
 * neighbour [FC-10]; ranges are checked where the number enters the stack. Static access over
 * bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Bth {
  /** Bytes of the header. */
  public static final int LENGTH = 12;

  /** The P_Key every RoCE port has: full member of the default partition. */
  public static final int DEFAULT_PKEY = 0xFFFF;

  /** DestQP of the general services interface, where CM MADs go. */
  public static final int GSI_QP = 1;

  /** DestQP of multicast UD packets. */
  public static final int MULTICAST_QP = 0xFF_FFFF;

  /** Largest queue pair number. */
  public static final int MAX_QP = 0xFF_FFFF;

  /** Distance of the ICRC-masked byte (FECN, BECN, reserved) from the first byte. */
  public static final int MASKED_BYTE_OFFSET = 4;

  static final int MASK_24 = 0xFF_FFFF;

  private static final int FLAGS_OFFSET = 1;
  private static final int PKEY_OFFSET = 2;
  private static final int DEST_QP_WORD = 4;
  private static final int PSN_WORD = 8;
  private static final int SOLICITED = 0x80;
  private static final int MIGREQ = 0x40;
  private static final int PAD_SHIFT = 4;
  private static final int PAD_MASK = 3;
  private static final int TVER_MASK = 0xF;
  private static final int FECN = 0x80;
  private static final int BECN = 0x40;
  private static final int RESERVED_6 = 0x3F;
  private static final int ACK_REQUEST = 0x80;
  private static final int RESERVED_7 = 0x7F;

  private Bth() {}

  /**
   * Opcode: see {@link Opcode}.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFF
   */
  public static int opcode(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xFF;
  }

  /**
   * Sets what {@link #opcode} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFF; only the low 8 bits are used
   */
  public static void opcode(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putByte(offset, (byte) value);
  }

  /**
   * Solicited event: the receiver's completion counts as solicited.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return true when the bit is 1
   */
  public static boolean solicited(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + FLAGS_OFFSET) & SOLICITED) != 0;
  }

  /**
   * Sets what {@link #solicited} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value true when the bit is 1
   */
  public static void solicited(MutableDirectBuffer buffer, int offset, boolean value) {
    setBit(buffer, offset + FLAGS_OFFSET, SOLICITED, value);
  }

  /**
   * Migration state; sent as 1, never a reason to drop [FC-09].
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return true when the bit is 1
   */
  public static boolean migReq(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + FLAGS_OFFSET) & MIGREQ) != 0;
  }

  /**
   * Sets what {@link #migReq} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value true when the bit is 1
   */
  public static void migReq(MutableDirectBuffer buffer, int offset, boolean value) {
    setBit(buffer, offset + FLAGS_OFFSET, MIGREQ, value);
  }

  /**
   * Pad bytes between payload and ICRC.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..3
   */
  public static int padCount(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + FLAGS_OFFSET) >>> PAD_SHIFT) & PAD_MASK;
  }

  /**
   * Sets what {@link #padCount} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..3; only the low 2 bits are used
   */
  public static void padCount(MutableDirectBuffer buffer, int offset, int value) {
    setField(buffer, offset + FLAGS_OFFSET, PAD_MASK << PAD_SHIFT, value << PAD_SHIFT);
  }

  /**
   * Transport header version; a receiver drops all but 0.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..15
   */
  public static int tver(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + FLAGS_OFFSET) & TVER_MASK;
  }

  /**
   * Sets what {@link #tver} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..15; only the low 4 bits are used
   */
  public static void tver(MutableDirectBuffer buffer, int offset, int value) {
    setField(buffer, offset + FLAGS_OFFSET, TVER_MASK, value);
  }

  /**
   * Partition key.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFF
   */
  public static int pkey(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + PKEY_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #pkey} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void pkey(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + PKEY_OFFSET, (short) value, BIG_ENDIAN);
  }

  /**
   * Forward congestion mark; 0 on RoCEv2.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return true when the bit is 1
   */
  public static boolean fecn(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + MASKED_BYTE_OFFSET) & FECN) != 0;
  }

  /**
   * Sets what {@link #fecn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value true when the bit is 1
   */
  public static void fecn(MutableDirectBuffer buffer, int offset, boolean value) {
    setBit(buffer, offset + MASKED_BYTE_OFFSET, FECN, value);
  }

  /**
   * Backward congestion mark; 1 in a CNP.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return true when the bit is 1
   */
  public static boolean becn(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + MASKED_BYTE_OFFSET) & BECN) != 0;
  }

  /**
   * Sets what {@link #becn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value true when the bit is 1
   */
  public static void becn(MutableDirectBuffer buffer, int offset, boolean value) {
    setBit(buffer, offset + MASKED_BYTE_OFFSET, BECN, value);
  }

  /**
   * The six reserved bits behind BECN.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0x3F
   */
  public static int reservedByte4(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + MASKED_BYTE_OFFSET) & RESERVED_6;
  }

  /**
   * Sets what {@link #reservedByte4} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0x3F; only the low 6 bits are used
   */
  public static void reservedByte4(MutableDirectBuffer buffer, int offset, int value) {
    setField(buffer, offset + MASKED_BYTE_OFFSET, RESERVED_6, value);
  }

  /**
   * Queue pair number at the receiver.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFF
   */
  public static int destQp(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + DEST_QP_WORD, BIG_ENDIAN) & MASK_24;
  }

  /**
   * Sets what {@link #destQp} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void destQp(MutableDirectBuffer buffer, int offset, int value) {
    setLow24(buffer, offset + DEST_QP_WORD, value);
  }

  /**
   * Acknowledge request; meaningful on RC only [FC-07].
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return true when the bit is 1
   */
  public static boolean ackRequest(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + PSN_WORD) & ACK_REQUEST) != 0;
  }

  /**
   * Sets what {@link #ackRequest} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value true when the bit is 1
   */
  public static void ackRequest(MutableDirectBuffer buffer, int offset, boolean value) {
    setBit(buffer, offset + PSN_WORD, ACK_REQUEST, value);
  }

  /**
   * The seven reserved bits behind AckReq, which the ICRC covers.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0x7F
   */
  public static int reservedByte8(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + PSN_WORD) & RESERVED_7;
  }

  /**
   * Sets what {@link #reservedByte8} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0x7F; only the low 7 bits are used
   */
  public static void reservedByte8(MutableDirectBuffer buffer, int offset, int value) {
    setField(buffer, offset + PSN_WORD, RESERVED_7, value);
  }

  /**
   * Packet sequence number.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFF
   */
  public static int psn(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + PSN_WORD, BIG_ENDIAN) & MASK_24;
  }

  /**
   * Sets what {@link #psn} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFFFF; only the low 24 bits are used
   */
  public static void psn(MutableDirectBuffer buffer, int offset, int value) {
    setLow24(buffer, offset + PSN_WORD, value);
  }

  /**
   * Writes the whole header with TVer, FECN, BECN and reserved bits 0.
   *
   * @param buffer receives 12 bytes
   * @param offset first byte of the header
   * @param opcode 0..0xFF
   * @param solicited solicited event bit
   * @param migReq migration bit; {@code true} is what adapters send in normal operation [FC-09]
   * @param padCount 0..3
   * @param pkey 0..0xFFFF
   * @param destQp 0..0xFFFFFF
   * @param ackRequest acknowledge request bit
   * @param psn 0..0xFFFFFF
   */
  public static void write(
      MutableDirectBuffer buffer,
      int offset,
      int opcode,
      boolean solicited,
      boolean migReq,
      int padCount,
      int pkey,
      int destQp,
      boolean ackRequest,
      int psn) {
    int flags =
        (solicited ? SOLICITED : 0) | (migReq ? MIGREQ : 0) | ((padCount & PAD_MASK) << PAD_SHIFT);
    buffer.putInt(offset, (opcode << 24) | (flags << 16) | (pkey & 0xFFFF), BIG_ENDIAN);
    buffer.putInt(offset + DEST_QP_WORD, destQp & MASK_24, BIG_ENDIAN);
    int ack = ackRequest ? ACK_REQUEST << 24 : 0;
    buffer.putInt(offset + PSN_WORD, ack | (psn & MASK_24), BIG_ENDIAN);
  }

  private static void setBit(MutableDirectBuffer buffer, int index, int mask, boolean value) {
    setField(buffer, index, mask, value ? mask : 0);
  }

  private static void setField(MutableDirectBuffer buffer, int index, int mask, int value) {
    buffer.putByte(index, (byte) ((buffer.getByte(index) & ~mask) | (value & mask)));
  }

  private static void setLow24(MutableDirectBuffer buffer, int index, int value) {
    int other = buffer.getInt(index, BIG_ENDIAN) & ~MASK_24;
    buffer.putInt(index, other | (value & MASK_24), BIG_ENDIAN);
  }
}
