// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.check.Journal;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import org.agrona.concurrent.UnsafeBuffer;

/** The words of a packet in a journal line. The ICRC stands for all bytes. */
final class PacketLine {
  private PacketLine() {}

  static void describe(Journal journal, UnsafeBuffer buffer, int bth, int length) {
    describe(journal, buffer, bth, length, Icrc.received(buffer, bth, length));
  }

  static void describe(Journal journal, UnsafeBuffer buffer, int bth, int length, int icrc) {
    int opcode = Bth.opcode(buffer, bth);
    if (Opcode.isDefined(opcode)) {
      journal.field("op", Opcode.name(opcode));
    } else {
      journal.hex("op", opcode);
    }
    journal
        .field("qp", Bth.destQp(buffer, bth))
        .field("psn", Bth.psn(buffer, bth))
        .field("length", length)
        .hex("icrc", icrc & 0xFFFF_FFFFL);
  }
}
