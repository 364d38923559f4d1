// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.memory.NativeMemory;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The arguments of one {@code sendmmsg} of frames: for each a virtio header that asks for
 * segmentation and checksums, the Ethernet, IP and UDP headers, and the packets of the train where
 * they lie in the transmit queue.
 */
final class FrameBatch implements AutoCloseable {
  private static final int HEADER = 64;
  private static final int NAME_LENGTH = 8;
  private static final int VECTORS = 16;
  private static final int VECTOR_COUNT = 24;

  private static final int VECTOR = 16;
  private static final int BLOCK = 96;
  private static final int SOCKADDR_LL = 20;
  private static final int VNET_LENGTH = 10;

  private static final int NEEDS_CHECKSUM = 1;
  private static final int GSO_UDP_SEGMENTS = 5;
  private static final int UDP_CHECKSUM = 6;

  private final UnsafeBuffer memory;
  private final int vectorsAt;
  private final int blocksAt;

  /**
   * Makes room.
   *
   * @param messages how many
   * @param interfaceIndex where frames leave
   */
  FrameBatch(int messages, int interfaceIndex) {
    vectorsAt = messages * HEADER;
    blocksAt = vectorsAt + messages * 2 * VECTOR;
    int nameAt = blocksAt + messages * BLOCK;
    memory = NativeMemory.allocate("port-messages", nameAt + SOCKADDR_LL, 64);
    memory.putShort(nameAt, (short) SocketOptions.AF_PACKET);
    memory.putInt(nameAt + 4, interfaceIndex);
    memory.putByte(nameAt + 11, (byte) 6);
    long base = memory.addressOffset();
    for (int i = 0; i < messages; i++) {
      int header = i * HEADER;
      int vectors = vectorsAt + i * 2 * VECTOR;
      int block = blocksAt + i * BLOCK;
      memory.putLong(header, base + nameAt);
      memory.putInt(header + NAME_LENGTH, SOCKADDR_LL);
      memory.putLong(header + VECTORS, base + vectors);
      memory.putLong(header + VECTOR_COUNT, 2);
      memory.putLong(vectors, base + block);
    }
  }

  long address() {
    return memory.addressOffset();
  }

  /** The memory that {@link #headerOffset} points into. */
  UnsafeBuffer memory() {
    return memory;
  }

  /**
   * Where the Ethernet header of a message is to be written, at most 86 bytes with what follows.
   */
  int headerOffset(int message) {
    return blocksAt + message * BLOCK + VNET_LENGTH;
  }

  /**
   * Describes a frame whose headers are written.
   *
   * @param message 0 to messages - 1
   * @param headerBytes Ethernet header and what follows in front of the payload
   * @param udpOffset of the UDP header from the Ethernet header, or 0 when there is none
   * @param data address of the payload
   * @param bytes length of the payload
   * @param segmentBytes segment size, or 0 for a single packet
   */
  void stage(int message, int headerBytes, int udpOffset, long data, int bytes, int segmentBytes) {
    int vnet = blocksAt + message * BLOCK;
    int vectors = vectorsAt + message * 2 * VECTOR;
    memory.putByte(vnet, (byte) (udpOffset == 0 ? 0 : NEEDS_CHECKSUM));
    memory.putByte(vnet + 1, (byte) (segmentBytes == 0 ? 0 : GSO_UDP_SEGMENTS));
    memory.putShort(vnet + 2, (short) headerBytes, ByteOrder.LITTLE_ENDIAN);
    memory.putShort(vnet + 4, (short) segmentBytes, ByteOrder.LITTLE_ENDIAN);
    memory.putShort(vnet + 6, (short) udpOffset, ByteOrder.LITTLE_ENDIAN);
    memory.putShort(vnet + 8, (short) (udpOffset == 0 ? 0 : UDP_CHECKSUM), ByteOrder.LITTLE_ENDIAN);
    memory.putLong(vectors + Long.BYTES, VNET_LENGTH + headerBytes);
    memory.putLong(vectors + VECTOR, data);
    memory.putLong(vectors + VECTOR + Long.BYTES, bytes);
  }

  @Override
  public void close() {
    NativeMemory.release(memory);
  }
}
