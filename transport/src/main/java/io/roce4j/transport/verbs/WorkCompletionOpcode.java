// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** Opcodes of completions with libibverbs' numbers [rc 20-14]. */
public final class WorkCompletionOpcode {
  /** A SEND of any kind. */
  public static final int SEND = 0;

  /** A WRITE of any kind. */
  public static final int RDMA_WRITE = 1;

  /** A READ. */
  public static final int RDMA_READ = 2;

  /** A compare and swap. */
  public static final int COMP_SWAP = 3;

  /** A fetch and add. */
  public static final int FETCH_ADD = 4;

  /** A window bind. */
  public static final int BIND_MW = 5;

  /** A local invalidate. */
  public static final int LOCAL_INV = 6;

  /** A receive filled by a SEND. */
  public static final int RECV = 128;

  /** A receive completed by a WRITE with immediate data. */
  public static final int RECV_RDMA_WITH_IMM = 129;

  private WorkCompletionOpcode() {}

  /**
   * The name of a opcode.
   *
   * @param value a number of this class
   * @return its name, or the number for one that is none
   */
  public static String name(int value) {
    return switch (value) {
      case SEND -> "SEND";
      case RDMA_WRITE -> "RDMA_WRITE";
      case RDMA_READ -> "RDMA_READ";
      case COMP_SWAP -> "COMP_SWAP";
      case FETCH_ADD -> "FETCH_ADD";
      case BIND_MW -> "BIND_MW";
      case LOCAL_INV -> "LOCAL_INV";
      case RECV -> "RECV";
      case RECV_RDMA_WITH_IMM -> "RECV_RDMA_WITH_IMM";
      default -> Integer.toString(value);
    };
  }

  /**
   * The completion opcode of a send work request.
   *
   * @param workRequestOpcode {@link WorkRequestOpcode}
   * @return a number of this class
   * @throws IllegalArgumentException for an opcode this stack does not execute
   */
  public static int of(int workRequestOpcode) {
    return switch (workRequestOpcode) {
      case WorkRequestOpcode.SEND,
          WorkRequestOpcode.SEND_WITH_IMM,
          WorkRequestOpcode.SEND_WITH_INV ->
          SEND;
      case WorkRequestOpcode.RDMA_WRITE, WorkRequestOpcode.RDMA_WRITE_WITH_IMM -> RDMA_WRITE;
      case WorkRequestOpcode.RDMA_READ -> RDMA_READ;
      case WorkRequestOpcode.ATOMIC_CMP_AND_SWP -> COMP_SWAP;
      case WorkRequestOpcode.ATOMIC_FETCH_AND_ADD -> FETCH_ADD;
      case WorkRequestOpcode.BIND_MW -> BIND_MW;
      case WorkRequestOpcode.LOCAL_INV -> LOCAL_INV;
      default -> throw new IllegalArgumentException("work request opcode " + workRequestOpcode);
    };
  }
}
