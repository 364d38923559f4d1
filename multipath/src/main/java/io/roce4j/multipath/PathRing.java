// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The last transmissions of one path by their pseq: which fragment each carried, when, in which
 * epoch and train, and whether it is live (on the path's books) or was declared lost.
 *
 * <pre>
 * entry  0  CPSN 24 | epoch 8
 *        4  time of departure, 8 ns stamp 32
 *        8  bytes 16 | train 16
 * then   one bit an entry: live;  one bit an entry: declared lost
 * </pre>
 *
 * <p>Lives in memory that its connection lends; 12 bytes and two bits a transmission. A number is
 * valid while it is among the last {@code capacity}; the sender keeps live ones within its span.
 */
final class PathRing {
  private static final int ENTRY_LENGTH = 12;
  private static final int STAMP_OFFSET = 4;
  private static final int BYTES_OFFSET = 8;
  private static final int TRAIN_OFFSET = 10;

  private final UnsafeBuffer buffer;
  private final int entries;
  private final int liveBits;
  private final int lostBits;
  private final int capacity;
  private int next;
  private int oldest;
  private int liveCount;
  private long liveBytes;

  /**
   * An empty ring.
   *
   * @param buffer memory, zeroed
   * @param offset first byte, 8-byte aligned
   * @param capacity transmissions remembered, a power of two, 64 or more
   */
  PathRing(UnsafeBuffer buffer, int offset, int capacity) {
    this.buffer = buffer;
    this.liveBits = offset;
    this.lostBits = liveBits + SackVector.bytes(capacity);
    this.entries = lostBits + SackVector.bytes(capacity);
    this.capacity = capacity;
  }

  /** Bytes of memory for a capacity, a multiple of 8. */
  static int bytes(int capacity) {
    return capacity * ENTRY_LENGTH + 2 * SackVector.bytes(capacity);
  }

  /** Sets the first number, before anything was recorded. */
  void startAt(int pseq) {
    next = pseq;
    oldest = pseq;
  }

  private int entry(int pseq) {
    return entries + (pseq & (capacity - 1)) * ENTRY_LENGTH;
  }

  /** The number the next transmission gets. */
  int next() {
    return next;
  }

  /** The oldest live transmission, {@link #next} when there is none. */
  int oldestLive() {
    int steps = SackVector.stepsToSet(buffer, liveBits, capacity, oldest, next - oldest);
    oldest += steps;
    return oldest;
  }

  /** Transmissions on the books. */
  int liveCount() {
    return liveCount;
  }

  /** Bytes on the books. */
  long liveBytes() {
    return liveBytes;
  }

  /** Whether a number is still in the ring. */
  boolean remembers(int pseq) {
    int age = Serial.distance32(pseq, next);
    return age > 0 && age <= capacity;
  }

  /**
   * Numbers a new transmission and puts it on the books.
   *
   * @return its pseq
   */
  int record(int cpsn, int epoch, int stamp, int bytes, int train) {
    int pseq = next++;
    int at = entry(pseq);
    buffer.putInt(at, cpsn << 8 | (epoch & 0xFF));
    buffer.putInt(at + STAMP_OFFSET, stamp);
    buffer.putShort(at + BYTES_OFFSET, (short) bytes);
    buffer.putShort(at + TRAIN_OFFSET, (short) train);
    SackVector.set(buffer, liveBits, capacity, pseq);
    SackVector.clear(buffer, lostBits, capacity, pseq);
    liveCount++;
    liveBytes += bytes;
    return pseq;
  }

  /** Whether a remembered transmission is on the books. */
  boolean isLive(int pseq) {
    return SackVector.get(buffer, liveBits, capacity, pseq);
  }

  /** Whether a remembered transmission was declared lost. */
  boolean isLost(int pseq) {
    return SackVector.get(buffer, lostBits, capacity, pseq);
  }

  /** Takes a live transmission off the books. */
  void retire(int pseq, boolean lost) {
    SackVector.clear(buffer, liveBits, capacity, pseq);
    if (lost) {
      SackVector.set(buffer, lostBits, capacity, pseq);
    }
    liveCount--;
    liveBytes -= bytesOf(pseq);
  }

  /** Forgets that a transmission was declared lost. */
  void clearLost(int pseq) {
    SackVector.clear(buffer, lostBits, capacity, pseq);
  }

  /** 64 live bits ending at a number; numbers the ring no longer holds read as 0. */
  long liveWindow(int latest) {
    return SackVector.window(buffer, liveBits, capacity, latest) & rememberedMask(latest);
  }

  /** 64 bits of transmissions declared lost ending at a number. */
  long lostWindow(int latest) {
    return SackVector.window(buffer, lostBits, capacity, latest) & rememberedMask(latest);
  }

  private long rememberedMask(int latest) {
    int first = next - capacity;
    int room = Serial.distance32(first, latest) + 1;
    return room >= 64 ? -1L : room <= 0 ? 0 : -1L << (64 - room);
  }

  /** Fragment of a remembered transmission. */
  int cpsn(int pseq) {
    return buffer.getInt(entry(pseq)) >>> 8 & Psn.MASK;
  }

  /** Epoch of a remembered transmission. */
  int epoch(int pseq) {
    return buffer.getInt(entry(pseq)) & 0xFF;
  }

  /** Departure of a remembered transmission, 8 ns stamp. */
  int stamp(int pseq) {
    return buffer.getInt(entry(pseq) + STAMP_OFFSET);
  }

  /** Bytes of a remembered transmission. */
  int bytesOf(int pseq) {
    return buffer.getShort(entry(pseq) + BYTES_OFFSET) & 0xFFFF;
  }

  /** Train of a remembered transmission, 16 bits. */
  int train(int pseq) {
    return buffer.getShort(entry(pseq) + TRAIN_OFFSET) & 0xFFFF;
  }
}
