// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.wire.ip.Gid;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * RDMA CM header, first in the private data of REQ and SIDR_REQ (IBA annex A11).
 *
 * <pre>
 *  0  version 8 (0)    1  IP version 4 | 0 4    2  source port 16
 *  4  source address 128         (IPv4: twelve zero bytes in front)
 * 20  destination address 128    (the same)
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class RdmaCmHeader {
  /** Bytes of the header. */
  public static final int LENGTH = 36;

  private static final int IP_VERSION_OFFSET = 1;
  private static final int PORT_OFFSET = 2;
  private static final int SOURCE_OFFSET = 4;
  private static final int DESTINATION_OFFSET = 20;

  private RdmaCmHeader() {}

  /**
   * {@return version, 0..0xFF; anything but 0 is refused}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int version(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xFF;
  }

  /**
   * {@return IP version, 0..15; anything but 4 and 6 is refused}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int ipVersion(DirectBuffer buffer, int offset) {
    return (buffer.getByte(offset + IP_VERSION_OFFSET) >>> 4) & 0xF;
  }

  /**
   * {@return RDMA CM port of the active side, 0..65535}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int sourcePort(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + PORT_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * The address of the active side. Allocates.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return the address, IPv4 in GID form
   */
  public static Gid source(DirectBuffer buffer, int offset) {
    return address(buffer, offset, offset + SOURCE_OFFSET);
  }

  /**
   * The address of the passive side. Allocates.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return the address, IPv4 in GID form
   */
  public static Gid destination(DirectBuffer buffer, int offset) {
    return address(buffer, offset, offset + DESTINATION_OFFSET);
  }

  /**
   * Writes the whole header; its IP version follows from the source address.
   *
   * @param buffer receives 36 bytes
   * @param offset first byte of the header
   * @param sourcePort 0..65535
   * @param source address of the active side
   * @param destination address of the passive side, of the same IP version
   */
  public static void write(
      MutableDirectBuffer buffer, int offset, int sourcePort, Gid source, Gid destination) {
    buffer.putByte(offset, (byte) 0);
    buffer.putByte(offset + IP_VERSION_OFFSET, (byte) (source.isIpv4() ? 0x40 : 0x60));
    buffer.putShort(offset + PORT_OFFSET, (short) sourcePort, BIG_ENDIAN);
    put(buffer, offset + SOURCE_OFFSET, source);
    put(buffer, offset + DESTINATION_OFFSET, destination);
  }

  private static Gid address(DirectBuffer buffer, int header, int at) {
    return ipVersion(buffer, header) == 4
        ? Gid.ofIpv4(buffer.getInt(at + 12, BIG_ENDIAN))
        : Gid.read(buffer, at);
  }

  private static void put(MutableDirectBuffer buffer, int at, Gid address) {
    if (address.isIpv4()) {
      buffer.putLong(at, 0L);
      buffer.putInt(at + 8, 0);
      buffer.putInt(at + 12, address.ipv4(), BIG_ENDIAN);
    } else {
      address.write(buffer, at);
    }
  }
}
