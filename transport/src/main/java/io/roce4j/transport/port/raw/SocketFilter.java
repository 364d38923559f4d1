// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.transport.port.libc.NativeException;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.collections.LongArrayList;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Classic BPF programs that let the kernel throw away everything but RoCE packets for this port, so
 * that other traffic costs nothing. Control path.
 *
 * <p>An instruction is opcode 16 bits, jump-if-true 8, jump-if-false 8, operand 32. Offsets count
 * from the Ethernet header.
 */
final class SocketFilter {
  private static final int LOAD_WORD = 0x20;
  private static final int LOAD_HALF = 0x28;
  private static final int LOAD_BYTE = 0x30;
  private static final int JUMP_EQUAL = 0x15;
  private static final int JUMP_SET = 0x45;
  private static final int RETURN = 0x06;

  private static final int ETHERNET = 14;
  private static final int INSTRUCTION = 8;
  private static final int PROGRAM_HEADER = 16;

  // The jump to "drop", known only at the end.
  private static final int DROP = 0xFF;

  private final LongArrayList program = new LongArrayList();

  private SocketFilter() {}

  /** Drops everything: for the socket that only holds a UDP port. */
  static SocketFilter nothing() {
    SocketFilter filter = new SocketFilter();
    filter.add(RETURN, 0, 0, 0);
    return filter;
  }

  /** Unfragmented UDP over IPv4 without options, to an address and a port. */
  static SocketFilter ipv4(int address, int udpPort) {
    SocketFilter filter = new SocketFilter();
    filter.require(LOAD_HALF, 12, 0x0800);
    filter.require(LOAD_BYTE, ETHERNET, 0x45);
    filter.require(LOAD_BYTE, ETHERNET + 9, 17);
    filter.refuse(LOAD_HALF, ETHERNET + 6, 0x3FFF);
    filter.require(LOAD_WORD, ETHERNET + 16, address);
    filter.require(LOAD_HALF, ETHERNET + 22, udpPort);
    return filter.accept();
  }

  /** UDP over IPv6 without extension headers, to an address and a port. */
  static SocketFilter ipv6(Gid address, int udpPort) {
    SocketFilter filter = new SocketFilter();
    filter.require(LOAD_HALF, 12, 0x86DD);
    filter.require(LOAD_BYTE, ETHERNET + 6, 17);
    filter.requireGid(ETHERNET + 24, address);
    filter.require(LOAD_HALF, ETHERNET + 42, udpPort);
    return filter.accept();
  }

  /** RoCEv1 to a GID. */
  static SocketFilter roceV1(Gid destination) {
    SocketFilter filter = new SocketFilter();
    filter.require(LOAD_HALF, 12, 0x8915);
    filter.require(LOAD_BYTE, ETHERNET + 6, 0x1B);
    filter.requireGid(ETHERNET + 24, destination);
    return filter.accept();
  }

  private void requireGid(int offset, Gid gid) {
    require(LOAD_WORD, offset, (int) (gid.high() >>> 32));
    require(LOAD_WORD, offset + 4, (int) gid.high());
    require(LOAD_WORD, offset + 8, (int) (gid.low() >>> 32));
    require(LOAD_WORD, offset + 12, (int) gid.low());
  }

  private void require(int load, int offset, int value) {
    add(load, 0, 0, offset);
    add(JUMP_EQUAL, 0, DROP, value);
  }

  private void refuse(int load, int offset, int bits) {
    add(load, 0, 0, offset);
    add(JUMP_SET, DROP, 0, bits);
  }

  private SocketFilter accept() {
    add(RETURN, 0, 0, -1);
    add(RETURN, 0, 0, 0);
    return this;
  }

  private void add(int opcode, int ifTrue, int ifFalse, int operand) {
    program.addLong(((long) operand << 32) | (long) ifFalse << 24 | (long) ifTrue << 16 | opcode);
  }

  /** The instruction with its jumps to "drop" made relative: drop is the last instruction. */
  private long resolved(int index) {
    long instruction = program.getLong(index);
    long distance = program.size() - 2L - index;
    if ((instruction >>> 16 & 0xFF) == DROP) {
      instruction = (instruction & ~(0xFFL << 16)) | distance << 16;
    }
    if ((instruction >>> 24 & 0xFF) == DROP) {
      instruction = (instruction & ~(0xFFL << 24)) | distance << 24;
    }
    return instruction;
  }

  /**
   * Gives the program to a socket.
   *
   * @throws NativeException when the kernel refuses it
   */
  void attach(NativeSocket socket) {
    int length = PROGRAM_HEADER + program.size() * INSTRUCTION;
    UnsafeBuffer memory = NativeMemory.allocate("port-filter", length, 8);
    try {
      memory.putShort(0, (short) program.size());
      memory.putLong(8, memory.addressOffset() + PROGRAM_HEADER);
      for (int i = 0; i < program.size(); i++) {
        memory.putLong(PROGRAM_HEADER + i * INSTRUCTION, resolved(i));
      }
      int result =
          socket.set(
              SocketOptions.SOL_SOCKET, SocketOptions.SO_ATTACH_FILTER, memory, PROGRAM_HEADER);
      if (result < 0) {
        throw new NativeException("packet filter", -result);
      }
    } finally {
      NativeMemory.release(memory);
    }
  }
}
