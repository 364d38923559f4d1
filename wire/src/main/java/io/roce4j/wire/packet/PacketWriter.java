// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import org.agrona.MutableDirectBuffer;

/**
 * Writes packets into a claimed slot: BTH, extended headers, zeroed pad, room for the ICRC.
 *
 * <p>Use: {@link #begin} writes the BTH and the pad and returns the length to commit; the caller
 * puts the payload at {@link #payloadOffset} and, for other headers than those the methods here
 * write, fills them in with the header classes at the offsets of {@link Opcode}. The ICRC is left
 * to the port, which alone knows the IP header ({@code io.roce4j.wire.icrc.Icrc#seal}).
 *
 * <p>Nothing is read from the slot before it is written: a reused slot may hold anything. Every BTH
 * has MigReq 1, TVer 0, FECN and BECN 0 [FC-09]. Stateless; any thread.
 */
public final class PacketWriter {
  /** Bytes of the ICRC at the end of every packet. */
  public static final int ICRC_LENGTH = 4;

  /** Bytes of a congestion notification: BTH, 16 reserved bytes, ICRC. */
  public static final int CNP_LENGTH = 32;

  private static final int PAD_MASK = 3;
  private static final boolean MIGRATED = true;

  private PacketWriter() {}

  /**
   * Pad bytes that bring a payload to a multiple of four.
   *
   * @param payloadLength 0 or more
   * @return 0..3
   */
  public static int padCount(int payloadLength) {
    return -payloadLength & PAD_MASK;
  }

  /**
   * Bytes from BTH to ICRC of a packet.
   *
   * @param opcode a defined opcode
   * @param payloadLength 0..65507
   * @return the UDP payload length
   */
  public static int packetLength(int opcode, int payloadLength) {
    return Opcode.headerLength(opcode) + payloadLength + padCount(payloadLength) + ICRC_LENGTH;
  }

  /**
   * Where the payload of a packet goes.
   *
   * @param bthOffset first byte of the BTH
   * @param opcode a defined opcode
   * @return an index into the same buffer
   */
  public static int payloadOffset(int bthOffset, int opcode) {
    return bthOffset + Opcode.headerLength(opcode);
  }

  /**
   * Writes the BTH and zeroes the pad.
   *
   * @param buffer receives the packet
   * @param bthOffset first byte of the BTH
   * @param opcode a defined opcode
   * @param payloadLength 0..65507; the pad count follows from it
   * @param solicited solicited event bit
   * @param pkey 0..0xFFFF
   * @param destQp 0..0xFFFFFF
   * @param ackRequest acknowledge request bit
   * @param psn 0..0xFFFFFF
   * @return {@link #packetLength}: what to commit
   */
  public static int begin(
      MutableDirectBuffer buffer,
      int bthOffset,
      int opcode,
      int payloadLength,
      boolean solicited,
      int pkey,
      int destQp,
      boolean ackRequest,
      int psn) {
    int pad = padCount(payloadLength);
    Bth.write(buffer, bthOffset, opcode, solicited, MIGRATED, pad, pkey, destQp, ackRequest, psn);
    int padOffset = bthOffset + Opcode.headerLength(opcode) + payloadLength;
    for (int i = 0; i < pad; i++) {
      buffer.putByte(padOffset + i, (byte) 0);
    }
    return padOffset + pad + ICRC_LENGTH - bthOffset;
  }

  /**
   * Writes an RDMA READ request.
   *
   * @param buffer receives the packet
   * @param bthOffset first byte of the BTH
   * @param pkey 0..0xFFFF
   * @param destQp 0..0xFFFFFF
   * @param psn 0..0xFFFFFF, the PSN of the first response
   * @param va virtual address at the responder
   * @param rkey remote key
   * @param dmaLength bytes to read, 0..2^31
   * @return bytes to commit, 32
   */
  public static int readRequest(
      MutableDirectBuffer buffer,
      int bthOffset,
      int pkey,
      int destQp,
      int psn,
      long va,
      int rkey,
      long dmaLength) {
    int opcode = Opcode.RC_READ_REQUEST;
    int length = begin(buffer, bthOffset, opcode, 0, false, pkey, destQp, true, psn);
    Reth.write(buffer, bthOffset + Opcode.rethOffset(opcode), va, rkey, dmaLength);
    return length;
  }

  /**
   * Writes a CmpSwap or FetchAdd request.
   *
   * @param buffer receives the packet
   * @param bthOffset first byte of the BTH
   * @param opcode {@link Opcode#RC_CMP_SWAP} or {@link Opcode#RC_FETCH_ADD}
   * @param pkey 0..0xFFFF
   * @param destQp 0..0xFFFFFF
   * @param psn 0..0xFFFFFF
   * @param va virtual address at the responder
   * @param rkey remote key
   * @param swapOrAdd new value or addend
   * @param compare expected value; 0 for FetchAdd
   * @return bytes to commit, 44
   */
  public static int atomicRequest(
      MutableDirectBuffer buffer,
      int bthOffset,
      int opcode,
      int pkey,
      int destQp,
      int psn,
      long va,
      int rkey,
      long swapOrAdd,
      long compare) {
    int length = begin(buffer, bthOffset, opcode, 0, false, pkey, destQp, true, psn);
    int header = bthOffset + Opcode.atomicEthOffset(opcode);
    AtomicEth.write(buffer, header, va, rkey, swapOrAdd, compare);
    return length;
  }

  /**
   * Writes an Acknowledge, the form of every ACK, RNR NAK and NAK, that of a failed READ or atomic
   * included [FC-08].
   *
   * @param buffer receives the packet
   * @param bthOffset first byte of the BTH
   * @param pkey 0..0xFFFF
   * @param destQp 0..0xFFFFFF
   * @param psn 0..0xFFFFFF
   * @param syndrome 0..0xFF, see {@link Syndrome}
   * @param msn 0..0xFFFFFF
   * @return bytes to commit, 20
   */
  public static int ack(
      MutableDirectBuffer buffer,
      int bthOffset,
      int pkey,
      int destQp,
      int psn,
      int syndrome,
      int msn) {
    int length = begin(buffer, bthOffset, Opcode.RC_ACK, 0, false, pkey, destQp, false, psn);
    Aeth.write(buffer, bthOffset + Opcode.aethOffset(Opcode.RC_ACK), syndrome, msn);
    return length;
  }

  /**
   * Writes an ATOMIC Acknowledge.
   *
   * @param buffer receives the packet
   * @param bthOffset first byte of the BTH
   * @param pkey 0..0xFFFF
   * @param destQp 0..0xFFFFFF
   * @param psn 0..0xFFFFFF, that of the request
   * @param syndrome an ACK syndrome
   * @param msn 0..0xFFFFFF
   * @param original what the word held before
   * @return bytes to commit, 28
   */
  public static int atomicAck(
      MutableDirectBuffer buffer,
      int bthOffset,
      int pkey,
      int destQp,
      int psn,
      int syndrome,
      int msn,
      long original) {
    int opcode = Opcode.RC_ATOMIC_ACK;
    int length = begin(buffer, bthOffset, opcode, 0, false, pkey, destQp, false, psn);
    Aeth.write(buffer, bthOffset + Opcode.aethOffset(opcode), syndrome, msn);
    AtomicAckEth.original(buffer, bthOffset + Opcode.atomicAckEthOffset(opcode), original);
    return length;
  }

  /**
   * Writes a congestion notification (annex A17): MigReq, AckReq and PSN 0, BECN 1, sixteen zero
   * bytes.
   *
   * @param buffer receives the packet
   * @param bthOffset first byte of the BTH
   * @param pkey 0..0xFFFF
   * @param destQp queue pair number of the sender of the marked packets, 0..0xFFFFFF
   * @return bytes to commit, {@link #CNP_LENGTH}
   */
  public static int cnp(MutableDirectBuffer buffer, int bthOffset, int pkey, int destQp) {
    Bth.write(buffer, bthOffset, Opcode.CNP, false, false, 0, pkey, destQp, false, 0);
    Bth.becn(buffer, bthOffset, true);
    buffer.putLong(bthOffset + Bth.LENGTH, 0L);
    buffer.putLong(bthOffset + Bth.LENGTH + Long.BYTES, 0L);
    return CNP_LENGTH;
  }
}
