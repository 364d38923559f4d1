// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks.wire;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Aeth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Reth;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/** A ring of sealed packets off heap, each with the headroom that the ICRC check needs. */
final class PacketRing implements AutoCloseable {
  static final int SLOTS = 64;
  static final int SLOT_BYTES = 8192;

  private static final int PKEY = 0xFFFF;
  private static final int DEST_QP = 0x11;
  private static final int RKEY = 0x1234_5678;
  private static final int[] MIX = {
    Opcode.RC_SEND_ONLY,
    Opcode.RC_WRITE_FIRST,
    Opcode.RC_WRITE_MIDDLE,
    Opcode.RC_WRITE_MIDDLE,
    Opcode.RC_WRITE_LAST,
    Opcode.RC_READ_REQUEST,
    Opcode.RC_READ_RESP_MIDDLE,
    Opcode.RC_ACK
  };

  final UnsafeBuffer buffer = NativeMemory.allocate("benchmark", SLOTS * SLOT_BYTES, 64);

  /** A second view of the same bytes, for {@link java.util.zip.CRC32}. */
  final ByteBuffer bytes = buffer.byteBuffer().duplicate();

  final int[] lengths = new int[SLOTS];
  final IpUdpFields fields =
      new IpUdpFields().ipv4(0x7F00_0001, 0x7F00_0002, 49152, IpUdpFields.ROCE_PORT);
  private final Icrc icrc = new Icrc();

  /** Fills the ring with one kind of packet. */
  static PacketRing of(int opcode, int payloadBytes) {
    PacketRing ring = new PacketRing();
    for (int slot = 0; slot < SLOTS; slot++) {
      ring.put(slot, opcode, payloadBytes);
    }
    return ring;
  }

  /** Fills the ring with the opcodes of RC in an order that no branch predictor finds trivial. */
  static PacketRing mixed(int payloadBytes) {
    PacketRing ring = new PacketRing();
    SplittableRandom random = new SplittableRandom(1);
    for (int slot = 0; slot < SLOTS; slot++) {
      int opcode = MIX[random.nextInt(MIX.length)];
      ring.put(slot, opcode, Opcode.hasPayload(opcode) ? payloadBytes : 0);
    }
    return ring;
  }

  static int bthOffset(int slot) {
    return slot * SLOT_BYTES + Icrc.HEADROOM;
  }

  private void put(int slot, int opcode, int payloadBytes) {
    int bth = bthOffset(slot);
    lengths[slot] =
        PacketWriter.begin(buffer, bth, opcode, payloadBytes, false, PKEY, DEST_QP, true, slot);
    if (Opcode.hasReth(opcode)) {
      Reth.write(buffer, bth + Opcode.rethOffset(opcode), 0x1000, RKEY, payloadBytes);
    }
    if (Opcode.hasAeth(opcode)) {
      Aeth.write(buffer, bth + Opcode.aethOffset(opcode), 0x1F, slot);
    }
    int payload = PacketWriter.payloadOffset(bth, opcode);
    for (int i = 0; i < payloadBytes; i++) {
      buffer.putByte(payload + i, (byte) (i * 31 + slot));
    }
    icrc.seal(buffer, bth, lengths[slot], fields);
  }

  @Override
  public void close() {
    NativeMemory.release(buffer);
  }
}
