// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.verbs.SendFlags;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.mx.Ath;
import io.roce4j.wire.mx.Mxmh;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.mx.Rqh;
import io.roce4j.wire.mx.Rrh;
import io.roce4j.wire.packet.AtomicAckEth;
import io.roce4j.wire.packet.AtomicEth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Reth;
import org.agrona.concurrent.UnsafeBuffer;

/** Sizes and bytes of what follows the MXTH in numbered packets. */
final class MxBody {
  /** ImmDt and RQH in the last packet of a WRITE with immediate. */
  static final int WRITE_IMMEDIATE = 4 + Rqh.LENGTH;

  /** ImmDt or IETH in the last packet of a SEND. */
  static final int SEND_EXTRA = 4;

  private static final int MXMH_AT = Bth.LENGTH + Mxth.LENGTH;
  private static final int HEADERS_AT = MXMH_AT + Mxmh.LENGTH;
  private static final int[] HEADERS = {
    Reth.LENGTH,
    Rqh.LENGTH,
    Reth.LENGTH,
    AtomicEth.LENGTH + Ath.LENGTH,
    Rrh.LENGTH,
    AtomicAckEth.LENGTH
  };

  private MxBody() {}

  /** Bytes of a whole packet, ICRC included. */
  static int packetLength(int kind, int extra, int payload) {
    return HEADERS_AT
        + HEADERS[kind]
        + extra
        + payload
        + PacketWriter.padCount(payload)
        + PacketWriter.ICRC_LENGTH;
  }

  /**
   * Writes the headers of a request fragment.
   *
   * @return where the payload goes
   */
  static int writeRequest(
      UnsafeBuffer buffer,
      int bthOffset,
      SendQueue queue,
      int slot,
      int kind,
      long from,
      boolean last,
      int msn) {
    int opcode = queue.opcode(slot);
    int mflags = (from == 0 ? Mxmh.FIRST : 0) | (last ? Mxmh.LAST : 0) | flagsOf(queue, slot, last);
    Mxmh.write(buffer, bthOffset + MXMH_AT, mflags, msn, from);
    int at = bthOffset + HEADERS_AT;
    int rqMsn = (int) (queue.engineWord(slot, 0) >>> 32);
    if (kind == FragmentTable.KIND_SEND) {
      Rqh.write(buffer, at, rqMsn, queue.totalLength(slot));
      at += Rqh.LENGTH;
      if (last && opcode != WorkRequestOpcode.SEND) {
        boolean immediate = opcode == WorkRequestOpcode.SEND_WITH_IMM;
        int value = immediate ? queue.immediate(slot) : queue.invalidateRkey(slot);
        buffer.putInt(at, value, BIG_ENDIAN);
        at += SEND_EXTRA;
      }
      return at;
    }
    if (kind == FragmentTable.KIND_ATOMIC_REQUEST) {
      return writeAtomic(buffer, at, queue, slot, opcode);
    }
    long offset = kind == FragmentTable.KIND_WRITE ? from : 0;
    Reth.write(
        buffer, at, queue.remoteVa(slot) + offset, queue.rkey(slot), queue.totalLength(slot));
    at += Reth.LENGTH;
    if (last && opcode == WorkRequestOpcode.RDMA_WRITE_WITH_IMM) {
      buffer.putInt(at, queue.immediate(slot), BIG_ENDIAN);
      Rqh.write(buffer, at + 4, rqMsn, queue.totalLength(slot));
      at += WRITE_IMMEDIATE;
    }
    return at;
  }

  private static int flagsOf(SendQueue queue, int slot, boolean last) {
    int flags = queue.flags(slot);
    int mflags = (flags & SendFlags.FENCE) != 0 ? Mxmh.FENCE : 0;
    if (!last) {
      return mflags;
    }
    mflags |= (flags & SendFlags.SOLICITED) != 0 ? Mxmh.SOLICITED : 0;
    return switch (queue.opcode(slot)) {
      case WorkRequestOpcode.SEND_WITH_IMM, WorkRequestOpcode.RDMA_WRITE_WITH_IMM ->
          mflags | Mxmh.IMMEDIATE;
      case WorkRequestOpcode.SEND_WITH_INV -> mflags | Mxmh.INVALIDATE;
      default -> mflags;
    };
  }

  private static int writeAtomic(
      UnsafeBuffer buffer, int at, SendQueue queue, int slot, int opcode) {
    boolean swap = opcode == WorkRequestOpcode.ATOMIC_CMP_AND_SWP;
    AtomicEth.write(
        buffer,
        at,
        queue.remoteVa(slot),
        queue.rkey(slot),
        swap ? queue.swap(slot) : queue.compareAdd(slot),
        swap ? queue.compareAdd(slot) : 0);
    Ath.write(buffer, at + AtomicEth.LENGTH, swap ? Ath.COMPARE_SWAP : Ath.FETCH_ADD);
    return at + AtomicEth.LENGTH + Ath.LENGTH;
  }

  /**
   * Writes the headers of a READ response fragment.
   *
   * @return where the payload goes
   */
  static int writeReadResponse(
      UnsafeBuffer buffer,
      int bthOffset,
      int msn,
      long from,
      boolean last,
      int syndrome,
      long total) {
    int mflags = (from == 0 ? Mxmh.FIRST : 0) | (last ? Mxmh.LAST : 0);
    Mxmh.write(buffer, bthOffset + MXMH_AT, mflags, msn, from);
    Rrh.write(buffer, bthOffset + HEADERS_AT, syndrome, total);
    return bthOffset + HEADERS_AT + Rrh.LENGTH;
  }

  /**
   * Writes the headers of an atomic response.
   *
   * @return where the (empty) payload goes
   */
  static int writeAtomicResponse(UnsafeBuffer buffer, int bthOffset, int msn, long original) {
    Mxmh.write(buffer, bthOffset + MXMH_AT, Mxmh.FIRST | Mxmh.LAST, msn, 0);
    AtomicAckEth.original(buffer, bthOffset + HEADERS_AT, original);
    return bthOffset + HEADERS_AT + AtomicAckEth.LENGTH;
  }

  /**
   * Writes the pad behind a payload.
   *
   * @return bytes of the whole packet, ICRC included
   */
  static int finish(UnsafeBuffer buffer, int bthOffset, int payloadAt, int payload) {
    int end = payloadAt + payload;
    int pad = PacketWriter.padCount(payload);
    for (int i = 0; i < pad; i++) {
      buffer.putByte(end + i, (byte) 0);
    }
    return end + pad + PacketWriter.ICRC_LENGTH - bthOffset;
  }
}
