// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The generated capture against our own decoder, and that it is always the same. */
class EveryOpcodeTest {
  @Test
  void everyOpcodeInEveryEncapsulationIsDecodedWithARightIcrc() {
    FrameDissector dissector = new FrameDissector();
    PacketView view = new PacketView();
    MxPacketView mx = new MxPacketView();
    Icrc icrc = new Icrc();
    int[][] seen = new int[7][256];
    for (byte[] bytes : EveryOpcodeCapture.frames()) {
      UnsafeBuffer frame = new UnsafeBuffer(bytes);
      assertEquals(
          WireFault.OK, dissector.dissect(frame, 0, bytes.length, bytes.length, LinkType.ETHERNET));
      int at = dissector.bthOffset();
      int length = dissector.length();
      assertEquals(at + length, bytes.length);
      assertEquals(WireFault.OK, view.wrap(frame, at, length));
      String name = Opcode.name(view.opcode());
      assertEquals(
          Icrc.received(frame, at, length),
          icrc.computeAside(frame, at, length, dissector.fields()),
          name);
      assertTrue(dissector.isIpChecksumRight() && dissector.isUdpChecksumRight(), name);
      if (Opcode.transportClass(view.opcode()) == Opcode.CLASS_MX) {
        assertEquals(MxFault.OK, mx.wrap(frame, at, length), name);
      }
      seen[dissector.fields().encapsulation()][view.opcode()]++;
    }
    for (int encapsulation : new int[] {1, 4, 6}) {
      for (int opcode = 0; opcode < Opcode.COUNT; opcode++) {
        assertEquals(Opcode.isDefined(opcode), seen[encapsulation][opcode] > 0);
      }
    }
  }

  @Test
  void theSameSeedGivesTheSameBytes() {
    List<byte[]> first = EveryOpcodeCapture.frames();
    List<byte[]> second = EveryOpcodeCapture.frames();
    assertEquals(first.size(), second.size());
    for (int i = 0; i < first.size(); i++) {
      assertTrue(Arrays.equals(first.get(i), second.get(i)));
    }
  }
}
