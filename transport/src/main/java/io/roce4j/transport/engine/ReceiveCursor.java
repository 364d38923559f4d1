// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.ReceiveQueue;
import io.roce4j.transport.verbs.AsyncEventType;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The receive a connection fills, one at a time, from its own queue or a shared one: shared by RC,
 * UC and UD.
 *
 * <p>A receive is taken at the first packet of a SEND, or at the last of a WRITE with immediate,
 * and stays at the head until it completes. One taken from a shared queue belongs to this queue
 * pair from then on [rc 11-1].
 */
final class ReceiveCursor {

  private final EngineContext context;
  private final ConnectionSlot slot;
  private final QueuePair queuePair;
  private final ReceiveQueue queue;
  private final MemoryTable memory;
  private final int pdId;
  private final boolean shared;

  private boolean held;
  private long offset;
  private boolean lastRaised;

  ReceiveCursor(EngineContext context, ConnectionSlot slot, QueuePair queuePair) {
    this.context = context;
    this.slot = slot;
    this.queuePair = queuePair;
    this.queue = queuePair.receiveQueue();
    this.memory = context.memory();
    this.shared = queuePair.sharedReceiveQueue() != null;
    this.pdId =
        shared
            ? queuePair.sharedReceiveQueue().protectionDomain().number()
            : queuePair.protectionDomain().number();
  }

  boolean isShared() {
    return shared;
  }

  boolean isHeld() {
    return held;
  }

  /** Whether a receive can be taken. A shared queue gives it to this queue pair at once. */
  boolean available() {
    return held || queuePair.acquireReceive(queue.head());
  }

  /** Takes the next receive, to be filled from its first byte. Keeps one that is held. */
  boolean take() {
    if (!available()) {
      return false;
    }
    held = true;
    offset = 0;
    return true;
  }

  /** See {@link ConnectionEngine#touch}. */
  long touch() {
    return offset + (shared ? 0 : queue.available());
  }

  /** Bytes filled so far. */
  long offset() {
    return offset;
  }

  /** Bytes the receive can hold. */
  long room() {
    return queue.room(queue.slot(queue.head()));
  }

  /** Receives posted and not taken: what credits are made of [rc 5-3]. */
  int unused() {
    return queue.available() - (held ? 1 : 0);
  }

  /** Appends bytes. Returns a {@code SlotResult}. */
  int scatter(UnsafeBuffer source, int sourceOffset, int length) {
    int result = queue.scatter(queue.head(), offset, source, sourceOffset, length, memory, pdId);
    offset += length;
    return result;
  }

  /**
   * Completes the held receive.
   *
   * @return false when the completion found no room: the queue pair is in ERR now.
   */
  boolean complete(
      int opcode,
      long byteLength,
      int flags,
      int immediate,
      int invalidatedRkey,
      boolean solicited,
      long nowNs) {
    long wrId = takeOut();
    boolean written =
        context
            .completions()
            .completeReceive(
                slot,
                wrId,
                opcode,
                byteLength,
                flags,
                immediate,
                invalidatedRkey,
                solicited,
                nowNs);
    return told(written, nowNs);
  }

  /** Completes the held receive with a datagram; otherwise as {@link #complete}. */
  boolean completeDatagram(
      long byteLength,
      int sourceQp,
      int immediate,
      int flags,
      int pkeyIndex,
      int networkType,
      boolean solicited,
      long nowNs) {
    long wrId = takeOut();
    boolean written =
        context
            .completions()
            .completeDatagram(
                slot,
                wrId,
                byteLength,
                sourceQp,
                immediate,
                flags,
                pkeyIndex,
                networkType,
                solicited,
                nowNs);
    return told(written, nowNs);
  }

  /** Completes the held receive in error. */
  void fail(int status, long nowNs) {
    long wrId = takeOut();
    told(context.completions().failReceive(slot, wrId, status, nowNs), nowNs);
  }

  /**
   * Frees the slot of the receive at the head, in the order they were taken [rc 8-3]. Before the
   * completion is written: whoever sees the completion may post at once, and must find room.
   */
  private long takeOut() {
    long head = queue.head();
    long wrId = queue.wrId(queue.slot(head));
    held = false;
    offset = 0;
    queue.release(head + 1);
    return wrId;
  }

  private boolean told(boolean written, long nowNs) {
    if (!written) {
      context.enterError(slot, nowNs);
    }
    return written;
  }

  /** [rc U7] [rc 24-19] The message is given up; its receive stays at the head for the next one. */
  void rewind() {
    held = false;
    offset = 0;
  }

  /**
   * [rc 15-19] [rc 16-7] Everything this queue pair holds completes with WR_FLUSH_ERR. Receives of
   * a shared queue stay there, but for those taken; then LAST_WQE_REACHED is raised once [rc 11-5]
   * [rc 19-13].
   */
  void flush(long nowNs) {
    held = false;
    offset = 0;
    long tail = queue.publishedTail();
    for (long index = queue.head(); index < tail; index++) {
      context.completions().failReceive(slot, takeOut(), WorkCompletionStatus.WR_FLUSH_ERR, nowNs);
    }
    if (shared && !lastRaised) {
      lastRaised = true;
      context.raise(AsyncEventType.QP_LAST_WQE_REACHED, slot.qpn());
    }
  }

  /** RESET: forgets everything without completions. */
  void discardAll() {
    held = false;
    offset = 0;
    lastRaised = false;
    queue.discardAll();
  }
}
