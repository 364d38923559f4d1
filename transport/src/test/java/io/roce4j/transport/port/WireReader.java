// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.memory.NativeMemory;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the frames of an interface by itself, cuts segmented ones as an adapter would, and computes
 * ICRCs from the bytes on the wire: an opinion independent of the ports and of the codec.
 */
final class WireReader implements AutoCloseable {
  private static final int VNET = 10;
  private static final int ETHERNET = 14;
  private static final int ROOM = 70_000;
  private static final int BUFFER = 32 << 20;

  /**
   * One packet on the wire.
   *
   * @param bytes UDP payload, or for RoCEv1 what follows the GRH
   * @param segmented whether it was cut out of a longer frame by this reader
   */
  record Packet(
      int version,
      int identification,
      int fragmentWord,
      int tos,
      int hopLimit,
      int flowLabel,
      int sourcePort,
      int destinationPort,
      UnsafeBuffer bytes,
      boolean icrcRight,
      boolean segmented) {}

  private final Libc libc = new Libc();
  private final NativeSocket socket;
  private final UnsafeBuffer memory = NativeMemory.allocate("test-reader", ROOM, 64);

  /** Listens on an interface of the namespace the thread is in. */
  WireReader(String interfaceName) {
    socket = NativeSocket.open(libc, SocketOptions.AF_PACKET, SocketOptions.SOCK_RAW, 0);
    socket.bufferBytes(true, BUFFER);
    socket.require(SocketOptions.SOL_PACKET, SocketOptions.PACKET_VNET_HDR, 1, "vnet");
    socket.require(SocketOptions.SOL_PACKET, SocketOptions.PACKET_IGNORE_OUTGOING, 1, "ignore");
    UnsafeBuffer address = new UnsafeBuffer(ByteBuffer.allocateDirect(20));
    address.putShort(0, (short) SocketOptions.AF_PACKET);
    address.putShort(2, (short) 3, ByteOrder.BIG_ENDIAN);
    try {
      address.putInt(4, NetworkInterface.getByName(interfaceName).getIndex());
    } catch (SocketException e) {
      throw new IllegalStateException(e);
    }
    int bound = socket.bind(address, 20);
    if (bound < 0) {
      throw new IllegalStateException("bind " + bound);
    }
  }

  /** All RoCE packets that have arrived since the last call. */
  List<Packet> read() {
    List<Packet> packets = new ArrayList<>();
    while (true) {
      long got = libc.recv(socket.fd(), memory.addressOffset(), ROOM, SocketOptions.MSG_DONTWAIT);
      if (got < 0) {
        return packets;
      }
      byte[] frame = new byte[(int) got - VNET];
      memory.getBytes(VNET, frame);
      int segmentBytes = memory.getByte(1) == 5 ? memory.getShort(4) & 0xFFFF : 0;
      take(ByteBuffer.wrap(frame), segmentBytes, packets);
    }
  }

  private static void take(ByteBuffer frame, int segmentBytes, List<Packet> packets) {
    int type = frame.getShort(12) & 0xFFFF;
    if (type == 0x8915) {
      int length = frame.getShort(ETHERNET + 4) & 0xFFFF;
      packets.add(packet(slice(frame, ETHERNET, 40), slice(frame, ETHERNET + 40, length), 0));
      return;
    }
    boolean ipv4 = type == 0x0800;
    int ipLength = ipv4 ? 20 : 40;
    int protocolAt = ETHERNET + (ipv4 ? 9 : 6);
    if ((!ipv4 && type != 0x86DD)
        || frame.get(protocolAt) != 17
        || frame.getShort(ETHERNET + ipLength + 2) != 4791) {
      return;
    }
    int payloadAt = ETHERNET + ipLength + 8;
    int payloadBytes = (frame.getShort(ETHERNET + ipLength + 4) & 0xFFFF) - 8;
    byte[] headers = slice(frame, ETHERNET, ipLength + 8);
    int step = segmentBytes == 0 ? payloadBytes : segmentBytes;
    for (int at = 0, k = 0; at < payloadBytes; at += step, k++) {
      int bytes = Math.min(step, payloadBytes - at);
      ByteBuffer own = ByteBuffer.wrap(headers.clone());
      if (ipv4) {
        own.putShort(2, (short) (28 + bytes));
        own.putShort(4, (short) (own.getShort(4) + k));
      } else {
        own.putShort(4, (short) (8 + bytes));
      }
      own.putShort(ipLength + 4, (short) (8 + bytes));
      packets.add(packet(own.array(), slice(frame, payloadAt + at, bytes), segmentBytes));
    }
  }

  private static Packet packet(byte[] headers, byte[] bytes, int segmentBytes) {
    ByteBuffer h = ByteBuffer.wrap(headers);
    int version = h.get(0) >>> 4 & 15;
    boolean ipv4 = version == 4;
    int udp = ipv4 ? 20 : 40;
    boolean hasUdp = headers.length > 40 || ipv4;
    return new Packet(
        hasUdp ? version : 1,
        ipv4 ? h.getShort(4) & 0xFFFF : -1,
        ipv4 ? h.getShort(6) & 0xFFFF : -1,
        ipv4 ? h.get(1) & 0xFF : h.getInt(0) >>> 20 & 0xFF,
        h.get(ipv4 ? 8 : 7) & 0xFF,
        ipv4 ? 0 : h.getInt(0) & 0xFFFFF,
        hasUdp ? h.getShort(udp) & 0xFFFF : 0,
        hasUdp ? h.getShort(udp + 2) & 0xFFFF : 0,
        new UnsafeBuffer(bytes),
        icrcRight(headers, bytes, hasUdp),
        segmentBytes != 0);
  }

  /** The rule of the RoCEv2 annex, byte by byte. */
  private static boolean icrcRight(byte[] headers, byte[] bytes, boolean hasUdp) {
    if (bytes.length < 16) {
      return false;
    }
    byte[] masked = headers.clone();
    if (masked[0] >>> 4 == 4) {
      masked[1] = -1;
      masked[8] = -1;
      masked[10] = -1;
      masked[11] = -1;
    } else {
      masked[0] |= 0x0F;
      masked[1] = -1;
      masked[2] = -1;
      masked[3] = -1;
      masked[7] = -1;
    }
    if (hasUdp) {
      masked[masked.length - 2] = -1;
      masked[masked.length - 1] = -1;
    }
    byte[] rest = bytes.clone();
    rest[4] = -1;
    CRC32 crc = new CRC32();
    crc.update(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1});
    crc.update(masked);
    crc.update(rest, 0, rest.length - 4);
    int found = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 4);
    return (int) crc.getValue() == found;
  }

  private static byte[] slice(ByteBuffer frame, int at, int length) {
    byte[] bytes = new byte[length];
    frame.get(at, bytes);
    return bytes;
  }

  @Override
  public void close() {
    socket.close();
    NativeMemory.release(memory);
    libc.close();
  }
}
