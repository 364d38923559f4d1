// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The fragments of one send half between the oldest not acknowledged and the next to be numbered:
 * what each carries and where its transmissions are. At most two transmissions of a fragment are
 * live at a time.
 *
 * <pre>
 *  0  source 32        work request (low 32 bits of its index) or response entry
 *  4  offset 32        in the message
 *  8  length 16 | stream slot 16
 * 12  state 8 | tries 8 | kind 8 | flags 8
 * 16  pseq of live transmission A 32
 * 20  pseq of live transmission B 32
 * 24  path of A 8 | path of B 8 | last path 8 | MSN, bits 23..16
 * 28  MSN, bits 15..0 | spare
 * 32  next 16 | previous 16   links of the queue the fragment is in
 * </pre>
 *
 * <p>36 bytes a fragment in memory that the connection lends; addressed by CPSN modulo the
 * capacity.
 */
final class FragmentTable {
  static final int FREE = 0;
  static final int IN_FLIGHT = 1;
  static final int HELD = 2;
  static final int ACKED = 3;

  static final int KIND_WRITE = 0;
  static final int KIND_SEND = 1;
  static final int KIND_READ_REQUEST = 2;
  static final int KIND_ATOMIC_REQUEST = 3;
  static final int KIND_READ_RESPONSE = 4;
  static final int KIND_ATOMIC_RESPONSE = 5;
  static final int KIND_VOID = 6;

  /** flags: in the retransmission queue. */
  static final int QUEUED = 1;

  /** flags: to be sent as a tail copy, on another path than its live transmission. */
  static final int TAIL_COPY = 2;

  /** flags: a copy was made when its path became suspect; not again. */
  static final int COPIED = 4;

  /** flags: the last retransmission went over the path that had lost it. */
  static final int SAME_PATH_LAST = 8;

  /** flags: its loss was the only one its acknowledgement showed. */
  static final int LONE_LOSS = 16;

  static final int NO_PATH = 0xFF;

  private static final int LENGTH = 36;
  private static final int OFFSET_AT = 4;
  private static final int LENGTH_AT = 8;
  private static final int STREAM_AT = 10;
  private static final int STATE_AT = 12;
  private static final int TRIES_AT = 13;
  private static final int KIND_AT = 14;
  private static final int FLAGS_AT = 15;
  private static final int PSEQ_A_AT = 16;
  private static final int PSEQ_B_AT = 20;
  private static final int PATH_A_AT = 24;
  private static final int PATH_B_AT = 25;
  private static final int LAST_PATH_AT = 26;
  private static final int MSN_HIGH_AT = 27;
  private static final int MSN_LOW_AT = 28;
  private static final int NEXT_AT = 32;
  private static final int PREVIOUS_AT = 34;

  private final UnsafeBuffer buffer;
  private final int offset;
  private final int mask;

  /**
   * An empty table.
   *
   * @param buffer memory, zeroed
   * @param offset first byte
   * @param capacity fragments, a power of two, at most 32768
   */
  FragmentTable(UnsafeBuffer buffer, int offset, int capacity) {
    this.buffer = buffer;
    this.offset = offset;
    this.mask = capacity - 1;
  }

  /** Fragments a window of so many needs. */
  static int capacity(int window) {
    return Math.max(64, Integer.highestOneBit(Math.max(1, window - 1)) << 1);
  }

  /** Bytes of memory for a capacity. */
  static int bytes(int capacity) {
    return capacity * LENGTH;
  }

  /** Where a fragment is: the handle of all accessors. */
  int at(int cpsn) {
    return offset + (cpsn & mask) * LENGTH;
  }

  /** Small number of a handle, for queue links. */
  int index(int at) {
    return (at - offset) / LENGTH;
  }

  /** Handle of a small number. */
  int atIndex(int index) {
    return offset + index * LENGTH;
  }

  /** Begins a fragment: in flight, not sent yet. */
  void begin(
      int at, int kind, int stream, int source, int msn, int messageOffset, int payloadLength) {
    buffer.putInt(at, source);
    buffer.putInt(at + OFFSET_AT, messageOffset);
    buffer.putShort(at + LENGTH_AT, (short) payloadLength);
    buffer.putShort(at + STREAM_AT, (short) stream);
    buffer.putByte(at + STATE_AT, (byte) IN_FLIGHT);
    buffer.putByte(at + TRIES_AT, (byte) 0);
    buffer.putByte(at + KIND_AT, (byte) kind);
    buffer.putByte(at + FLAGS_AT, (byte) 0);
    buffer.putByte(at + PATH_A_AT, (byte) NO_PATH);
    buffer.putByte(at + PATH_B_AT, (byte) NO_PATH);
    buffer.putByte(at + LAST_PATH_AT, (byte) NO_PATH);
    buffer.putByte(at + MSN_HIGH_AT, (byte) (msn >> 16));
    buffer.putShort(at + MSN_LOW_AT, (short) msn);
  }

  int source(int at) {
    return buffer.getInt(at);
  }

  /** Offset in the message, unsigned 32 bits. */
  long messageOffset(int at) {
    return buffer.getInt(at + OFFSET_AT) & 0xFFFF_FFFFL;
  }

  int payloadLength(int at) {
    return buffer.getShort(at + LENGTH_AT) & 0xFFFF;
  }

  int stream(int at) {
    return buffer.getShort(at + STREAM_AT) & 0xFFFF;
  }

  int msn(int at) {
    return (buffer.getByte(at + MSN_HIGH_AT) & 0xFF) << 16
        | (buffer.getShort(at + MSN_LOW_AT) & 0xFFFF);
  }

  int state(int at) {
    return buffer.getByte(at + STATE_AT);
  }

  void state(int at, int state) {
    buffer.putByte(at + STATE_AT, (byte) state);
  }

  int kind(int at) {
    return buffer.getByte(at + KIND_AT);
  }

  /** Turns a fragment into a VOID: its CPSN stays, its payload will never be sent. */
  void makeVoid(int at) {
    buffer.putByte(at + KIND_AT, (byte) KIND_VOID);
    buffer.putShort(at + LENGTH_AT, (short) 0);
  }

  /** Transmissions so far, at most 255. */
  int tries(int at) {
    return buffer.getByte(at + TRIES_AT) & 0xFF;
  }

  boolean has(int at, int flag) {
    return (buffer.getByte(at + FLAGS_AT) & flag) != 0;
  }

  void set(int at, int flag) {
    buffer.putByte(at + FLAGS_AT, (byte) (buffer.getByte(at + FLAGS_AT) | flag));
  }

  void clear(int at, int flag) {
    buffer.putByte(at + FLAGS_AT, (byte) (buffer.getByte(at + FLAGS_AT) & ~flag));
  }

  /** Path of the last transmission, {@link #NO_PATH} before the first. */
  int lastPath(int at) {
    return buffer.getByte(at + LAST_PATH_AT) & 0xFF;
  }

  /** Live transmissions, 0..2. */
  int liveCount(int at) {
    return (buffer.getByte(at + PATH_A_AT) == (byte) NO_PATH ? 0 : 1)
        + (buffer.getByte(at + PATH_B_AT) == (byte) NO_PATH ? 0 : 1);
  }

  /** Path of a live transmission, {@link #NO_PATH} without one. */
  int livePath(int at) {
    int path = buffer.getByte(at + PATH_A_AT) & 0xFF;
    return path != NO_PATH ? path : buffer.getByte(at + PATH_B_AT) & 0xFF;
  }

  /** Pseq of the live transmission {@link #livePath} speaks of. */
  int livePseq(int at) {
    return buffer.getByte(at + PATH_A_AT) != (byte) NO_PATH
        ? buffer.getInt(at + PSEQ_A_AT)
        : buffer.getInt(at + PSEQ_B_AT);
  }

  /** Notes a transmission; the caller has checked that fewer than two are live. */
  void addLive(int at, int path, int pseq) {
    boolean first = buffer.getByte(at + PATH_A_AT) == (byte) NO_PATH;
    buffer.putByte(at + (first ? PATH_A_AT : PATH_B_AT), (byte) path);
    buffer.putInt(at + (first ? PSEQ_A_AT : PSEQ_B_AT), pseq);
    buffer.putByte(at + LAST_PATH_AT, (byte) path);
    int tries = tries(at);
    if (tries < 255) {
      buffer.putByte(at + TRIES_AT, (byte) (tries + 1));
    }
  }

  /** Forgets a live transmission; unknown ones are ignored. */
  void removeLive(int at, int path, int pseq) {
    if ((buffer.getByte(at + PATH_A_AT) & 0xFF) == path && buffer.getInt(at + PSEQ_A_AT) == pseq) {
      buffer.putByte(at + PATH_A_AT, (byte) NO_PATH);
    } else if ((buffer.getByte(at + PATH_B_AT) & 0xFF) == path
        && buffer.getInt(at + PSEQ_B_AT) == pseq) {
      buffer.putByte(at + PATH_B_AT, (byte) NO_PATH);
    }
  }

  int next(int at) {
    return buffer.getShort(at + NEXT_AT) & 0xFFFF;
  }

  void next(int at, int index) {
    buffer.putShort(at + NEXT_AT, (short) index);
  }

  int previous(int at) {
    return buffer.getShort(at + PREVIOUS_AT) & 0xFFFF;
  }

  void previous(int at, int index) {
    buffer.putShort(at + PREVIOUS_AT, (short) index);
  }

  /** Whether a CPSN lies from {@code una} up to but not including {@code next}. */
  static boolean isOutstanding(int cpsn, int una, int next) {
    return Psn.distance(una, cpsn) >= 0 && Psn.distance(cpsn, next) > 0;
  }
}
