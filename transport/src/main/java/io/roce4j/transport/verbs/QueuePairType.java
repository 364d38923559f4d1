// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** Queue pair types with libibverbs' numbers [rc 20-17]. */
public final class QueuePairType {
  /** Reliable connection. */
  public static final int RC = 2;

  /** Unreliable connection. */
  public static final int UC = 3;

  /** Unreliable datagram. */
  public static final int UD = 4;

  private QueuePairType() {}

  /**
   * The name of a type.
   *
   * @param value a number of this class
   * @return its name, or the number for one that is none
   */
  public static String name(int value) {
    return switch (value) {
      case RC -> "RC";
      case UC -> "UC";
      case UD -> "UD";
      default -> Integer.toString(value);
    };
  }
}
