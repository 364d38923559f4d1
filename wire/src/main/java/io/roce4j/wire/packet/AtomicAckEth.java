// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Atomic acknowledge header (IBA 1.4, 9.3.5.3).
 *
 * <pre>
 * 0  original remote data 64
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class AtomicAckEth {
  /** Bytes of the header. */
  public static final int LENGTH = 8;

  private static final int ORIGINAL_OFFSET = 0;

  private AtomicAckEth() {}

  /**
   * What the word held before the atomic operation.
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   * @return all 64 bits
   */
  public static long original(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + ORIGINAL_OFFSET, BIG_ENDIAN);
  }

  /**
   * Sets what {@link #original} reads.
   *
   * @param buffer receives the field
   * @param offset first byte of the header
   * @param value all 64 bits
   */
  public static void original(MutableDirectBuffer buffer, int offset, long value) {
    buffer.putLong(offset + ORIGINAL_OFFSET, value, BIG_ENDIAN);
  }
}
