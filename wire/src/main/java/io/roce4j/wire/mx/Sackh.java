// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.wire.sequence.Psn;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Selective acknowledgement of one path: what of its last 256 transmissions was accepted, together
 * with everything the receiver has to tell its sender.
 *
 * <pre>
 *  0  path id 8
 *  1  epoch 8          of the packet with hi_pseq; in a probe reply the probe's
 *  2  sflags 16
 *  4  hi_pseq 32       highest pseq received on the path, -1 before the first
 *  8  rx_pkts 32       packets received on the path, cumulative
 * 12  ce_pkts 32       of them with ECN CE, cumulative
 * 16  ts_echo 32       tx_ts of the packet with hi_pseq; in a probe reply the probe's
 * 20  ack_delay 32     8 ns units between that packet's arrival and this acknowledgement
 * 24  rx_units 32      payload accepted on the connection, cumulative, 64-byte units
 * 28  hint 16          fair-share rate, see {@link FairShareHint}
 * 30  hint_gen 8
 * 31  host_pen 8       0 none .. 127: windows and hint are scaled by (128 - host_pen) / 128
 * 32  cpsn_limit 24    first CPSN the sender must not use
 * 35  rq_limit 24      rq_msn of the first receive request not yet posted on rq_stream
 * 38  rq_stream 16
 * 40  vector 256       bit k (0 first): transmission hi_pseq - k arrived and was accepted
 * </pre>
 *
 * <p>Bit k of the vector is bit 63 - k % 64 of word k / 64: a word read as a {@code long} has the
 * latest transmission in its top bit. Static access over bytes; offsets are those of the header's
 * first byte. Stateless; any thread.
 */
public final class Sackh {
  /** Bytes of the header. */
  public static final int LENGTH = 72;

  /** Transmissions the vector covers. */
  public static final int VECTOR_BITS = 256;

  /** Words of 64 bits in the vector. */
  public static final int VECTOR_WORDS = VECTOR_BITS / 64;

  /** sflags: hint and hint_gen are valid. */
  public static final int HINT_VALID = 0x0001;

  /** sflags: CE-marked packets arrived on this path since its last acknowledgement. */
  public static final int NEW_CE = 0x0002;

  /** sflags: this answers a probe. */
  public static final int PROBE_REPLY = 0x0004;

  /** sflags: a gap appeared. */
  public static final int GAP = 0x0008;

  /** sflags: a fragment arrived that was already there. */
  public static final int DUPLICATE = 0x0010;

  /** sflags: host_pen is valid. */
  public static final int HOST_PENALTY = 0x0020;

  /** sflags: this speaks of the response half. */
  public static final int RESPONSE_HALF = 0x0040;

  private static final int EPOCH_OFFSET = 1;
  private static final int SFLAGS_OFFSET = 2;
  private static final int HI_PSEQ_OFFSET = 4;
  private static final int RX_PACKETS_OFFSET = 8;
  private static final int CE_PACKETS_OFFSET = 12;
  private static final int TS_ECHO_OFFSET = 16;
  private static final int ACK_DELAY_OFFSET = 20;
  private static final int RX_UNITS_OFFSET = 24;
  private static final int HINT_OFFSET = 28;
  private static final int HINT_GEN_OFFSET = 30;
  private static final int HOST_PENALTY_OFFSET = 31;
  private static final int CPSN_LIMIT_OFFSET = 32;
  private static final int RQ_LIMIT_OFFSET = 35;
  private static final int RQ_STREAM_OFFSET = 38;
  private static final int VECTOR_OFFSET = 40;

  private Sackh() {}

  /**
   * The path reported.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255; above {@link Mxth#PATH_ID_MAX} is malformed
   */
  public static int pathId(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xFF;
  }

  /**
   * Epoch of the highest packet, or of the probe answered.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255
   */
  public static int epoch(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + EPOCH_OFFSET) & 0xFF;
  }

  /**
   * Acknowledgement flags.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..65535; bits without a constant here mean nothing
   */
  public static int sflags(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + SFLAGS_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Highest transmission received, refused ones included.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits, compared serially
   */
  public static int hiPseq(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + HI_PSEQ_OFFSET, BIG_ENDIAN);
  }

  /**
   * Packets received on the path.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits, cumulative, wraps
   */
  public static int rxPackets(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + RX_PACKETS_OFFSET, BIG_ENDIAN);
  }

  /**
   * Packets received on the path with congestion experienced.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits, cumulative, wraps
   */
  public static int cePackets(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + CE_PACKETS_OFFSET, BIG_ENDIAN);
  }

  /**
   * The sender's clock as echoed.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 8 ns units, all 32 bits
   */
  public static int timestampEcho(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + TS_ECHO_OFFSET, BIG_ENDIAN);
  }

  /**
   * How long the acknowledgement was held back.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 8 ns units, 0..0xFFFFFFFF
   */
  public static long ackDelay(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + ACK_DELAY_OFFSET, BIG_ENDIAN) & 0xFFFF_FFFFL;
  }

  /**
   * Payload accepted on the connection.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 64-byte units, all 32 bits, cumulative, wraps
   */
  public static int rxUnits(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + RX_UNITS_OFFSET, BIG_ENDIAN);
  }

  /**
   * Fair-share rate.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..65535, see {@link FairShareHint}; meaningless without {@link #HINT_VALID}
   */
  public static int hint(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + HINT_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Generation of the hint.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255, newer wins modulo 256
   */
  public static int hintGeneration(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + HINT_GEN_OFFSET) & 0xFF;
  }

  /**
   * How much the receiving host asks its sender to slow down.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255; above 127 counts as 127; meaningless without {@link #HOST_PENALTY}
   */
  public static int hostPenalty(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + HOST_PENALTY_OFFSET) & 0xFF;
  }

  /**
   * First CPSN the sender must not use.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFF
   */
  public static int cpsnLimit(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + CPSN_LIMIT_OFFSET - 1, BIG_ENDIAN) & Psn.MASK;
  }

  /**
   * First receive request of {@link #rqStream} that is not posted yet.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFF; ignored with {@link #RESPONSE_HALF}
   */
  public static int rqLimit(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + RQ_LIMIT_OFFSET - 1, BIG_ENDIAN) & Psn.MASK;
  }

  /**
   * The stream {@link #rqLimit} speaks of.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..65535; ignored with {@link #RESPONSE_HALF}
   */
  public static int rqStream(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + RQ_STREAM_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * 64 bits of the vector.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @param word 0..{@link #VECTOR_WORDS} - 1
   * @return transmissions hi_pseq - 64 * word - 63 in bit 0 to hi_pseq - 64 * word in bit 63
   */
  public static long vectorWord(DirectBuffer buffer, int offset, int word) {
    return buffer.getLong(offset + VECTOR_OFFSET + Long.BYTES * word, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #vectorWord} reads.
   *
   * @param buffer receives 8 bytes
   * @param offset first byte of the header
   * @param word 0..{@link #VECTOR_WORDS} - 1
   * @param bits all 64 bits
   */
  public static void vectorWord(MutableDirectBuffer buffer, int offset, int word, long bits) {
    buffer.putLong(offset + VECTOR_OFFSET + Long.BYTES * word, bits, BIG_ENDIAN);
  }

  /**
   * One bit of the vector.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @param k 0..{@link #VECTOR_BITS} - 1
   * @return whether transmission hi_pseq - k was accepted
   */
  public static boolean vectorBit(DirectBuffer buffer, int offset, int k) {
    return (buffer.getByte(offset + VECTOR_OFFSET + (k >> 3)) & (0x80 >> (k & 7))) != 0;
  }

  /**
   * Writes path, flags and the facts about the path; {@link #writeLimits} and {@link #vectorWord}
   * write the rest.
   *
   * @param buffer receives the first 24 bytes
   * @param offset first byte of the header
   * @param pathId 0..{@link Mxth#PATH_ID_MAX}
   * @param epoch 0..255
   * @param sflags 0..65535
   * @param hiPseq all 32 bits
   * @param rxPackets all 32 bits
   * @param cePackets all 32 bits
   * @param timestampEcho 8 ns units, all 32 bits
   * @param ackDelay 8 ns units, 0..0xFFFFFFFF; only the low 32 bits are used
   */
  public static void writePath(
      MutableDirectBuffer buffer,
      int offset,
      int pathId,
      int epoch,
      int sflags,
      int hiPseq,
      int rxPackets,
      int cePackets,
      int timestampEcho,
      long ackDelay) {
    buffer.putByte(offset, (byte) pathId);
    buffer.putByte(offset + EPOCH_OFFSET, (byte) epoch);
    buffer.putShort(offset + SFLAGS_OFFSET, (short) sflags, BIG_ENDIAN);
    buffer.putInt(offset + HI_PSEQ_OFFSET, hiPseq, BIG_ENDIAN);
    buffer.putInt(offset + RX_PACKETS_OFFSET, rxPackets, BIG_ENDIAN);
    buffer.putInt(offset + CE_PACKETS_OFFSET, cePackets, BIG_ENDIAN);
    buffer.putInt(offset + TS_ECHO_OFFSET, timestampEcho, BIG_ENDIAN);
    buffer.putInt(offset + ACK_DELAY_OFFSET, (int) ackDelay, BIG_ENDIAN);
  }

  /**
   * Writes what the receiver grants.
   *
   * @param buffer receives bytes 24 to 39
   * @param offset first byte of the header
   * @param rxUnits 64-byte units, all 32 bits
   * @param hint 0..65535
   * @param hintGeneration 0..255
   * @param hostPenalty 0..127
   * @param cpsnLimit 0..0xFFFFFF
   * @param rqLimit 0..0xFFFFFF
   * @param rqStream 0..65535
   */
  public static void writeLimits(
      MutableDirectBuffer buffer,
      int offset,
      int rxUnits,
      int hint,
      int hintGeneration,
      int hostPenalty,
      int cpsnLimit,
      int rqLimit,
      int rqStream) {
    buffer.putInt(offset + RX_UNITS_OFFSET, rxUnits, BIG_ENDIAN);
    buffer.putShort(offset + HINT_OFFSET, (short) hint, BIG_ENDIAN);
    buffer.putByte(offset + HINT_GEN_OFFSET, (byte) hintGeneration);
    buffer.putByte(offset + HOST_PENALTY_OFFSET, (byte) hostPenalty);
    putLow24(buffer, offset + CPSN_LIMIT_OFFSET, cpsnLimit);
    putLow24(buffer, offset + RQ_LIMIT_OFFSET, rqLimit);
    buffer.putShort(offset + RQ_STREAM_OFFSET, (short) rqStream, BIG_ENDIAN);
  }

  static void putLow24(MutableDirectBuffer buffer, int index, int value) {
    buffer.putByte(index, (byte) (value >> 16));
    buffer.putShort(index + 1, (short) value, BIG_ENDIAN);
  }
}
