// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A packet seen as bytes: lengths are checked once by {@link #wrap}, after that no accessor can
 * fail.
 *
 * <p>The view judges only what the bytes alone decide: length, opcode, pad, transport version
 * (roughly IBA 1.4, 9.6.1.1). Whether the packet fits a queue pair, and whether its ICRC is right,
 * is decided by others. An accessor of a header the opcode does not have returns 0: ask {@link
 * Opcode} first.
 *
 * <p>A view is a reusable cursor for one thread. It keeps no bytes: what it shows is what the
 * buffer holds at that moment, and it is valid as long as the bytes are lent.
 */
public final class PacketView {
  /** BTH and ICRC: no packet is shorter. */
  public static final int MIN_LENGTH = Bth.LENGTH + PacketWriter.ICRC_LENGTH;

  private static final DirectBuffer NOTHING = new UnsafeBuffer(new byte[MIN_LENGTH]);

  private DirectBuffer buffer = NOTHING;
  private int bthOffset;
  private int length = MIN_LENGTH;
  private int opcode;
  private int padCount;
  private int headerLength = Bth.LENGTH;

  /** Makes a view over sixteen zero bytes, a legal packet, until the first {@link #wrap}. */
  public PacketView() {}

  /**
   * Points the view at a packet and checks it.
   *
   * <p>A refused packet leaves the view where it was. Checks, in this order: at least 16 bytes, a
   * defined opcode [FC-03], room for the headers of that opcode, the pad and the ICRC [FC-02],
   * transport version 0.
   *
   * @param buffer holds the packet
   * @param bthOffset first byte of the BTH, which is the first byte of the UDP payload
   * @param length bytes of BTH, headers, payload, pad and ICRC; the caller vouches that the buffer
   *     holds as many from {@code bthOffset} on
   * @return {@link WireFault#OK} or the fault
   */
  public int wrap(DirectBuffer buffer, int bthOffset, int length) {
    if (length < MIN_LENGTH) {
      return WireFault.TOO_SHORT;
    }
    int opcode = Bth.opcode(buffer, bthOffset);
    int headers = Opcode.headerLength(opcode);
    if (headers == 0) {
      return WireFault.UNKNOWN_OPCODE;
    }
    int pad = Bth.padCount(buffer, bthOffset);
    if (length < headers + pad + PacketWriter.ICRC_LENGTH) {
      return WireFault.TRUNCATED;
    }
    if (Bth.tver(buffer, bthOffset) != 0) {
      return WireFault.BAD_TRANSPORT_VERSION;
    }
    this.buffer = buffer;
    this.bthOffset = bthOffset;
    this.length = length;
    this.opcode = opcode;
    this.padCount = pad;
    this.headerLength = headers;
    return WireFault.OK;
  }

  /**
   * The buffer of the last good {@link #wrap}.
   *
   * @return the buffer, lent
   */
  public DirectBuffer buffer() {
    return buffer;
  }

  /**
   * Where the BTH starts in the buffer.
   *
   * @return an index into {@link #buffer}
   */
  public int bthOffset() {
    return bthOffset;
  }

  /**
   * Bytes from BTH to ICRC, both included.
   *
   * @return 16 or more
   */
  public int length() {
    return length;
  }

  /**
   * The opcode.
   *
   * @return 0..0xFF, always a defined one
   */
  public int opcode() {
    return opcode;
  }

  /**
   * Bytes of BTH and extended headers.
   *
   * @return 12..96
   */
  public int headerLength() {
    return headerLength;
  }

  /**
   * Pad bytes behind the payload.
   *
   * @return 0..3
   */
  public int padCount() {
    return padCount;
  }

  /**
   * Where the payload starts in the buffer.
   *
   * @return an index into {@link #buffer}
   */
  public int payloadOffset() {
    return bthOffset + headerLength;
  }

  /**
   * Payload bytes without pad.
   *
   * @return 0 or more
   */
  public int payloadLength() {
    return length - headerLength - padCount - PacketWriter.ICRC_LENGTH;
  }

  /**
   * Where the ICRC starts in the buffer.
   *
   * @return an index into {@link #buffer}
   */
  public int icrcOffset() {
    return bthOffset + length - PacketWriter.ICRC_LENGTH;
  }

  /**
   * The solicited event bit.
   *
   * @return true when set
   */
  public boolean solicited() {
    return Bth.solicited(buffer, bthOffset);
  }

  /**
   * The migration bit.
   *
   * @return true when set
   */
  public boolean migReq() {
    return Bth.migReq(buffer, bthOffset);
  }

  /**
   * The partition key.
   *
   * @return 0..0xFFFF
   */
  public int pkey() {
    return Bth.pkey(buffer, bthOffset);
  }

  /**
   * The backward congestion bit.
   *
   * @return true when set
   */
  public boolean becn() {
    return Bth.becn(buffer, bthOffset);
  }

  /**
   * The destination queue pair number.
   *
   * @return 0..0xFFFFFF
   */
  public int destQp() {
    return Bth.destQp(buffer, bthOffset);
  }

  /**
   * The acknowledge request bit.
   *
   * @return true when set
   */
  public boolean ackRequest() {
    return Bth.ackRequest(buffer, bthOffset);
  }

  /**
   * The packet sequence number.
   *
   * @return 0..0xFFFFFF
   */
  public int psn() {
    return Bth.psn(buffer, bthOffset);
  }

  /**
   * RETH virtual address.
   *
   * @return all 64 bits; 0 unless {@link Opcode#hasReth}
   */
  public long rethVa() {
    int offset = Opcode.rethOffset(opcode);
    return offset == 0 ? 0 : Reth.va(buffer, bthOffset + offset);
  }

  /**
   * RETH remote key.
   *
   * @return all 32 bits; 0 unless {@link Opcode#hasReth}
   */
  public int rethRkey() {
    int offset = Opcode.rethOffset(opcode);
    return offset == 0 ? 0 : Reth.rkey(buffer, bthOffset + offset);
  }

  /**
   * RETH length of the message.
   *
   * @return 0..0xFFFFFFFF; 0 unless {@link Opcode#hasReth}
   */
  public long rethLength() {
    int offset = Opcode.rethOffset(opcode);
    return offset == 0 ? 0 : Reth.dmaLength(buffer, bthOffset + offset);
  }

  /**
   * AETH syndrome.
   *
   * @return 0..0xFF; 0 unless {@link Opcode#hasAeth}
   */
  public int syndrome() {
    int offset = Opcode.aethOffset(opcode);
    return offset == 0 ? 0 : Aeth.syndrome(buffer, bthOffset + offset);
  }

  /**
   * AETH message sequence number.
   *
   * @return 0..0xFFFFFF; 0 unless {@link Opcode#hasAeth}
   */
  public int msn() {
    int offset = Opcode.aethOffset(opcode);
    return offset == 0 ? 0 : Aeth.msn(buffer, bthOffset + offset);
  }

  /**
   * Immediate data.
   *
   * @return all 32 bits; 0 unless {@link Opcode#hasImmDt}
   */
  public int immediate() {
    int offset = Opcode.immDtOffset(opcode);
    return offset == 0 ? 0 : ImmDt.immediate(buffer, bthOffset + offset);
  }

  /**
   * Remote key to invalidate.
   *
   * @return all 32 bits; 0 unless {@link Opcode#hasIeth}
   */
  public int invalidateRkey() {
    int offset = Opcode.iethOffset(opcode);
    return offset == 0 ? 0 : Ieth.rkey(buffer, bthOffset + offset);
  }

  /**
   * Queue key.
   *
   * @return all 32 bits; 0 unless {@link Opcode#hasDeth}
   */
  public int qkey() {
    int offset = Opcode.dethOffset(opcode);
    return offset == 0 ? 0 : Deth.qkey(buffer, bthOffset + offset);
  }

  /**
   * Queue pair number of a UD sender.
   *
   * @return 0..0xFFFFFF; 0 unless {@link Opcode#hasDeth}
   */
  public int sourceQp() {
    int offset = Opcode.dethOffset(opcode);
    return offset == 0 ? 0 : Deth.sourceQp(buffer, bthOffset + offset);
  }

  /**
   * AtomicETH virtual address.
   *
   * @return all 64 bits; 0 unless {@link Opcode#hasAtomicEth}
   */
  public long atomicVa() {
    int offset = Opcode.atomicEthOffset(opcode);
    return offset == 0 ? 0 : AtomicEth.va(buffer, bthOffset + offset);
  }

  /**
   * AtomicETH remote key.
   *
   * @return all 32 bits; 0 unless {@link Opcode#hasAtomicEth}
   */
  public int atomicRkey() {
    int offset = Opcode.atomicEthOffset(opcode);
    return offset == 0 ? 0 : AtomicEth.rkey(buffer, bthOffset + offset);
  }

  /**
   * AtomicETH new value or addend.
   *
   * @return all 64 bits; 0 unless {@link Opcode#hasAtomicEth}
   */
  public long atomicSwapOrAdd() {
    int offset = Opcode.atomicEthOffset(opcode);
    return offset == 0 ? 0 : AtomicEth.swapOrAdd(buffer, bthOffset + offset);
  }

  /**
   * AtomicETH expected value.
   *
   * @return all 64 bits; 0 unless {@link Opcode#hasAtomicEth}
   */
  public long atomicCompare() {
    int offset = Opcode.atomicEthOffset(opcode);
    return offset == 0 ? 0 : AtomicEth.compare(buffer, bthOffset + offset);
  }

  /**
   * Original value in an ATOMIC Acknowledge.
   *
   * @return all 64 bits; 0 unless {@link Opcode#hasAtomicAckEth}
   */
  public long atomicOriginal() {
    int offset = Opcode.atomicAckEthOffset(opcode);
    return offset == 0 ? 0 : AtomicAckEth.original(buffer, bthOffset + offset);
  }

  /**
   * XRC shared receive queue number.
   *
   * @return 0..0xFFFFFF; 0 unless {@link Opcode#hasXrcEth}
   */
  public int xrcSrqNumber() {
    int offset = Opcode.xrcEthOffset(opcode);
    return offset == 0 ? 0 : XrcEth.srqNumber(buffer, bthOffset + offset);
  }

  /**
   * FETH selectivity.
   *
   * @return 0..3; 0 unless {@link Opcode#hasFeth}
   */
  public int flushSelectivity() {
    int offset = Opcode.fethOffset(opcode);
    return offset == 0 ? 0 : Feth.selectivity(buffer, bthOffset + offset);
  }

  /**
   * FETH placement type.
   *
   * @return 0..15; 0 unless {@link Opcode#hasFeth}
   */
  public int flushPlacement() {
    int offset = Opcode.fethOffset(opcode);
    return offset == 0 ? 0 : Feth.placement(buffer, bthOffset + offset);
  }
}
