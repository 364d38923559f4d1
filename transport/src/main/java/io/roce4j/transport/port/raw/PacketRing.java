// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import static io.roce4j.transport.port.libc.SocketOptions.SOL_PACKET;

import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeException;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A receive ring that the kernel fills and this process reads in place (AF_PACKET, TPACKET_V2).
 *
 * <p>Version 2 and not 3: its frames are handed over one by one as they arrive, while a block of
 * version 3 waits for a timer of at least a millisecond, longer than a round trip. The price is
 * that each frame has room for a whole coalesced batch. In front of the packet lies a virtio header
 * with the segment size, and in front of that reserved room, so that checking an ICRC may write
 * there.
 */
final class PacketRing implements AutoCloseable {
  private static final int BLOCK = 1 << 20;

  // A whole IP packet of 65,535 bytes, its Ethernet header and what the kernel puts in front.
  private static final int FRAME = 66_048;
  private static final int FRAMES_A_BLOCK = BLOCK / FRAME;
  private static final int RESERVE = 64;
  private static final int REQUEST = 16;

  private static final int STATUS = 0;
  private static final int LENGTH = 4;
  private static final int CAPTURED = 8;
  private static final int MAC_OFFSET = 12;
  private static final int NETWORK_OFFSET = 14;

  private static final int TO_KERNEL = 0;
  private static final int TO_USER = 1;
  private static final int LOSING = 4;

  private static final int VNET_LENGTH = 10;
  private static final int GSO_TYPE = 1;
  private static final int GSO_SIZE = 4;
  private static final int GSO_UDP_SEGMENTS = 5;
  private static final int GSO_ECN = 0x80;

  private final Libc libc;
  private final NativeSocket socket;
  private final long address;
  private final long bytes;
  private final int frames;
  private final UnsafeBuffer memory;
  private final UnsafeBuffer statistics;
  private int current;

  /**
   * Sets a socket's ring up.
   *
   * @param libc calls of the port's thread
   * @param socket AF_PACKET, not yet bound
   * @param wantedBytes size; rounded up to whole MiB
   * @throws NativeException with errno
   */
  PacketRing(Libc libc, NativeSocket socket, int wantedBytes) {
    this.libc = libc;
    this.socket = socket;
    int blocks = (wantedBytes + BLOCK - 1) / BLOCK;
    frames = blocks * FRAMES_A_BLOCK;
    bytes = (long) blocks * BLOCK;
    socket.require(
        SOL_PACKET, SocketOptions.PACKET_VERSION, SocketOptions.TPACKET_V2, "PACKET_VERSION");
    socket.require(SOL_PACKET, SocketOptions.PACKET_RESERVE, RESERVE, "PACKET_RESERVE");
    socket.require(SOL_PACKET, SocketOptions.PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
    statistics = NativeMemory.allocate("port-ring", REQUEST, 8);
    statistics.putInt(0, BLOCK);
    statistics.putInt(4, blocks);
    statistics.putInt(8, FRAME);
    statistics.putInt(12, frames);
    int result = socket.set(SOL_PACKET, SocketOptions.PACKET_RX_RING, statistics, REQUEST);
    long mapped = result < 0 ? result : libc.mmapShared(socket.fd(), bytes);
    if (mapped < 0) {
      NativeMemory.release(statistics);
      throw new NativeException("receive ring of " + bytes + " bytes", (int) -mapped);
    }
    address = mapped;
    memory = new UnsafeBuffer(Libc.byteBuffer(address, (int) bytes));
  }

  UnsafeBuffer memory() {
    return memory;
  }

  private int frame() {
    return current / FRAMES_A_BLOCK * BLOCK + current % FRAMES_A_BLOCK * FRAME;
  }

  /** Whether the current frame is filled. */
  boolean hasFrame() {
    return (memory.getIntVolatile(frame() + STATUS) & TO_USER) != 0;
  }

  /** Where the Ethernet header of the current frame lies in {@link #memory()}. */
  int ethernetOffset() {
    return frame() + (memory.getShort(frame() + MAC_OFFSET) & 0xFFFF);
  }

  /** Where the network header of the current frame lies in {@link #memory()}. */
  int networkOffset() {
    return frame() + (memory.getShort(frame() + NETWORK_OFFSET) & 0xFFFF);
  }

  /** Bytes from the Ethernet header on that were captured. */
  int capturedBytes() {
    return memory.getInt(frame() + CAPTURED);
  }

  /** Whether the ring's frame was too short for the packet. */
  boolean isTruncated() {
    return memory.getInt(frame() + CAPTURED) < memory.getInt(frame() + LENGTH);
  }

  /** Segment size of a coalesced batch, or 0 for a single packet. */
  int segmentBytes() {
    int header = ethernetOffset() - VNET_LENGTH;
    int type = memory.getByte(header + GSO_TYPE) & ~GSO_ECN;
    return type == GSO_UDP_SEGMENTS ? memory.getShort(header + GSO_SIZE) & 0xFFFF : 0;
  }

  /**
   * Whether the kernel dropped packets for want of a frame just before the current one.
   *
   * @return true when {@link #takeDrops} has something to tell
   */
  boolean isLosing() {
    return (memory.getInt(frame() + STATUS) & LOSING) != 0;
  }

  /**
   * Packets dropped for want of a frame since the last call.
   *
   * @return 0 or more
   */
  long takeDrops() {
    int got = socket.get(SOL_PACKET, SocketOptions.PACKET_STATISTICS, statistics, REQUEST);
    return got < 8 ? 0 : statistics.getInt(4) & 0xFFFF_FFFFL;
  }

  /** Gives the current frame back to the kernel and goes to the next. */
  void release() {
    memory.putIntRelease(frame() + STATUS, TO_KERNEL);
    current = current + 1 == frames ? 0 : current + 1;
  }

  @Override
  public void close() {
    libc.munmap(address, bytes);
    NativeMemory.release(statistics);
  }
}
