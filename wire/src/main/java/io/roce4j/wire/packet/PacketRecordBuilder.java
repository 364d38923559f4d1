// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

/**
 * Collects the fields of a {@link PacketRecord}. Mutable, one thread; {@link #build} checks them.
 */
public final class PacketRecordBuilder {
  private final int opcode;
  private boolean solicited;
  private boolean migReq = true;
  private int pkey = Bth.DEFAULT_PKEY;
  private boolean fecn;
  private boolean becn;
  private int destQp;
  private boolean ackRequest;
  private int psn;
  private PacketRecord.RethValue reth;
  private PacketRecord.AethValue aeth;
  private PacketRecord.DethValue deth;
  private PacketRecord.AtomicEthValue atomicEth;
  private Long atomicOriginal;
  private Integer immediate;
  private Integer invalidateRkey;
  private Integer xrcSrqNumber;
  private PacketRecord.FethValue feth;
  private PacketRecord.Payload payload = PacketRecord.Payload.EMPTY;

  PacketRecordBuilder(int opcode) {
    this.opcode = opcode;
  }

  /**
   * Sets the solicited event bit.
   *
   * @param value on or off
   * @return this
   */
  public PacketRecordBuilder solicited(boolean value) {
    solicited = value;
    return this;
  }

  /**
   * Sets the migration bit.
   *
   * @param value on or off
   * @return this
   */
  public PacketRecordBuilder migReq(boolean value) {
    migReq = value;
    return this;
  }

  /**
   * Sets the partition key.
   *
   * @param value 0..0xFFFF
   * @return this
   */
  public PacketRecordBuilder pkey(int value) {
    pkey = value;
    return this;
  }

  /**
   * Sets the forward congestion bit.
   *
   * @param value on or off
   * @return this
   */
  public PacketRecordBuilder fecn(boolean value) {
    fecn = value;
    return this;
  }

  /**
   * Sets the backward congestion bit.
   *
   * @param value on or off
   * @return this
   */
  public PacketRecordBuilder becn(boolean value) {
    becn = value;
    return this;
  }

  /**
   * Sets the destination.
   *
   * @param value 0..0xFFFFFF
   * @return this
   */
  public PacketRecordBuilder destQp(int value) {
    destQp = value;
    return this;
  }

  /**
   * Sets the acknowledge request bit.
   *
   * @param value on or off
   * @return this
   */
  public PacketRecordBuilder ackRequest(boolean value) {
    ackRequest = value;
    return this;
  }

  /**
   * Sets the packet sequence number.
   *
   * @param value 0..0xFFFFFF
   * @return this
   */
  public PacketRecordBuilder psn(int value) {
    psn = value;
    return this;
  }

  /**
   * Sets the original data.
   *
   * @param value all 64 bits
   * @return this
   */
  public PacketRecordBuilder atomicOriginal(long value) {
    atomicOriginal = value;
    return this;
  }

  /**
   * Sets the immediate data.
   *
   * @param value all 32 bits
   * @return this
   */
  public PacketRecordBuilder immediate(int value) {
    immediate = value;
    return this;
  }

  /**
   * Sets the remote key to invalidate.
   *
   * @param value all 32 bits
   * @return this
   */
  public PacketRecordBuilder invalidateRkey(int value) {
    invalidateRkey = value;
    return this;
  }

  /**
   * Sets the XRC shared receive queue.
   *
   * @param value 0..0xFFFFFF
   * @return this
   */
  public PacketRecordBuilder xrcSrqNumber(int value) {
    xrcSrqNumber = value;
    return this;
  }

  /**
   * Sets the RETH.
   *
   * @param va virtual address
   * @param rkey remote key
   * @param dmaLength 0..0xFFFFFFFF
   * @return this
   */
  public PacketRecordBuilder reth(long va, int rkey, long dmaLength) {
    reth = new PacketRecord.RethValue(va, rkey, dmaLength);
    return this;
  }

  /**
   * Sets the AETH.
   *
   * @param syndrome 0..0xFF
   * @param msn 0..0xFFFFFF
   * @return this
   */
  public PacketRecordBuilder aeth(int syndrome, int msn) {
    aeth = new PacketRecord.AethValue(syndrome, msn);
    return this;
  }

  /**
   * Sets the DETH.
   *
   * @param qkey queue key
   * @param sourceQp 0..0xFFFFFF
   * @return this
   */
  public PacketRecordBuilder deth(int qkey, int sourceQp) {
    deth = new PacketRecord.DethValue(qkey, sourceQp);
    return this;
  }

  /**
   * Sets the AtomicETH.
   *
   * @param va virtual address
   * @param rkey remote key
   * @param swapOrAdd new value or addend
   * @param compare expected value
   * @return this
   */
  public PacketRecordBuilder atomicEth(long va, int rkey, long swapOrAdd, long compare) {
    atomicEth = new PacketRecord.AtomicEthValue(va, rkey, swapOrAdd, compare);
    return this;
  }

  /**
   * Sets the FETH.
   *
   * @param selectivity 0..3
   * @param placement 0..15
   * @return this
   */
  public PacketRecordBuilder feth(int selectivity, int placement) {
    feth = new PacketRecord.FethValue(selectivity, placement);
    return this;
  }

  /**
   * Sets the payload.
   *
   * @param bytes 0..65507 bytes, copied
   * @return this
   */
  public PacketRecordBuilder payload(byte... bytes) {
    payload = PacketRecord.Payload.of(bytes);
    return this;
  }

  /**
   * Makes the packet.
   *
   * @return the value
   * @throws IllegalArgumentException on a field out of range, a header that is missing or one that
   *     the opcode does not have
   */
  public PacketRecord build() {
    PacketRecord.Headers headers =
        new PacketRecord.Headers(
            reth,
            aeth,
            deth,
            atomicEth,
            atomicOriginal,
            immediate,
            invalidateRkey,
            xrcSrqNumber,
            feth);
    return new PacketRecord(
        opcode, solicited, migReq, pkey, fecn, becn, destQp, ackRequest, psn, headers, payload);
  }
}
