// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * VLAN tag (IEEE 802.1Q), which stands where the EtherType would; the EtherType follows it.
 *
 * <pre>
 * 0  TPID 16: 0x8100, or 0x88A8 for the outer of two tags
 * 2  priority 3 | drop eligible 1 | VLAN id 12
 * 4  EtherType 16
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the TPID. Stateless; any thread.
 */
public final class VlanTag {
  /** Bytes of the tag; the EtherType behind it is not counted. */
  public static final int LENGTH = 4;

  /** TPID of a customer tag. */
  public static final int TPID = 0x8100;

  /** TPID of a service tag, the outer of two. */
  public static final int SERVICE_TPID = 0x88A8;

  private VlanTag() {}

  /**
   * Whether an EtherType is that of a tag.
   *
   * @param etherType 0..0xFFFF
   * @return true for 0x8100 and 0x88A8
   */
  public static boolean isTag(int etherType) {
    return etherType == TPID || etherType == SERVICE_TPID;
  }

  /**
   * {@return priority code point, 0..7}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int priority(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + 2) >>> 5) & 0x7;
  }

  /**
   * Sets what {@link #priority} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..7; only the low 3 bits are used
   */
  public static void priority(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getByte(offset + 2) & ~(0x7 << 5);
    buffer.putByte(offset + 2, (byte) (other | ((value & 0x7) << 5)));
  }

  /**
   * {@return drop eligible indicator, 0 or 1}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int dropEligible(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + 2) >>> 4) & 0x1;
  }

  /**
   * Sets what {@link #dropEligible} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0 or 1; only the low 1 bits are used
   */
  public static void dropEligible(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getByte(offset + 2) & ~(0x1 << 4);
    buffer.putByte(offset + 2, (byte) (other | ((value & 0x1) << 4)));
  }

  /**
   * {@return VLAN id, 0..4095}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int vlanId(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 2, BIG_ENDIAN) & 0xFFF;
  }

  /**
   * Sets what {@link #vlanId} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..4095; only the low 12 bits are used
   */
  public static void vlanId(MutableDirectBuffer buffer, int offset, int value) {
    int other = buffer.getShort(offset + 2, BIG_ENDIAN) & ~0xFFF;
    buffer.putShort(offset + 2, (short) (other | (value & 0xFFF)), BIG_ENDIAN);
  }

  /**
   * {@return type of what follows, 0..0xFFFF}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int etherType(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + 4, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Sets what {@link #etherType} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value 0..0xFFFF; only the low 16 bits are used
   */
  public static void etherType(MutableDirectBuffer buffer, int offset, int value) {
    buffer.putShort(offset + 4, (short) value, BIG_ENDIAN);
  }
}
