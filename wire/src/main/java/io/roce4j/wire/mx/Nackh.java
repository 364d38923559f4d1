// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Negative acknowledgement of one transmission; BTH.PSN names the CPSN concerned.
 *
 * <pre>
 *  0  reason 8      {@link NackReason}
 *  1  path id 8
 *  2  epoch 8
 *  3  nflags 8
 *  4  pseq 32       the transmission refused
 *  8  aux 32        RNR: microseconds to wait
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Nackh {
  /** Bytes of the header. */
  public static final int LENGTH = 12;

  /** nflags: about the response half. */
  public static final int RESPONSE_HALF = 0x80;

  private static final int PATH_OFFSET = 1;
  private static final int EPOCH_OFFSET = 2;
  private static final int NFLAGS_OFFSET = 3;
  private static final int PSEQ_OFFSET = 4;
  private static final int AUX_OFFSET = 8;

  private Nackh() {}

  /**
   * Why the transmission was refused.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255, see {@link NackReason}
   */
  public static int reason(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset) & 0xFF;
  }

  /**
   * The path that carried the transmission.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255; above {@link Mxth#PATH_ID_MAX} is malformed
   */
  public static int pathId(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + PATH_OFFSET) & 0xFF;
  }

  /**
   * Epoch of the transmission.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..255
   */
  public static int epoch(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + EPOCH_OFFSET) & 0xFF;
  }

  /**
   * Flags.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return {@link #RESPONSE_HALF} or 0; other bits mean nothing
   */
  public static int nflags(DirectBuffer buffer, int offset) {
    return buffer.getByte(offset + NFLAGS_OFFSET) & 0xFF;
  }

  /**
   * The transmission refused.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits
   */
  public static int pseq(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + PSEQ_OFFSET, BIG_ENDIAN);
  }

  /**
   * What belongs to the reason.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 0..0xFFFFFFFF; for RNR microseconds
   */
  public static long aux(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + AUX_OFFSET, BIG_ENDIAN) & 0xFFFF_FFFFL;
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 12 bytes
   * @param offset first byte of the header
   * @param reason 1..255
   * @param pathId 0..{@link Mxth#PATH_ID_MAX}
   * @param epoch 0..255
   * @param nflags 0..255
   * @param pseq all 32 bits
   * @param aux 0..0xFFFFFFFF; only the low 32 bits are used
   */
  public static void write(
      MutableDirectBuffer buffer,
      int offset,
      int reason,
      int pathId,
      int epoch,
      int nflags,
      int pseq,
      long aux) {
    buffer.putByte(offset, (byte) reason);
    buffer.putByte(offset + PATH_OFFSET, (byte) pathId);
    buffer.putByte(offset + EPOCH_OFFSET, (byte) epoch);
    buffer.putByte(offset + NFLAGS_OFFSET, (byte) nflags);
    buffer.putInt(offset + PSEQ_OFFSET, pseq, BIG_ENDIAN);
    buffer.putInt(offset + AUX_OFFSET, (int) aux, BIG_ENDIAN);
  }
}
