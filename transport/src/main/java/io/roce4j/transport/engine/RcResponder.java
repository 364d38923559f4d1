// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.queue.SlotResult;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.Syndrome;
import io.roce4j.wire.sequence.Msn;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The responder of a reliable connection: checks requests in the order of the architecture,
 * executes them, leaves answers in {@link RcResponses} (IBA 1.4, 9.7.5.1 and 9.7.8; rules S1 to
 * S11).
 *
 * <p>Straight line for the expected PSN: opcode sequence, access flags, resources, receive, length,
 * R_Key, execute. A duplicate changes nothing here: neither the open message [FC-12] nor the PSN.
 */
final class RcResponder {

  private static final int NO_MESSAGE = 0;
  private static final int SEND_MESSAGE = 1;
  private static final int WRITE_MESSAGE = 2;

  /** Largest message, and largest RETH length [wire 6]. */
  private static final long MESSAGE_LENGTH_MAX = 1L << 31;

  private static final int ATOMIC_LENGTH = 8;
  private static final int ATOMIC_ALIGNMENT_MASK = ATOMIC_LENGTH - 1;

  private static final int NONE = 0;
  private static final int SEQUENCE_NAK_SENT = 1;
  private static final int RNR_NAK_SENT = 2;

  private final RcConnection connection;
  private final RcResponses responses;
  private final ReceiveCursor receives;

  private int expectedPsn;
  private int msn;
  private int lastRequestPsn;

  private int message = NO_MESSAGE;
  private long writeVa;
  private int writeRkey;
  private long writeLength;
  private long writeRemaining;

  private int nakState = NONE;

  /** After a fatal fault: nothing is accepted any more, the NAK is on its way. */
  private boolean closed;

  RcResponder(RcConnection connection, RcResponses responses, ReceiveCursor receives) {
    this.connection = connection;
    this.responses = responses;
    this.receives = receives;
  }

  void reset(int firstPsn) {
    expectedPsn = firstPsn;
    lastRequestPsn = Psn.add(firstPsn, -1);
    msn = 0;
    message = NO_MESSAGE;
    nakState = NONE;
    closed = false;
  }

  /** See {@link ConnectionEngine#touch}. */
  long touch() {
    return writeRemaining + message;
  }

  int expectedPsn() {
    return expectedPsn;
  }

  int msn() {
    return msn;
  }

  /**
   * PSN of a plain acknowledgement: the newest SEND or WRITE packet accepted. When the newest
   * request is a READ or atomic its own response acknowledges it, and an ACK with its PSN would be
   * taken for an implied NAK [FC-12].
   */
  int acknowledgePsn() {
    return lastRequestPsn;
  }

  void onRequest(PacketView packet, long nowNs) {
    if (closed) {
      connection.refuseBehindFault(nowNs); // [rc 3-3]
      return;
    }
    int psn = packet.psn();
    int distance = Psn.distance(expectedPsn, psn);
    if (distance > 0) {
      onAhead(); // [rc S1]
      return;
    }
    if (distance < 0) {
      onDuplicate(packet, psn);
      return;
    }
    nakState = NONE; // [rc 3.1-3]
    int opcode = packet.opcode();
    if (Opcode.isSend(opcode)) {
      onSend(packet, opcode, nowNs);
    } else if (Opcode.isWrite(opcode)) {
      onWrite(packet, opcode, nowNs);
    } else if (Opcode.isReadRequest(opcode)) {
      onRead(packet);
    } else if (Opcode.isAtomic(opcode)) {
      onAtomic(packet, opcode);
    } else {
      // FLUSH and ATOMIC WRITE are codec only: an unsupported request [wire 5] [rc 7-8].
      refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_QP_OP_ERR);
    }
  }

  /**
   * A reserved operation of the RC class at the expected PSN: class C [FC-03]. False at any other,
   * where it says nothing of a gap or a duplicate.
   */
  boolean onReserved(int psn) {
    if (closed || psn != expectedPsn) {
      return false;
    }
    refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_QP_OP_ERR);
    return true;
  }

  /**
   * [rc 3.1-1] [rc 3.1-2] [rc 3.1-4] [rc 21-3] [rc 24-5] One NAK a gap; further packets ahead are
   * dropped in silence, also after an RNR NAK: a sequence NAK behind it would tell the requester
   * nothing it does not know.
   */
  private void onAhead() {
    connection.counters.increment(CounterId.OUT_OF_SEQUENCE);
    if (nakState == NONE) {
      nakState = SEQUENCE_NAK_SENT;
      connection.counters.increment(CounterId.OUT_OF_SEQ_REQUEST);
      responses.nak(Syndrome.NAK_PSN_SEQUENCE_ERROR, expectedPsn, msn);
    }
  }

  /**
   * [rc 3.2-1] [rc 3.2-8] [rc 3.2-9] Nothing is executed twice and nothing changes; faults in a
   * duplicate are dropped.
   */
  private void onDuplicate(PacketView packet, int psn) {
    connection.counters.increment(CounterId.DUPLICATE_REQUEST);
    int opcode = packet.opcode();
    if (Opcode.isSend(opcode) || Opcode.isWrite(opcode)) {
      // [rc 24-2] Always answered, AckReq or not: the requester asks again because it heard
      // nothing.
      responses.acknowledge();
    } else if (Opcode.isReadRequest(opcode)) {
      if (!isBareRequest(packet)
          || !responses.replayRead(psn, packet.rethVa(), packet.rethRkey(), packet.rethLength())) {
        connection.counters.increment(CounterId.DROP_DUPLICATE_REQUEST);
      }
    } else if (!Opcode.isAtomic(opcode) || !responses.replayAtomic(psn)) {
      connection.counters.increment(CounterId.DROP_DUPLICATE_REQUEST);
    }
  }

  private void onSend(PacketView packet, int opcode, long nowNs) {
    boolean starts = Opcode.startsMessage(opcode);
    if (!fitsMessage(starts, SEND_MESSAGE)) {
      refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_QP_OP_ERR); // [rc S2]
      return;
    }
    if (starts && !receives.take()) {
      refuseForNow(); // [rc S5] [rc 6-11]
      return;
    }
    int payload = packet.payloadLength();
    if (!fitsPathMtu(opcode, payload)) {
      refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_QP_OP_ERR); // [rc S6]
      return;
    }
    if (receives.offset() + payload > receives.room()) {
      // [rc S6] [rc 15-15] [rc 24-6] [rc 24-10] 0x61 with LOC_LEN_ERR here: what the architecture
      // says; rxe sends 0x63.
      connection.counters.increment(CounterId.RESP_LOCAL_LENGTH_ERROR);
      refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_LEN_ERR);
      return;
    }
    int result = receives.scatter(connection.payloadOf(packet), packet.payloadOffset(), payload);
    if (result != SlotResult.OK) {
      // [rc S9] [rc 15-17] LOC_PROT_ERR is what the status is called for; rxe says LOC_QP_OP_ERR.
      refuse(Syndrome.NAK_REMOTE_OPERATIONAL_ERROR, result);
      return;
    }
    connection.counters.add(CounterId.RX_PAYLOAD_BYTES, payload);
    message = SEND_MESSAGE;
    if (Opcode.endsMessage(opcode) && !finishSend(packet, opcode, nowNs)) {
      return;
    }
    accepted(packet, opcode);
  }

  /** Returns false when the message cannot be delivered. */
  private boolean finishSend(PacketView packet, int opcode, long nowNs) {
    int flags = 0;
    int immediate = 0;
    int invalidated = 0;
    if (Opcode.hasImmDt(opcode)) {
      flags = WorkCompletionFlags.WITH_IMM;
      immediate = packet.immediate();
    } else if (Opcode.hasIeth(opcode)) {
      flags = WorkCompletionFlags.WITH_INV;
      invalidated = packet.invalidateRkey();
      // [rc 7-3] [rc 7-12] In effect before the completion can be seen. A key that cannot be
      // invalidated is a
      // key violation; rxe answers with a positive ACK and falls silent, which hides the fault.
      if (connection.memory.invalidate(invalidated, connection.pdId, connection.qpn) != 0) {
        refuse(Syndrome.NAK_REMOTE_ACCESS_ERROR, WorkCompletionStatus.REM_INV_REQ_ERR);
        return false;
      }
    }
    // [rc 7-1] [rc 7-2] [rc 14-1]
    return receives.complete(
        WorkCompletionOpcode.RECV,
        receives.offset(),
        flags,
        immediate,
        invalidated,
        packet.solicited(),
        nowNs);
  }

  private void onWrite(PacketView packet, int opcode, long nowNs) {
    boolean starts = Opcode.startsMessage(opcode);
    if (!fitsMessage(starts, WRITE_MESSAGE) || !mayAccess(AccessFlags.REMOTE_WRITE)) {
      refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_QP_OP_ERR); // [rc S2] [rc S3]
      return;
    }
    boolean immediate = Opcode.hasImmDt(opcode);
    if (immediate && !receives.available()) {
      refuseForNow(); // [rc S5] [rc 6-12..14] [rc 24-11]; before the R_Key, as rxe does
      return;
    }
    int payload = packet.payloadLength();
    long va = starts ? packet.rethVa() : writeVa;
    int rkey = starts ? packet.rethRkey() : writeRkey;
    long length = starts ? packet.rethLength() : writeLength;
    long remaining = starts ? length : writeRemaining;
    if (!fitsPathMtu(opcode, payload) || !fitsWrite(opcode, payload, length, remaining)) {
      refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_QP_OP_ERR); // [rc S6]
      return;
    }
    // [rc 14-2] [rc 14-4] [rc 7-4] [rc 7-11]
    if (length > 0) {
      // [rc S7] The whole range at the start, what is left of it with every further packet: the
      // region may have gone in between.
      long target = resolve(rkey, va, remaining, AccessFlags.REMOTE_WRITE);
      if (target < 0) {
        refuse(Syndrome.NAK_REMOTE_ACCESS_ERROR, WorkCompletionStatus.REM_ACCESS_ERR);
        return;
      }
      placeWrite(connection.payloadOf(packet), packet.payloadOffset(), target, payload, opcode);
    }
    connection.counters.add(CounterId.RX_PAYLOAD_BYTES, payload);
    if (starts) {
      connection.counters.increment(CounterId.RX_WRITE_REQUESTS);
    }
    message = WRITE_MESSAGE;
    writeRkey = rkey;
    writeLength = length;
    writeVa = va + payload;
    writeRemaining = remaining - payload;
    if (immediate && !finishWriteWithImmediate(packet, length, nowNs)) {
      return;
    }
    accepted(packet, opcode);
  }

  /**
   * [rc 7-10] [rc 7-13] At once, in increasing order and the last byte last: applications watch for
   * it.
   */
  static void placeWrite(UnsafeBuffer from, int offset, long target, int bytes, int opcode) {
    if (Opcode.endsMessage(opcode)) {
      NativeMemory.copyFromBufferLastByteLast(from, offset, target, bytes);
    } else {
      NativeMemory.copyFromBuffer(from, offset, target, bytes);
    }
  }

  // [rc 7-5]
  private boolean finishWriteWithImmediate(PacketView packet, long length, long nowNs) {
    receives.take();
    return receives.complete(
        WorkCompletionOpcode.RECV_RDMA_WITH_IMM,
        length,
        WorkCompletionFlags.WITH_IMM,
        packet.immediate(),
        0,
        packet.solicited(),
        nowNs);
  }

  /** A SEND or WRITE packet is executed [rc S10] [rc S11] [rc 3-1] [rc 3-4] [rc 7-9]. */
  private void accepted(PacketView packet, int opcode) {
    lastRequestPsn = expectedPsn;
    expectedPsn = Psn.next(expectedPsn);
    if (Opcode.endsMessage(opcode)) {
      message = NO_MESSAGE;
      msn = Msn.next(msn);
    }
    if (packet.ackRequest()) {
      responses.acknowledge();
    }
  }

  private void onRead(PacketView packet) {
    long length = packet.rethLength();
    if (message != NO_MESSAGE
        || !mayAccess(AccessFlags.REMOTE_READ)
        || !responses.hasRoom()
        || !isBareRequest(packet)
        || length > MESSAGE_LENGTH_MAX) {
      // [rc S2] [rc S3] [rc S4] [rc S6]
      refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_QP_OP_ERR);
      return;
    }
    int rkey = packet.rethRkey();
    long va = packet.rethVa();
    // [rc 7-6] [rc 14-3]
    if (length > 0 && resolve(rkey, va, length, AccessFlags.REMOTE_READ) < 0) {
      refuse(Syndrome.NAK_REMOTE_ACCESS_ERROR, WorkCompletionStatus.REM_ACCESS_ERR); // [rc S7]
      return;
    }
    connection.counters.increment(CounterId.RX_READ_REQUESTS);
    int packets = (int) Math.max(1, (length + connection.pathMtu - 1) / connection.pathMtu);
    responses.read(expectedPsn, packets, va, rkey, length);
    // [rc 3-5]
    expectedPsn = Psn.add(expectedPsn, packets);
    msn = Msn.next(msn);
  }

  private void onAtomic(PacketView packet, int opcode) {
    if (message != NO_MESSAGE
        || !mayAccess(AccessFlags.REMOTE_ATOMIC)
        || !responses.hasRoom()
        || !isBareRequest(packet)) {
      refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_QP_OP_ERR);
      return;
    }
    long va = packet.atomicVa();
    long address = resolve(packet.atomicRkey(), va, ATOMIC_LENGTH, AccessFlags.REMOTE_ATOMIC);
    if (address < 0) {
      refuse(Syndrome.NAK_REMOTE_ACCESS_ERROR, WorkCompletionStatus.REM_ACCESS_ERR); // [rc S7]
      return;
    }
    if ((va & ATOMIC_ALIGNMENT_MASK) != 0) {
      refuse(Syndrome.NAK_INVALID_REQUEST, WorkCompletionStatus.LOC_QP_OP_ERR); // [rc S8]
      return;
    }
    connection.counters.increment(CounterId.RX_ATOMIC_REQUESTS);
    // One agent executes all atomics of the endpoint, so they are atomic among each other [rc 7-7]
    // [rc 7-14].
    long original = NativeMemory.getLong(address);
    long operand = packet.atomicSwapOrAdd();
    if (opcode == Opcode.RC_FETCH_ADD) {
      NativeMemory.putLong(address, original + operand);
    } else if (original == packet.atomicCompare()) {
      NativeMemory.putLong(address, operand);
    }
    // [rc 24-15]
    responses.atomic(expectedPsn, original);
    expectedPsn = Psn.next(expectedPsn);
    msn = Msn.next(msn);
  }

  /** [rc S2] First/Only when no message is open, Middle/Last of the same kind when one is. */
  private boolean fitsMessage(boolean starts, int kind) {
    return starts ? message == NO_MESSAGE : message == kind;
  }

  /**
   * [rc S3] [rc 14-5] The queue pair's own rights: the first of two gates, and NAK 0x61 when
   * closed.
   */
  private boolean mayAccess(int right) {
    return (connection.accessFlags & right) != 0;
  }

  /** [wire 6] First and Middle carry exactly one path MTU, Last at least a byte. */
  private boolean fitsPathMtu(int opcode, int payload) {
    if (!Opcode.endsMessage(opcode)) {
      return payload == connection.pathMtu;
    }
    return payload <= connection.pathMtu && (payload > 0 || Opcode.isOnly(opcode));
  }

  /** [wire 6] The payloads of a WRITE add up to its RETH length, which is at most 2^31. */
  private boolean fitsWrite(int opcode, int payload, long length, long remaining) {
    if (length > MESSAGE_LENGTH_MAX) {
      return false;
    }
    return Opcode.endsMessage(opcode) ? payload == remaining : payload < remaining;
  }

  /** READ and atomic requests carry nothing behind their headers. */
  private static boolean isBareRequest(PacketView packet) {
    return packet.payloadLength() == 0 && packet.padCount() == 0;
  }

  private long resolve(int rkey, long va, long length, int right) {
    return connection.memory.resolve(rkey, va, length, right, connection.pdId, connection.qpn);
  }

  /** [rc 6-9] [rc 6-10] [rc 11-2] RNR NAK: the packet was not executed and the PSN stays. */
  private void refuseForNow() {
    nakState = RNR_NAK_SENT;
    connection.counters.increment(CounterId.OUT_OF_BUFFER);
    connection.counters.increment(CounterId.SEND_RNR_ERR);
    responses.nak(Syndrome.rnrNak(connection.minRnrTimer), expectedPsn, msn);
  }

  /**
   * A fatal fault: NAK, then ERR. The receive that is held completes with the status given; without
   * one the fault is told as an event [rc 15-14] [rc 15-16] [rc 24-10] [FC-13].
   */
  private void refuse(int syndrome, int status) {
    if (syndrome == Syndrome.NAK_REMOTE_ACCESS_ERROR) {
      connection.counters.increment(CounterId.RESP_REMOTE_ACCESS_ERRORS);
    }
    closed = true;
    responses.fatalNak(syndrome, expectedPsn, msn, status);
  }

  /** The memory of a READ went away while it was answered. */
  void refuseRead(int psn) {
    connection.counters.increment(CounterId.RESP_REMOTE_ACCESS_ERRORS);
    closed = true;
    responses.fatalNak(
        Syndrome.NAK_REMOTE_ACCESS_ERROR, psn, msn, WorkCompletionStatus.REM_ACCESS_ERR);
  }

  boolean isRnrNakSent() {
    return nakState == RNR_NAK_SENT;
  }
}
