// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

/**
 * The BTH opcode table: which headers each of the 256 opcodes has, where they lie and what role the
 * packet plays (IBA 1.4, 9.2.1 table 38; RoCEv2 annex A17 for the CNP).
 *
 * <p>An opcode is a plain {@code int} 0..255 everywhere. Undefined opcodes answer false to every
 * question and have {@code headerLength} 0: check {@link #isDefined} before doing arithmetic
 * [FC-03]. The table is built once and never changes; any thread may ask.
 *
 * <p>XRC opcodes have their names in {@link XrcOpcode}. The multipath opcodes 0xE0..0xEC stand in
 * IBA's manufacturer range. Their immediate and invalidate headers depend on flags inside the
 * packet, so the table lists only the headers that are always there.
 */
public final class Opcode {
  /** RC SEND First. */
  public static final int RC_SEND_FIRST = 0x00;

  /** RC SEND Middle. */
  public static final int RC_SEND_MIDDLE = 0x01;

  /** RC SEND Last. */
  public static final int RC_SEND_LAST = 0x02;

  /** RC SEND Last with Immediate. */
  public static final int RC_SEND_LAST_IMM = 0x03;

  /** RC SEND Only. */
  public static final int RC_SEND_ONLY = 0x04;

  /** RC SEND Only with Immediate. */
  public static final int RC_SEND_ONLY_IMM = 0x05;

  /** RC RDMA WRITE First. */
  public static final int RC_WRITE_FIRST = 0x06;

  /** RC RDMA WRITE Middle. */
  public static final int RC_WRITE_MIDDLE = 0x07;

  /** RC RDMA WRITE Last. */
  public static final int RC_WRITE_LAST = 0x08;

  /** RC RDMA WRITE Last with Immediate. */
  public static final int RC_WRITE_LAST_IMM = 0x09;

  /** RC RDMA WRITE Only. */
  public static final int RC_WRITE_ONLY = 0x0A;

  /** RC RDMA WRITE Only with Immediate. */
  public static final int RC_WRITE_ONLY_IMM = 0x0B;

  /** RC RDMA READ Request. */
  public static final int RC_READ_REQUEST = 0x0C;

  /** RC RDMA READ Response First. */
  public static final int RC_READ_RESP_FIRST = 0x0D;

  /** RC RDMA READ Response Middle. */
  public static final int RC_READ_RESP_MIDDLE = 0x0E;

  /** RC RDMA READ Response Last. */
  public static final int RC_READ_RESP_LAST = 0x0F;

  /** RC RDMA READ Response Only. */
  public static final int RC_READ_RESP_ONLY = 0x10;

  /** RC Acknowledge (also every NAK). */
  public static final int RC_ACK = 0x11;

  /** RC ATOMIC Acknowledge. */
  public static final int RC_ATOMIC_ACK = 0x12;

  /** RC CmpSwap. */
  public static final int RC_CMP_SWAP = 0x13;

  /** RC FetchAdd. */
  public static final int RC_FETCH_ADD = 0x14;

  /** RC SEND Last with Invalidate. */
  public static final int RC_SEND_LAST_INV = 0x16;

  /** RC SEND Only with Invalidate. */
  public static final int RC_SEND_ONLY_INV = 0x17;

  /** RC FLUSH (IBA 1.5 memory placement extensions). */
  public static final int RC_FLUSH = 0x1C;

  /** RC ATOMIC WRITE (IBA 1.5 memory placement extensions). */
  public static final int RC_ATOMIC_WRITE = 0x1D;

  /** UC SEND First. */
  public static final int UC_SEND_FIRST = 0x20;

  /** UC SEND Middle. */
  public static final int UC_SEND_MIDDLE = 0x21;

  /** UC SEND Last. */
  public static final int UC_SEND_LAST = 0x22;

  /** UC SEND Last with Immediate. */
  public static final int UC_SEND_LAST_IMM = 0x23;

  /** UC SEND Only. */
  public static final int UC_SEND_ONLY = 0x24;

  /** UC SEND Only with Immediate. */
  public static final int UC_SEND_ONLY_IMM = 0x25;

  /** UC RDMA WRITE First. */
  public static final int UC_WRITE_FIRST = 0x26;

  /** UC RDMA WRITE Middle. */
  public static final int UC_WRITE_MIDDLE = 0x27;

  /** UC RDMA WRITE Last. */
  public static final int UC_WRITE_LAST = 0x28;

  /** UC RDMA WRITE Last with Immediate. */
  public static final int UC_WRITE_LAST_IMM = 0x29;

  /** UC RDMA WRITE Only. */
  public static final int UC_WRITE_ONLY = 0x2A;

  /** UC RDMA WRITE Only with Immediate. */
  public static final int UC_WRITE_ONLY_IMM = 0x2B;

  /** UD SEND Only. */
  public static final int UD_SEND_ONLY = 0x64;

  /** UD SEND Only with Immediate. */
  public static final int UD_SEND_ONLY_IMM = 0x65;

  /** RoCEv2 congestion notification packet (annex A17). */
  public static final int CNP = 0x81;

  /** MX WRITE fragment. */
  public static final int MX_WRITE = 0xE0;

  /** MX SEND fragment. */
  public static final int MX_SEND = 0xE1;

  /** MX READ request. */
  public static final int MX_READ_REQUEST = 0xE2;

  /** MX READ response fragment. */
  public static final int MX_READ_RESP = 0xE3;

  /** MX atomic request. */
  public static final int MX_ATOMIC_REQUEST = 0xE4;

  /** MX atomic response. */
  public static final int MX_ATOMIC_RESP = 0xE5;

  /** MX VOID: occupies a CPSN that carries no data. */
  public static final int MX_VOID = 0xE6;

  /** MX selective acknowledgement of one path. */
  public static final int MX_SACK = 0xE8;

  /** MX negative acknowledgement of one transmission. */
  public static final int MX_NACK = 0xE9;

  /** MX path probe. */
  public static final int MX_PROBE = 0xEA;

  /** MX probe answer. */
  public static final int MX_PROBE_ACK = 0xEB;

  /** MX control message. */
  public static final int MX_CTRL = 0xEC;

  /** Transport class: Reliable connection. */
  public static final int CLASS_RC = 0;

  /** Transport class: Unreliable connection. */
  public static final int CLASS_UC = 1;

  /** Transport class: Unreliable datagram. */
  public static final int CLASS_UD = 3;

  /** Transport class: Congestion notification. */
  public static final int CLASS_CNP = 4;

  /** Transport class: Extended reliable connection. */
  public static final int CLASS_XRC = 5;

  /**
   * Transport class: Second half of the manufacturer range, where the multipath transport lives.
   */
  public static final int CLASS_MX = 7;

  /** Number of opcodes the BTH byte can say. */
  public static final int COUNT = 256;

  private static final OpcodeTable TABLE = new OpcodeTable();
  private static final int[] TRAITS = TABLE.traits;
  private static final byte[] HEADER_LENGTH = TABLE.headerLength;
  private static final byte[] RETH_OFFSET = TABLE.rethOffset;
  private static final byte[] AETH_OFFSET = TABLE.aethOffset;
  private static final byte[] ATOMIC_ETH_OFFSET = TABLE.atomicEthOffset;
  private static final byte[] ATOMIC_ACK_ETH_OFFSET = TABLE.atomicAckEthOffset;
  private static final byte[] IMM_DT_OFFSET = TABLE.immDtOffset;
  private static final byte[] IETH_OFFSET = TABLE.iethOffset;
  private static final byte[] DETH_OFFSET = TABLE.dethOffset;
  private static final byte[] XRC_ETH_OFFSET = TABLE.xrcEthOffset;
  private static final byte[] FETH_OFFSET = TABLE.fethOffset;
  private static final String[] NAMES = TABLE.names;

  private Opcode() {}

  private static boolean has(int opcode, int trait) {
    return (TRAITS[opcode & 0xFF] & trait) != 0;
  }

  /**
   * {@return whether the opcode is defined; all other questions answer false when it is not
   * [FC-03]}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isDefined(int opcode) {
    return has(opcode, OpcodeTable.DEFINED);
  }

  /**
   * {@return whether the packet goes to the responder half of a queue pair (UD and UC packets
   * included)}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isRequest(int opcode) {
    return has(opcode, OpcodeTable.REQUEST);
  }

  /**
   * {@return whether the packet goes to the requester half (READ responses, ACK, ATOMIC ACK)}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isResponse(int opcode) {
    return has(opcode, OpcodeTable.RESPONSE);
  }

  /**
   * {@return whether the packet is part of a SEND message}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isSend(int opcode) {
    return has(opcode, OpcodeTable.SEND);
  }

  /**
   * {@return whether the packet is part of an RDMA WRITE message (not ATOMIC WRITE)}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isWrite(int opcode) {
    return has(opcode, OpcodeTable.WRITE);
  }

  /**
   * {@return whether the packet is an RDMA READ request}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isReadRequest(int opcode) {
    return has(opcode, OpcodeTable.READ_REQUEST);
  }

  /**
   * {@return whether the packet is an RDMA READ response of any position}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isReadResponse(int opcode) {
    return has(opcode, OpcodeTable.READ_RESPONSE);
  }

  /**
   * {@return whether the packet is a CmpSwap or FetchAdd request}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isAtomic(int opcode) {
    return has(opcode, OpcodeTable.ATOMIC);
  }

  /**
   * {@return whether the packet is an ATOMIC Acknowledge}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isAtomicAck(int opcode) {
    return has(opcode, OpcodeTable.ATOMIC_ACK);
  }

  /**
   * {@return whether the packet is a plain Acknowledge, which carries ACKs and NAKs alike}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isAck(int opcode) {
    return has(opcode, OpcodeTable.ACK);
  }

  /**
   * {@return whether the packet is a FLUSH request}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isFlush(int opcode) {
    return has(opcode, OpcodeTable.FLUSH);
  }

  /**
   * {@return whether the packet is an ATOMIC WRITE request}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isAtomicWrite(int opcode) {
    return has(opcode, OpcodeTable.ATOMIC_WRITE);
  }

  /**
   * {@return whether the packet is a congestion notification}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isCnp(int opcode) {
    return has(opcode, OpcodeTable.CNP);
  }

  /**
   * {@return whether the packet opens a message of several packets}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isFirst(int opcode) {
    return has(opcode, OpcodeTable.FIRST);
  }

  /**
   * {@return whether the packet is neither first nor last of its message}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isMiddle(int opcode) {
    return has(opcode, OpcodeTable.MIDDLE);
  }

  /**
   * {@return whether the packet closes a message of several packets}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isLast(int opcode) {
    return has(opcode, OpcodeTable.LAST);
  }

  /**
   * {@return whether the packet is a whole message (READ, atomic, FLUSH and ATOMIC WRITE requests
   * included)}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean isOnly(int opcode) {
    return has(opcode, OpcodeTable.ONLY);
  }

  /**
   * {@return whether the packet is First or Only}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean startsMessage(int opcode) {
    return has(opcode, OpcodeTable.FIRST | OpcodeTable.ONLY);
  }

  /**
   * {@return whether the packet is Last or Only}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean endsMessage(int opcode) {
    return has(opcode, OpcodeTable.LAST | OpcodeTable.ONLY);
  }

  /**
   * {@return whether an RDMA extended header follows}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasReth(int opcode) {
    return has(opcode, OpcodeTable.RETH);
  }

  /**
   * {@return whether an ACK extended header follows}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasAeth(int opcode) {
    return has(opcode, OpcodeTable.AETH);
  }

  /**
   * {@return whether an atomic extended header follows}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasAtomicEth(int opcode) {
    return has(opcode, OpcodeTable.ATOMIC_ETH);
  }

  /**
   * {@return whether an atomic acknowledge header follows}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasAtomicAckEth(int opcode) {
    return has(opcode, OpcodeTable.ATOMIC_ACK_ETH);
  }

  /**
   * {@return whether immediate data follow}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasImmDt(int opcode) {
    return has(opcode, OpcodeTable.IMM_DT);
  }

  /**
   * {@return whether an invalidate header follows}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasIeth(int opcode) {
    return has(opcode, OpcodeTable.IETH);
  }

  /**
   * {@return whether a datagram extended header follows}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasDeth(int opcode) {
    return has(opcode, OpcodeTable.DETH);
  }

  /**
   * {@return whether an XRC extended header follows}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasXrcEth(int opcode) {
    return has(opcode, OpcodeTable.XRC_ETH);
  }

  /**
   * {@return whether a FLUSH extended header follows}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasFeth(int opcode) {
    return has(opcode, OpcodeTable.FETH);
  }

  /**
   * {@return whether the packet may carry payload}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean hasPayload(int opcode) {
    return has(opcode, OpcodeTable.PAYLOAD);
  }

  /**
   * {@return whether a receive work request is taken at this packet: SEND First and Only, WRITE
   * Last and Only with Immediate, UD SEND}
   *
   * @param opcode 0..255; undefined ones give false
   */
  public static boolean consumesReceive(int opcode) {
    return has(opcode, OpcodeTable.CONSUMES_RECEIVE);
  }

  /**
   * The transport class, bits 7..5 of the opcode: one of the {@code CLASS_} constants.
   *
   * @param opcode 0..255, defined or not
   * @return 0..7
   */
  public static int transportClass(int opcode) {
    return (opcode & 0xFF) >>> 5;
  }

  /**
   * Bytes from the first BTH byte to the first payload byte.
   *
   * @param opcode 0..255
   * @return 12..96 for a defined opcode, 0 for an undefined one
   */
  public static int headerLength(int opcode) {
    return HEADER_LENGTH[opcode & 0xFF];
  }

  /**
   * {@return where the RETH lies, counted from the first BTH byte; 0 when there is none}
   *
   * @param opcode 0..255
   */
  public static int rethOffset(int opcode) {
    return RETH_OFFSET[opcode & 0xFF];
  }

  /**
   * {@return where the AETH lies, counted from the first BTH byte; 0 when there is none}
   *
   * @param opcode 0..255
   */
  public static int aethOffset(int opcode) {
    return AETH_OFFSET[opcode & 0xFF];
  }

  /**
   * {@return where the AtomicETH lies, counted from the first BTH byte; 0 when there is none}
   *
   * @param opcode 0..255
   */
  public static int atomicEthOffset(int opcode) {
    return ATOMIC_ETH_OFFSET[opcode & 0xFF];
  }

  /**
   * {@return where the AtomicAckETH lies, counted from the first BTH byte; 0 when there is none}
   *
   * @param opcode 0..255
   */
  public static int atomicAckEthOffset(int opcode) {
    return ATOMIC_ACK_ETH_OFFSET[opcode & 0xFF];
  }

  /**
   * {@return where the ImmDt lies, counted from the first BTH byte; 0 when there is none}
   *
   * @param opcode 0..255
   */
  public static int immDtOffset(int opcode) {
    return IMM_DT_OFFSET[opcode & 0xFF];
  }

  /**
   * {@return where the IETH lies, counted from the first BTH byte; 0 when there is none}
   *
   * @param opcode 0..255
   */
  public static int iethOffset(int opcode) {
    return IETH_OFFSET[opcode & 0xFF];
  }

  /**
   * {@return where the DETH lies, counted from the first BTH byte; 0 when there is none}
   *
   * @param opcode 0..255
   */
  public static int dethOffset(int opcode) {
    return DETH_OFFSET[opcode & 0xFF];
  }

  /**
   * {@return where the XRCETH lies, counted from the first BTH byte; 0 when there is none}
   *
   * @param opcode 0..255
   */
  public static int xrcEthOffset(int opcode) {
    return XRC_ETH_OFFSET[opcode & 0xFF];
  }

  /**
   * {@return where the FETH lies, counted from the first BTH byte; 0 when there is none}
   *
   * @param opcode 0..255
   */
  public static int fethOffset(int opcode) {
    return FETH_OFFSET[opcode & 0xFF];
  }

  /**
   * The name as written in this class, for example {@code RC_SEND_ONLY}.
   *
   * @param opcode 0..255
   * @return the name; {@code UNDEFINED} when the opcode has none
   */
  public static String name(int opcode) {
    return NAMES[opcode & 0xFF];
  }

  /**
   * The opcode of a name, for tools.
   *
   * @param name a name as {@link #name} gives it, in any case
   * @return 0..255, or -1 when no opcode has that name
   */
  public static int byName(String name) {
    for (int opcode = 0; opcode < COUNT; opcode++) {
      if (isDefined(opcode) && NAMES[opcode].equalsIgnoreCase(name)) {
        return opcode;
      }
    }
    return -1;
  }
}
