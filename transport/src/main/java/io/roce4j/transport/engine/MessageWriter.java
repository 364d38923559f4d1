// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.queue.SendQueue;
import io.roce4j.transport.queue.SlotResult;
import io.roce4j.transport.verbs.SendFlags;
import io.roce4j.wire.packet.Ieth;
import io.roce4j.wire.packet.ImmDt;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Reth;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes the packets of SEND and WRITE messages from a send queue's entry and registered memory
 * into claimed slots: shared by RC and UC.
 */
final class MessageWriter {

  private final SendQueue queue;
  private final MemoryTable memory;
  private final int pdId;

  int pkey;
  int destQpn;

  MessageWriter(SendQueue queue, MemoryTable memory, int pdId) {
    this.queue = queue;
    this.memory = memory;
    this.pdId = pdId;
  }

  /**
   * Writes one packet.
   *
   * @param buffer the port's transmit buffer.
   * @param offset of the claimed slot.
   * @param index of the request in the send queue.
   * @param bthOpcode opcode of the packet.
   * @param done message bytes in the packets before.
   * @param payload message bytes in this packet.
   * @param ackRequest the AckReq bit.
   * @param psn the PSN.
   * @return bytes to commit, or a negated {@link SlotResult} that is the completion status.
   */
  int write(
      UnsafeBuffer buffer,
      int offset,
      long index,
      int bthOpcode,
      long done,
      int payload,
      boolean ackRequest,
      int psn) {
    int slot = queue.slot(index);
    int payloadOffset = PacketWriter.payloadOffset(offset, bthOpcode);
    int result = queue.gather(index, done, buffer, payloadOffset, payload, memory, pdId);
    if (result != SlotResult.OK) {
      return -result;
    }
    boolean solicited =
        Opcode.endsMessage(bthOpcode)
            && RcOpcodes.maySolicit(queue.opcode(slot))
            && (queue.flags(slot) & SendFlags.SOLICITED) != 0;
    int length =
        PacketWriter.begin(
            buffer, offset, bthOpcode, payload, solicited, pkey, destQpn, ackRequest, psn);
    if (Opcode.hasReth(bthOpcode)) {
      int reth = offset + Opcode.rethOffset(bthOpcode);
      Reth.write(buffer, reth, queue.remoteVa(slot), queue.rkey(slot), queue.totalLength(slot));
    }
    if (Opcode.hasImmDt(bthOpcode)) {
      ImmDt.immediate(buffer, offset + Opcode.immDtOffset(bthOpcode), queue.immediate(slot));
    }
    if (Opcode.hasIeth(bthOpcode)) {
      Ieth.rkey(buffer, offset + Opcode.iethOffset(bthOpcode), queue.invalidateRkey(slot));
    }
    return length;
  }
}
