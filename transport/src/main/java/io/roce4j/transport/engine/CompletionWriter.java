// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;

/**
 * Writes completions for all engines of an endpoint, counts and traces them. What it gives back is
 * whether the completion found room: an engine that hears no takes its queue pair to ERR [rc 12-1]
 * [rc 15-18]; the completion queue raises CQ_ERR itself.
 */
public final class CompletionWriter {

  private final EventSink events;

  /**
   * Makes a writer.
   *
   * @param events where completions are told.
   */
  public CompletionWriter(EventSink events) {
    this.events = events;
  }

  /**
   * Completes a send work request.
   *
   * @param slot its queue pair.
   * @param wrId the application's number.
   * @param status work completion status.
   * @param opcode work completion opcode.
   * @param byteLength message bytes; told for success only.
   * @param nowNs time of the endpoint, ns.
   * @return false when the completion queue is full and the completion is lost.
   */
  public boolean completeSend(
      ConnectionSlot slot, long wrId, int status, int opcode, long byteLength, long nowNs) {
    CompletionQueue queue = slot.queuePair.sendCompletions();
    int result;
    if (status == WorkCompletionStatus.SUCCESS) {
      result = queue.writeSend(wrId, opcode, byteLength, slot.qpn);
    } else {
      result = queue.writeError(wrId, status, opcode, slot.qpn, 0);
      slot.counters.increment(CounterId.REQ_CQE_ERROR);
      if (status == WorkCompletionStatus.WR_FLUSH_ERR) {
        slot.counters.increment(CounterId.REQ_CQE_FLUSH_ERROR);
      }
    }
    return written(slot.counters, result) && traced(slot, wrId, status, opcode, nowNs);
  }

  /**
   * Completes a receive work request with success.
   *
   * @param slot its queue pair.
   * @param wrId the application's number.
   * @param opcode RECV or RECV_RDMA_WITH_IMM.
   * @param byteLength message bytes.
   * @param flags WITH_IMM, WITH_INV.
   * @param immediate immediate data as on the wire.
   * @param invalidatedRkey key invalidated by the peer.
   * @param solicited whether the peer asked for an event.
   * @param nowNs time of the endpoint, ns.
   * @return false when the completion queue is full and the completion is lost.
   */
  public boolean completeReceive(
      ConnectionSlot slot,
      long wrId,
      int opcode,
      long byteLength,
      int flags,
      int immediate,
      int invalidatedRkey,
      boolean solicited,
      long nowNs) {
    CompletionQueue queue = slot.queuePair.receiveCompletions();
    int result =
        queue.write(
            wrId,
            WorkCompletionStatus.SUCCESS,
            opcode,
            byteLength,
            slot.qpn,
            0,
            immediate,
            invalidatedRkey,
            flags,
            0,
            solicited);
    slot.counters.increment(CounterId.RDMA_RECVS);
    return written(slot.counters, result)
        && traced(slot, wrId, WorkCompletionStatus.SUCCESS, opcode, nowNs);
  }

  /**
   * Completes a receive work request with a datagram.
   *
   * @param slot its queue pair.
   * @param wrId the application's number.
   * @param byteLength message bytes, the header area of 40 included.
   * @param sourceQp queue pair number of the sender.
   * @param immediate immediate data as on the wire.
   * @param flags GRH, WITH_IMM.
   * @param pkeyIndex index of the P_Key.
   * @param networkType {@code WorkCompletion.NETWORK_IPV4} or {@code NETWORK_IPV6}.
   * @param solicited whether the peer asked for an event.
   * @param nowNs time of the endpoint, ns.
   * @return false when the completion queue is full and the completion is lost.
   */
  public boolean completeDatagram(
      ConnectionSlot slot,
      long wrId,
      long byteLength,
      int sourceQp,
      int immediate,
      int flags,
      int pkeyIndex,
      int networkType,
      boolean solicited,
      long nowNs) {
    CompletionQueue queue = slot.queuePair.receiveCompletions();
    int result =
        queue.writeDatagram(
            wrId,
            byteLength,
            slot.qpn,
            sourceQp,
            immediate,
            flags,
            pkeyIndex,
            networkType,
            solicited);
    slot.counters.increment(CounterId.RDMA_RECVS);
    return written(slot.counters, result)
        && traced(slot, wrId, WorkCompletionStatus.SUCCESS, WorkCompletionOpcode.RECV, nowNs);
  }

  /**
   * Completes a receive work request in error.
   *
   * @param slot its queue pair.
   * @param wrId the application's number.
   * @param status work completion status, not SUCCESS.
   * @param nowNs time of the endpoint, ns.
   * @return false when the completion queue is full and the completion is lost.
   */
  public boolean failReceive(ConnectionSlot slot, long wrId, int status, long nowNs) {
    CompletionQueue queue = slot.queuePair.receiveCompletions();
    int result = queue.writeError(wrId, status, WorkCompletionOpcode.RECV, slot.qpn, 0);
    slot.counters.increment(CounterId.RESP_CQE_ERROR);
    if (status == WorkCompletionStatus.WR_FLUSH_ERR) {
      slot.counters.increment(CounterId.RESP_CQE_FLUSH_ERROR);
    }
    return written(slot.counters, result)
        && traced(slot, wrId, status, WorkCompletionOpcode.RECV, nowNs);
  }

  private static boolean written(Counters counters, int result) {
    if (result == CompletionQueue.CQ_FULL) {
      counters.increment(CounterId.CQ_OVERFLOW);
      return false;
    }
    return true;
  }

  private boolean traced(ConnectionSlot slot, long wrId, int status, int opcode, long nowNs) {
    events.onCompletion(nowNs, slot.qpn, wrId, status, opcode);
    return true;
  }
}
