// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

/**
 * The one-byte backlog in {@link Mxth}: how much its sender still has to send after this packet, as
 * a power of two. 0 nothing; n = 1..40 at most 64 * 2^n bytes; 255 unknown. Stateless; any thread.
 */
public final class BacklogCode {
  /** Code: nothing is pending. */
  public static final int NONE = 0;

  /** Largest code of a known backlog. */
  public static final int KNOWN_MAX = 40;

  /** Code: the sender does not know. */
  public static final int UNKNOWN = 255;

  private static final int UNIT_SHIFT = 6;

  private BacklogCode() {}

  /**
   * Encodes a backlog, rounding up.
   *
   * @param bytes pending, 0 or more; negative means unknown
   * @return 0..40 or {@link #UNKNOWN}
   */
  public static int encode(long bytes) {
    if (bytes == 0) {
      return NONE;
    }
    if (bytes < 0) {
      return UNKNOWN;
    }
    int code = 64 - Long.numberOfLeadingZeros(bytes - 1) - UNIT_SHIFT;
    return code < 1 ? 1 : code > KNOWN_MAX ? UNKNOWN : code;
  }

  /**
   * The most bytes a code can stand for.
   *
   * @param code 0..255
   * @return bytes; {@link Long#MAX_VALUE} for {@link #UNKNOWN} and codes without a meaning
   */
  public static long maxBytes(int code) {
    if (code == NONE) {
      return 0;
    }
    return code <= KNOWN_MAX ? 1L << (UNIT_SHIFT + code) : Long.MAX_VALUE;
  }
}
