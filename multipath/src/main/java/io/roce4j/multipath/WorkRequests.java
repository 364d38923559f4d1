// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.CompletionWriter;
import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.verbs.SendFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;

/** Facts about work requests by opcode, and the writing of their completions. */
final class WorkRequests {
  private WorkRequests() {}

  /** Whether a request names a receive request at the peer. */
  static boolean consumesReceive(int opcode) {
    return opcode == WorkRequestOpcode.SEND
        || opcode == WorkRequestOpcode.SEND_WITH_IMM
        || opcode == WorkRequestOpcode.SEND_WITH_INV
        || opcode == WorkRequestOpcode.RDMA_WRITE_WITH_IMM;
  }

  /** Whether a request is executed here and never sent. */
  static boolean isLocal(int opcode) {
    return opcode == WorkRequestOpcode.LOCAL_INV || opcode == WorkRequestOpcode.BIND_MW;
  }

  /** Whether a fragment of the kind asks for data and carries none. */
  static boolean isBare(int kind) {
    return kind == FragmentTable.KIND_READ_REQUEST || kind == FragmentTable.KIND_ATOMIC_REQUEST;
  }

  /**
   * The fragments a request is sent in, or -1 when the two sides did not agree on such requests.
   */
  static int kindOf(int opcode, MxParameters can) {
    return switch (opcode) {
      case WorkRequestOpcode.RDMA_WRITE -> FragmentTable.KIND_WRITE;
      case WorkRequestOpcode.RDMA_WRITE_WITH_IMM -> can.hasSend() ? FragmentTable.KIND_WRITE : -1;
      case WorkRequestOpcode.SEND,
          WorkRequestOpcode.SEND_WITH_IMM,
          WorkRequestOpcode.SEND_WITH_INV ->
          can.hasSend() ? FragmentTable.KIND_SEND : -1;
      case WorkRequestOpcode.RDMA_READ -> can.hasRead() ? FragmentTable.KIND_READ_REQUEST : -1;
      case WorkRequestOpcode.ATOMIC_CMP_AND_SWP, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD ->
          can.hasAtomic() ? FragmentTable.KIND_ATOMIC_REQUEST : -1;
      default -> -1;
    };
  }

  /** Payload a request sends, which is not that of its answer. */
  static long outboundLength(SendQueue queue, int at) {
    int opcode = queue.opcode(at);
    boolean none =
        opcode == WorkRequestOpcode.RDMA_READ
            || opcode == WorkRequestOpcode.ATOMIC_CMP_AND_SWP
            || opcode == WorkRequestOpcode.ATOMIC_FETCH_AND_ADD
            || isLocal(opcode);
    return none ? 0 : queue.totalLength(at);
  }

  /** Bytes of ImmDt, IETH and RQH in a packet of a message. */
  static int extraOf(SendQueue queue, int at, boolean last) {
    if (!last) {
      return 0;
    }
    return switch (queue.opcode(at)) {
      case WorkRequestOpcode.RDMA_WRITE_WITH_IMM -> MxBody.WRITE_IMMEDIATE;
      case WorkRequestOpcode.SEND_WITH_IMM, WorkRequestOpcode.SEND_WITH_INV -> MxBody.SEND_EXTRA;
      default -> 0;
    };
  }

  /**
   * Writes one completion where one is due. A successful request that is not signaled writes
   * nothing and keeps its slot until the next completion.
   *
   * @return false when it found no room
   */
  static boolean complete(
      MxStream stream,
      SendQueue queue,
      CompletionWriter completions,
      long index,
      int status,
      long nowNs) {
    int at = queue.slot(index);
    boolean signaled = (queue.flags(at) & SendFlags.SIGNALED) != 0;
    if (status == WorkCompletionStatus.SUCCESS && !signaled) {
      return true;
    }
    long wrId = queue.wrId(at);
    int opcode = completionOpcode(queue.opcode(at));
    long length = queue.totalLength(at);
    // First the slot, then the completion: whoever sees the completion may post at once.
    queue.release(index + 1);
    return completions.completeSend(stream.connectionSlot, wrId, status, opcode, length, nowNs);
  }

  private static int completionOpcode(int opcode) {
    return switch (opcode) {
      case WorkRequestOpcode.RDMA_WRITE, WorkRequestOpcode.RDMA_WRITE_WITH_IMM ->
          WorkCompletionOpcode.RDMA_WRITE;
      case WorkRequestOpcode.RDMA_READ -> WorkCompletionOpcode.RDMA_READ;
      case WorkRequestOpcode.ATOMIC_CMP_AND_SWP -> WorkCompletionOpcode.COMP_SWAP;
      case WorkRequestOpcode.ATOMIC_FETCH_AND_ADD -> WorkCompletionOpcode.FETCH_ADD;
      case WorkRequestOpcode.LOCAL_INV -> WorkCompletionOpcode.LOCAL_INV;
      case WorkRequestOpcode.BIND_MW -> WorkCompletionOpcode.BIND_MW;
      default -> WorkCompletionOpcode.SEND;
    };
  }
}
