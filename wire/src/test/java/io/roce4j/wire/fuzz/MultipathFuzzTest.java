// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.roce4j.wire.mx.ControlTlv;
import io.roce4j.wire.mx.FairShareHint;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.mx.NegotiationBlock;
import io.roce4j.wire.packet.Opcode;
import org.agrona.concurrent.UnsafeBuffer;

/** Any bytes as a multipath packet, as control items and as a negotiation block. */
class MultipathFuzzTest {
  private static final MxPacketView VIEW = new MxPacketView();
  private static final ControlTlv ITEMS = new ControlTlv();
  private static final UnsafeBuffer BYTES = new UnsafeBuffer(new byte[0]);
  private static final UnsafeBuffer COPY = new UnsafeBuffer(new byte[NegotiationBlock.LENGTH]);

  @FuzzTest
  void replaysTheCorpus(byte[] data) {
    fuzzerTestOneInput(data);
  }

  /**
   * One input.
   *
   * @param data a packet from its BTH on
   */
  public static void fuzzerTestOneInput(byte[] data) {
    BYTES.wrap(data);
    int fault = VIEW.wrap(BYTES, 0, data.length);
    assertTrue(fault >= 0 && fault < MxFault.count());
    if (fault == MxFault.OK) {
      assertTrue(VIEW.payloadLength() >= 0);
      assertTrue(VIEW.payloadOffset() + VIEW.payloadLength() + 4 <= data.length);
      if (VIEW.opcode() < Opcode.MX_VOID) {
        assertTrue(VIEW.messageLength() >= 0 && VIEW.messageOffset() >= 0);
      }
      VIEW.responseHalf();
      if (VIEW.opcode() == Opcode.MX_CTRL) {
        readItems(VIEW.payloadOffset(), VIEW.payloadLength());
      }
    }
    readItems(0, data.length);
    if (NegotiationBlock.check(BYTES, 0, data.length) == MxFault.OK) {
      NegotiationBlock block = NegotiationBlock.read(BYTES, 0);
      assertEquals(block, block.common(block));
      block.write(COPY, 0);
      assertEquals(MxFault.OK, NegotiationBlock.check(COPY, 0, NegotiationBlock.LENGTH));
    }
    if (data.length >= 2) {
      int hint = ((data[0] & 0xFF) << 8) | (data[1] & 0xFF);
      assertEquals(hint == 0 ? 1 : hint, FairShareHint.encode(FairShareHint.decode(hint)));
    }
  }

  private static void readItems(int offset, int length) {
    if (ITEMS.wrap(BYTES, offset, length) != MxFault.OK) {
      return;
    }
    int count = 0;
    while (ITEMS.next()) {
      count++;
      assertTrue(ControlTlv.valueLength(ITEMS.type()) > 0);
      switch (ITEMS.type()) {
        case ControlTlv.PATH_MOVE -> assertTrue(ITEMS.path() + ITEMS.epoch() + ITEMS.plane() >= 0);
        case ControlTlv.STREAM_OPEN ->
            assertTrue(
                ITEMS.stream() >= 0
                    && ITEMS.rqLimit() >= 0
                    && ITEMS.verbsQpn() >= 0
                    && ITEMS.rnrWaitUs() >= 0);
        case ControlTlv.HINT_UPDATE -> assertTrue(ITEMS.hint() + ITEMS.hintGeneration() >= 0);
        case ControlTlv.RQ_CREDIT -> assertTrue(ITEMS.stream() + ITEMS.rqLimit() >= 0);
        default -> assertTrue(count > 0);
      }
    }
    assertTrue(count <= length / 2);
  }
}
