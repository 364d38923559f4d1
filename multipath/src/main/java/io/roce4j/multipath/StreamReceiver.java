// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.CompletionWriter;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.ReceiveQueue;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.sequence.Msn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The receiving side of a stream: its receive requests by index, messages finished in MSN order,
 * the lowest message that failed, and the credit announced to the peer.
 */
final class StreamReceiver {
  static final int NO_ERROR = -1;

  private final MxStream stream;
  private final ReceiveQueue queue;
  private final MemoryTable memory;
  private final CompletionWriter completions;
  private long firstIndex;

  private int nextMsn;
  private int errorMsn = NO_ERROR;
  private int errorReason;
  private int errorStatus;
  private boolean closed;

  // Credit.
  private int confirmedLimit;
  private int incomplete;
  private long quietSinceNs;
  private boolean creditSent;

  /**
   * A receiver at message 0.
   *
   * @param stream the stream
   * @param memory local keys
   * @param completions where completions go
   * @param nowNs time of the endpoint, ns
   */
  StreamReceiver(MxStream stream, MemoryTable memory, CompletionWriter completions, long nowNs) {
    this.stream = stream;
    this.queue = stream.queuePair.receiveQueue();
    this.memory = memory;
    this.completions = completions;
    this.firstIndex = queue.head();
    this.quietSinceNs = nowNs;
  }

  /** Sets the first numbers of messages and receives, before anything arrives. */
  void startAt(int msn, int receive) {
    nextMsn = msn;
    firstIndex = queue.head() - receive;
    confirmedLimit = receive;
  }

  // ---- Messages ----

  /** MSN of the message that is finished next. */
  int nextMsn() {
    return nextMsn;
  }

  /** The message is finished. */
  void advance() {
    nextMsn = Msn.next(nextMsn);
  }

  /** Whether a message is at or behind the lowest that failed. */
  boolean isFailed(int msn) {
    return closed || (errorMsn != NO_ERROR && Msn.distance(errorMsn, msn) >= 0);
  }

  /** Why messages are refused. */
  int errorReason() {
    return errorReason;
  }

  /**
   * A message failed: it and all later ones are refused, earlier ones still finish.
   *
   * @param msn the message
   * @param reason what the peer is told
   * @param status completion status of the receive the message named, 0 when it named none
   */
  void fail(int msn, int reason, int status) {
    if (errorMsn == NO_ERROR || Msn.isBefore(msn, errorMsn)) {
      errorMsn = msn;
      errorReason = reason;
      errorStatus = status;
    }
  }

  /** Whether some message failed. */
  boolean hasFailed() {
    return errorMsn != NO_ERROR;
  }

  // ---- Receive requests ----

  private long indexOf(int rqMsn) {
    long head = queue.head();
    int headMsn = (int) (head - firstIndex) & Msn.MASK;
    return head + Msn.distance(headMsn, rqMsn);
  }

  /** Whether a receive request was finished already. */
  boolean isUsed(int rqMsn) {
    return indexOf(rqMsn) < queue.head();
  }

  /** Whether a receive request is posted. */
  boolean isPosted(int rqMsn) {
    return indexOf(rqMsn) < queue.publishedTail();
  }

  /** Bytes a posted receive request can hold. */
  long room(int rqMsn) {
    return queue.room(queue.slot(indexOf(rqMsn)));
  }

  /** Copies bytes into a receive request. Returns a {@code SlotResult}. */
  int scatter(int rqMsn, long offset, UnsafeBuffer source, int at, int length) {
    return queue.scatter(indexOf(rqMsn), offset, source, at, length, memory, stream.pdId);
  }

  /**
   * Completes the oldest receive request.
   *
   * @return false when it is not the one the message named, or found no room in its completion
   *     queue
   */
  boolean complete(
      int rqMsn,
      boolean send,
      long length,
      boolean immediate,
      boolean invalidate,
      int value,
      boolean solicited,
      long nowNs) {
    long index = indexOf(rqMsn);
    if (index != queue.head()) {
      return false;
    }
    int flags =
        (immediate ? WorkCompletionFlags.WITH_IMM : 0)
            | (invalidate ? WorkCompletionFlags.WITH_INV : 0);
    long wrId = queue.wrId(queue.slot(index));
    // First the slot, then the completion: whoever sees the completion may post at once.
    queue.release(index + 1);
    return completions.completeReceive(
        stream.connectionSlot,
        wrId,
        send ? WorkCompletionOpcode.RECV : WorkCompletionOpcode.RECV_RDMA_WITH_IMM,
        length,
        flags,
        immediate ? value : 0,
        invalidate ? value : 0,
        solicited,
        nowNs);
  }

  /** Invalidates a key for the peer; a {@code MemoryFault} or 0. */
  int invalidate(int key) {
    return memory.invalidate(key, stream.pdId, stream.queuePair.qpNum());
  }

  // ---- Credit ----

  /** First receive request not posted, as announced in acknowledgements; never moves back. */
  int limit() {
    return (int) (queue.publishedTail() - firstIndex) & Msn.MASK;
  }

  /** The first fragment of a message that names a receive request arrived. */
  void onMessageBegun(int rqMsn) {
    incomplete++;
    int beyond = Msn.next(rqMsn);
    if (Msn.isAfter(beyond, confirmedLimit)) {
      // The peer can only use what it knows of.
      confirmedLimit = beyond;
      creditSent = false;
    }
  }

  /** All of its fragments are in. */
  void onMessageComplete(long nowNs) {
    incomplete--;
    quietSinceNs = nowNs;
  }

  /**
   * When the peer must be told of receives posted, because no acknowledgement will: two round trips
   * after everything that named one is complete.
   *
   * @return time of the endpoint, ns, or NEVER
   */
  long creditDeadlineNs(long roundTripNs) {
    boolean news = Msn.isAfter(limit(), confirmedLimit) && !creditSent;
    return stream.open && !closed && news && incomplete == 0
        ? quietSinceNs + 2 * roundTripNs
        : SendPath.NEVER;
  }

  /** A credit message with this limit was handed to the control channel. */
  void onCreditSent() {
    creditSent = true;
  }

  /** The peer acknowledged a limit. */
  void onCreditConfirmed(int limit) {
    if (Msn.isAfter(limit, confirmedLimit)) {
      confirmedLimit = limit;
    }
    creditSent = false;
  }

  // ---- End ----

  /** The queue pair is in ERR: everything posted completes, the failed message's receive first. */
  void flush(long nowNs) {
    long tail = queue.publishedTail();
    long first = queue.head();
    for (long index = first; index < tail; index++) {
      int status =
          errorStatus != 0 && index == first ? errorStatus : WorkCompletionStatus.WR_FLUSH_ERR;
      long wrId = queue.wrId(queue.slot(index));
      queue.release(index + 1);
      completions.failReceive(stream.connectionSlot, wrId, status, nowNs);
    }
    errorStatus = 0;
    closed = true;
  }

  /** RESET: forgets everything without completions. */
  void reset() {
    queue.discardAll();
    closed = true;
  }

  /** Counts a refusal for lack of a receive request. */
  void countNotReady() {
    stream.connectionSlot.counters().increment(CounterId.OUT_OF_BUFFER);
    stream.connectionSlot.counters().increment(CounterId.SEND_RNR_ERR);
  }
}
