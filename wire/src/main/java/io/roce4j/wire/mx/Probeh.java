// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Probe of a path. It travels in the data class behind the data, so that it cannot overtake them.
 *
 * <pre>
 *  0  path id 8
 *  1  epoch 8
 *  2  pflags 16
 *  4  probe id 32
 *  8  tx_ts 32        8 ns units
 * 12  base_pseq 32    where the vector of the answer is to be anchored
 * 16  last_pseq 32    last transmission on this path
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Probeh {
  /** Bytes of the header. */
  public static final int LENGTH = 20;

  /** pflags: the answer's vector is to be anchored at base_pseq. */
  public static final int VECTOR_WANTED = 1;

  /** pflags: everything up to last_pseq was sent before; what has not arrived is lost. */
  public static final int TAIL_CHECK = 2;

  /** pflags: about the response half. */
  public static final int RESPONSE_HALF = 4;

  private static final int EPOCH_OFFSET = 1;
  private static final int PFLAGS_OFFSET = 2;
  private static final int PROBE_ID_OFFSET = 4;
  private static final int TX_TS_OFFSET = 8;
  private static final int BASE_PSEQ_OFFSET = 12;
  private static final int LAST_PSEQ_OFFSET = 16;

  private Probeh() {}

  /**
   * The path probed.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255; above {@link Mxth#PATH_ID_MAX} is malformed
   */
  public static int pathId(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xFF;
  }

  /**
   * Epoch of the path.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255
   */
  public static int epoch(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + EPOCH_OFFSET) & 0xFF;
  }

  /**
   * Probe flags.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..65535; bits without a constant here mean nothing
   */
  public static int pflags(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + PFLAGS_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Number the answer repeats.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits
   */
  public static int probeId(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + PROBE_ID_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sender's clock.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 8 ns units, all 32 bits
   */
  public static int txTimestamp(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + TX_TS_OFFSET, BIG_ENDIAN);
  }

  /**
   * Anchor of the vector wanted.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits; meaningless without {@link #VECTOR_WANTED}
   */
  public static int basePseq(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + BASE_PSEQ_OFFSET, BIG_ENDIAN);
  }

  /**
   * Last transmission before the probe.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits; meaningless without {@link #TAIL_CHECK}
   */
  public static int lastPseq(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + LAST_PSEQ_OFFSET, BIG_ENDIAN);
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 20 bytes
   * @param offset first byte of the header
   * @param pathId 0..{@link Mxth#PATH_ID_MAX}
   * @param epoch 0..255
   * @param pflags 0..65535
   * @param probeId all 32 bits
   * @param txTimestamp 8 ns units, all 32 bits
   * @param basePseq all 32 bits
   * @param lastPseq all 32 bits
   */
  public static void write(
      MutableDirectBuffer buffer,
      int offset,
      int pathId,
      int epoch,
      int pflags,
      int probeId,
      int txTimestamp,
      int basePseq,
      int lastPseq) {
    buffer.putByte(offset, (byte) pathId);
    buffer.putByte(offset + EPOCH_OFFSET, (byte) epoch);
    buffer.putShort(offset + PFLAGS_OFFSET, (short) pflags, BIG_ENDIAN);
    buffer.putInt(offset + PROBE_ID_OFFSET, probeId, BIG_ENDIAN);
    buffer.putInt(offset + TX_TS_OFFSET, txTimestamp, BIG_ENDIAN);
    buffer.putInt(offset + BASE_PSEQ_OFFSET, basePseq, BIG_ENDIAN);
    buffer.putInt(offset + LAST_PSEQ_OFFSET, lastPseq, BIG_ENDIAN);
  }
}
