// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import java.util.Arrays;
import java.util.HexFormat;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A packet as a value: every field of BTH and extended headers and a copy of the payload, for tools
 * and tests. Not for the data path: it allocates.
 *
 * <p>Immutable. Headers the opcode does not have are null. {@code emit} after {@code parse} gives
 * the same bytes except for reserved bits (sent as zero), TVer (always 0) and the ICRC, which is
 * not part of the value. For CNPs and multipath opcodes everything behind the BTH counts as
 * payload.
 *
 * @param opcode a defined opcode
 * @param solicited solicited event bit
 * @param migReq migration bit
 * @param pkey 0..0xFFFF
 * @param fecn forward congestion bit
 * @param becn backward congestion bit
 * @param destQp 0..0xFFFFFF
 * @param ackRequest acknowledge request bit
 * @param psn 0..0xFFFFFF
 * @param headers extended headers
 * @param payload payload without pad
 */
public record PacketRecord(
    int opcode,
    boolean solicited,
    boolean migReq,
    int pkey,
    boolean fecn,
    boolean becn,
    int destQp,
    boolean ackRequest,
    int psn,
    Headers headers,
    Payload payload) {

  /** Checks the ranges and that exactly the headers of the opcode are there. */
  public PacketRecord {
    if (opcode < 0 || opcode >= Opcode.COUNT || !Opcode.isDefined(opcode)) {
      throw new IllegalArgumentException(
          "opcode 0x" + Integer.toHexString(opcode) + " is undefined");
    }
    check("pkey", pkey, 0xFFFF);
    check("destQp", destQp, Bth.MASK_24);
    check("psn", psn, Bth.MASK_24);
    if (!isBare(opcode)) {
      headers.checkAgainst(opcode);
    }
  }

  /**
   * RDMA extended header.
   *
   * @param va virtual address, all 64 bits
   * @param rkey remote key
   * @param dmaLength 0..0xFFFFFFFF
   */
  public record RethValue(long va, int rkey, long dmaLength) {}

  /**
   * ACK extended header.
   *
   * @param syndrome 0..0xFF
   * @param msn 0..0xFFFFFF
   */
  public record AethValue(int syndrome, int msn) {}

  /**
   * Datagram extended header.
   *
   * @param qkey queue key
   * @param sourceQp 0..0xFFFFFF
   */
  public record DethValue(int qkey, int sourceQp) {}

  /**
   * Atomic extended header.
   *
   * @param va virtual address, all 64 bits
   * @param rkey remote key
   * @param swapOrAdd new value or addend
   * @param compare expected value
   */
  public record AtomicEthValue(long va, int rkey, long swapOrAdd, long compare) {}

  /**
   * FLUSH extended header.
   *
   * @param selectivity 0..3
   * @param placement 0..15
   */
  public record FethValue(int selectivity, int placement) {}

  /**
   * The extended headers; null says the packet has none of that kind.
   *
   * @param reth RDMA extended header
   * @param aeth ACK extended header
   * @param deth datagram extended header
   * @param atomicEth atomic extended header
   * @param atomicOriginal original data of an ATOMIC Acknowledge
   * @param immediate immediate data
   * @param invalidateRkey remote key to invalidate
   * @param xrcSrqNumber XRC shared receive queue, 0..0xFFFFFF
   * @param feth FLUSH extended header
   */
  public record Headers(
      RethValue reth,
      AethValue aeth,
      DethValue deth,
      AtomicEthValue atomicEth,
      Long atomicOriginal,
      Integer immediate,
      Integer invalidateRkey,
      Integer xrcSrqNumber,
      FethValue feth) {

    /** No extended header at all. */
    public static final Headers NONE =
        new Headers(null, null, null, null, null, null, null, null, null);

    private void checkAgainst(int opcode) {
      expect(opcode, "RETH", Opcode.hasReth(opcode), reth);
      expect(opcode, "AETH", Opcode.hasAeth(opcode), aeth);
      expect(opcode, "DETH", Opcode.hasDeth(opcode), deth);
      expect(opcode, "AtomicETH", Opcode.hasAtomicEth(opcode), atomicEth);
      expect(opcode, "AtomicAckETH", Opcode.hasAtomicAckEth(opcode), atomicOriginal);
      expect(opcode, "ImmDt", Opcode.hasImmDt(opcode), immediate);
      expect(opcode, "IETH", Opcode.hasIeth(opcode), invalidateRkey);
      expect(opcode, "XRCETH", Opcode.hasXrcEth(opcode), xrcSrqNumber);
      expect(opcode, "FETH", Opcode.hasFeth(opcode), feth);
    }

    private static void expect(int opcode, String header, boolean wanted, Object value) {
      if (wanted != (value != null)) {
        throw new IllegalArgumentException(
            Opcode.name(opcode) + (wanted ? " needs a " : " has no ") + header);
      }
    }

    private static Headers read(PacketView view) {
      int opcode = view.opcode();
      return new Headers(
          Opcode.hasReth(opcode)
              ? new RethValue(view.rethVa(), view.rethRkey(), view.rethLength())
              : null,
          Opcode.hasAeth(opcode) ? new AethValue(view.syndrome(), view.msn()) : null,
          Opcode.hasDeth(opcode) ? new DethValue(view.qkey(), view.sourceQp()) : null,
          Opcode.hasAtomicEth(opcode)
              ? new AtomicEthValue(
                  view.atomicVa(), view.atomicRkey(), view.atomicSwapOrAdd(), view.atomicCompare())
              : null,
          Opcode.hasAtomicAckEth(opcode) ? view.atomicOriginal() : null,
          Opcode.hasImmDt(opcode) ? view.immediate() : null,
          Opcode.hasIeth(opcode) ? view.invalidateRkey() : null,
          Opcode.hasXrcEth(opcode) ? view.xrcSrqNumber() : null,
          Opcode.hasFeth(opcode)
              ? new FethValue(view.flushSelectivity(), view.flushPlacement())
              : null);
    }

    private void write(MutableDirectBuffer buffer, int bth, int opcode) {
      if (reth != null) {
        Reth.write(
            buffer, bth + Opcode.rethOffset(opcode), reth.va(), reth.rkey(), reth.dmaLength());
      }
      if (aeth != null) {
        Aeth.write(buffer, bth + Opcode.aethOffset(opcode), aeth.syndrome(), aeth.msn());
      }
      if (deth != null) {
        Deth.write(buffer, bth + Opcode.dethOffset(opcode), deth.qkey(), deth.sourceQp());
      }
      if (atomicEth != null) {
        int offset = bth + Opcode.atomicEthOffset(opcode);
        AtomicEth.write(
            buffer,
            offset,
            atomicEth.va(),
            atomicEth.rkey(),
            atomicEth.swapOrAdd(),
            atomicEth.compare());
      }
      if (atomicOriginal != null) {
        AtomicAckEth.original(buffer, bth + Opcode.atomicAckEthOffset(opcode), atomicOriginal);
      }
      if (immediate != null) {
        ImmDt.immediate(buffer, bth + Opcode.immDtOffset(opcode), immediate);
      }
      if (invalidateRkey != null) {
        Ieth.rkey(buffer, bth + Opcode.iethOffset(opcode), invalidateRkey);
      }
      if (xrcSrqNumber != null) {
        XrcEth.write(buffer, bth + Opcode.xrcEthOffset(opcode), xrcSrqNumber);
      }
      if (feth != null) {
        Feth.write(buffer, bth + Opcode.fethOffset(opcode), feth.selectivity(), feth.placement());
      }
    }

    private void print(StringBuilder line) {
      if (deth != null) {
        line.append(String.format(" qkey 0x%08x srcQp 0x%06x", deth.qkey(), deth.sourceQp()));
      }
      if (xrcSrqNumber != null) {
        line.append(String.format(" srq 0x%06x", xrcSrqNumber));
      }
      if (feth != null) {
        line.append(" flush ").append(feth.selectivity()).append('/').append(feth.placement());
      }
      if (reth != null) {
        line.append(
            String.format(
                " va 0x%016x rkey 0x%08x len %d", reth.va(), reth.rkey(), reth.dmaLength()));
      }
      if (atomicEth != null) {
        line.append(
            String.format(
                " va 0x%016x rkey 0x%08x swapOrAdd 0x%016x compare 0x%016x",
                atomicEth.va(), atomicEth.rkey(), atomicEth.swapOrAdd(), atomicEth.compare()));
      }
      if (aeth != null) {
        line.append(' ').append(Syndrome.describe(aeth.syndrome())).append(" msn ");
        line.append(aeth.msn());
      }
      if (atomicOriginal != null) {
        line.append(String.format(" original 0x%016x", atomicOriginal));
      }
      if (immediate != null) {
        line.append(String.format(" imm 0x%08x", immediate));
      }
      if (invalidateRkey != null) {
        line.append(String.format(" invalidate rkey 0x%08x", invalidateRkey));
      }
    }
  }

  /** Payload bytes as a value. Immutable. */
  public static final class Payload {
    /** No payload. */
    public static final Payload EMPTY = new Payload(new byte[0]);

    private final byte[] bytes;

    private Payload(byte[] bytes) {
      this.bytes = bytes;
    }

    /**
     * Copies bytes.
     *
     * @param bytes 0..65507 bytes
     * @return the payload
     */
    public static Payload of(byte... bytes) {
      return new Payload(bytes.clone());
    }

    /** {@return number of bytes} */
    public int length() {
      return bytes.length;
    }

    /** {@return a copy of the bytes} */
    public byte[] toBytes() {
      return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Payload payload && Arrays.equals(bytes, payload.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }

    /** {@return hex digits, at most the first 32 bytes of them} */
    @Override
    public String toString() {
      int shown = Math.min(bytes.length, 32);
      String digits = HexFormat.of().formatHex(bytes, 0, shown);
      return shown < bytes.length ? digits + "..." : digits;
    }
  }

  /**
   * Copies a checked packet.
   *
   * @param view last wrap was {@link WireFault#OK}
   * @return the value
   */
  public static PacketRecord parse(PacketView view) {
    DirectBuffer buffer = view.buffer();
    int bth = view.bthOffset();
    boolean bare = isBare(view.opcode());
    int headerLength = bare ? Bth.LENGTH : view.headerLength();
    byte[] bytes =
        new byte[view.length() - headerLength - view.padCount() - PacketWriter.ICRC_LENGTH];
    buffer.getBytes(bth + headerLength, bytes);
    return new PacketRecord(
        view.opcode(),
        view.solicited(),
        view.migReq(),
        view.pkey(),
        Bth.fecn(buffer, bth),
        view.becn(),
        view.destQp(),
        view.ackRequest(),
        view.psn(),
        bare ? Headers.NONE : Headers.read(view),
        new Payload(bytes));
  }

  /**
   * Starts a packet with pkey 0xFFFF, MigReq 1 and everything else 0.
   *
   * @param opcode a defined opcode
   * @return a builder
   */
  public static PacketRecordBuilder of(int opcode) {
    return new PacketRecordBuilder(opcode);
  }

  /** {@return bytes from BTH to ICRC} */
  public int length() {
    int pad = PacketWriter.padCount(payload.length());
    return headerLength() + payload.length() + pad + PacketWriter.ICRC_LENGTH;
  }

  /**
   * Writes the packet with zeroed pad and ICRC; seal it afterwards.
   *
   * @param buffer receives {@link #length} bytes
   * @param offset first byte of the BTH
   * @return {@link #length}
   */
  public int emit(MutableDirectBuffer buffer, int offset) {
    int length = length();
    buffer.setMemory(offset, length, (byte) 0);
    int pad = PacketWriter.padCount(payload.length());
    Bth.write(buffer, offset, opcode, solicited, migReq, pad, pkey, destQp, ackRequest, psn);
    Bth.fecn(buffer, offset, fecn);
    Bth.becn(buffer, offset, becn);
    headers.write(buffer, offset, opcode);
    buffer.putBytes(offset + headerLength(), payload.bytes);
    return length;
  }

  /** {@return one line: opcode name, destination, PSN, flags, headers, payload length} */
  @Override
  public String toString() {
    StringBuilder line = new StringBuilder(Opcode.name(opcode));
    line.append(String.format(" qp 0x%06x psn %d", destQp, psn));
    line.append(solicited ? " SE" : "").append(ackRequest ? " A" : "").append(migReq ? " M" : "");
    line.append(fecn ? " FECN" : "").append(becn ? " BECN" : "");
    if (pkey != Bth.DEFAULT_PKEY) {
      line.append(String.format(" pkey 0x%04x", pkey));
    }
    headers.print(line);
    return line.append(" payload ").append(payload.length()).toString();
  }

  private static boolean isBare(int opcode) {
    return Opcode.isCnp(opcode) || Opcode.transportClass(opcode) == Opcode.CLASS_MX;
  }

  private int headerLength() {
    return isBare(opcode) ? Bth.LENGTH : Opcode.headerLength(opcode);
  }

  private static void check(String field, int value, int max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(
          field + " 0x" + Integer.toHexString(value) + " is above 0x" + Integer.toHexString(max));
    }
  }
}
