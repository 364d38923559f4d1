// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

/**
 * Names of the XRC opcodes (IBA 1.4, annex A14): those of RC plus 0xA0. Requests carry an XRCETH
 * right after the BTH, responses do not. {@link Opcode} answers questions about them.
 */
public final class XrcOpcode {
  /** XRC SEND First. */
  public static final int SEND_FIRST = 0xA0;

  /** XRC SEND Middle. */
  public static final int SEND_MIDDLE = 0xA1;

  /** XRC SEND Last. */
  public static final int SEND_LAST = 0xA2;

  /** XRC SEND Last with Immediate. */
  public static final int SEND_LAST_IMM = 0xA3;

  /** XRC SEND Only. */
  public static final int SEND_ONLY = 0xA4;

  /** XRC SEND Only with Immediate. */
  public static final int SEND_ONLY_IMM = 0xA5;

  /** XRC RDMA WRITE First. */
  public static final int WRITE_FIRST = 0xA6;

  /** XRC RDMA WRITE Middle. */
  public static final int WRITE_MIDDLE = 0xA7;

  /** XRC RDMA WRITE Last. */
  public static final int WRITE_LAST = 0xA8;

  /** XRC RDMA WRITE Last with Immediate. */
  public static final int WRITE_LAST_IMM = 0xA9;

  /** XRC RDMA WRITE Only. */
  public static final int WRITE_ONLY = 0xAA;

  /** XRC RDMA WRITE Only with Immediate. */
  public static final int WRITE_ONLY_IMM = 0xAB;

  /** XRC RDMA READ Request. */
  public static final int READ_REQUEST = 0xAC;

  /** XRC RDMA READ Response First. */
  public static final int READ_RESP_FIRST = 0xAD;

  /** XRC RDMA READ Response Middle. */
  public static final int READ_RESP_MIDDLE = 0xAE;

  /** XRC RDMA READ Response Last. */
  public static final int READ_RESP_LAST = 0xAF;

  /** XRC RDMA READ Response Only. */
  public static final int READ_RESP_ONLY = 0xB0;

  /** XRC Acknowledge (also every NAK). */
  public static final int ACK = 0xB1;

  /** XRC ATOMIC Acknowledge. */
  public static final int ATOMIC_ACK = 0xB2;

  /** XRC CmpSwap. */
  public static final int CMP_SWAP = 0xB3;

  /** XRC FetchAdd. */
  public static final int FETCH_ADD = 0xB4;

  /** XRC SEND Last with Invalidate. */
  public static final int SEND_LAST_INV = 0xB6;

  /** XRC SEND Only with Invalidate. */
  public static final int SEND_ONLY_INV = 0xB7;

  private XrcOpcode() {}
}
