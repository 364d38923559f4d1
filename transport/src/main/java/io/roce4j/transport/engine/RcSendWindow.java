// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.queue.SendQueue;
import io.roce4j.wire.sequence.Psn;

/**
 * Where a sender stands in its send queue and in its PSN space: shared by {@link RcRequester},
 * which moves forward, and {@link RcCompleter}, which acknowledges and goes back.
 *
 * <pre>
 *   send queue:   head ............ cursor ............ started ........ published tail
 *                 oldest            next packet is      first request
 *                 unfinished        of this request     without PSNs
 *
 *   PSNs:         unackedPsn ...... sendPsn ........... nextPsn
 *                 oldest            next to send        first never sent
 *                 unacknowledged
 * </pre>
 *
 * <p>cursor is before started only while packets are sent again or a message is under way. For a
 * READ at the head, unackedPsn is the PSN of the next response expected. Going back always means to
 * unackedPsn: everything before a NAK is acknowledged first [rc Q12], and a READ that stands in the
 * way is asked for again from its first missing byte [rc Q16].
 */
final class RcSendWindow {

  /** No request stopped the queue. */
  static final long NOT_HALTED = -1;

  /** Request with PSNs, sent in packets. */
  static final int STATE_PACKETS = 1;

  /** Local operation (LOCAL_INV, BIND_MW), executed when its turn came. */
  static final int STATE_LOCAL = 2;

  /** Engine word 0 of a slot: the message number used with credits. */
  private static final int WORD_SSN = 0;

  final SendQueue queue;

  /** The queue's tail at the last doorbell: a line of memory that is not read for every turn. */
  long posted;

  long head;
  long cursor;
  long started;

  int unackedPsn;
  int sendPsn;
  int nextPsn;

  /** PSNs of READs and atomics between unackedPsn and sendPsn: no request packets in flight. */
  int readPsns;

  /** READs and atomics started and not finished. */
  int outstandingReadsAndAtomics;

  /** Bytes in flight as the congestion controller counts them. */
  long inflightBytes;

  /** A request that cannot be sent for a local reason; it fails when it becomes the oldest. */
  long haltedAt = NOT_HALTED;

  int haltStatus;

  RcSendWindow(SendQueue queue) {
    this.queue = queue;
  }

  /** See {@link ConnectionEngine#touch}. */
  long touchQueue() {
    return inflightBytes + queue.touch(cursor);
  }

  void reset(int firstPsn) {
    posted = queue.publishedTail();
    head = posted;
    cursor = head;
    started = head;
    unackedPsn = firstPsn;
    sendPsn = firstPsn;
    nextPsn = firstPsn;
    readPsns = 0;
    outstandingReadsAndAtomics = 0;
    inflightBytes = 0;
    haltedAt = NOT_HALTED;
  }

  /** Everything up to the tail was completed in error: nothing is outstanding any more. */
  void flushed(long tail) {
    posted = tail;
    head = tail;
    cursor = tail;
    started = tail;
    unackedPsn = nextPsn;
    sendPsn = nextPsn;
    readPsns = 0;
    outstandingReadsAndAtomics = 0;
    inflightBytes = 0;
    haltedAt = NOT_HALTED;
  }

  /** Whether packets have been sent whose acknowledgement or response is missing. */
  boolean hasUnacknowledged() {
    return unackedPsn != nextPsn;
  }

  /** Request packets sent and not acknowledged; READ requests are bounded elsewhere. */
  int inflightPackets() {
    return Psn.distance(unackedPsn, sendPsn) - readPsns;
  }

  /** Whether packets up to nextPsn are being sent a second time. */
  boolean isSendingAgain() {
    return sendPsn != nextPsn;
  }

  void sentOne(long bytes) {
    sendPsn = Psn.next(sendPsn);
    inflightBytes += bytes;
    if (Psn.isAfter(sendPsn, nextPsn)) {
      nextPsn = sendPsn;
    }
  }

  /** A READ or atomic request for PSNs sendPsn to lastPsn left. */
  void sentRead(int lastPsn) {
    int after = Psn.next(lastPsn);
    readPsns += Psn.distance(sendPsn, after);
    sendPsn = after;
    if (Psn.isAfter(sendPsn, nextPsn)) {
      nextPsn = sendPsn;
    }
  }

  /** Goes back to the oldest unacknowledged packet. */
  void goBack() {
    cursor = head;
    sendPsn = unackedPsn;
    readPsns = 0;
    inflightBytes = 0;
  }

  /** Request packets up to psn are acknowledged, all belonging to the head or before. */
  void acknowledge(int psn, long bytes) {
    unackedPsn = Psn.next(psn);
    inflightBytes = Math.max(0, inflightBytes - bytes);
    skipAcknowledged();
  }

  /** The response for psn, the next expected one of the READ at the head, is placed. */
  void responsePlaced(int psn) {
    if (Psn.isAfter(sendPsn, psn)) {
      readPsns--;
    }
    unackedPsn = Psn.next(psn);
    skipAcknowledged();
  }

  /** The head is finished: the next request becomes the head. */
  // [rc 8-2]
  void finishHead() {
    head++;
    if (cursor < head) {
      cursor = head;
    }
    if (haltedAt < head) {
      // A request that failed locally when it was sent again was acknowledged after all.
      haltedAt = NOT_HALTED;
    }
  }

  /** Packets that were to be sent again turned out to have arrived. */
  private void skipAcknowledged() {
    if (Psn.isBefore(sendPsn, unackedPsn)) {
      sendPsn = unackedPsn;
      readPsns = 0;
      inflightBytes = 0;
    }
  }

  int ssn(int slot) {
    return (int) queue.engineWord(slot, WORD_SSN);
  }

  void ssn(int slot, int ssn) {
    queue.engineWord(slot, WORD_SSN, ssn);
  }
}
