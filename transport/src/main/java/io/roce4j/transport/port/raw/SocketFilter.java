// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.transport.port.libc.NativeException;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.util.List;
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

  // The jumps to "drop" and "accept", known only at the end.
  private static final int DROP = 0xFF;
  private static final int ACCEPT = 0xFE;

  // A jump has eight bits, and two values of it are taken.
  private static final int MAX_INSTRUCTIONS = 250;
  private static final int PREAMBLE = 20;

  private final LongArrayList program = new LongArrayList();

  private SocketFilter() {}

  /** Drops everything: for the socket that only holds a UDP port. */
  static SocketFilter nothing() {
    SocketFilter filter = new SocketFilter();
    filter.add(RETURN, 0, 0, 0);
    return filter;
  }

  /** Unfragmented UDP over IPv4 without options, to one of some addresses and a port. */
  static SocketFilter ipv4(List<Gid> addresses, int udpPort) {
    SocketFilter filter = new SocketFilter();
    filter.require(LOAD_HALF, 12, 0x0800);
    filter.require(LOAD_BYTE, ETHERNET, 0x45);
    filter.require(LOAD_BYTE, ETHERNET + 9, 17);
    filter.refuse(LOAD_HALF, ETHERNET + 6, 0x3FFF);
    filter.require(LOAD_HALF, ETHERNET + 22, udpPort);
    filter.add(LOAD_WORD, 0, 0, ETHERNET + 16);
    for (Gid each : addresses) {
      filter.add(JUMP_EQUAL, ACCEPT, 0, each.ipv4());
    }
    return filter.end();
  }

  /** UDP over IPv6 without extension headers, to one of some addresses and a port. */
  static SocketFilter ipv6(List<Gid> addresses, int udpPort) {
    SocketFilter filter = new SocketFilter();
    filter.require(LOAD_HALF, 12, 0x86DD);
    filter.require(LOAD_BYTE, ETHERNET + 6, 17);
    filter.require(LOAD_HALF, ETHERNET + 42, udpPort);
    addresses.forEach(each -> filter.acceptGid(ETHERNET + 24, each));
    return filter.end();
  }

  /** RoCEv1 to one of some GIDs. */
  static SocketFilter roceV1(List<Gid> destinations) {
    SocketFilter filter = new SocketFilter();
    filter.require(LOAD_HALF, 12, 0x8915);
    filter.require(LOAD_BYTE, ETHERNET + 6, 0x1B);
    destinations.forEach(each -> filter.acceptGid(ETHERNET + 24, each));
    return filter.end();
  }

  /** Accepts when all four words are equal; else goes on behind its eight instructions. */
  private void acceptGid(int offset, Gid gid) {
    add(LOAD_WORD, 0, 0, offset);
    add(JUMP_EQUAL, 0, 6, (int) (gid.high() >>> 32));
    add(LOAD_WORD, 0, 0, offset + 4);
    add(JUMP_EQUAL, 0, 4, (int) gid.high());
    add(LOAD_WORD, 0, 0, offset + 8);
    add(JUMP_EQUAL, 0, 2, (int) (gid.low() >>> 32));
    add(LOAD_WORD, 0, 0, offset + 12);
    add(JUMP_EQUAL, ACCEPT, 0, (int) gid.low());
  }

  private void require(int load, int offset, int value) {
    add(load, 0, 0, offset);
    add(JUMP_EQUAL, 0, DROP, value);
  }

  private void refuse(int load, int offset, int bits) {
    add(load, 0, 0, offset);
    add(JUMP_SET, DROP, 0, bits);
  }

  /** What was not accepted so far is dropped. */
  private SocketFilter end() {
    add(RETURN, 0, 0, 0);
    add(RETURN, 0, 0, -1);
    if (program.size() > MAX_INSTRUCTIONS) {
      throw new IllegalArgumentException(
          "a port raw can be in "
              + (MAX_INSTRUCTIONS - PREAMBLE) / 8
              + " multicast groups at most: its packet filter is full");
    }
    return this;
  }

  private void add(int opcode, int ifTrue, int ifFalse, int operand) {
    program.addLong(((long) operand << 32) | (long) ifFalse << 24 | (long) ifTrue << 16 | opcode);
  }

  /** The instruction with its jumps made relative: the last two drop and accept. */
  private long resolved(int index) {
    long instruction = program.getLong(index);
    long jumps = relative(instruction >>> 16 & 0xFF, index);
    jumps |= relative(instruction >>> 24 & 0xFF, index) << 8;
    return (instruction & ~(0xFFFFL << 16)) | jumps << 16;
  }

  private long relative(long jump, int index) {
    if (jump == DROP) {
      return program.size() - 3L - index;
    }
    return jump == ACCEPT ? program.size() - 2L - index : jump;
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
