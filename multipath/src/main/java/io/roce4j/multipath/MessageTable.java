// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messages of which some but not all fragments are in, or which wait for earlier ones of their
 * stream: an open-addressing hash table over stream and MSN in off-heap memory.
 *
 * <pre>
 *  0  key 64           1 in the top bit | stream slot 16 | MSN 24
 *  8  length 32        of the message
 * 12  bytes 32         received
 * 16  immediate or key 32
 * 20  rq_msn 24 | flags 8
 * 24  response entry 32
 * 28  spare
 * </pre>
 *
 * <p>An open message holds at least one CPSN of the tracker's window, so twice the window is enough
 * for an honest peer; a table that a lying one has filled refuses further messages.
 */
final class MessageTable {
  /** Result of {@link #find}: there is none. */
  static final int NONE = -1;

  static final int LAST_SEEN = 1;
  static final int IMMEDIATE = 2;
  static final int INVALIDATE = 4;
  static final int SOLICITED = 8;
  static final int CONSUMES_RECEIVE = 16;
  static final int SEND = 32;
  static final int RESPONSE = 64;
  static final int WRITE = 128;

  private static final int LENGTH = 32;
  private static final int LENGTH_AT = 8;
  private static final int BYTES_AT = 12;
  private static final int EXTRA_AT = 16;
  private static final int RQ_AT = 20;
  private static final int RESPONSE_AT = 24;
  private static final long USED = 1L << 63;

  private final UnsafeBuffer buffer;
  private final int offset;
  private final int mask;
  private final int most;
  private int size;

  /**
   * An empty table.
   *
   * @param buffer memory, zeroed
   * @param offset first byte, 8-byte aligned
   * @param capacity entries, a power of two
   */
  MessageTable(UnsafeBuffer buffer, int offset, int capacity) {
    this.buffer = buffer;
    this.offset = offset;
    this.mask = capacity - 1;
    this.most = capacity / 4 * 3;
  }

  /** Entries for a tracker window. */
  static int capacity(int window) {
    return FragmentTable.capacity(window) * 2;
  }

  /** Bytes of memory for a capacity. */
  static int bytes(int capacity) {
    return capacity * LENGTH;
  }

  int size() {
    return size;
  }

  private static long key(int stream, int msn) {
    return USED | (long) stream << 24 | msn;
  }

  private int home(long key) {
    return (int) (EntropyPool.mix(key) >>> 20) & mask;
  }

  private int at(int index) {
    return offset + index * LENGTH;
  }

  /** Handle of a message, or {@link #NONE}. */
  int find(int stream, int msn) {
    long key = key(stream, msn);
    for (int index = home(key); ; index = index + 1 & mask) {
      long there = buffer.getLong(at(index));
      if (there == key) {
        return at(index);
      }
      if (there == 0) {
        return NONE;
      }
    }
  }

  /** Whether no further message can be made. */
  boolean isFull() {
    return size >= most;
  }

  /** Makes a message that is not there; the caller has checked that there is room. */
  int create(int stream, int msn, long length, int flags) {
    long key = key(stream, msn);
    int index = home(key);
    while (buffer.getLong(at(index)) != 0) {
      index = index + 1 & mask;
    }
    int at = at(index);
    buffer.putLong(at, key);
    buffer.putInt(at + LENGTH_AT, (int) length);
    buffer.putInt(at + BYTES_AT, 0);
    buffer.putInt(at + EXTRA_AT, 0);
    buffer.putInt(at + RQ_AT, flags);
    buffer.putInt(at + RESPONSE_AT, 0);
    size++;
    return at;
  }

  /** Removes a message and closes the gap in its probe sequence. */
  void remove(int at) {
    int hole = (at - offset) / LENGTH;
    int index = hole;
    while (true) {
      index = index + 1 & mask;
      long key = buffer.getLong(at(index));
      if (key == 0) {
        break;
      }
      int home = home(key);
      boolean stays = hole <= index ? home > hole && home <= index : home > hole || home <= index;
      if (!stays) {
        buffer.putBytes(at(hole), buffer, at(index), LENGTH);
        hole = index;
      }
    }
    buffer.putLong(at(hole), 0);
    size--;
  }

  /** Removes all messages of a stream. */
  void removeStream(int stream) {
    int index = 0;
    while (index <= mask) {
      long key = buffer.getLong(at(index));
      if (key != 0 && (int) (key >>> 24 & 0xFFFF) == stream) {
        // Another message may move into this place: look at it again.
        remove(at(index));
      } else {
        index++;
      }
    }
  }

  /** Length of the message, 0..2^31. */
  long length(int at) {
    return buffer.getInt(at + LENGTH_AT) & 0xFFFF_FFFFL;
  }

  /** Bytes in. */
  long bytes(int at, long more) {
    long bytes = (buffer.getInt(at + BYTES_AT) & 0xFFFF_FFFFL) + more;
    buffer.putInt(at + BYTES_AT, (int) bytes);
    return bytes;
  }

  int immediateOrKey(int at) {
    return buffer.getInt(at + EXTRA_AT);
  }

  void immediateOrKey(int at, int value) {
    buffer.putInt(at + EXTRA_AT, value);
  }

  int rqMsn(int at) {
    return buffer.getInt(at + RQ_AT) >>> 8;
  }

  void rqMsn(int at, int rqMsn) {
    buffer.putInt(at + RQ_AT, rqMsn << 8 | (buffer.getInt(at + RQ_AT) & 0xFF));
  }

  boolean has(int at, int flag) {
    return (buffer.getInt(at + RQ_AT) & flag) != 0;
  }

  void set(int at, int flags) {
    buffer.putInt(at + RQ_AT, buffer.getInt(at + RQ_AT) | flags);
  }

  int response(int at) {
    return buffer.getInt(at + RESPONSE_AT);
  }

  void response(int at, int entry) {
    buffer.putInt(at + RESPONSE_AT, entry);
  }
}
