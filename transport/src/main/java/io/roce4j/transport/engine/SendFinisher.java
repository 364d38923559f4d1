// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.verbs.SendFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;

/**
 * Finishes send work requests in posting order and executes local operations: shared by RC, UC and
 * UD.
 */
final class SendFinisher {

  private final EngineContext context;
  private final ConnectionSlot slot;
  private final SendQueue queue;

  SendFinisher(EngineContext context, ConnectionSlot slot, SendQueue queue) {
    this.context = context;
    this.slot = slot;
    this.queue = queue;
  }

  /**
   * Finishes a request. Unsignaled success writes nothing and keeps its slot until the next
   * completion confirms it [rc 12-4] [rc 12-5]; an error is always told [rc 16-3].
   */
  void finish(long index, int status, long nowNs) {
    int at = queue.slot(index);
    int opcode = queue.opcode(at);
    if (status != WorkCompletionStatus.WR_FLUSH_ERR && isSend(opcode)) {
      slot.counters.increment(CounterId.RDMA_SENDS);
    }
    boolean signaled = (queue.flags(at) & SendFlags.SIGNALED) != 0;
    if (status == WorkCompletionStatus.SUCCESS && !signaled) {
      return;
    }
    long wrId = queue.wrId(at);
    long length = queue.totalLength(at);
    // First the slot, then the completion: whoever sees the completion may post at once.
    queue.release(index + 1);
    boolean written =
        context
            .completions()
            .completeSend(slot, wrId, status, WorkCompletionOpcode.of(opcode), length, nowNs);
    if (!written) {
      context.enterError(slot, nowNs);
    }
  }

  /**
   * [rc 15-13] [rc 16-1] Completes everything up to the tail with WR_FLUSH_ERR; returns the tail.
   */
  long flush(long from, long nowNs) {
    long tail = queue.publishedTail();
    for (long index = from; index < tail; index++) {
      finish(index, WorkCompletionStatus.WR_FLUSH_ERR, nowNs);
    }
    return tail;
  }

  private static boolean isSend(int opcode) {
    return opcode == WorkRequestOpcode.SEND
        || opcode == WorkRequestOpcode.SEND_WITH_IMM
        || opcode == WorkRequestOpcode.SEND_WITH_INV;
  }

  static boolean isLocal(int opcode) {
    return opcode == WorkRequestOpcode.LOCAL_INV || opcode == WorkRequestOpcode.BIND_MW;
  }

  /** Executes LOCAL_INV or BIND_MW [rc 15-10] [rc 15-11]. Returns the completion status. */
  int executeLocal(int at, MemoryTable memory, int pdId) {
    if (queue.opcode(at) == WorkRequestOpcode.LOCAL_INV) {
      int fault = memory.invalidate(queue.invalidateRkey(at), pdId, slot.qpn());
      return fault == 0 ? WorkCompletionStatus.SUCCESS : WorkCompletionStatus.LOC_QP_OP_ERR;
    }
    int fault =
        memory.bindWindow(
            queue.remoteQpn(at),
            queue.rkey(at),
            queue.invalidateRkey(at),
            queue.remoteVa(at),
            queue.compareAdd(at),
            queue.immediate(at),
            pdId,
            slot.qpn());
    return fault == 0 ? WorkCompletionStatus.SUCCESS : WorkCompletionStatus.MW_BIND_ERR;
  }
}
