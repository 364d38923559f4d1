// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.ControlTurns;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Aeth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Reth;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Message numbers after 2^24 messages. */
class MessageNumberWrapTest {

  private static final int BATCH = 1 << 10;
  private static final int SEGMENT = PacketWriter.packetLength(Opcode.RC_WRITE_ONLY, 0);

  // [FC-23]
  @Test
  void msnWrapsAfterItsLastValue() {
    PacketQueue out = new PacketQueue(1 << 4);
    PacketQueue in = new PacketQueue(1 << 4);
    MemoryPort port = new MemoryPort(HandFed.LOCAL, out, in, 0);
    Endpoint endpoint =
        new Endpoint(EndpointSettings.defaults().withIcrcMode(IcrcMode.OFF), port, 0);
    try (RdmaContext context =
        new RdmaContext(new ContextSettings(), endpoint.control(), ControlTurns.direct())) {
      endpoint.context(context);
      var cq = context.createCompletionQueue(4);
      QueuePair qp =
          context
              .allocateProtectionDomain()
              .createQueuePair(
                  new QueuePairSettings().sendCq(cq).recvCq(cq).qpNumWish(HandFed.QPN));
      EndpointPair.Wish wish = new EndpointPair.Wish();
      EndpointPair.bring(qp, HandFed.PEER_QPN, HandFed.PEER, 0, HandFed.EXPECTED_PSN, wish);
      UnsafeBuffer batch =
          NativeMemory.allocate("test-batch", Icrc.HEADROOM + 8 + BATCH * SEGMENT, 64);
      // 0xFFFFFE messages, then 64 more, as the numbers of the case have it.
      send(endpoint, batch, 0xFFFFFE);
      assertEquals(0xFFFFFE, lastMsn(endpoint, port, out));
      send(endpoint, batch, 64);
      assertEquals(0x3E, lastMsn(endpoint, port, out));
      NativeMemory.release(batch);
    }
    port.close();
    out.close();
    in.close();
  }

  private int psn = HandFed.EXPECTED_PSN;

  private void send(Endpoint endpoint, UnsafeBuffer batch, int messages) {
    DatagramMeta meta = new DatagramMeta();
    MemoryPort.carry(meta.ip, false, HandFed.PEER, HandFed.LOCAL, 0xC000);
    int start = Icrc.HEADROOM + 8;
    endpoint.beginCycle(1);
    for (int left = messages; left > 0; left -= BATCH) {
      int count = Math.min(left, BATCH);
      for (int i = 0; i < count; i++) {
        int at = start + i * SEGMENT;
        Bth.write(
            batch,
            at,
            Opcode.RC_WRITE_ONLY,
            false,
            true,
            0,
            0xFFFF,
            HandFed.QPN,
            i == count - 1,
            psn);
        Reth.write(batch, at + Bth.LENGTH, 0, 0, 0);
        psn = (psn + 1) & 0xFFFFFF;
      }
      endpoint.onDatagram(batch, start, count * SEGMENT, SEGMENT, meta);
    }
    endpoint.endBurst();
  }

  private static int lastMsn(Endpoint endpoint, MemoryPort port, PacketQueue out) {
    endpoint.transmit(port);
    port.flush(1);
    int index = out.index(out.tail - 1);
    out.head = out.tail;
    return Aeth.msn(out.buffer, out.offset(index) + Opcode.aethOffset(Opcode.RC_ACK));
  }
}
