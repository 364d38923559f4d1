// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.SlotResult;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The receiving half of an unreliable connection: takes messages that arrive whole, gives up the
 * others in silence, and resynchronises at the next First or Only (rules U3 to U9).
 */
final class UcReceiver {

  private static final long MESSAGE_LENGTH_MAX = 1L << 31;

  /** No message is open: Middle and Last are dropped. */
  private static final int NO_MESSAGE = 0;

  private static final int SEND_MESSAGE = 1;
  private static final int WRITE_MESSAGE = 2;

  private final EngineContext context;
  private final ConnectionSlot slot;
  private final ReceiveCursor receives;
  private final MemoryTable memory;
  private final Counters counters;
  private final int pdId;

  int accessFlags;
  int pathMtu = 256;

  private int expectedPsn;
  private int message = NO_MESSAGE;
  private long writeVa;
  private int writeRkey;
  private long writeLength;
  private long writeRemaining;

  UcReceiver(EngineContext context, ConnectionSlot slot, ReceiveCursor receives, int pdId) {
    this.context = context;
    this.slot = slot;
    this.receives = receives;
    this.memory = context.memory();
    this.counters = slot.counters();
    this.pdId = pdId;
  }

  void reset(int firstPsn) {
    expectedPsn = firstPsn;
    message = NO_MESSAGE;
  }

  int expectedPsn() {
    return expectedPsn;
  }

  void onPacket(PacketView packet, long nowNs) {
    int psn = packet.psn();
    int opcode = packet.opcode();
    boolean starts = Opcode.startsMessage(opcode);
    if (psn != expectedPsn) {
      // [rc U4] Lost packets are never missed for longer than one message. rxe drops a First that
      // ends an open message as well; that costs a message for nothing.
      counters.increment(CounterId.OUT_OF_SEQUENCE);
      giveUp();
    } else if (starts && message != NO_MESSAGE) {
      giveUp(); // [rc U6] [rc 24-20] qib starts the new message, rxe drops it too
    }
    expectedPsn = Psn.next(psn); // [rc U3]
    int kind = Opcode.isSend(opcode) ? SEND_MESSAGE : WRITE_MESSAGE;
    if (!starts && message != kind) {
      giveUp();
      counters.increment(CounterId.DROP_UC_OUT_OF_SEQUENCE); // [rc U5]
      return;
    }
    if (kind == SEND_MESSAGE) {
      onSend(packet, opcode, starts, nowNs);
    } else {
      onWrite(packet, opcode, starts, nowNs);
    }
  }

  private void onSend(PacketView packet, int opcode, boolean starts, long nowNs) {
    if (starts) {
      if (!receives.take()) {
        counters.increment(CounterId.OUT_OF_BUFFER); // [rc U9] [rc 6-15] [rc 11-2]
        return;
      }
      message = SEND_MESSAGE;
    }
    int payload = packet.payloadLength();
    if (!fitsPathMtu(opcode, payload)) {
      giveUp();
      return;
    }
    if (receives.offset() + payload > receives.room()) {
      // [rc U9] [rc 24-9] rxe takes the queue pair to ERR here: any peer could do that.
      counters.increment(CounterId.RESP_LOCAL_LENGTH_ERROR);
      giveUp();
      return;
    }
    UnsafeBuffer source = (UnsafeBuffer) packet.buffer();
    int result = receives.scatter(source, packet.payloadOffset(), payload);
    if (result != SlotResult.OK) {
      message = NO_MESSAGE;
      receives.fail(result, nowNs); // [rc U9] the application's own fault is told
      context.enterError(slot, nowNs);
      return;
    }
    counters.add(CounterId.RX_PAYLOAD_BYTES, payload);
    if (Opcode.endsMessage(opcode)) {
      message = NO_MESSAGE;
      boolean immediate = Opcode.hasImmDt(opcode);
      receives.complete(
          WorkCompletionOpcode.RECV,
          receives.offset(),
          immediate ? WorkCompletionFlags.WITH_IMM : 0,
          immediate ? packet.immediate() : 0,
          0,
          packet.solicited(),
          nowNs);
    }
  }

  private void onWrite(PacketView packet, int opcode, boolean starts, long nowNs) {
    if (starts) {
      message = WRITE_MESSAGE;
      writeVa = packet.rethVa();
      writeRkey = packet.rethRkey();
      writeLength = packet.rethLength();
      writeRemaining = writeLength;
    }
    int payload = packet.payloadLength();
    boolean ends = Opcode.endsMessage(opcode);
    boolean fits =
        fitsPathMtu(opcode, payload)
            && writeLength <= MESSAGE_LENGTH_MAX
            && (ends ? payload == writeRemaining : payload < writeRemaining);
    if (!fits || (accessFlags & AccessFlags.REMOTE_WRITE) == 0) {
      giveUp(); // [rc U9]
      return;
    }
    if (writeLength > 0) {
      long target =
          memory.resolve(
              writeRkey, writeVa, writeRemaining, AccessFlags.REMOTE_WRITE, pdId, slot.qpn());
      if (target < 0) {
        giveUp(); // [rc U9]
        return;
      }
      UnsafeBuffer source = (UnsafeBuffer) packet.buffer();
      RcResponder.placeWrite(source, packet.payloadOffset(), target, payload, opcode);
    }
    counters.add(CounterId.RX_PAYLOAD_BYTES, payload);
    writeVa += payload;
    writeRemaining -= payload;
    if (ends) {
      message = NO_MESSAGE;
      counters.increment(CounterId.RX_WRITE_REQUESTS);
      if (Opcode.hasImmDt(opcode)) {
        finishWriteWithImmediate(packet, nowNs);
      }
    }
  }

  private void finishWriteWithImmediate(PacketView packet, long nowNs) {
    if (!receives.take()) {
      counters.increment(CounterId.OUT_OF_BUFFER); // [rc U9] the bytes stay [rc U8]
      counters.increment(CounterId.DROP_UC_MESSAGE);
      return;
    }
    receives.complete(
        WorkCompletionOpcode.RECV_RDMA_WITH_IMM,
        writeLength,
        WorkCompletionFlags.WITH_IMM,
        packet.immediate(),
        0,
        packet.solicited(),
        nowNs);
  }

  private boolean fitsPathMtu(int opcode, int payload) {
    if (!Opcode.endsMessage(opcode)) {
      return payload == pathMtu;
    }
    return payload <= pathMtu && (payload > 0 || Opcode.isOnly(opcode));
  }

  /** The open message is given up; its receive stays at the head for the next one [rc U7]. */
  private void giveUp() {
    if (message != NO_MESSAGE) {
      counters.increment(CounterId.DROP_UC_MESSAGE);
      abandon();
    }
  }

  void abandon() {
    message = NO_MESSAGE;
    receives.rewind();
  }
}
