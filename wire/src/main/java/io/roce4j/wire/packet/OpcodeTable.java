// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import java.util.Arrays;

/** Builds the arrays behind {@link Opcode}, once, from one line per operation. */
final class OpcodeTable {
  static final int DEFINED = 1;
  static final int REQUEST = 1 << 1;
  static final int RESPONSE = 1 << 2;
  static final int SEND = 1 << 3;
  static final int WRITE = 1 << 4;
  static final int READ_REQUEST = 1 << 5;
  static final int READ_RESPONSE = 1 << 6;
  static final int ATOMIC = 1 << 7;
  static final int ATOMIC_ACK = 1 << 8;
  static final int ACK = 1 << 9;
  static final int FLUSH = 1 << 10;
  static final int ATOMIC_WRITE = 1 << 11;
  static final int CNP = 1 << 12;
  static final int FIRST = 1 << 13;
  static final int MIDDLE = 1 << 14;
  static final int LAST = 1 << 15;
  static final int ONLY = 1 << 16;
  static final int RETH = 1 << 17;
  static final int AETH = 1 << 18;
  static final int ATOMIC_ETH = 1 << 19;
  static final int ATOMIC_ACK_ETH = 1 << 20;
  static final int IMM_DT = 1 << 21;
  static final int IETH = 1 << 22;
  static final int DETH = 1 << 23;
  static final int XRC_ETH = 1 << 24;
  static final int FETH = 1 << 25;
  static final int PAYLOAD = 1 << 26;
  static final int CONSUMES_RECEIVE = 1 << 27;

  private static final int CNP_RESERVED_BYTES = 16;
  private static final int MXTH = 16;
  private static final int MXMH = 8;
  private static final int RQH = 8;
  private static final int RRH = 8;
  private static final int ATH = 4;
  private static final int SACKH = 72;
  private static final int NACKH = 12;
  private static final int PROBEH = 20;
  private static final int PROBEAH = 12;
  private static final int CTRLH = 8;

  final int[] traits = new int[Opcode.COUNT];
  final byte[] headerLength = new byte[Opcode.COUNT];
  final byte[] rethOffset = new byte[Opcode.COUNT];
  final byte[] aethOffset = new byte[Opcode.COUNT];
  final byte[] atomicEthOffset = new byte[Opcode.COUNT];
  final byte[] atomicAckEthOffset = new byte[Opcode.COUNT];
  final byte[] immDtOffset = new byte[Opcode.COUNT];
  final byte[] iethOffset = new byte[Opcode.COUNT];
  final byte[] dethOffset = new byte[Opcode.COUNT];
  final byte[] xrcEthOffset = new byte[Opcode.COUNT];
  final byte[] fethOffset = new byte[Opcode.COUNT];
  final String[] names = new String[Opcode.COUNT];

  OpcodeTable() {
    Arrays.fill(names, "UNDEFINED");
    connected("RC_", 0x00);
    connected("UC_", 0x20);
    connected("XRC_", 0xA0);
    acknowledged("RC_", 0x00, 0);
    acknowledged("XRC_", 0xA0, XRC_ETH);
    define(0x1C, "RC_FLUSH", REQUEST | FLUSH | ONLY | FETH | RETH);
    define(0x1D, "RC_ATOMIC_WRITE", REQUEST | ATOMIC_WRITE | ONLY | RETH | PAYLOAD);
    int datagram = REQUEST | SEND | ONLY | DETH | PAYLOAD | CONSUMES_RECEIVE;
    define(0x64, "UD_SEND_ONLY", datagram);
    define(0x65, "UD_SEND_ONLY_IMM", datagram | IMM_DT);
    define(0x81, "CNP", CNP, CNP_RESERVED_BYTES, 0);
    multipath();
  }

  /** SEND and WRITE, which RC, UC and XRC share; XRC requests start with an XRCETH. */
  private void connected(String prefix, int base) {
    int common = REQUEST | PAYLOAD | (base == 0xA0 ? XRC_ETH : 0);
    int send = common | SEND;
    define(base, prefix + "SEND_FIRST", send | FIRST | CONSUMES_RECEIVE);
    define(base + 1, prefix + "SEND_MIDDLE", send | MIDDLE);
    define(base + 2, prefix + "SEND_LAST", send | LAST);
    define(base + 3, prefix + "SEND_LAST_IMM", send | LAST | IMM_DT);
    define(base + 4, prefix + "SEND_ONLY", send | ONLY | CONSUMES_RECEIVE);
    define(base + 5, prefix + "SEND_ONLY_IMM", send | ONLY | IMM_DT | CONSUMES_RECEIVE);
    int write = common | WRITE;
    define(base + 6, prefix + "WRITE_FIRST", write | FIRST | RETH);
    define(base + 7, prefix + "WRITE_MIDDLE", write | MIDDLE);
    define(base + 8, prefix + "WRITE_LAST", write | LAST);
    define(base + 9, prefix + "WRITE_LAST_IMM", write | LAST | IMM_DT | CONSUMES_RECEIVE);
    define(base + 10, prefix + "WRITE_ONLY", write | ONLY | RETH);
    define(base + 11, prefix + "WRITE_ONLY_IMM", write | ONLY | RETH | IMM_DT | CONSUMES_RECEIVE);
  }

  /** READ, atomics, invalidate and their answers, which RC and XRC share. */
  private void acknowledged(String prefix, int base, int xrc) {
    define(base + 0x0C, prefix + "READ_REQUEST", REQUEST | READ_REQUEST | ONLY | RETH | xrc);
    int response = RESPONSE | READ_RESPONSE | PAYLOAD;
    define(base + 0x0D, prefix + "READ_RESP_FIRST", response | FIRST | AETH);
    define(base + 0x0E, prefix + "READ_RESP_MIDDLE", response | MIDDLE);
    define(base + 0x0F, prefix + "READ_RESP_LAST", response | LAST | AETH);
    define(base + 0x10, prefix + "READ_RESP_ONLY", response | ONLY | AETH);
    define(base + 0x11, prefix + "ACK", RESPONSE | ACK | AETH);
    define(base + 0x12, prefix + "ATOMIC_ACK", RESPONSE | ATOMIC_ACK | AETH | ATOMIC_ACK_ETH);
    int atomic = REQUEST | ATOMIC | ONLY | ATOMIC_ETH | xrc;
    define(base + 0x13, prefix + "CMP_SWAP", atomic);
    define(base + 0x14, prefix + "FETCH_ADD", atomic);
    int invalidate = REQUEST | SEND | IETH | PAYLOAD | xrc;
    define(base + 0x16, prefix + "SEND_LAST_INV", invalidate | LAST);
    define(base + 0x17, prefix + "SEND_ONLY_INV", invalidate | ONLY | CONSUMES_RECEIVE);
  }

  private void multipath() {
    int data = MXTH + MXMH;
    define(0xE0, "MX_WRITE", REQUEST | WRITE | RETH | PAYLOAD, data, 0);
    define(0xE1, "MX_SEND", REQUEST | SEND | PAYLOAD, data, RQH);
    define(0xE2, "MX_READ_REQUEST", REQUEST | READ_REQUEST | RETH, data, 0);
    define(0xE3, "MX_READ_RESP", RESPONSE | READ_RESPONSE | PAYLOAD, data, RRH);
    define(0xE4, "MX_ATOMIC_REQUEST", REQUEST | ATOMIC | ATOMIC_ETH, data, ATH);
    define(0xE5, "MX_ATOMIC_RESP", RESPONSE | ATOMIC_ACK | ATOMIC_ACK_ETH, data, 0);
    define(0xE6, "MX_VOID", 0, MXTH, 0);
    define(0xE8, "MX_SACK", 0, SACKH, 0);
    define(0xE9, "MX_NACK", 0, NACKH, 0);
    define(0xEA, "MX_PROBE", 0, PROBEH, 0);
    define(0xEB, "MX_PROBE_ACK", 0, SACKH, PROBEAH);
    define(0xEC, "MX_CTRL", PAYLOAD, CTRLH, 0);
  }

  private void define(int opcode, String name, int trait) {
    define(opcode, name, trait, 0, 0);
  }

  /**
   * Lays the headers out in the order they have on the wire: XRCETH and DETH come right after BTH,
   * FETH before RETH, RETH before ImmDt, AETH before AtomicAckETH.
   */
  private void define(int opcode, String name, int trait, int bytesBefore, int bytesAfter) {
    traits[opcode] = trait | DEFINED;
    names[opcode] = name;
    int offset = Bth.LENGTH + bytesBefore;
    offset = place(opcode, trait & XRC_ETH, xrcEthOffset, offset, XrcEth.LENGTH);
    offset = place(opcode, trait & DETH, dethOffset, offset, Deth.LENGTH);
    offset = place(opcode, trait & FETH, fethOffset, offset, Feth.LENGTH);
    offset = place(opcode, trait & RETH, rethOffset, offset, Reth.LENGTH);
    offset = place(opcode, trait & ATOMIC_ETH, atomicEthOffset, offset, AtomicEth.LENGTH);
    offset = place(opcode, trait & AETH, aethOffset, offset, Aeth.LENGTH);
    offset = place(opcode, trait & ATOMIC_ACK_ETH, atomicAckEthOffset, offset, AtomicAckEth.LENGTH);
    offset = place(opcode, trait & IMM_DT, immDtOffset, offset, ImmDt.LENGTH);
    offset = place(opcode, trait & IETH, iethOffset, offset, Ieth.LENGTH);
    headerLength[opcode] = (byte) (offset + bytesAfter);
  }

  private static int place(int opcode, int present, byte[] offsets, int offset, int length) {
    if (present == 0) {
      return offset;
    }
    offsets[opcode] = (byte) offset;
    return offset + length;
  }
}
