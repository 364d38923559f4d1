// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * Opcodes of send work requests with libibverbs' numbers [rc 20-13].
 *
 * <p>FLUSH and ATOMIC_WRITE are known by name only: posting them is refused.
 */
public final class WorkRequestOpcode {
  /** Write to the peer's memory. */
  public static final int RDMA_WRITE = 0;

  /** Write, and complete a receive at the peer with immediate data. */
  public static final int RDMA_WRITE_WITH_IMM = 1;

  /** Message into a receive of the peer. */
  public static final int SEND = 2;

  /** Message with immediate data. */
  public static final int SEND_WITH_IMM = 3;

  /** Read from the peer's memory. */
  public static final int RDMA_READ = 4;

  /** Compare and swap 8 bytes at the peer. */
  public static final int ATOMIC_CMP_AND_SWP = 5;

  /** Add to 8 bytes at the peer. */
  public static final int ATOMIC_FETCH_AND_ADD = 6;

  /** Free a bound type 2 window of this side. */
  public static final int LOCAL_INV = 7;

  /** Bind a memory window. */
  public static final int BIND_MW = 8;

  /** Message that frees a type 2 window at the peer. */
  public static final int SEND_WITH_INV = 9;

  /** Not executed by this stack. */
  public static final int FLUSH = 14;

  /** Not executed by this stack. */
  public static final int ATOMIC_WRITE = 15;

  private WorkRequestOpcode() {}

  /**
   * The name of a opcode.
   *
   * @param value a number of this class
   * @return its name, or the number for one that is none
   */
  public static String name(int value) {
    return switch (value) {
      case RDMA_WRITE -> "RDMA_WRITE";
      case RDMA_WRITE_WITH_IMM -> "RDMA_WRITE_WITH_IMM";
      case SEND -> "SEND";
      case SEND_WITH_IMM -> "SEND_WITH_IMM";
      case RDMA_READ -> "RDMA_READ";
      case ATOMIC_CMP_AND_SWP -> "ATOMIC_CMP_AND_SWP";
      case ATOMIC_FETCH_AND_ADD -> "ATOMIC_FETCH_AND_ADD";
      case LOCAL_INV -> "LOCAL_INV";
      case BIND_MW -> "BIND_MW";
      case SEND_WITH_INV -> "SEND_WITH_INV";
      case FLUSH -> "FLUSH";
      case ATOMIC_WRITE -> "ATOMIC_WRITE";
      default -> Integer.toString(value);
    };
  }
}
