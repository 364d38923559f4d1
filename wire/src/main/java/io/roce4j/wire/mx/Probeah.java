// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Probe acknowledgement header, behind a {@link Sackh}: with the probe's own clock it makes a
 * four-timestamp round trip that leaves out the time the host took.
 *
 * <pre>
 *  0  probe id 32
 *  4  rx_ts 32      responder's clock at arrival, 8 ns units
 *  8  tx_ts2 32     responder's clock at departure, 8 ns units
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Probeah {
  /** Bytes of the header. */
  public static final int LENGTH = 12;

  private static final int RX_TS_OFFSET = 4;
  private static final int TX_TS_OFFSET = 8;

  private Probeah() {}

  /**
   * The probe answered.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 32 bits
   */
  public static int probeId(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset, BIG_ENDIAN);
  }

  /**
   * Responder's clock when the probe arrived.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 8 ns units, all 32 bits
   */
  public static int rxTimestamp(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + RX_TS_OFFSET, BIG_ENDIAN);
  }

  /**
   * Responder's clock when the answer left.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return 8 ns units, all 32 bits
   */
  public static int txTimestamp(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + TX_TS_OFFSET, BIG_ENDIAN);
  }

  /**
   * Writes the whole header.
   *
   * @param buffer receives 12 bytes
   * @param offset first byte of the header
   * @param probeId all 32 bits
   * @param rxTimestamp 8 ns units, all 32 bits
   * @param txTimestamp 8 ns units, all 32 bits
   */
  public static void write(
      MutableDirectBuffer buffer, int offset, int probeId, int rxTimestamp, int txTimestamp) {
    buffer.putInt(offset, probeId, BIG_ENDIAN);
    buffer.putInt(offset + RX_TS_OFFSET, rxTimestamp, BIG_ENDIAN);
    buffer.putInt(offset + TX_TS_OFFSET, txTimestamp, BIG_ENDIAN);
  }
}
