// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.wire.packet.AtomicEth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.Reth;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An MX packet seen as bytes: lengths and flags are checked once by {@link #wrap}, after that no
 * accessor can fail.
 *
 * <p>The view judges what the bytes alone decide; whether a CPSN, key or message fits a connection
 * is decided by others. Ask only for headers the opcode has: an accessor of another header reads
 * whatever lies there. A reusable cursor for one thread; it keeps no bytes.
 */
public final class MxPacketView {
  private static final int ICRC_LENGTH = 4;
  private static final int MXTH_AT = Bth.LENGTH;
  private static final int MXMH_AT = MXTH_AT + Mxth.LENGTH;
  private static final int BODY_AT = MXMH_AT + Mxmh.LENGTH;
  private static final int IMMEDIATE_LENGTH = 4;
  private static final int ATOMIC_RESULT_LENGTH = 8;
  private static final int LONGEST = 160;
  private static final DirectBuffer NOTHING = new UnsafeBuffer(new byte[LONGEST]);

  private DirectBuffer buffer = NOTHING;
  private int start;
  private int opcode;
  private int headerLength = Bth.LENGTH;
  private int payloadLength;
  private int mflags;
  private int extraAt;
  private int rqhAt;

  /** Makes a view of no packet. */
  public MxPacketView() {}

  /**
   * Points the view at a packet and checks it. After a fault the view shows nothing useful.
   *
   * @param packet holds the packet
   * @param bthOffset first byte of the BTH
   * @param length bytes of BTH, headers, payload, pad and ICRC; the caller vouches that the buffer
   *     holds them
   * @return {@link MxFault#OK} or why the packet is to be dropped
   */
  public int wrap(DirectBuffer packet, int bthOffset, int length) {
    buffer = packet;
    start = bthOffset;
    payloadLength = 0;
    mflags = 0;
    extraAt = 0;
    rqhAt = 0;
    if (length < Bth.LENGTH + ICRC_LENGTH) {
      return MxFault.TRUNCATED;
    }
    opcode = Bth.opcode(packet, bthOffset);
    int room = length - ICRC_LENGTH - Bth.padCount(packet, bthOffset);
    return switch (opcode) {
      case Opcode.MX_WRITE,
          Opcode.MX_SEND,
          Opcode.MX_READ_REQUEST,
          Opcode.MX_READ_RESP,
          Opcode.MX_ATOMIC_REQUEST,
          Opcode.MX_ATOMIC_RESP ->
          wrapMessage(room);
      case Opcode.MX_VOID -> wrapVoid(room);
      case Opcode.MX_SACK -> pathAnd(room, MXTH_AT + Sackh.LENGTH, MXTH_AT);
      case Opcode.MX_NACK -> pathAnd(room, MXTH_AT + Nackh.LENGTH, MXTH_AT + 1);
      case Opcode.MX_PROBE -> pathAnd(room, MXTH_AT + Probeh.LENGTH, MXTH_AT);
      case Opcode.MX_PROBE_ACK -> pathAnd(room, MXTH_AT + Sackh.LENGTH + Probeah.LENGTH, MXTH_AT);
      case Opcode.MX_CTRL -> wrapControl(room);
      default -> MxFault.NOT_MX;
    };
  }

  private int wrapControl(int room) {
    headerLength = MXTH_AT + Ctrlh.LENGTH;
    payloadLength = room - headerLength;
    return payloadLength < 0 ? MxFault.TRUNCATED : MxFault.OK;
  }

  private int wrapVoid(int room) {
    int fault = exact(room, MXTH_AT + Mxth.LENGTH);
    return fault == MxFault.OK ? transportFault() : fault;
  }

  private int exact(int room, int headers) {
    headerLength = headers;
    return room == headers ? MxFault.OK : room < headers ? MxFault.TRUNCATED : MxFault.EXCESS_BYTES;
  }

  private int pathAnd(int room, int headers, int pathAt) {
    int fault = exact(room, headers);
    if (fault != MxFault.OK) {
      return fault;
    }
    int path = buffer.getByte(start + pathAt) & 0xFF;
    return path > Mxth.PATH_ID_MAX ? MxFault.BAD_PATH : MxFault.OK;
  }

  private int transportFault() {
    if (Mxth.version(buffer, start + MXTH_AT) != Mxth.VERSION) {
      return MxFault.BAD_VERSION;
    }
    if (Mxth.pathId(buffer, start + MXTH_AT) > Mxth.PATH_ID_MAX) {
      return MxFault.BAD_PATH;
    }
    boolean response = opcode == Opcode.MX_READ_RESP || opcode == Opcode.MX_ATOMIC_RESP;
    return opcode != Opcode.MX_VOID && response != responseHalf() ? MxFault.WRONG_HALF : MxFault.OK;
  }

  private int wrapMessage(int room) {
    int fixed = Opcode.headerLength(opcode);
    if (room < fixed) {
      return MxFault.TRUNCATED;
    }
    int fault = transportFault();
    if (fault != MxFault.OK) {
      return fault;
    }
    mflags = Mxmh.mflags(buffer, start + MXMH_AT);
    boolean immediate = (mflags & Mxmh.IMMEDIATE) != 0;
    boolean invalidate = (mflags & Mxmh.INVALIDATE) != 0;
    if (!flagsFit(immediate, invalidate)) {
      return MxFault.BAD_FLAGS;
    }
    headerLength = fixed;
    if (immediate || invalidate) {
      extraAt = fixed;
      headerLength += IMMEDIATE_LENGTH;
    }
    if (opcode == Opcode.MX_SEND) {
      rqhAt = BODY_AT;
    } else if (immediate) {
      rqhAt = headerLength;
      headerLength += Rqh.LENGTH;
    }
    payloadLength = room - headerLength;
    if (payloadLength < 0) {
      return MxFault.TRUNCATED;
    }
    return bodyFault();
  }

  /**
   * Immediate and invalidate stand only in the last packet, and only where the operation has them.
   */
  private boolean flagsFit(boolean immediate, boolean invalidate) {
    boolean last = (mflags & Mxmh.LAST) != 0;
    if ((immediate || invalidate) && (!last || (immediate && invalidate))) {
      return false;
    }
    if (opcode == Opcode.MX_SEND) {
      return true;
    }
    if (opcode == Opcode.MX_WRITE) {
      return !invalidate;
    }
    boolean single = last && (mflags & Mxmh.FIRST) != 0;
    return !immediate && !invalidate && (opcode == Opcode.MX_READ_RESP || single);
  }

  private int bodyFault() {
    boolean bare =
        opcode == Opcode.MX_READ_REQUEST
            || opcode == Opcode.MX_ATOMIC_REQUEST
            || opcode == Opcode.MX_ATOMIC_RESP;
    if (bare && payloadLength != 0) {
      return MxFault.EXCESS_BYTES;
    }
    if (rqhAt != 0 && Rqh.matchType(buffer, start + rqhAt) != Rqh.MATCH_INDEX) {
      return MxFault.BAD_KIND;
    }
    if (opcode == Opcode.MX_ATOMIC_REQUEST) {
      int kind = atomicKind();
      return kind == Ath.COMPARE_SWAP || kind == Ath.FETCH_ADD ? MxFault.OK : MxFault.BAD_KIND;
    }
    if (opcode == Opcode.MX_READ_RESP && readSyndrome() != 0) {
      boolean single = isFirst() && isLast();
      return payloadLength != 0 ? MxFault.EXCESS_BYTES : single ? MxFault.OK : MxFault.BAD_FLAGS;
    }
    boolean tooLong =
        messageLength() > Mxmh.MESSAGE_LENGTH_MAX
            || (rqhAt != 0 && Rqh.messageLength(buffer, start + rqhAt) > Mxmh.MESSAGE_LENGTH_MAX)
            || messageOffset() + payloadLength > Mxmh.MESSAGE_LENGTH_MAX;
    return tooLong ? MxFault.BAD_LENGTH : MxFault.OK;
  }

  /**
   * The buffer of the last {@link #wrap}.
   *
   * @return the buffer, lent
   */
  public DirectBuffer buffer() {
    return buffer;
  }

  /**
   * Where the BTH starts.
   *
   * @return an index into {@link #buffer}
   */
  public int bthOffset() {
    return start;
  }

  /**
   * The opcode.
   *
   * @return one of the MX opcodes
   */
  public int opcode() {
    return opcode;
  }

  /**
   * Whether the packet carries a CPSN and a pseq.
   *
   * @return true for data, requests, responses and VOID
   */
  public boolean isNumbered() {
    return opcode <= Opcode.MX_VOID;
  }

  /**
   * Bytes of all headers.
   *
   * @return 20..84
   */
  public int headerLength() {
    return headerLength;
  }

  /**
   * Where the payload starts.
   *
   * @return an index into {@link #buffer}
   */
  public int payloadOffset() {
    return start + headerLength;
  }

  /**
   * Payload bytes without pad; for MX_CTRL the bytes of its TLVs.
   *
   * @return 0 or more
   */
  public int payloadLength() {
    return payloadLength;
  }

  /**
   * BTH.PSN: the CPSN of a fragment, or the cumulative or concerned CPSN of an acknowledgement.
   *
   * @return 0..0xFFFFFF
   */
  public int psn() {
    return Bth.psn(buffer, start);
  }

  /**
   * BTH.DestQP: the connection QPN of the receiver.
   *
   * @return 0..0xFFFFFF
   */
  public int destQp() {
    return Bth.destQp(buffer, start);
  }

  /**
   * Whether an immediate acknowledgement is asked for.
   *
   * @return BTH.A
   */
  public boolean ackRequest() {
    return Bth.ackRequest(buffer, start);
  }

  /**
   * Which half of the connection the packet belongs to or speaks of.
   *
   * @return true for the response half
   */
  public boolean responseHalf() {
    return switch (opcode) {
      case Opcode.MX_SACK, Opcode.MX_PROBE_ACK ->
          (Sackh.sflags(buffer, start + MXTH_AT) & Sackh.RESPONSE_HALF) != 0;
      case Opcode.MX_NACK -> (Nackh.nflags(buffer, start + MXTH_AT) & Nackh.RESPONSE_HALF) != 0;
      case Opcode.MX_PROBE -> (Probeh.pflags(buffer, start + MXTH_AT) & Probeh.RESPONSE_HALF) != 0;
      case Opcode.MX_CTRL -> (Ctrlh.cflags(buffer, start + MXTH_AT) & Ctrlh.RESPONSE_HALF) != 0;
      default -> (Mxth.tflags(buffer, start + MXTH_AT) & Mxth.RESPONSE_HALF) != 0;
    };
  }

  /**
   * Where the first header behind the BTH starts: MXTH, SACKH, NACKH, PROBEH or CTRLH.
   *
   * @return an index into {@link #buffer}
   */
  public int headOffset() {
    return start + MXTH_AT;
  }

  /**
   * Where the PROBEAH of an MX_PROBE_ACK starts.
   *
   * @return an index into {@link #buffer}; meaningless for other opcodes
   */
  public int probeAckOffset() {
    return start + MXTH_AT + Sackh.LENGTH;
  }

  /**
   * Message flags.
   *
   * @return bits of {@link Mxmh}, 0 without an MXMH
   */
  public int mflags() {
    return mflags;
  }

  /**
   * Whether this is the first fragment of its message.
   *
   * @return {@link Mxmh#FIRST}
   */
  public boolean isFirst() {
    return (mflags & Mxmh.FIRST) != 0;
  }

  /**
   * Whether this is the last fragment of its message.
   *
   * @return {@link Mxmh#LAST}
   */
  public boolean isLast() {
    return (mflags & Mxmh.LAST) != 0;
  }

  /**
   * Whether immediate data are present.
   *
   * @return {@link Mxmh#IMMEDIATE}, which stands only in the last packet
   */
  public boolean hasImmediate() {
    return (mflags & Mxmh.IMMEDIATE) != 0;
  }

  /**
   * Whether a key to invalidate is present.
   *
   * @return {@link Mxmh#INVALIDATE}, which stands only in the last packet
   */
  public boolean hasInvalidate() {
    return (mflags & Mxmh.INVALIDATE) != 0;
  }

  /**
   * Message number in its stream.
   *
   * @return 0..0xFFFFFF; meaningless without an MXMH
   */
  public int msn() {
    return Mxmh.msn(buffer, start + MXMH_AT);
  }

  /**
   * Where the payload starts in its message.
   *
   * @return 0..2^31; meaningless without an MXMH
   */
  public long messageOffset() {
    return Mxmh.messageOffset(buffer, start + MXMH_AT);
  }

  /**
   * Length of the whole message, from RETH, RQH or RRH.
   *
   * @return 0..2^31; 8 for atomics
   */
  public long messageLength() {
    return switch (opcode) {
      case Opcode.MX_WRITE, Opcode.MX_READ_REQUEST -> Reth.dmaLength(buffer, start + BODY_AT);
      case Opcode.MX_SEND -> Rqh.messageLength(buffer, start + BODY_AT);
      case Opcode.MX_READ_RESP -> Rrh.totalLength(buffer, start + BODY_AT);
      default -> ATOMIC_RESULT_LENGTH;
    };
  }

  /**
   * RETH or AtomicETH address.
   *
   * @return all 64 bits; meaningless without either
   */
  public long va() {
    return Reth.va(buffer, start + BODY_AT);
  }

  /**
   * RETH or AtomicETH key.
   *
   * @return all 32 bits; meaningless without either
   */
  public int rkey() {
    return Reth.rkey(buffer, start + BODY_AT);
  }

  /**
   * Whether the packet names a receive request.
   *
   * @return true for SEND and for the last packet of a WRITE with immediate
   */
  public boolean hasReceiveIndex() {
    return rqhAt != 0;
  }

  /**
   * Index of the receive request.
   *
   * @return 0..0xFFFFFF; meaningless unless {@link #hasReceiveIndex}
   */
  public int rqMsn() {
    return Rqh.rqMsn(buffer, start + rqhAt);
  }

  /**
   * Message length in the RQH.
   *
   * @return 0..2^31; meaningless unless {@link #hasReceiveIndex}
   */
  public long receiveLength() {
    return Rqh.messageLength(buffer, start + rqhAt);
  }

  /**
   * Immediate data or key to invalidate.
   *
   * @return all 32 bits; meaningless unless {@link #hasImmediate} or {@link #hasInvalidate}
   */
  public int immediateOrKey() {
    return buffer.getInt(start + extraAt, BIG_ENDIAN);
  }

  /**
   * Syndrome of an MX_READ_RESP.
   *
   * @return 0 for data, else a {@link NackReason}
   */
  public int readSyndrome() {
    return Rrh.syndrome(buffer, start + BODY_AT);
  }

  /**
   * Kind of an MX_ATOMIC_REQUEST.
   *
   * @return {@link Ath#COMPARE_SWAP} or {@link Ath#FETCH_ADD}
   */
  public int atomicKind() {
    return Ath.kind(buffer, start + BODY_AT + AtomicEth.LENGTH);
  }

  /**
   * New value or addend of an MX_ATOMIC_REQUEST.
   *
   * @return all 64 bits
   */
  public long atomicSwapOrAdd() {
    return AtomicEth.swapOrAdd(buffer, start + BODY_AT);
  }

  /**
   * Expected value of an MX_ATOMIC_REQUEST.
   *
   * @return all 64 bits
   */
  public long atomicCompare() {
    return AtomicEth.compare(buffer, start + BODY_AT);
  }

  /**
   * Original value in an MX_ATOMIC_RESP.
   *
   * @return all 64 bits
   */
  public long atomicOriginal() {
    return buffer.getLong(start + BODY_AT, BIG_ENDIAN);
  }
}
