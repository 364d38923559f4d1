// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.queue.RingLayout;
import io.roce4j.wire.memory.NativeRegion;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Completions of any number of send and receive queues: the agent writes, one thread polls.
 *
 * <p>A completion that finds the ring full is lost: the queue is in error, CQ_ERR is raised and the
 * engine takes the queue pair to ERR; what was queued before can still be polled [rc 12-1].
 *
 * <p>Events: {@link #requestNotify} arms the queue for one event. The next completion, or with
 * solicitedOnly the next solicited or error completion, raises it; completions already queued do
 * not. So arm, then poll once more, then wait.
 *
 * <pre>
 *   entry:  0 wrId (8)    8 byteLength (8)    16 status (4)    20 opcode (4)
 *          24 qpNum (4)  28 srcQp (4)         32 immediate (4) 36 invalidatedRkey (4)
 *          40 flags (4)  44 vendorError (4)   48 pkeyIndex (4) 52 networkType (4)
 * </pre>
 */
public final class CompletionQueue implements ContextObject {
  /** Result of a write that found the ring full. */
  public static final int CQ_FULL = -1;

  private static final int STRIDE = 64;
  private static final int WR_ID = 0;
  private static final int BYTE_LENGTH = 8;
  private static final int STATUS = 16;
  private static final int OPCODE = 20;
  private static final int QP_NUM = 24;
  private static final int SRC_QP = 28;
  private static final int IMMEDIATE = 32;
  private static final int INVALIDATED_RKEY = 36;
  private static final int FLAGS = 40;
  private static final int VENDOR_ERROR = 44;
  private static final int PKEY_INDEX = 48;
  private static final int NETWORK_TYPE = 52;

  private final RdmaContext context;
  private final int number;
  private final int capacity;
  private final int mask;
  private final NativeRegion memory;
  private final UnsafeBuffer ring;
  private final CompletionEvents events;
  private int users;
  private volatile boolean open = true;

  // Agent's own.
  private long tail;
  private long headSeen;
  private boolean overflowed;

  // Poller's own.
  private long head;
  private long tailSeen;

  CompletionQueue(RdmaContext context, int number, int entries, CompletionChannel channel) {
    this(context, number, entries, channel, 0);
  }

  CompletionQueue(
      RdmaContext context, int number, int entries, CompletionChannel channel, long startIndex) {
    int slots = RingLayout.slots(entries);
    this.context = context;
    this.number = number;
    this.capacity = entries;
    this.mask = slots - 1;
    int bytes = RingLayout.bytes(slots, STRIDE);
    this.memory = NativeRegion.allocate("completion-queue", bytes, RingLayout.ALIGNMENT);
    this.ring = new UnsafeBuffer(memory.address(), bytes);
    this.tail = startIndex;
    this.headSeen = startIndex;
    this.head = startIndex;
    this.tailSeen = startIndex;
    ring.putLongRelease(RingLayout.TAIL_OFFSET, startIndex);
    ring.putLongRelease(RingLayout.HEAD_OFFSET, startIndex);
    this.events = new CompletionEvents(this, ring, channel);
  }

  /** Bytes of the ring of a queue of so many entries. */
  static long ringBytes(int entries) {
    return RingLayout.wantedBytes(RingLayout.slots(entries), STRIDE);
  }

  /**
   * The number by which asynchronous events name it.
   *
   * @return 1 or more
   */
  public int number() {
    return number;
  }

  /**
   * Entries it holds.
   *
   * @return as asked for
   */
  public int capacity() {
    return capacity;
  }

  /**
   * The context.
   *
   * @return where it was created
   */
  public RdmaContext context() {
    return context;
  }

  // ---- Poller ----

  /**
   * Takes the oldest completion. Poller thread.
   *
   * @param out overwritten when there is one
   * @return whether there was one
   */
  public boolean poll(WorkCompletion out) {
    if (head == tailSeen) {
      refresh();
      if (head == tailSeen) {
        return false;
      }
    }
    read(slot(head), out);
    head++;
    ring.putLongRelease(RingLayout.HEAD_OFFSET, head);
    return true;
  }

  /**
   * Takes the oldest completions, in order. Poller thread.
   *
   * @param out filled from index 0 with copies that stay the caller's
   * @param max most completions, 0..out.length
   * @return how many were taken
   */
  public int poll(WorkCompletion[] out, int max) {
    if (tailSeen - head < max) {
      refresh();
    }
    int count = (int) Math.min(max, tailSeen - head);
    for (int i = 0; i < count; i++) {
      read(slot(head + i), out[i]);
    }
    if (count > 0) {
      head += count;
      ring.putLongRelease(RingLayout.HEAD_OFFSET, head);
    }
    return count;
  }

  /** Looks for new completions; a destroyed queue has none. */
  private void refresh() {
    tailSeen = open ? ring.getLongAcquire(RingLayout.TAIL_OFFSET) : head;
  }

  private void read(int slot, WorkCompletion out) {
    out.wrId = ring.getLong(slot + WR_ID);
    out.byteLength = ring.getLong(slot + BYTE_LENGTH);
    out.status = ring.getInt(slot + STATUS);
    out.opcode = ring.getInt(slot + OPCODE);
    out.qpNum = ring.getInt(slot + QP_NUM);
    out.srcQp = ring.getInt(slot + SRC_QP);
    out.immediate = ring.getInt(slot + IMMEDIATE);
    out.invalidatedRkey = ring.getInt(slot + INVALIDATED_RKEY);
    out.flags = ring.getInt(slot + FLAGS);
    out.vendorError = ring.getInt(slot + VENDOR_ERROR);
    out.pkeyIndex = ring.getInt(slot + PKEY_INDEX);
    out.networkType = ring.getInt(slot + NETWORK_TYPE);
  }

  /**
   * Arms the queue for one event. Arming for every completion is not weakened by a later
   * solicitedOnly. Poller thread.
   *
   * @param solicitedOnly only solicited and error completions raise the event
   */
  public void requestNotify(boolean solicitedOnly) {
    events.arm(solicitedOnly);
  }

  /**
   * Takes the events raised since the last call; they count as acknowledged. Poller thread.
   *
   * @return 0 or more
   */
  public int takeEvents() {
    return events.take();
  }

  // ---- Control ----

  /**
   * Holds events back until some completions have come or the first of them is old: {@code
   * ibv_modify_cq}. Without moderation (1, 0) each armed completion raises its event at once.
   *
   * @param completions how many raise the event, 1 or more
   * @param periodNs age at which fewer raise it too, 0 for no age limit
   * @throws VerbsException EINVAL for a count below 1 or a negative period
   */
  public void moderate(int completions, long periodNs) {
    if (completions < 1 || periodNs < 0) {
      throw VerbsException.invalid(
          "moderation of "
              + completions
              + " completions and "
              + periodNs
              + " ns: need at least 1 and 0");
    }
    context.control().run(() -> events.moderate(completions, periodNs));
  }

  /** Destroys the queue. A second call does nothing. */
  @Override
  public void close() {
    context.control().run(this::closeNow);
  }

  private void closeNow() {
    if (!open) {
      return;
    }
    if (users != 0) {
      throw new VerbsException(
          "EBUSY", "completion queue " + number + " is used by " + users + " queue pairs");
    }
    open = false;
    context.completionQueueClosed(this);
    context.rings().give(ringBytes(capacity));
    events.close();
    // An empty view makes a late access an exception instead of a crash.
    ring.wrap(new byte[0]);
    memory.close();
  }

  void checkOpen() {
    if (!open) {
      throw VerbsException.invalid("completion queue " + number + " is destroyed");
    }
  }

  void retain() {
    users++;
  }

  void release() {
    users--;
  }

  // ---- Engine ----

  /**
   * Writes the completion of a send that succeeded. Agent thread.
   *
   * @param wrId of the request
   * @param opcode {@link WorkCompletionOpcode}
   * @param byteLength bytes placed by READ and atomics, else the message length
   * @param qpNum the queue pair
   * @return 0 or {@link #CQ_FULL}
   */
  public int writeSend(long wrId, int opcode, long byteLength, int qpNum) {
    return write(
        wrId, WorkCompletionStatus.SUCCESS, opcode, byteLength, qpNum, 0, 0, 0, 0, 0, false);
  }

  /**
   * Writes an error completion, which always raises a solicited event too. Agent thread.
   *
   * @param wrId of the request
   * @param status {@link WorkCompletionStatus}, not SUCCESS
   * @param opcode {@link WorkCompletionOpcode}, for people
   * @param qpNum the queue pair
   * @param vendorError reason code, for people
   * @return 0 or {@link #CQ_FULL}
   */
  public int writeError(long wrId, int status, int opcode, int qpNum, int vendorError) {
    return write(wrId, status, opcode, 0, qpNum, 0, 0, 0, 0, vendorError, true);
  }

  /**
   * Writes any completion. Agent thread.
   *
   * @param wrId of the request
   * @param status {@link WorkCompletionStatus}
   * @param opcode {@link WorkCompletionOpcode}
   * @param byteLength 0..2^31
   * @param qpNum the queue pair
   * @param srcQp sender's queue pair of a datagram
   * @param immediate with WITH_IMM
   * @param invalidatedRkey with WITH_INV
   * @param flags {@link WorkCompletionFlags}
   * @param vendorError reason code after an error
   * @param solicited the message's last packet carried SE, or this is an error
   * @return 0 or {@link #CQ_FULL}
   */
  public int write(
      long wrId,
      int status,
      int opcode,
      long byteLength,
      int qpNum,
      int srcQp,
      int immediate,
      int invalidatedRkey,
      int flags,
      int vendorError,
      boolean solicited) {
    int slot = claim();
    if (slot < 0) {
      return CQ_FULL;
    }
    ring.putLong(slot + WR_ID, wrId);
    ring.putLong(slot + BYTE_LENGTH, byteLength);
    ring.putInt(slot + STATUS, status);
    ring.putInt(slot + OPCODE, opcode);
    ring.putInt(slot + QP_NUM, qpNum);
    ring.putInt(slot + SRC_QP, srcQp);
    ring.putInt(slot + IMMEDIATE, immediate);
    ring.putInt(slot + INVALIDATED_RKEY, invalidatedRkey);
    ring.putInt(slot + FLAGS, flags);
    ring.putInt(slot + VENDOR_ERROR, vendorError);
    ring.putInt(slot + PKEY_INDEX, 0);
    ring.putInt(slot + NETWORK_TYPE, 0);
    // [rc 12-3]
    publish(solicited || status != WorkCompletionStatus.SUCCESS);
    return 0;
  }

  /**
   * Writes the completion of a received datagram [rc D8]. Agent thread.
   *
   * @param wrId of the receive
   * @param byteLength payload and the 40 bytes in front
   * @param qpNum the queue pair
   * @param srcQp sender's queue pair
   * @param immediate with WITH_IMM
   * @param flags {@link WorkCompletionFlags}
   * @param pkeyIndex partition key that matched
   * @param networkType {@link WorkCompletion#NETWORK_IPV4} or {@link WorkCompletion#NETWORK_IPV6}
   * @param solicited the packet carried SE
   * @return 0 or {@link #CQ_FULL}
   */
  public int writeDatagram(
      long wrId,
      long byteLength,
      int qpNum,
      int srcQp,
      int immediate,
      int flags,
      int pkeyIndex,
      int networkType,
      boolean solicited) {
    int slot = claim();
    if (slot < 0) {
      return CQ_FULL;
    }
    ring.putLong(slot + WR_ID, wrId);
    ring.putLong(slot + BYTE_LENGTH, byteLength);
    ring.putInt(slot + STATUS, WorkCompletionStatus.SUCCESS);
    ring.putInt(slot + OPCODE, WorkCompletionOpcode.RECV);
    ring.putInt(slot + QP_NUM, qpNum);
    ring.putInt(slot + SRC_QP, srcQp);
    ring.putInt(slot + IMMEDIATE, immediate);
    ring.putInt(slot + INVALIDATED_RKEY, 0);
    ring.putInt(slot + FLAGS, flags);
    ring.putInt(slot + VENDOR_ERROR, 0);
    ring.putInt(slot + PKEY_INDEX, pkeyIndex);
    ring.putInt(slot + NETWORK_TYPE, networkType);
    publish(solicited);
    return 0;
  }

  /**
   * Whether a completion was ever lost. Agent thread.
   *
   * @return true after the first {@link #CQ_FULL}
   */
  public boolean isOverflowed() {
    return overflowed;
  }

  /** The events of this queue, for the context's timer. */
  CompletionEvents events() {
    return events;
  }

  private int claim() {
    if (tail - headSeen >= capacity) {
      headSeen = ring.getLongAcquire(RingLayout.HEAD_OFFSET);
      if (tail - headSeen >= capacity) {
        if (!overflowed) {
          overflowed = true;
          // [rc 12-1] [rc 19-1]
          context.asyncEvents().raise(AsyncEventType.CQ_ERR, number);
        }
        return CQ_FULL;
      }
    }
    return slot(tail);
  }

  private void publish(boolean solicitedOrError) {
    tail++;
    ring.putLongRelease(RingLayout.TAIL_OFFSET, tail);
    events.onCompletion(solicitedOrError);
  }

  private int slot(long index) {
    return RingLayout.SLOTS_OFFSET + ((int) index & mask) * STRIDE;
  }
}
