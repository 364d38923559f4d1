// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.linux;

import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The arguments of one {@code sendmmsg}: message headers, one data vector each, control messages
 * for segment size, type of service and hop limit.
 *
 * <p>Layouts of a 64-bit C library: {@code mmsghdr} is name 8, name length 4 (+4), vectors 8,
 * vector count 8, control 8, control length 8, flags 4 (+4), result 4 (+4); {@code cmsghdr} is
 * length 8, level 4, type 4, data. Allocates nothing after construction.
 */
final class SendBatch implements AutoCloseable {
  private static final int HEADER = 64;
  private static final int NAME_LENGTH = 8;
  private static final int VECTORS = 16;
  private static final int VECTOR_COUNT = 24;
  private static final int CONTROL = 32;
  private static final int CONTROL_LENGTH = 40;

  private static final int VECTOR = 16;
  private static final int NAME = 32;
  private static final int CONTROL_ROOM = 72;
  private static final int CMSG_DATA = 16;
  private static final int CMSG_SPACE = 24;
  private static final int CMSG_INT = CMSG_DATA + Integer.BYTES;
  private static final int CMSG_SHORT = CMSG_DATA + Short.BYTES;

  private final int messages;
  private final boolean ipv6;
  private final UnsafeBuffer memory;
  private final int vectorsAt;
  private final int namesAt;
  private final int controlsAt;

  SendBatch(int messages, boolean ipv6) {
    this.messages = messages;
    this.ipv6 = ipv6;
    vectorsAt = messages * HEADER;
    namesAt = vectorsAt + messages * VECTOR;
    controlsAt = namesAt + messages * NAME;
    memory = NativeMemory.allocate("port-messages", controlsAt + messages * CONTROL_ROOM, 64);
    long base = memory.addressOffset();
    for (int i = 0; i < messages; i++) {
      int header = i * HEADER;
      int name = namesAt + i * NAME;
      int vector = vectorsAt + i * VECTOR;
      int control = controlsAt + i * CONTROL_ROOM;
      memory.putLong(header, base + name);
      memory.putInt(
          header + NAME_LENGTH, ipv6 ? NativeSocket.SOCKADDR_IN6 : NativeSocket.SOCKADDR_IN);
      memory.putLong(header + VECTORS, base + vector);
      memory.putLong(header + VECTOR_COUNT, 1);
      memory.putLong(header + CONTROL, base + control);
    }
  }

  int messages() {
    return messages;
  }

  long address() {
    return memory.addressOffset();
  }

  /**
   * Describes one message.
   *
   * @param message 0 to messages - 1
   * @param sockaddr 32 bytes with the destination's address at the front
   * @param data address of the payload
   * @param bytes length of it
   * @param segmentBytes segment size, or 0 to send it as one datagram
   * @param tos type of service
   * @param hopLimit 1..255, or 0 for the system's default
   */
  void stage(
      int message,
      UnsafeBuffer sockaddr,
      long data,
      int bytes,
      int segmentBytes,
      int tos,
      int hopLimit) {
    int vector = vectorsAt + message * VECTOR;
    memory.putLong(vector, data);
    memory.putLong(vector + Long.BYTES, bytes);
    memory.putBytes(namesAt + message * NAME, sockaddr, 0, NAME);
    int start = controlsAt + message * CONTROL_ROOM;
    int at = putInt(start, tosLevel(), tosType(), tos);
    if (hopLimit != 0) {
      at =
          putInt(
              at, tosLevel(), ipv6 ? SocketOptions.IPV6_HOPLIMIT : SocketOptions.IP_TTL, hopLimit);
    }
    if (segmentBytes != 0) {
      memory.putLong(at, CMSG_SHORT);
      memory.putInt(at + 8, SocketOptions.SOL_UDP);
      memory.putInt(at + 12, SocketOptions.UDP_SEGMENT);
      memory.putShort(at + CMSG_DATA, (short) segmentBytes);
      at += CMSG_SPACE;
    }
    memory.putLong(message * HEADER + CONTROL_LENGTH, at - start);
  }

  private int tosLevel() {
    return ipv6 ? SocketOptions.SOL_IPV6 : SocketOptions.SOL_IP;
  }

  private int tosType() {
    return ipv6 ? SocketOptions.IPV6_TCLASS : SocketOptions.IP_TOS;
  }

  private int putInt(int at, int level, int type, int value) {
    memory.putLong(at, CMSG_INT);
    memory.putInt(at + 8, level);
    memory.putInt(at + 12, type);
    memory.putInt(at + CMSG_DATA, value);
    return at + CMSG_SPACE;
  }

  @Override
  public void close() {
    NativeMemory.release(memory);
  }
}
