// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.queue.SlotResult;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.Syndrome;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The completer of a reliable connection: takes acknowledgements and responses, finishes work
 * requests in order, decides when to go back (IBA 1.4, 9.7.5.2 and 9.7.6; rules Q6 to Q23 and table
 * 2.1 of the requirement list).
 *
 * <p>All going back leads to the oldest unacknowledged PSN, and each cause is heeded once an
 * episode: an episode ends with progress or with the timer.
 */
final class RcCompleter {

  private final RcConnection connection;
  private final RcSendWindow window;
  private final SendQueue queue;
  private final RcCredits credits;
  private final RcRetry retry;
  private final UnsafeBuffer atomicResult = new UnsafeBuffer(new byte[Long.BYTES]);

  /** Set by an implied NAK or a response gap; further ones are ignored until progress [rc Q10]. */
  private boolean wentBackForResponse;

  /** Causes, as bits, that asked to go back since the last progress or timer. */
  private int causesHeard;

  RcCompleter(RcConnection connection, RcSendWindow window, RcCredits credits, RcRetry retry) {
    this.connection = connection;
    this.window = window;
    this.queue = window.queue;
    this.credits = credits;
    this.retry = retry;
  }

  void reset() {
    forgetEpisode();
  }

  private void forgetEpisode() {
    wentBackForResponse = false;
    causesHeard = 0;
  }

  /** A response opcode with PSN inside what was sent. */
  void onResponse(PacketView packet, long nowNs) {
    int psn = packet.psn();
    // [rc Q11] [rc 24-7] Never sent: ignored. rxe takes it as acknowledgement of everything; do not
    // copy
    // that.
    if (!Psn.isBefore(psn, window.nextPsn)) {
      connection.counters.increment(CounterId.RX_IGNORED_RESPONSES);
      return;
    }
    if (Psn.isBefore(psn, window.unackedPsn)) {
      onOld(packet, psn);
      return;
    }
    int opcode = packet.opcode();
    if (Opcode.hasAeth(opcode) && !takesAeth(packet, opcode)) {
      connection.counters.increment(CounterId.RX_IGNORED_RESPONSES);
      return;
    }
    if (Opcode.isAck(opcode)) {
      onAcknowledge(packet, psn, nowNs);
    } else if (Opcode.isReadResponse(opcode)) {
      onReadResponse(packet, psn, nowNs);
    } else {
      onAtomicAcknowledge(packet, psn, nowNs);
    }
  }

  /**
   * [rc Q11] [rc 2.1-1] [rc 2.1-7] [rc 5-9] Old packets say nothing new, but an ACK of the newest
   * old PSN may carry credits.
   */
  private void onOld(PacketView packet, int psn) {
    connection.counters.increment(CounterId.RX_IGNORED_RESPONSES);
    if (Opcode.isAck(packet.opcode())
        && Syndrome.isAck(packet.syndrome())
        && psn == Psn.add(window.unackedPsn, -1)) {
      takeCredits(packet);
    }
  }

  /**
   * [rc 4-3] [rc 4-5] [rc 24-14] Reserved syndromes are ignored: never sent by us, errors or worse
   * elsewhere. Responses with data carry an ACK syndrome or are malformed [FC-08].
   */
  private boolean takesAeth(PacketView packet, int opcode) {
    int syndrome = packet.syndrome();
    return Opcode.isAck(opcode) ? !Syndrome.isReserved(syndrome) : Syndrome.isAck(syndrome);
  }

  private void takeCredits(PacketView packet) {
    if (credits.onAcknowledge(packet.syndrome(), packet.msn())) {
      connection.slot.requestTransmit();
    }
  }

  private void onAcknowledge(PacketView packet, int psn, long nowNs) {
    int syndrome = packet.syndrome();
    if (Syndrome.isAck(syndrome)) {
      takeCredits(packet);
      finishThrough(psn, nowNs);
      if (headAwaitsResponseBefore(psn)) {
        impliedNak(nowNs);
      }
      return;
    }
    if (Syndrome.isRnrNak(syndrome)) {
      onRnrNak(syndrome, psn, nowNs);
    } else if (syndrome == Syndrome.NAK_PSN_SEQUENCE_ERROR) {
      onSequenceNak(psn, nowNs);
    } else {
      onFatalNak(syndrome, psn, nowNs);
    }
  }

  /**
   * [rc Q9] [rc 2.1-3] [rc 2.1-4] [rc 24-21] An acknowledgement at or beyond the last PSN of an
   * outstanding READ or atomic means its response was lost. Inside the READ's range it means
   * nothing.
   */
  private boolean headAwaitsResponseBefore(int psn) {
    if (window.head == window.started) {
      return false;
    }
    int slot = queue.slot(window.head);
    return RcRequester.isReadOrAtomic(queue.opcode(slot))
        && !Psn.isBefore(psn, queue.lastPsn(slot));
  }

  /** [rc Q13] [rc 24-8] Go back once for each NAK; a second NAK of the same PSN goes back again. */
  private void onSequenceNak(int psn, long nowNs) {
    connection.counters.increment(CounterId.PACKET_SEQ_ERR);
    int before = window.unackedPsn;
    acknowledgeBefore(psn, nowNs);
    if (window.unackedPsn != before) {
      connection.counters.increment(CounterId.RCVD_SEQ_ERR);
    }
    // [rc 3.1-2] [rc 24-5] A sequence NAK behind an RNR NAK, as rxe sends it, must not cut the wait
    // short. And
    // a
    // NAK for what is about to be sent again anyway asks for nothing: a copy made by the network.
    if (connection.isWaitingForRnr() || window.sendPsn == window.unackedPsn) {
      return;
    }
    goBack(EventSink.CAUSE_SEQUENCE_NAK, nowNs);
  }

  /** [rc Q14] Wait at least the coded time, with the acknowledge timer stopped. */
  private void onRnrNak(int syndrome, int psn, long nowNs) {
    connection.counters.increment(CounterId.RNR_NAK_RETRY_ERR);
    connection.counters.increment(CounterId.RCVD_RNR_ERR);
    acknowledgeBefore(psn, nowNs);
    if (window.unackedPsn != psn || window.head == window.started) {
      return; // an unanswered READ stands before it and was asked for again
    }
    if (connection.isWaitingForRnr()) {
      return; // a copy of the NAK that started the wait [FC-14]
    }
    if (!retry.takeRnrRetry()) {
      connection.counters.increment(CounterId.REQ_RNR_RETRIES_EXCEEDED);
      connection.counters.increment(CounterId.RETRY_RNR_EXCEEDED_ERR);
      connection.failOldestSend(WorkCompletionStatus.RNR_RETRY_EXC_ERR, nowNs); // [rc 15-5]
      return;
    }
    connection.goBack(nowNs, EventSink.CAUSE_RNR);
    retry.startRnrWait(nowNs, Syndrome.rnrTimerNs(Syndrome.value(syndrome)));
  }

  /** [rc Q15] [rc 15-1..3] The request with the PSN fails, the queue pair goes to ERR [FC-18]. */
  private void onFatalNak(int syndrome, int psn, long nowNs) {
    int status = WorkCompletionStatus.REM_OP_ERR;
    if (syndrome == Syndrome.NAK_INVALID_REQUEST) {
      status = WorkCompletionStatus.REM_INV_REQ_ERR;
      connection.counters.increment(CounterId.REQ_REMOTE_INVALID_REQUEST);
    } else if (syndrome == Syndrome.NAK_REMOTE_ACCESS_ERROR) {
      status = WorkCompletionStatus.REM_ACCESS_ERR;
      connection.counters.increment(CounterId.REQ_REMOTE_ACCESS_ERRORS);
    }
    acknowledgeBefore(psn, nowNs);
    if (window.head == window.started) {
      return;
    }
    int slot = queue.slot(window.head);
    if (Psn.isBefore(queue.lastPsn(slot), psn)) {
      return; // an unanswered READ or atomic stands before it: asked for again by the implied NAK
    }
    connection.failOldestSend(status, nowNs);
  }

  /**
   * [rc Q12] [rc 2.1-9] Any NAK acknowledges what is before it; READs in the way are implied NAKs.
   */
  private void acknowledgeBefore(int psn, long nowNs) {
    if (psn != window.unackedPsn) {
      int previous = Psn.add(psn, -1);
      finishThrough(previous, nowNs);
      if (headAwaitsResponseBefore(previous)) {
        impliedNak(nowNs);
      }
    }
  }

  /**
   * [rc Q6] Finishes SENDs and WRITEs up to psn, in order, and stops in front of the first READ or
   * atomic that has no answer. A message acknowledged in part counts as progress [rc 2.1-2..4].
   */
  private void finishThrough(int psn, long nowNs) {
    boolean progress = false;
    while (window.head != window.started) {
      int slot = queue.slot(window.head);
      if (RcRequester.isReadOrAtomic(queue.opcode(slot))) {
        break;
      }
      int last = queue.lastPsn(slot);
      if (Psn.isBefore(psn, queue.firstPsn(slot))) {
        break;
      }
      boolean whole = !Psn.isBefore(psn, last);
      int through = whole ? last : psn;
      if (!Psn.isBefore(through, window.unackedPsn)) {
        acknowledge(slot, through, nowNs);
        progress = true;
      }
      if (!whole) {
        break;
      }
      finishHead(nowNs);
    }
    if (progress) {
      onProgress(nowNs);
    }
  }

  private void acknowledge(int slot, int through, long nowNs) {
    int first = queue.firstPsn(slot);
    long from = (long) Psn.distance(first, window.unackedPsn) * connection.pathMtu;
    int packets = Psn.distance(window.unackedPsn, through) + 1;
    long to = Math.min(queue.totalLength(slot), from + (long) packets * connection.pathMtu);
    long bytes = to - from + (long) packets * RcPacing.OVERHEAD_BYTES;
    window.acknowledge(through, bytes);
    connection.pacing.onAcknowledged(nowNs, through, bytes, packets, window.inflightBytes);
  }

  private void onReadResponse(PacketView packet, int psn, long nowNs) {
    // [rc Q8] [rc 2.1-5] It acknowledges every SEND and WRITE before it.
    finishBefore(psn, nowNs);
    if (window.head == window.started) {
      return;
    }
    int slot = queue.slot(window.head);
    int opcode = queue.opcode(slot);
    if (opcode != WorkRequestOpcode.RDMA_READ) {
      if (RcRequester.isReadOrAtomic(opcode) && Psn.isAfter(psn, queue.lastPsn(slot))) {
        impliedNak(nowNs);
      } else {
        badResponse(WorkCompletionStatus.BAD_RESP_ERR, nowNs); // [rc Q20]
      }
      return;
    }
    if (psn == window.unackedPsn) {
      placeReadResponse(packet, slot, psn, nowNs);
    } else if (Psn.isAfter(psn, queue.lastPsn(slot))) {
      impliedNak(nowNs);
    } else {
      responseGap(nowNs);
    }
  }

  /**
   * [rc Q10] [rc 2.1-6] [rc 21-3] [rc 24-4] The data are not placed. Asking for the missing part at
   * once, as qib does, saves a timer where rxe waits; once an episode, because the rest of the old
   * train is still on its way.
   */
  private void responseGap(long nowNs) {
    connection.counters.increment(CounterId.RX_IGNORED_RESPONSES);
    if (!wentBackForResponse) {
      wentBackForResponse = true;
      connection.counters.increment(CounterId.IMPLIED_NAK_SEQ_ERR);
      goBack(EventSink.CAUSE_RESPONSE_GAP, nowNs);
    }
  }

  private void placeReadResponse(PacketView packet, int slot, int psn, long nowNs) {
    int first = queue.firstPsn(slot);
    boolean last = psn == queue.lastPsn(slot);
    long offset = (long) Psn.distance(first, psn) * connection.pathMtu;
    int expected = (int) Math.min(connection.pathMtu, queue.totalLength(slot) - offset);
    int fault = judgeReadResponse(packet.opcode(), psn == first, last);
    if (fault == WorkCompletionStatus.SUCCESS && packet.payloadLength() != expected) {
      fault = WorkCompletionStatus.LOC_LEN_ERR; // [rc Q21] [rc 15-8]
    }
    if (fault != WorkCompletionStatus.SUCCESS) {
      badResponse(fault, nowNs);
      return;
    }
    if (Opcode.hasAeth(packet.opcode())) {
      takeCredits(packet);
    }
    // [rc Q22] [rc 15-7] Only through the local list, whose keys need LOCAL_WRITE.
    int result =
        queue.scatter(
            window.head,
            offset,
            connection.payloadOf(packet),
            packet.payloadOffset(),
            expected,
            connection.memory,
            connection.pdId);
    if (result != SlotResult.OK) {
      badResponse(result, nowNs);
      return;
    }
    connection.counters.add(CounterId.RX_PAYLOAD_BYTES, expected);
    window.responsePlaced(psn);
    if (last) {
      finishReadOrAtomic(nowNs);
    }
    onProgress(nowNs);
  }

  /**
   * [rc Q23] The PSN decides what a response is; the opcode must only be possible there. A resumed
   * READ may come as First/Middle/Last, as Only, or continue with Middle/Last. Last or Only before
   * the last PSN is an answer too short [rc Q21], anything else an opcode that does not belong [rc
   * Q20].
   */
  private static int judgeReadResponse(int opcode, boolean first, boolean last) {
    if (last) {
      boolean fits =
          opcode == Opcode.RC_READ_RESP_ONLY || (opcode == Opcode.RC_READ_RESP_LAST && !first);
      return fits ? WorkCompletionStatus.SUCCESS : WorkCompletionStatus.BAD_RESP_ERR;
    }
    if (Opcode.endsMessage(opcode)) {
      return WorkCompletionStatus.LOC_LEN_ERR;
    }
    boolean fits = opcode == Opcode.RC_READ_RESP_FIRST || !first;
    return fits ? WorkCompletionStatus.SUCCESS : WorkCompletionStatus.BAD_RESP_ERR;
  }

  // [rc Q7] [rc 2.1-8]
  private void onAtomicAcknowledge(PacketView packet, int psn, long nowNs) {
    finishBefore(psn, nowNs);
    if (window.head == window.started) {
      return;
    }
    int slot = queue.slot(window.head);
    int opcode = queue.opcode(slot);
    boolean awaits = RcRequester.isReadOrAtomic(opcode);
    if (awaits && Psn.isAfter(psn, queue.lastPsn(slot))) {
      impliedNak(nowNs);
      return;
    }
    if (!awaits || opcode == WorkRequestOpcode.RDMA_READ) {
      badResponse(WorkCompletionStatus.BAD_RESP_ERR, nowNs); // [rc Q20]
      return;
    }
    takeCredits(packet);
    // Host order in memory, big-endian on the wire [wire 4].
    atomicResult.putLong(0, packet.atomicOriginal());
    int result =
        queue.scatter(
            window.head, 0, atomicResult, 0, Long.BYTES, connection.memory, connection.pdId);
    if (result != SlotResult.OK) {
      badResponse(result, nowNs);
      return;
    }
    window.responsePlaced(psn);
    finishReadOrAtomic(nowNs);
    onProgress(nowNs);
  }

  private void finishBefore(int psn, long nowNs) {
    if (psn != window.unackedPsn) {
      finishThrough(Psn.add(psn, -1), nowNs);
    }
  }

  // [rc Q7]
  private void finishReadOrAtomic(long nowNs) {
    window.outstandingReadsAndAtomics--;
    finishHead(nowNs);
  }

  private void finishHead(long nowNs) {
    finishOldest(nowNs);
    finishLocals(nowNs);
  }

  /** The window moves first: a full completion queue flushes everything behind this request. */
  private void finishOldest(long nowNs) {
    long index = window.head;
    window.finishHead();
    connection.completeSend(index, WorkCompletionStatus.SUCCESS, nowNs);
  }

  /** Local operations whose turn to be finished has come, and the request that failed locally. */
  void finishLocals(long nowNs) {
    while (window.head != window.started) {
      int slot = queue.slot(window.head);
      if (queue.engineState(slot) != RcSendWindow.STATE_LOCAL) {
        break;
      }
      finishOldest(nowNs);
    }
    if (window.head == window.haltedAt) {
      connection.failOldestSend(window.haltStatus, nowNs);
    }
  }

  /** [rc 15-8] [rc 15-9] The request fails with what was wrong with its answer. */
  private void badResponse(int status, long nowNs) {
    connection.failOldestSend(status, nowNs);
  }

  private void impliedNak(long nowNs) {
    connection.counters.increment(CounterId.IMPLIED_NAK_SEQ_ERR);
    if (!wentBackForResponse) {
      wentBackForResponse = true;
      goBack(EventSink.CAUSE_IMPLIED_NAK, nowNs);
    }
  }

  private void goBack(int cause, long nowNs) {
    if (connection.isWaitingForRnr()) {
      return; // the end of the wait goes back anyway, and nothing may cut it short [FC-14]
    }
    if (!isNewsOfTheSameFlight(cause)) {
      if (!retry.takeRetry()) {
        retriesExceeded(nowNs);
        return;
      }
      retry.restartAckTimer(nowNs);
    }
    causesHeard |= 1 << cause;
    connection.counters.increment(CounterId.COMPLETER_RETRY_ERR);
    connection.goBack(nowNs, cause);
  }

  /**
   * One flight with several holes is told of in several ways: a sequence NAK, an acknowledgement
   * beyond an unanswered READ, a gap in its responses. Together they spend one retry, or a budget
   * of seven would be gone after three such flights; the timer runs on, so a peer that says these
   * things for ever is still given up. The same news again is about a new flight [rc Q13].
   */
  private boolean isNewsOfTheSameFlight(int cause) {
    return causesHeard != 0 && (causesHeard & 1 << cause) == 0;
  }

  /** [rc Q16] The acknowledge timer expired with something outstanding. */
  void onAckTimeout(long nowNs) {
    connection.counters.increment(CounterId.LOCAL_ACK_TIMEOUT_ERR);
    forgetEpisode();
    goBack(EventSink.CAUSE_TIMEOUT, nowNs);
    forgetEpisode(); // what comes next is about the flight sent now
  }

  // [rc Q18] [rc 15-4]
  private void retriesExceeded(long nowNs) {
    connection.counters.increment(CounterId.REQ_TRANSPORT_RETRIES_EXCEEDED);
    connection.counters.increment(CounterId.RETRY_EXCEEDED_ERR);
    connection.failOldestSend(WorkCompletionStatus.RETRY_EXC_ERR, nowNs);
  }

  /** [rc Q17] Any PSN newly acknowledged restores both budgets and restarts the timer. */
  private void onProgress(long nowNs) {
    forgetEpisode();
    connection.endRnrWait(nowNs);
    retry.onProgress(nowNs, window.hasUnacknowledged());
    connection.slot.requestTransmit();
  }
}
