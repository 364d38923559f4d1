// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * Queue pair states with libibverbs' numbers [rc 20-18].
 *
 * <p>RESET, INIT and RTR refuse sends; RTS runs them; SQD takes them and holds them back; SQE (UC,
 * UD) and ERR take them and flush them.
 */
public final class QueuePairState {
  /** New or emptied: nothing may be posted, every packet is dropped. */
  public static final int RESET = 0;

  /** Receives may be posted; packets are dropped in silence. */
  public static final int INIT = 1;

  /** Ready to receive: requests are executed and acknowledged, nothing is sent. */
  public static final int RTR = 2;

  /** Ready to send: everything runs. */
  public static final int RTS = 3;

  /** Send queue drains or is drained: started requests finish, none starts. */
  public static final int SQD = 4;

  /** Send queue error (UC, UD): the receive side goes on. */
  public static final int SQE = 5;

  /** Error: all work is flushed, every packet is dropped. */
  public static final int ERR = 6;

  private QueuePairState() {}

  /**
   * The name of a state.
   *
   * @param value a number of this class
   * @return its name, or the number for one that is none
   */
  public static String name(int value) {
    return switch (value) {
      case RESET -> "RESET";
      case INIT -> "INIT";
      case RTR -> "RTR";
      case RTS -> "RTS";
      case SQD -> "SQD";
      case SQE -> "SQE";
      case ERR -> "ERR";
      default -> Integer.toString(value);
    };
  }

  /**
   * Whether sends are accepted in a state, be it to run, to wait or to be flushed [rc 1-1..7].
   *
   * @param state a number of this class
   * @return false for RESET, INIT and RTR
   */
  public static boolean acceptsSends(int state) {
    return state >= RTS;
  }

  /**
   * Whether receives are accepted in a state [rc 1-1..7].
   *
   * @param state a number of this class
   * @return false for RESET
   */
  public static boolean acceptsReceives(int state) {
    return state != RESET;
  }
}
