// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.memory;

/**
 * Why the memory table refused something: 0 is good, every reason has its own number.
 *
 * <p>On the wire the access reasons all become NAK 0x62 (remote access error), for a local key a
 * LOC_PROT_ERR completion, for a bind MW_BIND_ERR; the number tells counters and traces which check
 * failed.
 */
public final class MemoryFault {
  /** Nothing wrong. */
  public static final int OK = 0;

  /** No entry has this key: unknown index, or another variant byte. */
  public static final int UNKNOWN_KEY = 1;

  /** The entry exists but is not usable now: unbound window, or invalidated. */
  public static final int INVALID_STATE = 2;

  /** The entry belongs to another protection domain. */
  public static final int WRONG_PROTECTION_DOMAIN = 3;

  /** The window is bound to another queue pair. */
  public static final int WRONG_QUEUE_PAIR = 4;

  /** The needed right is missing. */
  public static final int ACCESS_DENIED = 5;

  /** Address and length reach outside. */
  public static final int OUT_OF_RANGE = 6;

  /** The key names a region where a window is needed, or the other way round. */
  public static final int WRONG_KIND = 7;

  /** A type 2 window must be free before it is bound. */
  public static final int WINDOW_BOUND = 8;

  /** The new key's index bits are not the window's. */
  public static final int KEY_INDEX_DIFFERS = 9;

  /** A window of length 0 where one is not allowed. */
  public static final int ZERO_LENGTH = 10;

  /** Zero-based and address-based do not fit together. */
  public static final int ZERO_BASED_MISMATCH = 11;

  /** Windows are still bound to the region. */
  public static final int WINDOWS_BOUND = 12;

  /** The table has no room. */
  public static final int TABLE_FULL = 13;

  /** The wished key is in use. */
  public static final int KEY_TAKEN = 14;

  private static final String[] NAMES = {
    "OK",
    "UNKNOWN_KEY",
    "INVALID_STATE",
    "WRONG_PROTECTION_DOMAIN",
    "WRONG_QUEUE_PAIR",
    "ACCESS_DENIED",
    "OUT_OF_RANGE",
    "WRONG_KIND",
    "WINDOW_BOUND",
    "KEY_INDEX_DIFFERS",
    "ZERO_LENGTH",
    "ZERO_BASED_MISMATCH",
    "WINDOWS_BOUND",
    "TABLE_FULL",
    "KEY_TAKEN"
  };

  private MemoryFault() {}

  /**
   * How many codes there are; they are 0..count-1.
   *
   * @return the count
   */
  public static int count() {
    return NAMES.length;
  }

  /**
   * The name of a code.
   *
   * @param fault a code of this class
   * @return its name, or {@code MEMORY_FAULT_n} for a number that is none
   */
  public static String name(int fault) {
    return fault >= 0 && fault < NAMES.length ? NAMES[fault] : "MEMORY_FAULT_" + fault;
  }
}
