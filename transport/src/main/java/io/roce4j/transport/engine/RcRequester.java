// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.port.TrainSink;
import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.SendFlags;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The requester of a reliable connection: starts work requests in posting order, cuts them into
 * packets and writes these into trains (IBA 1.4, 9.7.5; rules Q1 to Q5 and Q19).
 *
 * <p>What may leave is the least of: PSN window, congestion window, pacer, credits, READs and
 * atomics allowed, fence, state of the queue pair. A packet sent again is written anew from the
 * same registered memory, so it is identical but perhaps for AckReq [rc Q19].
 */
final class RcRequester {

  /** A READ of more PSNs than this could not be told apart from its own past. */
  private static final long PSN_SPAN_MAX = Psn.HALF_SPACE - 1L;

  private final RcConnection connection;
  private final RcSendWindow window;
  private final SendQueue queue;
  private final RcCredits credits;
  private final int windowPackets;
  private final int ackRequestPackets;
  private int sinceAckRequest;

  RcRequester(RcConnection connection, RcSendWindow window, RcCredits credits) {
    this.connection = connection;
    this.window = window;
    this.queue = window.queue;
    this.credits = credits;
    EndpointSettings settings = connection.context.settings();
    this.windowPackets = settings.windowPackets();
    // At least twice in a window, or the window would stand still until the message ends [rc Q2].
    this.ackRequestPackets = Math.max(1, Math.min(settings.ackRequestPackets(), windowPackets / 2));
  }

  /** See {@link ConnectionEngine#touch}. */
  long touch() {
    long since = sinceAckRequest;
    return credits.mayStart() ? since : -since;
  }

  void reset() {
    sinceAckRequest = 0;
  }

  /** Fills at most one train. */
  int transmit(long nowNs, TrainSink sink) {
    connection.pacing.applicationLimited(window.cursor == window.posted);
    if (!findNext(nowNs)) {
      return ConnectionEngine.IDLE;
    }
    int room = connection.openTrain(sink, connection.dataTos);
    if (room < 0) {
      return ConnectionEngine.BLOCKED;
    }
    do {
      if (!writeNext(nowNs, sink)) {
        return ConnectionEngine.IDLE;
      }
      room--;
    } while (room > 0 && findNext(nowNs));
    return room == 0 ? ConnectionEngine.MORE : ConnectionEngine.IDLE;
  }

  /** Brings the cursor to a request with a packet that may leave now; starts one if need be. */
  private boolean findNext(long nowNs) {
    int state = connection.slot.state;
    boolean sends = state == QueuePairState.RTS || state == QueuePairState.SQD;
    if (!sends || connection.isWaitingForRnr()) {
      return false;
    }
    while (true) {
      if (window.cursor == window.haltedAt) {
        return false;
      }
      if (window.cursor < window.started) {
        int slot = queue.slot(window.cursor);
        if (queue.engineState(slot) == RcSendWindow.STATE_LOCAL) {
          window.cursor++;
          continue;
        }
        return mayLeave(nowNs);
      }
      // [rc 1-5] SQD finishes what was started and starts nothing.
      if (state != QueuePairState.RTS || window.cursor == window.posted) {
        return false;
      }
      int slot = queue.slot(window.cursor);
      if (SendFinisher.isLocal(queue.opcode(slot))) {
        if (!startLocal(slot, nowNs)) {
          return false;
        }
        continue;
      }
      return mayStart(slot) && mayLeave(nowNs) && start(slot, nowNs);
    }
  }

  private boolean mayLeave(long nowNs) {
    if (window.inflightPackets() >= windowPackets) {
      return false;
    }
    return connection.pacing.mayLeave(nowNs, window.inflightBytes);
  }

  /**
   * Fence [rc Q5] [rc 8-4] [rc 8-5] [rc 8-7..10], READs and atomics allowed [rc Q3] [rc 1.1-14],
   * credits [rc 5-5].
   */
  private boolean mayStart(int slot) {
    int opcode = queue.opcode(slot);
    int outstanding = window.outstandingReadsAndAtomics;
    if (outstanding > 0 && (queue.flags(slot) & SendFlags.FENCE) != 0) {
      return false;
    }
    if (isReadOrAtomic(opcode)) {
      return outstanding < connection.maxReadsAndAtomics || connection.maxReadsAndAtomics == 0;
    }
    return !consumesReceive(opcode) || credits.mayStart();
  }

  /** Gives the request its PSNs [rc Q1] [rc Q4] [rc 8-1]. Returns false when it failed at once. */
  private boolean start(int slot, long nowNs) {
    int opcode = queue.opcode(slot);
    long length = queue.totalLength(slot);
    long packets = Math.max(1, (length + connection.pathMtu - 1) / connection.pathMtu);
    long span = Psn.distance(window.unackedPsn, window.nextPsn) + packets;
    if (span > PSN_SPAN_MAX && opcode == WorkRequestOpcode.RDMA_READ) {
      if (packets > PSN_SPAN_MAX) {
        halt(WorkCompletionStatus.LOC_LEN_ERR, nowNs);
      }
      return false;
    }
    if (isReadOrAtomic(opcode)) {
      if (connection.maxReadsAndAtomics == 0) {
        // Zero means the peer takes none: an error of the caller that would otherwise wait for
        // ever.
        halt(WorkCompletionStatus.LOC_QP_OP_ERR, nowNs);
        return false;
      }
      window.outstandingReadsAndAtomics++;
    }
    queue.firstPsn(slot, window.nextPsn);
    queue.lastPsn(slot, Psn.add(window.nextPsn, (int) (packets - 1)));
    queue.engineState(slot, RcSendWindow.STATE_PACKETS);
    window.ssn(slot, credits.start(consumesReceive(opcode)));
    window.started++;
    return true;
  }

  /**
   * Executes LOCAL_INV or BIND_MW in its place in the queue [rc 8-6] [rc 8-11]. With the fence it
   * waits for all earlier requests: that covers the READs and atomics the architecture asks for,
   * and what rxe does for LOCAL_INV [rc Q5].
   */
  private boolean startLocal(int slot, long nowNs) {
    if ((queue.flags(slot) & SendFlags.FENCE) != 0 && window.head != window.cursor) {
      return false;
    }
    int status = connection.executeLocal(slot);
    if (status != WorkCompletionStatus.SUCCESS) {
      halt(status, nowNs);
      return false;
    }
    queue.engineState(slot, RcSendWindow.STATE_LOCAL);
    window.started++;
    window.cursor++;
    connection.completer.finishLocals(nowNs);
    return true;
  }

  /** The request at the cursor fails here, but not before all earlier ones are done [rc 16-2]. */
  private void halt(int status, long nowNs) {
    window.haltedAt = window.cursor;
    window.haltStatus = status;
    connection.completer.finishLocals(nowNs);
  }

  /** Writes the packet at the cursor. Returns false when it failed and nothing was committed. */
  private boolean writeNext(long nowNs, TrainSink sink) {
    int slot = queue.slot(window.cursor);
    int opcode = queue.opcode(slot);
    boolean again = window.isSendingAgain();
    int psn = window.sendPsn;
    int lastPsn = queue.lastPsn(slot);
    UnsafeBuffer buffer = sink.transmitBuffer();
    int offset = sink.claim();
    int length;
    int payload = 0;
    if (isReadOrAtomic(opcode)) {
      length = writeReadOrAtomic(buffer, offset, slot, opcode);
      window.sentRead(lastPsn);
      window.cursor++;
      sinceAckRequest = 0;
    } else {
      long done = (long) Psn.distance(queue.firstPsn(slot), psn) * connection.pathMtu;
      payload = psn == lastPsn ? (int) (queue.totalLength(slot) - done) : connection.pathMtu;
      boolean last = psn == lastPsn;
      boolean ackRequest = last || asksForAcknowledge();
      length =
          connection.writer.write(
              buffer,
              offset,
              window.cursor,
              RcOpcodes.ofPacket(opcode, done == 0, last),
              done,
              payload,
              ackRequest,
              psn);
      if (length < 0) {
        // [rc 15-6] [rc 13-9]
        halt(-length, nowNs);
        return false;
      }
      sinceAckRequest = ackRequest ? 0 : sinceAckRequest + 1;
      long bytes = RcPacing.countedBytes(payload);
      window.sentOne(bytes);
      connection.pacing.onSent(nowNs, bytes, window.inflightBytes);
      if (psn == lastPsn) {
        window.cursor++;
      }
    }
    sink.commit(length);
    connection.onRequestSent(
        nowNs, Bth.opcode(buffer, offset), psn, length, payload, again, sinceAckRequest == 0);
    return true;
  }

  private int writeReadOrAtomic(UnsafeBuffer buffer, int offset, int slot, int opcode) {
    int psn = window.sendPsn;
    if (opcode == WorkRequestOpcode.RDMA_READ) {
      // A READ that is partly answered asks for the rest only [rc Q16].
      long done = (long) Psn.distance(queue.firstPsn(slot), psn) * connection.pathMtu;
      return PacketWriter.readRequest(
          buffer,
          offset,
          connection.pkey,
          connection.destQpn,
          psn,
          queue.remoteVa(slot) + done,
          queue.rkey(slot),
          queue.totalLength(slot) - done);
    }
    boolean swap = opcode == WorkRequestOpcode.ATOMIC_CMP_AND_SWP;
    return PacketWriter.atomicRequest(
        buffer,
        offset,
        swap ? Opcode.RC_CMP_SWAP : Opcode.RC_FETCH_ADD,
        connection.pkey,
        connection.destQpn,
        psn,
        queue.remoteVa(slot),
        queue.rkey(slot),
        swap ? queue.swap(slot) : queue.compareAdd(slot),
        swap ? queue.compareAdd(slot) : 0);
  }

  /** The window must not close on packets that ask for nothing [rc Q2]. */
  private boolean asksForAcknowledge() {
    return sinceAckRequest + 1 >= connection.pacing.askEvery(ackRequestPackets)
        || window.inflightPackets() + 1 >= windowPackets
        || connection.pacing.closesWindow(window.inflightBytes);
  }

  /** Started but unfinished requests keep SQD from being drained [rc 1-13]. */
  boolean isDrained() {
    return window.head == window.started;
  }

  static boolean isReadOrAtomic(int opcode) {
    return opcode == WorkRequestOpcode.RDMA_READ
        || opcode == WorkRequestOpcode.ATOMIC_CMP_AND_SWP
        || opcode == WorkRequestOpcode.ATOMIC_FETCH_AND_ADD;
  }

  static boolean consumesReceive(int opcode) {
    return opcode == WorkRequestOpcode.SEND
        || opcode == WorkRequestOpcode.SEND_WITH_IMM
        || opcode == WorkRequestOpcode.SEND_WITH_INV
        || opcode == WorkRequestOpcode.RDMA_WRITE_WITH_IMM;
  }
}
