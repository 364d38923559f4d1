// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class PacketRecordTest {
  private static final long SEED = 0x5EED_0006L;

  /** A random well-formed packet of an opcode. */
  private static PacketRecord random(int opcode, SplittableRandom random) {
    PacketRecordBuilder builder =
        PacketRecord.of(opcode)
            .solicited(random.nextBoolean())
            .migReq(random.nextBoolean())
            .pkey(random.nextInt(1 << 16))
            .fecn(random.nextBoolean())
            .becn(random.nextBoolean())
            .destQp(random.nextInt(1 << 24))
            .ackRequest(random.nextBoolean())
            .psn(random.nextInt(1 << 24));
    boolean bare = Opcode.headerLength(opcode) > 12 && !anyHeader(opcode);
    boolean multipath = Opcode.transportClass(opcode) == Opcode.CLASS_MX;
    int least = bare || multipath ? Opcode.headerLength(opcode) - 12 : 0;
    if (!multipath) {
      addHeaders(builder, opcode, random);
    }
    byte[] payload = new byte[least + (Opcode.hasPayload(opcode) ? random.nextInt(50) : 0)];
    random.nextBytes(payload);
    return builder.payload(payload).build();
  }

  private static boolean anyHeader(int opcode) {
    return Opcode.hasReth(opcode)
        || Opcode.hasAeth(opcode)
        || Opcode.hasDeth(opcode)
        || Opcode.hasAtomicEth(opcode)
        || Opcode.hasImmDt(opcode)
        || Opcode.hasIeth(opcode)
        || Opcode.hasXrcEth(opcode);
  }

  private static void addHeaders(PacketRecordBuilder builder, int opcode, SplittableRandom random) {
    if (Opcode.hasReth(opcode)) {
      builder.reth(random.nextLong(), random.nextInt(), random.nextInt() & 0xFFFF_FFFFL);
    }
    if (Opcode.hasAeth(opcode)) {
      builder.aeth(random.nextInt(256), random.nextInt(1 << 24));
    }
    if (Opcode.hasDeth(opcode)) {
      builder.deth(random.nextInt(), random.nextInt(1 << 24));
    }
    if (Opcode.hasAtomicEth(opcode)) {
      builder.atomicEth(random.nextLong(), random.nextInt(), random.nextLong(), random.nextLong());
    }
    if (Opcode.hasAtomicAckEth(opcode)) {
      builder.atomicOriginal(random.nextLong());
    }
    if (Opcode.hasImmDt(opcode)) {
      builder.immediate(random.nextInt());
    }
    if (Opcode.hasIeth(opcode)) {
      builder.invalidateRkey(random.nextInt());
    }
    if (Opcode.hasXrcEth(opcode)) {
      builder.xrcSrqNumber(random.nextInt(1 << 24));
    }
    if (Opcode.hasFeth(opcode)) {
      builder.feth(random.nextInt(4), random.nextInt(16));
    }
  }

  @Test
  void parseAfterEmitIsIdentityForEveryOpcode() {
    SplittableRandom random = new SplittableRandom(SEED);
    PacketView view = new PacketView();
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[512]);
    for (int opcode = 0; opcode < Opcode.COUNT; opcode++) {
      if (!Opcode.isDefined(opcode)) {
        continue;
      }
      for (int i = 0; i < 300; i++) {
        PacketRecord record = random(opcode, random);
        random.nextBytes(buffer.byteArray());
        int length = record.emit(buffer, 9);
        String at = "seed " + SEED + " " + record;
        assertEquals(WireFault.OK, view.wrap(buffer, 9, length), at);
        assertEquals(record, PacketRecord.parse(view), at);
        assertEquals(record.hashCode(), PacketRecord.parse(view).hashCode(), at);
      }
    }
  }

  @Test
  void printsWhatMatters() {
    assertEquals(
        "RC_WRITE_ONLY_IMM qp 0x000011 psn 100 A M va 0x0000000000001000 rkey 0x00000007 len 3"
            + " imm 0xdeadbeef payload 3",
        PacketRecord.of(Opcode.RC_WRITE_ONLY_IMM)
            .destQp(0x11)
            .psn(100)
            .ackRequest(true)
            .reth(0x1000, 7, 3)
            .immediate(0xDEADBEEF)
            .payload(new byte[3])
            .build()
            .toString());
    assertEquals(
        "RC_ACK qp 0x000022 psn 5 M NAK PSN sequence error msn 9 payload 0",
        PacketRecord.of(Opcode.RC_ACK).destQp(0x22).psn(5).aeth(0x60, 9).build().toString());
  }

  @Test
  void missingSurplusAndOversizedFieldsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> PacketRecord.of(0x15).build());
    assertThrows(IllegalArgumentException.class, () -> PacketRecord.of(Opcode.RC_ACK).build());
    assertThrows(
        IllegalArgumentException.class,
        () -> PacketRecord.of(Opcode.RC_SEND_ONLY).immediate(1).build());
    // [FC-10] the numbers of the report.
    assertThrows(
        IllegalArgumentException.class,
        () -> PacketRecord.of(Opcode.RC_SEND_ONLY).psn(0x0100_0000).build());
    assertThrows(
        IllegalArgumentException.class,
        () -> PacketRecord.of(Opcode.RC_SEND_ONLY).destQp(0x0100_0011).build());
    assertNotEquals(
        PacketRecord.of(Opcode.RC_SEND_ONLY).payload((byte) 1).build(),
        PacketRecord.of(Opcode.RC_SEND_ONLY).payload((byte) 2).build());
  }
}
