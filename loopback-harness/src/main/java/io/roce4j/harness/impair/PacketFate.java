// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

/** The fate of one packet as bits of an {@code int}; {@link #PASSES} is none of them. */
public final class PacketFate {
  /** The packet arrives once, whole, in its turn. */
  public static final int PASSES = 0;

  /** The packet never arrives. */
  public static final int LOSES = 1;

  /** The frame check of the cable no longer fits, and the packet goes on. */
  public static final int FRAME_ERROR = 16;

  private static final int CORRUPTED = 2;
  private static final int DUPLICATED = 4;
  private static final int HELD = 8;

  private PacketFate() {}

  static int of(boolean lost, boolean corrupted, boolean duplicated, boolean held) {
    if (lost) {
      return LOSES; // A packet that vanishes has no other fate.
    }
    return (corrupted ? CORRUPTED : 0) | (duplicated ? DUPLICATED : 0) | (held ? HELD : 0);
  }

  /**
   * Whether the packet vanishes.
   *
   * @param fate as drawn
   * @return true when it never arrives
   */
  public static boolean isLost(int fate) {
    return (fate & LOSES) != 0;
  }

  /**
   * Whether a bit of the packet flips.
   *
   * @param fate as drawn
   * @return true when it arrives damaged
   */
  public static boolean isCorrupted(int fate) {
    return (fate & CORRUPTED) != 0;
  }

  /**
   * Whether the frame around the packet is damaged, which whoever stores it sees.
   *
   * @param fate as drawn
   * @return true when it goes on with a wrong frame check
   */
  public static boolean isFrameError(int fate) {
    return (fate & FRAME_ERROR) != 0;
  }

  /**
   * Whether the packet arrives twice.
   *
   * @param fate as drawn
   * @return true when a copy follows it
   */
  public static boolean isDuplicated(int fate) {
    return (fate & DUPLICATED) != 0;
  }

  /**
   * Whether the packet is held back.
   *
   * @param fate as drawn
   * @return true when later ones overtake it
   */
  public static boolean isHeld(int fate) {
    return (fate & HELD) != 0;
  }
}
