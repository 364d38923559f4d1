// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketRecord;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import org.agrona.concurrent.UnsafeBuffer;

/** Any bytes as a packet: a code or a view that stays inside; values survive the way back. */
class PacketFuzzTest {
  private static final PacketView VIEW = new PacketView();
  private static final UnsafeBuffer BYTES = new UnsafeBuffer(new byte[0]);
  private static final UnsafeBuffer COPY = new UnsafeBuffer(new byte[1 << 17]);

  @FuzzTest
  void replaysTheCorpus(byte[] data) {
    fuzzerTestOneInput(data);
  }

  /**
   * One input.
   *
   * @param data BTH, headers, payload, pad and ICRC
   */
  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length > 1 << 16) {
      return;
    }
    BYTES.wrap(data);
    int fault = VIEW.wrap(BYTES, 0, data.length);
    assertTrue(fault >= 0 && fault < WireFault.count());
    if (fault != WireFault.OK) {
      return;
    }
    assertTrue(Opcode.isDefined(VIEW.opcode()));
    assertTrue(VIEW.payloadLength() >= 0);
    assertEquals(data.length, VIEW.payloadOffset() + VIEW.payloadLength() + VIEW.padCount() + 4);
    PacketRecord record = PacketRecord.parse(VIEW);
    assertTrue(!record.toString().isEmpty());
    int length = record.emit(COPY, 3);
    // The sender chooses the pad; ours is the right one.
    if ((record.payload().length() + VIEW.padCount()) % 4 == 0) {
      assertEquals(data.length, length);
    }
    assertEquals(WireFault.OK, VIEW.wrap(COPY, 3, length));
    assertEquals(record, PacketRecord.parse(VIEW));
  }
}
