// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.linux;

import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.memory.NativeMemory;
import java.nio.ByteOrder;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The arguments and results of one {@code recvmmsg}: slots of a whole coalesced datagram each, with
 * headroom, sender addresses and control messages.
 *
 * <p>Layouts as in {@link SendBatch}. Allocates nothing after construction.
 */
final class ReceiveBatch implements AutoCloseable {
  /** Longest UDP payload there is. */
  static final int MAX_DATAGRAM = 65536;

  private static final int HEADER = 64;
  private static final int NAME_LENGTH = 8;
  private static final int VECTORS = 16;
  private static final int VECTOR_COUNT = 24;
  private static final int CONTROL = 32;
  private static final int CONTROL_LENGTH = 40;
  private static final int FLAGS = 48;
  private static final int RESULT = 56;

  private static final int VECTOR = 16;
  private static final int NAME = 32;
  private static final int CONTROL_ROOM = 128;
  private static final int CMSG_DATA = 16;
  private static final int HEADROOM = BitUtil.align(Icrc.HEADROOM, 64);
  private static final int SLOT = HEADROOM + MAX_DATAGRAM;

  private final boolean ipv6;
  private final int controlBytes;
  private final UnsafeBuffer memory;
  private final UnsafeBuffer data;
  private final int namesAt;
  private final int controlsAt;

  // What the control messages of the last examined message said.
  private int segmentBytes;
  private int tos;
  private int hopLimit;
  private long overflow;

  /**
   * Makes slots.
   *
   * @param messages how many
   * @param ipv6 which address family
   * @param controlBytes room for control messages, at most 128; less makes the kernel truncate them
   */
  ReceiveBatch(int messages, boolean ipv6, int controlBytes) {
    this.ipv6 = ipv6;
    this.controlBytes = controlBytes;
    int vectorsAt = messages * HEADER;
    namesAt = vectorsAt + messages * VECTOR;
    controlsAt = namesAt + messages * NAME;
    memory = NativeMemory.allocate("port-messages", controlsAt + messages * CONTROL_ROOM, 64);
    data = NativeMemory.allocate("port-receive", messages * SLOT, 4096);
    long base = memory.addressOffset();
    for (int i = 0; i < messages; i++) {
      int header = i * HEADER;
      int vector = vectorsAt + i * VECTOR;
      int name = namesAt + i * NAME;
      int control = controlsAt + i * CONTROL_ROOM;
      memory.putLong(vector, data.addressOffset() + offset(i));
      memory.putLong(vector + Long.BYTES, MAX_DATAGRAM);
      memory.putLong(header, base + name);
      memory.putLong(header + VECTORS, base + vector);
      memory.putLong(header + VECTOR_COUNT, 1);
      memory.putLong(header + CONTROL, base + control);
    }
  }

  long address() {
    return memory.addressOffset();
  }

  /** The memory of all slots. */
  UnsafeBuffer data() {
    return data;
  }

  /** Where the payload of a message starts in {@link #data()}. */
  int offset(int message) {
    return message * SLOT + HEADROOM;
  }

  int length(int message) {
    return memory.getInt(message * HEADER + RESULT);
  }

  /** Gives the kernel the room it shortened in the messages it used. */
  void reset(int used) {
    for (int i = 0; i < used; i++) {
      int header = i * HEADER;
      memory.putInt(header + NAME_LENGTH, NAME);
      memory.putLong(header + CONTROL_LENGTH, controlBytes);
    }
  }

  /**
   * Whether data or control messages did not fit, so that nothing of the message can be trusted.
   */
  boolean isTruncated(int message) {
    int flags = memory.getInt(message * HEADER + FLAGS);
    return (flags & (SocketOptions.MSG_TRUNC | SocketOptions.MSG_CTRUNC)) != 0;
  }

  /** Reads the control messages of a message; the accessors below give what they said. */
  void examine(int message) {
    segmentBytes = 0;
    tos = -1;
    hopLimit = -1;
    int at = controlsAt + message * CONTROL_ROOM;
    int end = at + (int) memory.getLong(message * HEADER + CONTROL_LENGTH);
    while (at + CMSG_DATA <= end) {
      int length = (int) memory.getLong(at);
      if (length < CMSG_DATA) {
        return;
      }
      take(memory.getInt(at + 8), memory.getInt(at + 12), at + CMSG_DATA);
      at += BitUtil.align(length, Long.BYTES);
    }
  }

  private void take(int level, int type, int at) {
    if (level == SocketOptions.SOL_UDP && type == SocketOptions.UDP_GRO) {
      segmentBytes = memory.getInt(at);
    } else if (level == SocketOptions.SOL_IP && type == SocketOptions.IP_TOS) {
      tos = memory.getByte(at) & 0xFF;
    } else if (level == SocketOptions.SOL_IP && type == SocketOptions.IP_TTL) {
      hopLimit = memory.getInt(at);
    } else if (level == SocketOptions.SOL_IPV6 && type == SocketOptions.IPV6_TCLASS) {
      tos = memory.getInt(at) & 0xFF;
    } else if (level == SocketOptions.SOL_IPV6 && type == SocketOptions.IPV6_HOPLIMIT) {
      hopLimit = memory.getInt(at);
    } else if (level == SocketOptions.SOL_SOCKET && type == SocketOptions.SO_RXQ_OVFL) {
      overflow = memory.getInt(at) & 0xFFFF_FFFFL;
    }
  }

  /** Segment size of a coalesced datagram, or 0 when it came alone. */
  int segmentBytes() {
    return segmentBytes;
  }

  int tos() {
    return tos;
  }

  int hopLimit() {
    return hopLimit;
  }

  /** Datagrams the socket has dropped in its life for want of room, modulo 2^32. */
  long overflow() {
    return overflow;
  }

  /**
   * Writes sender and receiver of a message.
   *
   * @param message index
   * @param fields destination addresses and port must be set already; the rest is written
   */
  void addresses(int message, IpUdpFields fields) {
    int name = namesAt + message * NAME;
    int port = memory.getShort(name + 2, ByteOrder.BIG_ENDIAN) & 0xFFFF;
    if (ipv6) {
      fields.ipv6(
          memory.getLong(name + 8, ByteOrder.BIG_ENDIAN),
          memory.getLong(name + 16, ByteOrder.BIG_ENDIAN),
          fields.destinationHigh(),
          fields.destinationLow(),
          port,
          fields.destinationPort());
    } else {
      fields.ipv4(
          memory.getInt(name + 4, ByteOrder.BIG_ENDIAN),
          (int) fields.destinationLow(),
          port,
          fields.destinationPort());
    }
  }

  @Override
  public void close() {
    NativeMemory.release(memory);
    NativeMemory.release(data);
  }
}
