// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.CompletionWriter;
import io.roce4j.transport.memory.MemoryFault;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.queue.SlotResult;
import io.roce4j.transport.verbs.SendFlags;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.mx.NackReason;
import io.roce4j.wire.sequence.Msn;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The sending side of a stream: turns posted work requests into messages and fragments, and
 * completes them in order.
 *
 * <p>The engine's words of a send-queue slot: word 0 MSN (low half) and rq_msn (high half), word 1
 * fragments numbered (low) and acknowledged (high), word 2 result bytes placed; its state holds the
 * bits below and a completion status.
 */
final class StreamSender {
  private static final int ALL_NUMBERED = 1;
  private static final int RESULT_DONE = 2;
  private static final int DONE = 4;
  private static final int LOCAL = 8;
  private static final int STATUS_SHIFT = 8;
  private static final long NONE = -1;

  private final MxStream stream;
  private final StreamSet streams;
  private final SendHalf half;
  private final SendQueue queue;
  private final MemoryTable memory;
  private final CompletionWriter completions;
  private final StreamOwner owner;
  private final ReadIndex reads;
  private final int mtu;
  final RnrHold hold;

  private long nextIndex;
  private long completeIndex;
  private long countedTail;
  private long backlogBytes;
  private int nextMsn;
  private int nextRqMsn;
  private int rqLimit;

  // The message being cut into fragments.
  private boolean inMessage;
  private boolean prepared;
  private int slot;
  private int kind;
  private long offset;
  private long length;

  private long errorIndex = NONE;
  private boolean closed;
  private int readsMax;
  private int rnrRetry = 7;
  private long peerRnrWaitNs;
  private long creditStallNs = SendPath.NEVER;

  /**
   * An idle sender.
   *
   * @param stream the stream
   * @param streams the connection's streams, which count the backlog
   * @param half what sends the fragments
   * @param memory local keys
   * @param completions where completions go
   * @param owner who hears of failures
   */
  StreamSender(
      MxStream stream,
      StreamSet streams,
      SendHalf half,
      MemoryTable memory,
      CompletionWriter completions,
      StreamOwner owner) {
    this.stream = stream;
    this.streams = streams;
    this.half = half;
    this.queue = stream.queuePair.sendQueue();
    this.memory = memory;
    this.completions = completions;
    this.owner = owner;
    this.mtu = half.parameters.mtu();
    this.hold = new RnrHold(half);
    this.nextIndex = queue.head();
    this.completeIndex = nextIndex;
    this.countedTail = nextIndex;
    this.reads = new ReadIndex(128);
  }

  /** Sets the first numbers of messages and receives, before anything is sent. */
  void startAt(int msn, int rqMsn) {
    nextMsn = msn;
    nextRqMsn = rqMsn;
    rqLimit = rqMsn;
  }

  /** Takes the attributes that bound a stream. */
  void configure(int maxReadsAndAtomics, int rnrRetryCount) {
    readsMax = Math.min(maxReadsAndAtomics, reads.capacity());
    rnrRetry = rnrRetryCount;
  }

  /** What the peer said when the stream was opened. */
  void peerRnrWait(long waitNs) {
    peerRnrWaitNs = waitNs;
  }

  // ---- Credits ----

  /** The receiver has posted more receives; limits never move back. */
  boolean raiseLimit(int limit) {
    if (!Msn.isAfter(limit, rqLimit)) {
      return false;
    }
    rqLimit = limit;
    creditStallNs = SendPath.NEVER;
    return true;
  }

  // ---- New fragments ----

  /** Counts what was posted since last time into the backlog. */
  void onPosted() {
    long tail = queue.publishedTail();
    for (; countedTail < tail; countedTail++) {
      addBacklog(WorkRequests.outboundLength(queue, queue.slot(countedTail)));
    }
  }

  private void addBacklog(long bytes) {
    backlogBytes += bytes;
    streams.backlogBytes += bytes;
  }

  /** Whether a message could be started or continued; see {@link FragmentSource#nextLength}. */
  int nextLength(long nowNs) {
    if (!stream.open || closed || errorIndex != NONE) {
      return FragmentSource.NOTHING;
    }
    if (hold.isActive()
        && Psn.distance(hold.oldestCpsn(), half.nextCpsn) > half.parameters.trackerWindow() / 2) {
      return FragmentSource.NOTHING;
    }
    if (!inMessage && !prepared && !prepare(nowNs)) {
      return FragmentSource.NOTHING;
    }
    long payload = WorkRequests.isBare(kind) ? 0 : Math.min(mtu, length - offset);
    return MxBody.packetLength(
        kind, WorkRequests.extraOf(queue, slot, offset + payload == length), (int) payload);
  }

  /** Looks at the next work request; executes local ones. False when none can be started. */
  private boolean prepare(long nowNs) {
    if (!stream.sending) {
      return false;
    }
    while (nextIndex < queue.publishedTail()) {
      int at = queue.slot(nextIndex);
      boolean fenced = (queue.flags(at) & SendFlags.FENCE) != 0;
      int opcode = queue.opcode(at);
      boolean local = WorkRequests.isLocal(opcode);
      if ((fenced || local) && completeIndex != nextIndex) {
        // A local operation may take away a key that a retransmission still needs.
        return false;
      }
      if (local) {
        if (!executeLocal(at, opcode, nowNs)) {
          return false;
        }
        continue;
      }
      kind = WorkRequests.kindOf(opcode, half.parameters);
      if (kind < 0) {
        fail(nextIndex, WorkCompletionStatus.LOC_QP_OP_ERR, nowNs);
        return false;
      }
      if (!mayStart(opcode, nowNs)) {
        return false;
      }
      slot = at;
      offset = 0;
      length = queue.totalLength(at);
      prepared = true;
      return true;
    }
    return false;
  }

  private boolean mayStart(int opcode, long nowNs) {
    if (WorkRequests.isBare(kind)) {
      return reads.size() < readsMax;
    }
    if (WorkRequests.consumesReceive(opcode) && !Msn.isBefore(nextRqMsn, rqLimit)) {
      if (creditStallNs == SendPath.NEVER) {
        creditStallNs = nowNs;
        half.counters.creditStalls++;
      }
      return false;
    }
    return true;
  }

  private boolean executeLocal(int at, int opcode, long nowNs) {
    int fault;
    if (opcode == WorkRequestOpcode.LOCAL_INV) {
      fault = memory.invalidate(queue.invalidateRkey(at), stream.pdId, stream.queuePair.qpNum());
    } else {
      fault =
          memory.bindWindow(
              queue.remoteQpn(at),
              queue.rkey(at),
              queue.invalidateRkey(at),
              queue.remoteVa(at),
              queue.compareAdd(at),
              queue.immediate(at),
              stream.pdId,
              stream.queuePair.qpNum());
    }
    if (fault != MemoryFault.OK) {
      int status =
          opcode == WorkRequestOpcode.LOCAL_INV
              ? WorkCompletionStatus.LOC_QP_OP_ERR
              : WorkCompletionStatus.MW_BIND_ERR;
      fail(nextIndex, status, nowNs);
      return false;
    }
    queue.engineState(at, DONE | LOCAL | ALL_NUMBERED);
    nextIndex++;
    completeInOrder(nowNs);
    return errorIndex == NONE && !closed;
  }

  /** Numbers the fragment {@link #nextLength} spoke of. */
  void take(FragmentTable fragments, int at, int cpsn) {
    if (!inMessage) {
      begin(cpsn);
    }
    int payload = WorkRequests.isBare(kind) ? 0 : (int) Math.min(mtu, length - offset);
    int msn = (int) queue.engineWord(slot, 0);
    fragments.begin(at, kind, stream.slot, (int) nextIndex, msn, (int) offset, payload);
    queue.engineWord(slot, 1, queue.engineWord(slot, 1) + 1);
    offset += payload;
    addBacklog(-payload);
    if (WorkRequests.isBare(kind) || offset == length) {
      queue.engineState(slot, queue.engineState(slot) | ALL_NUMBERED);
      inMessage = false;
      nextIndex++;
    }
  }

  private void begin(int cpsn) {
    boolean consumes = WorkRequests.consumesReceive(queue.opcode(slot));
    queue.engineWord(slot, 0, nextMsn | (long) nextRqMsn << 32);
    queue.engineWord(slot, 1, 0);
    queue.engineWord(slot, 2, 0);
    queue.engineState(slot, 0);
    queue.firstPsn(slot, cpsn);
    if (WorkRequests.isBare(kind)) {
      reads.add(nextMsn, nextIndex);
    }
    nextMsn = Msn.next(nextMsn);
    if (consumes) {
      nextRqMsn = Msn.next(nextRqMsn);
    }
    inMessage = true;
    prepared = false;
  }

  // ---- Writing fragments ----

  private long indexOf(int source) {
    long head = queue.head();
    return head + (source - (int) head);
  }

  private boolean isLast(FragmentTable fragments, int at, int queueSlot) {
    return WorkRequests.isBare(fragments.kind(at))
        || fragments.messageOffset(at) + fragments.payloadLength(at)
            == queue.totalLength(queueSlot);
  }

  int packetLength(FragmentTable fragments, int at) {
    int queueSlot = queue.slot(indexOf(fragments.source(at)));
    int extra = WorkRequests.extraOf(queue, queueSlot, isLast(fragments, at, queueSlot));
    return MxBody.packetLength(fragments.kind(at), extra, fragments.payloadLength(at));
  }

  boolean isSolicited(FragmentTable fragments, int at) {
    int queueSlot = queue.slot(indexOf(fragments.source(at)));
    return WorkRequests.consumesReceive(queue.opcode(queueSlot))
        && (queue.flags(queueSlot) & SendFlags.SOLICITED) != 0
        && isLast(fragments, at, queueSlot);
  }

  /** See {@link FragmentSource#write}. */
  int write(FragmentTable fragments, int at, UnsafeBuffer buffer, int bthOffset) {
    long index = indexOf(fragments.source(at));
    int queueSlot = queue.slot(index);
    int payload = fragments.payloadLength(at);
    long from = fragments.messageOffset(at);
    boolean last = isLast(fragments, at, queueSlot);
    int payloadAt =
        MxBody.writeRequest(
            buffer, bthOffset, queue, queueSlot, fragments.kind(at), from, last, fragments.msn(at));
    if (payload > 0) {
      int result = queue.gather(index, from, buffer, payloadAt, payload, memory, stream.pdId);
      if (result != SlotResult.OK) {
        return -result;
      }
    }
    return MxBody.finish(buffer, bthOffset, payloadAt, payload);
  }

  // ---- Acknowledged, refused, completed ----

  void onAcked(FragmentTable fragments, int at, int cpsn, long nowNs) {
    hold.onAccepted(cpsn);
    if (fragments.kind(at) == FragmentTable.KIND_VOID) {
      return;
    }
    int queueSlot = queue.slot(indexOf(fragments.source(at)));
    queue.engineWord(queueSlot, 1, queue.engineWord(queueSlot, 1) + (1L << 32));
    settle(queueSlot, nowNs);
  }

  private void settle(int queueSlot, long nowNs) {
    int state = queue.engineState(queueSlot);
    long counts = queue.engineWord(queueSlot, 1);
    boolean acked = (state & ALL_NUMBERED) != 0 && counts >>> 32 == (counts & 0xFFFF_FFFFL);
    boolean answered =
        !WorkRequests.isBare(WorkRequests.kindOf(queue.opcode(queueSlot), half.parameters))
            || (state & RESULT_DONE) != 0;
    if (acked && answered && (state & DONE) == 0) {
      queue.engineState(queueSlot, state | DONE);
      completeInOrder(nowNs);
    }
  }

  /**
   * Places result bytes of a READ or atomic.
   *
   * <p>A result that cannot be placed fails its work request here and is none of the responder's
   * business.
   */
  void placeResult(
      int msn, long from, long total, UnsafeBuffer source, int at, int bytes, long nowNs) {
    long index = reads.find(msn);
    if (index < 0) {
      return; // flushed meanwhile
    }
    int queueSlot = queue.slot(index);
    long expected = isAtomic(queueSlot) ? 8 : queue.totalLength(queueSlot);
    if (total != expected || from + bytes > total) {
      fail(index, WorkCompletionStatus.BAD_RESP_ERR, nowNs);
      return;
    }
    int result = queue.scatter(index, from, source, at, bytes, memory, stream.pdId);
    if (result != SlotResult.OK) {
      fail(index, result, nowNs);
      return;
    }
    long placed = queue.engineWord(queueSlot, 2) + bytes;
    queue.engineWord(queueSlot, 2, placed);
    if (placed >= total) {
      queue.engineState(queueSlot, queue.engineState(queueSlot) | RESULT_DONE);
      reads.remove(msn);
      // The answer proves that the request is in.
      owner.onRequestProven(queue.firstPsn(queueSlot), nowNs);
      settle(queueSlot, nowNs);
    }
  }

  private boolean isAtomic(int queueSlot) {
    return WorkRequests.kindOf(queue.opcode(queueSlot), half.parameters)
        == FragmentTable.KIND_ATOMIC_REQUEST;
  }

  /** A READ or atomic was refused after it had entered the tracker. */
  void onResultRefused(int msn, int reason, long nowNs) {
    long index = reads.find(msn);
    if (index >= 0) {
      fail(index, statusOf(reason), nowNs);
    }
  }

  /** A fragment was refused for good. */
  void onRefused(FragmentTable fragments, int at, int reason, long nowNs) {
    if (fragments.kind(at) != FragmentTable.KIND_VOID) {
      fail(indexOf(fragments.source(at)), statusOf(reason), nowNs);
    }
  }

  /** The bytes of a fragment could not be read; it is a VOID already. */
  void onLocalFault(FragmentTable fragments, int at, int status, long nowNs) {
    fail(indexOf(fragments.source(at)), status, nowNs);
  }

  private static int statusOf(int reason) {
    return switch (reason) {
      case NackReason.REMOTE_ACCESS -> WorkCompletionStatus.REM_ACCESS_ERR;
      case NackReason.OPERATION -> WorkCompletionStatus.REM_OP_ERR;
      default -> WorkCompletionStatus.REM_INV_REQ_ERR;
    };
  }

  /** The receiver is not ready for a fragment. */
  void onNotReady(int at, int cpsn, long waitNs, long nowNs) {
    hold.add(at, cpsn, waitNs, nowNs);
    if (rnrRetry < 7 && hold.waitedNs(nowNs) > (rnrRetry + 1) * waitNs) {
      giveUpWaiting(nowNs);
    }
  }

  /** Ends the stream because the receiver never got ready. */
  void giveUpWaiting(long nowNs) {
    fail(completeIndex, WorkCompletionStatus.RNR_RETRY_EXC_ERR, nowNs);
  }

  /**
   * Fails a work request: it completes in error once all before it are done, later ones are
   * flushed, and every CPSN of them that is not in becomes a VOID.
   */
  void fail(long index, int status, long nowNs) {
    if (closed || (errorIndex != NONE && index >= errorIndex)) {
      return;
    }
    int at = queue.slot(index);
    boolean started = index < nextIndex || (inMessage && index == nextIndex);
    int firstMsn = started ? (int) queue.engineWord(at, 0) : nextMsn;
    if (errorIndex != NONE) {
      queue.engineState(queue.slot(errorIndex), 0); // an earlier one failed: that one is flushed
    }
    errorIndex = index;
    queue.engineState(at, DONE | status << STATUS_SHIFT);
    inMessage = false;
    prepared = false;
    reads.removeFrom(firstMsn);
    voidFrom(firstMsn);
    completeInOrder(nowNs);
  }

  private void voidFrom(int firstMsn) {
    FragmentTable fragments = half.fragments;
    for (int cpsn = half.una; cpsn != half.nextCpsn; cpsn = Psn.next(cpsn)) {
      int at = fragments.at(cpsn);
      if (fragments.stream(at) == stream.slot
          && fragments.state(at) != FragmentTable.ACKED
          && Msn.distance(firstMsn, fragments.msn(at)) >= 0) {
        half.voidFragment(at);
      }
    }
  }

  /** Work completions leave in the order of the stream. */
  private void completeInOrder(long nowNs) {
    long started = inMessage ? nextIndex + 1 : nextIndex;
    while (completeIndex < started || completeIndex == errorIndex) {
      int at = queue.slot(completeIndex);
      int state = queue.engineState(at);
      boolean failed = completeIndex == errorIndex;
      if (!failed && (state & DONE) == 0) {
        return;
      }
      int status = failed ? state >>> STATUS_SHIFT : WorkCompletionStatus.SUCCESS;
      long index = completeIndex++;
      boolean written = WorkRequests.complete(stream, queue, completions, index, status, nowNs);
      if (failed || !written) {
        closed = true;
        owner.onStreamFailed(stream, nowNs);
        return;
      }
    }
  }

  /** The queue pair is in ERR: everything posted and not completed is flushed, in order. */
  void flush(long nowNs) {
    closed = true;
    int firstMsn = nextMsn;
    boolean all = completeIndex < nextIndex || inMessage;
    if (all) {
      firstMsn = (int) queue.engineWord(queue.slot(completeIndex), 0);
    }
    inMessage = false;
    prepared = false;
    long tail = queue.publishedTail();
    for (; completeIndex < tail; completeIndex++) {
      // What is done but behind what failed is flushed, too: the peer finishes nothing from there
      // on, so a success would promise a receive completion that never comes [mx B.11-14].
      boolean failed = completeIndex == errorIndex;
      int status =
          failed
              ? queue.engineState(queue.slot(completeIndex)) >>> STATUS_SHIFT
              : WorkCompletionStatus.WR_FLUSH_ERR;
      WorkRequests.complete(stream, queue, completions, completeIndex, status, nowNs);
    }
    nextIndex = tail;
    countedTail = tail;
    addBacklog(-backlogBytes);
    queue.release(tail);
    reads.clear();
    hold.abandon();
    if (all) {
      voidFrom(firstMsn);
    }
  }

  /** RESET: forgets everything without completions. */
  void reset() {
    closed = true;
    addBacklog(-backlogBytes);
    queue.discardAll();
    reads.clear();
    hold.abandon();
  }

  /** Whether nothing is started and unfinished. */
  boolean isDrained() {
    return completeIndex == nextIndex && !inMessage;
  }

  /** The oldest unfinished work request fails with this status, the rest is flushed. */
  void failOldest(int status, long nowNs) {
    if (completeIndex < queue.publishedTail()) {
      fail(completeIndex, status, nowNs);
    } else {
      closed = true;
      owner.onStreamFailed(stream, nowNs);
    }
  }

  /** Whether a READ or atomic is not answered yet. */
  boolean isWaitingForAnswer() {
    return reads.isWaiting();
  }

  /** Whether the application waits for something. */
  boolean hasWork() {
    return completeIndex < queue.publishedTail();
  }

  // ---- Timers ----

  /** When {@link #onTimer} is wanted: RNR waits and credit that never comes. */
  long deadlineNs() {
    return Math.min(hold.deadlineNs(), creditDeadlineNs());
  }

  private long creditDeadlineNs() {
    return creditStallNs == SendPath.NEVER || rnrRetry == 7 || peerRnrWaitNs == 0
        ? SendPath.NEVER
        : creditStallNs + (rnrRetry + 1) * peerRnrWaitNs;
  }

  void onTimer(long nowNs) {
    hold.onTimer(nowNs);
    if (creditDeadlineNs() <= nowNs) {
      creditStallNs = SendPath.NEVER;
      fail(nextIndex, WorkCompletionStatus.RNR_RETRY_EXC_ERR, nowNs);
    }
    if (hold.isActive()
        && Psn.distance(hold.oldestCpsn(), half.nextCpsn)
            > half.parameters.trackerWindow() / 4 * 3) {
      giveUpWaiting(nowNs);
    }
  }
}
