// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.SlotResult;
import io.roce4j.transport.verbs.AsyncEventType;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.mx.Mxmh;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.mx.NackReason;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.sequence.Msn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Places the peer's requests: each fragment is checked completely before a byte is copied, goes
 * straight to its final address, and messages finish in the order of their stream.
 */
final class RequestTarget implements FragmentTarget {
  private final StreamSet streams;
  private final MessageTable messages;
  private final MemoryTable memory;
  private final ResponseTable responses;
  private final ResponseSource responseSource;
  private final StreamOwner owner;
  private final MxParameters parameters;
  private int roundRobin;

  // Between place and onPlaced of one packet.
  private MxStream placedStream;
  private int placedMessage;
  private boolean placedWhole;

  /**
   * A target without open messages.
   *
   * @param streams the connection's streams
   * @param messages memory of open messages
   * @param memory remote keys
   * @param responses READs and atomics to be answered, or null when the peer may ask for none
   * @param responseSource what answers them, or null
   * @param owner who hears of failures
   * @param parameters what was negotiated
   */
  RequestTarget(
      StreamSet streams,
      MessageTable messages,
      MemoryTable memory,
      ResponseTable responses,
      ResponseSource responseSource,
      StreamOwner owner,
      MxParameters parameters) {
    this.streams = streams;
    this.messages = messages;
    this.memory = memory;
    this.responses = responses;
    this.responseSource = responseSource;
    this.owner = owner;
    this.parameters = parameters;
  }

  @Override
  public int place(MxPacketView view, long nowNs) {
    MxStream stream = streams.ofId(Mxth.streamId(view.buffer(), view.headOffset()));
    if (stream == null || stream.closing) {
      return NackReason.UNKNOWN_STREAM;
    }
    int msn = view.msn();
    StreamReceiver receiver = stream.receiver;
    if (receiver.isFailed(msn)) {
      return receiver.errorReason() == 0 ? NackReason.OPERATION : receiver.errorReason();
    }
    int ahead = Msn.distance(receiver.nextMsn(), msn);
    if (ahead < 0 || ahead > parameters.trackerWindow()) {
      return NackReason.OPERATION; // no honest sender is there: finished, or beyond the window
    }
    long end = view.messageOffset() + view.payloadLength();
    boolean first = view.messageOffset() == 0;
    boolean last = end == view.messageLength();
    boolean bare = view.opcode() >= Opcode.MX_READ_REQUEST;
    if (end > view.messageLength()
        || (!bare && (first != view.isFirst() || last != view.isLast()))) {
      return refuse(stream, msn, NackReason.LENGTH, 0);
    }
    int message = messages.find(stream.slot, msn);
    if (message != MessageTable.NONE && !agrees(view, message)) {
      return refuse(stream, msn, NackReason.LENGTH, 0);
    }
    if (message == MessageTable.NONE && messages.isFull()) {
      return NackReason.OPERATION; // only a peer that leaves messages open can fill the table
    }
    int reason =
        switch (view.opcode()) {
          case Opcode.MX_WRITE -> placeWrite(view, stream);
          case Opcode.MX_SEND -> placeSend(view, stream);
          case Opcode.MX_READ_REQUEST -> checkRead(view, stream);
          default -> checkAtomic(view, stream);
        };
    if (reason == ACCEPTED) {
      record(view, stream, message);
    }
    return reason;
  }

  /** All packets of a message say the same of it. */
  private boolean agrees(MxPacketView view, int message) {
    boolean send = view.opcode() == Opcode.MX_SEND;
    boolean write = view.opcode() == Opcode.MX_WRITE;
    return messages.has(message, MessageTable.SEND) == send
        && messages.has(message, MessageTable.WRITE) == write
        && messages.length(message) == view.messageLength()
        && (!send || messages.rqMsn(message) == view.rqMsn())
        && messages.bytes(message, 0) + view.payloadLength() <= view.messageLength()
        && !(view.isLast() && messages.has(message, MessageTable.LAST_SEEN));
  }

  private static int refuse(MxStream stream, int msn, int reason, int status) {
    stream.receiver.fail(msn, reason, status);
    Counters counters = stream.connectionSlot.counters();
    if (reason == NackReason.REMOTE_ACCESS) {
      counters.increment(CounterId.RESP_REMOTE_ACCESS_ERRORS);
      stream.queuePair.raise(AsyncEventType.QP_ACCESS_ERR);
    } else {
      if (status == WorkCompletionStatus.LOC_LEN_ERR) {
        counters.increment(CounterId.RESP_LOCAL_LENGTH_ERROR);
      }
      stream.queuePair.raise(AsyncEventType.QP_REQ_ERR);
    }
    return reason;
  }

  private static boolean mayAccess(MxStream stream, int right) {
    return (stream.queuePair.attributes().accessFlags() & right) != 0;
  }

  private long resolve(MxPacketView view, MxStream stream, long bytes, int right) {
    return memory.resolve(
        view.rkey(), view.va(), bytes, right, stream.pdId, stream.queuePair.qpNum());
  }

  private int placeWrite(MxPacketView view, MxStream stream) {
    int msn = view.msn();
    if (!mayAccess(stream, AccessFlags.REMOTE_WRITE)) {
      return refuse(stream, msn, NackReason.REMOTE_ACCESS, 0);
    }
    if (view.hasReceiveIndex()) {
      if (view.receiveLength() != view.messageLength()) {
        return refuse(stream, msn, NackReason.LENGTH, 0);
      }
      int reason = checkReceive(view, stream);
      if (reason != ACCEPTED) {
        return reason;
      }
    }
    int length = view.payloadLength();
    if (length > 0) {
      long address = resolve(view, stream, length, AccessFlags.REMOTE_WRITE);
      if (address < 0) {
        return refuse(stream, msn, NackReason.REMOTE_ACCESS, 0);
      }
      NativeMemory.copyFromBuffer(
          (UnsafeBuffer) view.buffer(), view.payloadOffset(), address, length);
    }
    return ACCEPTED;
  }

  private int placeSend(MxPacketView view, MxStream stream) {
    int reason = checkReceive(view, stream);
    if (reason != ACCEPTED) {
      return reason;
    }
    StreamReceiver receiver = stream.receiver;
    if (view.messageLength() > receiver.room(view.rqMsn())) {
      return refuse(stream, view.msn(), NackReason.LENGTH, WorkCompletionStatus.LOC_LEN_ERR);
    }
    int length = view.payloadLength();
    int result =
        length == 0
            ? SlotResult.OK
            : receiver.scatter(
                view.rqMsn(),
                view.messageOffset(),
                (UnsafeBuffer) view.buffer(),
                view.payloadOffset(),
                length);
    return result == SlotResult.OK
        ? ACCEPTED
        : refuse(stream, view.msn(), NackReason.OPERATION, result);
  }

  private int checkReceive(MxPacketView view, MxStream stream) {
    if (stream.receiver.isUsed(view.rqMsn())) {
      return refuse(stream, view.msn(), NackReason.OPERATION, 0);
    }
    if (!stream.receiver.isPosted(view.rqMsn())) {
      stream.receiver.countNotReady();
      return NackReason.RECEIVER_NOT_READY;
    }
    return ACCEPTED;
  }

  private int checkRead(MxPacketView view, MxStream stream) {
    int reason = checkAsk(view, stream, AccessFlags.REMOTE_READ);
    if (reason != ACCEPTED) {
      return reason;
    }
    long bytes = view.messageLength();
    boolean good = bytes == 0 || resolve(view, stream, bytes, AccessFlags.REMOTE_READ) >= 0;
    return good ? ACCEPTED : refuse(stream, view.msn(), NackReason.REMOTE_ACCESS, 0);
  }

  private int checkAtomic(MxPacketView view, MxStream stream) {
    int reason = checkAsk(view, stream, AccessFlags.REMOTE_ATOMIC);
    if (reason != ACCEPTED) {
      return reason;
    }
    if ((view.va() & 7) != 0) {
      return refuse(stream, view.msn(), NackReason.OPERATION, 0);
    }
    boolean good = resolve(view, stream, 8, AccessFlags.REMOTE_ATOMIC) >= 0;
    return good ? ACCEPTED : refuse(stream, view.msn(), NackReason.REMOTE_ACCESS, 0);
  }

  /** Rights and room for one more READ or atomic. */
  private int checkAsk(MxPacketView view, MxStream stream, int right) {
    int most = stream.queuePair.attributes().maxDestRdAtomic();
    if (responses == null || !mayAccess(stream, right)) {
      return refuse(stream, view.msn(), NackReason.REMOTE_ACCESS, 0);
    }
    if (stream.waiting >= most) {
      return refuse(stream, view.msn(), NackReason.OPERATION, 0);
    }
    // Answered and not yet acknowledged ones hold their place a little longer.
    return responses.isFull() ? NackReason.RECEIVER_NOT_READY : ACCEPTED;
  }

  /** Notes what arrived. A single-packet message whose turn it is needs no entry. */
  private void record(MxPacketView view, MxStream stream, int found) {
    placedStream = stream;
    placedWhole = false;
    boolean whole = view.isFirst() && view.isLast();
    boolean plain = view.opcode() == Opcode.MX_WRITE && !view.hasReceiveIndex();
    if (whole && plain && view.msn() == stream.receiver.nextMsn()) {
      placedWhole = true;
      return;
    }
    int message = found;
    if (message == MessageTable.NONE) {
      message = messages.create(stream.slot, view.msn(), view.messageLength(), kindFlags(view));
    }
    if (view.hasReceiveIndex() && !messages.has(message, MessageTable.CONSUMES_RECEIVE)) {
      messages.rqMsn(message, view.rqMsn());
      messages.set(message, MessageTable.CONSUMES_RECEIVE);
      stream.receiver.onMessageBegun(view.rqMsn());
    }
    if (view.isLast()) {
      int flags =
          MessageTable.LAST_SEEN
              | (view.hasImmediate() ? MessageTable.IMMEDIATE : 0)
              | (view.hasInvalidate() ? MessageTable.INVALIDATE : 0)
              | ((view.mflags() & Mxmh.SOLICITED) != 0 ? MessageTable.SOLICITED : 0);
      messages.set(message, flags);
      if (view.hasImmediate() || view.hasInvalidate()) {
        messages.immediateOrKey(message, view.immediateOrKey());
      }
    }
    if (view.opcode() >= Opcode.MX_READ_REQUEST) {
      ask(view, stream, message);
    }
    placedMessage = message;
  }

  private static int kindFlags(MxPacketView view) {
    return switch (view.opcode()) {
      case Opcode.MX_WRITE -> MessageTable.WRITE;
      case Opcode.MX_SEND -> MessageTable.SEND;
      default -> MessageTable.RESPONSE;
    };
  }

  private void ask(MxPacketView view, MxStream stream, int message) {
    int entry =
        responses.add(stream.slot, view.msn(), view.va(), view.rkey(), view.messageLength());
    if (view.opcode() == Opcode.MX_ATOMIC_REQUEST) {
      responses.atomic(entry, view.atomicKind(), view.atomicSwapOrAdd(), view.atomicCompare());
    }
    stream.waiting++;
    stream.responses++;
    messages.response(message, entry);
  }

  @Override
  public void onPlaced(MxPacketView view, long nowNs) {
    MxStream stream = placedStream;
    if (placedWhole) {
      stream.connectionSlot.counters().increment(CounterId.RX_WRITE_REQUESTS);
      stream.receiver.advance();
    } else {
      boolean asks = view.opcode() >= Opcode.MX_READ_REQUEST;
      long bytes = messages.bytes(placedMessage, view.payloadLength());
      boolean complete =
          asks
              || (bytes == messages.length(placedMessage)
                  && messages.has(placedMessage, MessageTable.LAST_SEEN));
      if (complete && messages.has(placedMessage, MessageTable.CONSUMES_RECEIVE)) {
        stream.receiver.onMessageComplete(nowNs);
      }
    }
    finishInOrder(stream, nowNs);
  }

  /** Finishes messages as far as the order of the stream allows. */
  private void finishInOrder(MxStream stream, long nowNs) {
    StreamReceiver receiver = stream.receiver;
    while (!receiver.isFailed(receiver.nextMsn())) {
      int message = messages.find(stream.slot, receiver.nextMsn());
      if (message == MessageTable.NONE || !isDone(message)) {
        return;
      }
      boolean good = finish(stream, message, nowNs);
      messages.remove(message);
      if (!good) {
        owner.onStreamFailed(stream, nowNs);
        return;
      }
      receiver.advance();
    }
  }

  private boolean isDone(int message) {
    return messages.has(message, MessageTable.RESPONSE)
        || (messages.has(message, MessageTable.LAST_SEEN)
            && messages.bytes(message, 0) == messages.length(message));
  }

  private boolean finish(MxStream stream, int message, long nowNs) {
    Counters counters = stream.connectionSlot.counters();
    if (messages.has(message, MessageTable.RESPONSE)) {
      int entry = messages.response(message);
      counters.increment(
          responses.isAtomic(entry) ? CounterId.RX_ATOMIC_REQUESTS : CounterId.RX_READ_REQUESTS);
      responseSource.onTurn(entry, stream);
      return true;
    }
    if (messages.has(message, MessageTable.WRITE)) {
      counters.increment(CounterId.RX_WRITE_REQUESTS);
    }
    if (!messages.has(message, MessageTable.CONSUMES_RECEIVE)) {
      return true;
    }
    boolean invalidate = messages.has(message, MessageTable.INVALIDATE);
    int value = messages.immediateOrKey(message);
    if (invalidate && stream.receiver.invalidate(value) != 0) {
      stream.queuePair.raise(AsyncEventType.QP_ACCESS_ERR);
      return false;
    }
    return stream.receiver.complete(
        messages.rqMsn(message),
        messages.has(message, MessageTable.SEND),
        messages.length(message),
        messages.has(message, MessageTable.IMMEDIATE),
        invalidate,
        value,
        messages.has(message, MessageTable.SOLICITED),
        nowNs);
  }

  /** Forgets the open messages of a stream. */
  void drop(MxStream stream) {
    messages.removeStream(stream.slot);
  }

  @Override
  public long notReadyWaitUs(MxPacketView view) {
    MxStream stream = streams.ofId(Mxth.streamId(view.buffer(), view.headOffset()));
    return stream == null ? 0 : stream.rnrWaitUs;
  }

  @Override
  public int receiveLimit(int streamId) {
    MxStream stream = streams.ofId(streamId);
    return stream == null ? -1 : stream.receiver.limit();
  }

  @Override
  public int nextStream() {
    if (streams.count() == 0) {
      return 0;
    }
    roundRobin = roundRobin + 1 < streams.count() ? roundRobin + 1 : 0;
    return streams.get(roundRobin).id;
  }
}
