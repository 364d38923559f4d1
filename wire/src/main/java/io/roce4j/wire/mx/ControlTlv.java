// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.roce4j.wire.sequence.Psn;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The type-length-value items of a control message: a cursor to read them and static methods to
 * write them.
 *
 * <pre>
 * 1 PATH_MOVE     path 8 | epoch 8 | plane 8
 * 2 PATH_CLOSE    path 8
 * 3 PORT_STATUS   mask of usable ports 32
 * 4 STREAM_OPEN   stream 16 | rq_limit 24 | verbs QPN 24 | RNR wait 32 (microseconds)
 * 5 STREAM_CLOSE  stream 16
 * 6 HINT_UPDATE   path 8 | hint 16 | generation 8
 * 7 RQ_CREDIT     stream 16 | rq_limit 24
 * 8 CONN_CLOSE    reason 8
 * </pre>
 *
 * <p>{@link #wrap} checks every item once: a length that runs past the message or does not fit its
 * type refuses the whole message; items of unknown type are skipped. A cursor is for one thread and
 * keeps no bytes.
 */
public final class ControlTlv {
  /** Type: a path got a new source port. */
  public static final int PATH_MOVE = 1;

  /** Type: no more transmissions on a path. */
  public static final int PATH_CLOSE = 2;

  /** Type: which ports (planes) of the sender are usable. */
  public static final int PORT_STATUS = 3;

  /** Type: a stream begins. */
  public static final int STREAM_OPEN = 4;

  /** Type: a stream ends. */
  public static final int STREAM_CLOSE = 5;

  /** Type: a new fair share without an acknowledgement to carry it. */
  public static final int HINT_UPDATE = 6;

  /** Type: receive requests were posted. */
  public static final int RQ_CREDIT = 7;

  /** Type: the connection ends. */
  public static final int CONN_CLOSE = 8;

  /** Bytes of type and length in front of each value. */
  public static final int HEADER_LENGTH = 2;

  private static final int[] VALUE_LENGTH = {-1, 3, 1, 4, 12, 2, 4, 5, 1};
  private static final DirectBuffer NOTHING = new UnsafeBuffer(new byte[0]);

  private DirectBuffer buffer = NOTHING;
  private int next;
  private int end;
  private int value;
  private int type;

  /** Makes a cursor over no items. */
  public ControlTlv() {}

  /**
   * Bytes of the value of a type.
   *
   * @param type 0..255
   * @return 1..12, or -1 for an unknown type
   */
  public static int valueLength(int type) {
    return type > 0 && type < VALUE_LENGTH.length ? VALUE_LENGTH[type] : -1;
  }

  /**
   * Points the cursor before the first item and checks all of them.
   *
   * @param buffer holds the items
   * @param offset first byte of the first item
   * @param length bytes of all items, pad not included; the caller vouches that the buffer has them
   * @return {@link MxFault#OK} or {@link MxFault#BAD_TLV}; a refused message leaves no items
   */
  public int wrap(DirectBuffer buffer, int offset, int length) {
    this.buffer = buffer;
    this.next = offset;
    this.end = offset;
    int at = offset;
    int limit = offset + length;
    while (at < limit) {
      if (limit - at < HEADER_LENGTH) {
        return MxFault.BAD_TLV;
      }
      int itemLength = buffer.getByte(at + 1) & 0xFF;
      int expected = valueLength(buffer.getByte(at) & 0xFF);
      if (itemLength > limit - at - HEADER_LENGTH || (expected >= 0 && expected != itemLength)) {
        return MxFault.BAD_TLV;
      }
      at += HEADER_LENGTH + itemLength;
    }
    this.end = limit;
    return MxFault.OK;
  }

  /**
   * Steps to the next item of a known type.
   *
   * @return false when there is none
   */
  public boolean next() {
    while (next < end) {
      type = buffer.getByte(next) & 0xFF;
      value = next + HEADER_LENGTH;
      next = value + (buffer.getByte(next + 1) & 0xFF);
      if (valueLength(type) >= 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Type of the item.
   *
   * @return one of the types above
   */
  public int type() {
    return type;
  }

  /**
   * Path of PATH_MOVE, PATH_CLOSE and HINT_UPDATE.
   *
   * @return 0..255
   */
  public int path() {
    return buffer.getByte(value) & 0xFF;
  }

  /**
   * Epoch of PATH_MOVE.
   *
   * @return 0..255
   */
  public int epoch() {
    return buffer.getByte(value + 1) & 0xFF;
  }

  /**
   * Plane of PATH_MOVE.
   *
   * @return 0..255
   */
  public int plane() {
    return buffer.getByte(value + 2) & 0xFF;
  }

  /**
   * Mask of PORT_STATUS.
   *
   * @return bit n set when port n is usable
   */
  public int portMask() {
    return buffer.getInt(value, BIG_ENDIAN);
  }

  /**
   * Stream of STREAM_OPEN, STREAM_CLOSE and RQ_CREDIT.
   *
   * @return 0..65535
   */
  public int stream() {
    return buffer.getShort(value, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Receive limit of STREAM_OPEN and RQ_CREDIT.
   *
   * @return 0..0xFFFFFF
   */
  public int rqLimit() {
    return buffer.getInt(value + 1, BIG_ENDIAN) & Psn.MASK;
  }

  /**
   * Queue pair number of STREAM_OPEN.
   *
   * @return 0..0xFFFFFF
   */
  public int verbsQpn() {
    return buffer.getInt(value + 4, BIG_ENDIAN) & Psn.MASK;
  }

  /**
   * RNR wait of STREAM_OPEN.
   *
   * @return microseconds, 0..0xFFFFFFFF
   */
  public long rnrWaitUs() {
    return buffer.getInt(value + 8, BIG_ENDIAN) & 0xFFFF_FFFFL;
  }

  /**
   * Hint of HINT_UPDATE.
   *
   * @return 0..65535, see {@link FairShareHint}
   */
  public int hint() {
    return buffer.getShort(value + 1, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * Generation of HINT_UPDATE.
   *
   * @return 0..255
   */
  public int hintGeneration() {
    return buffer.getByte(value + 3) & 0xFF;
  }

  /**
   * Reason of CONN_CLOSE.
   *
   * @return 0..255
   */
  public int reason() {
    return buffer.getByte(value) & 0xFF;
  }

  /**
   * Writes a PATH_MOVE.
   *
   * @param buffer receives 5 bytes
   * @param offset first byte
   * @param path 0..{@link Mxth#PATH_ID_MAX}
   * @param epoch 0..255
   * @param plane 0..255
   * @return offset behind the item
   */
  public static int writePathMove(
      MutableDirectBuffer buffer, int offset, int path, int epoch, int plane) {
    int value = begin(buffer, offset, PATH_MOVE);
    buffer.putByte(value, (byte) path);
    buffer.putByte(value + 1, (byte) epoch);
    buffer.putByte(value + 2, (byte) plane);
    return value + 3;
  }

  /**
   * Writes a PATH_CLOSE.
   *
   * @param buffer receives 3 bytes
   * @param offset first byte
   * @param path 0..{@link Mxth#PATH_ID_MAX}
   * @return offset behind the item
   */
  public static int writePathClose(MutableDirectBuffer buffer, int offset, int path) {
    int value = begin(buffer, offset, PATH_CLOSE);
    buffer.putByte(value, (byte) path);
    return value + 1;
  }

  /**
   * Writes a PORT_STATUS.
   *
   * @param buffer receives 6 bytes
   * @param offset first byte
   * @param mask bit n set when port n is usable
   * @return offset behind the item
   */
  public static int writePortStatus(MutableDirectBuffer buffer, int offset, int mask) {
    int value = begin(buffer, offset, PORT_STATUS);
    buffer.putInt(value, mask, BIG_ENDIAN);
    return value + 4;
  }

  /**
   * Writes a STREAM_OPEN.
   *
   * @param buffer receives 14 bytes
   * @param offset first byte
   * @param stream 0..65535
   * @param rqLimit 0..0xFFFFFF
   * @param verbsQpn 0..0xFFFFFF
   * @param rnrWaitUs 0..0xFFFFFFFF microseconds
   * @return offset behind the item
   */
  public static int writeStreamOpen(
      MutableDirectBuffer buffer,
      int offset,
      int stream,
      int rqLimit,
      int verbsQpn,
      long rnrWaitUs) {
    int value = begin(buffer, offset, STREAM_OPEN);
    buffer.putShort(value, (short) stream, BIG_ENDIAN);
    Sackh.putLow24(buffer, value + 2, rqLimit);
    Sackh.putLow24(buffer, value + 5, verbsQpn);
    buffer.putInt(value + 8, (int) rnrWaitUs, BIG_ENDIAN);
    return value + 12;
  }

  /**
   * Writes a STREAM_CLOSE.
   *
   * @param buffer receives 4 bytes
   * @param offset first byte
   * @param stream 0..65535
   * @return offset behind the item
   */
  public static int writeStreamClose(MutableDirectBuffer buffer, int offset, int stream) {
    int value = begin(buffer, offset, STREAM_CLOSE);
    buffer.putShort(value, (short) stream, BIG_ENDIAN);
    return value + 2;
  }

  /**
   * Writes a HINT_UPDATE.
   *
   * @param buffer receives 6 bytes
   * @param offset first byte
   * @param path 0..{@link Mxth#PATH_ID_MAX}
   * @param hint 0..65535
   * @param generation 0..255
   * @return offset behind the item
   */
  public static int writeHintUpdate(
      MutableDirectBuffer buffer, int offset, int path, int hint, int generation) {
    int value = begin(buffer, offset, HINT_UPDATE);
    buffer.putByte(value, (byte) path);
    buffer.putShort(value + 1, (short) hint, BIG_ENDIAN);
    buffer.putByte(value + 3, (byte) generation);
    return value + 4;
  }

  /**
   * Writes an RQ_CREDIT.
   *
   * @param buffer receives 7 bytes
   * @param offset first byte
   * @param stream 0..65535
   * @param rqLimit 0..0xFFFFFF
   * @return offset behind the item
   */
  public static int writeRqCredit(MutableDirectBuffer buffer, int offset, int stream, int rqLimit) {
    int value = begin(buffer, offset, RQ_CREDIT);
    buffer.putShort(value, (short) stream, BIG_ENDIAN);
    Sackh.putLow24(buffer, value + 2, rqLimit);
    return value + 5;
  }

  /**
   * Writes a CONN_CLOSE.
   *
   * @param buffer receives 3 bytes
   * @param offset first byte
   * @param reason 0..255
   * @return offset behind the item
   */
  public static int writeConnClose(MutableDirectBuffer buffer, int offset, int reason) {
    int value = begin(buffer, offset, CONN_CLOSE);
    buffer.putByte(value, (byte) reason);
    return value + 1;
  }

  private static int begin(MutableDirectBuffer buffer, int offset, int type) {
    buffer.putByte(offset, (byte) type);
    buffer.putByte(offset + 1, (byte) VALUE_LENGTH[type]);
    return offset + HEADER_LENGTH;
  }
}
