// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** RoCE path MTUs: 256, 512, 1024, 2048 and 4096 payload bytes a packet, codes 1 to 5. */
public final class PathMtu {
  /** Smallest path MTU. */
  public static final int MIN_BYTES = 256;

  /** Largest path MTU. */
  public static final int MAX_BYTES = 4096;

  // IPv6 40, UDP 8, BTH 12, extended headers up to 32, ICRC 4: the allowance Linux makes too, so
  // that both ends of a link choose the same.
  private static final int HEADERS_MAX = 96;

  private PathMtu() {}

  /**
   * Whether a number is one of the five.
   *
   * @param bytes any
   * @return true for 256, 512, 1024, 2048, 4096
   */
  public static boolean isValid(int bytes) {
    return bytes >= MIN_BYTES && bytes <= MAX_BYTES && (bytes & (bytes - 1)) == 0;
  }

  /**
   * The largest path MTU that fits an interface with all headers [FC-55].
   *
   * @param interfaceMtuBytes IP MTU
   * @return 256..4096; 256 too when even that does not fit, which the port refuses to carry
   */
  public static int best(int interfaceMtuBytes) {
    int room = interfaceMtuBytes - HEADERS_MAX;
    if (room < MIN_BYTES) {
      return MIN_BYTES;
    }
    return Math.min(Integer.highestOneBit(room), MAX_BYTES);
  }

  /**
   * The longest IP packet that a path MTU may make, so that it fits wherever {@link #best} gives
   * that path MTU.
   *
   * @param bytes a valid path MTU
   * @return bytes of the IP packet, all headers included
   */
  public static int ipBytes(int bytes) {
    return bytes + HEADERS_MAX;
  }

  /**
   * libibverbs' code of a path MTU.
   *
   * @param bytes a valid path MTU
   * @return 1..5
   */
  public static int code(int bytes) {
    return Integer.numberOfTrailingZeros(bytes) - 7;
  }

  /**
   * The path MTU of a code.
   *
   * @param code 1..5
   * @return 256..4096
   */
  public static int bytes(int code) {
    return 1 << (code + 7);
  }
}
