// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class PacketViewTest {
  private static final long SEED = 0x5EED_0002L;

  private final PacketView view = new PacketView();

  private static UnsafeBuffer hex(String digits) {
    return new UnsafeBuffer(HexFormat.of().parseHex(digits.replace(" ", "")));
  }

  /** [FC-02] a pad count that announces more bytes than there are. */
  @Test
  void padCountBeyondTheBytesIsTruncated() {
    UnsafeBuffer packet = hex("0430ffff 00000011 80000064 7f22a389");
    assertEquals(WireFault.TRUNCATED, view.wrap(packet, 0, 16));
  }

  /** [FC-02] shorter than BTH and ICRC. */
  @Test
  void fewerThanSixteenBytesAreTooShort() {
    UnsafeBuffer packet = hex("0430ffff 00000011 80000064 7f22a389");
    for (int length = -1; length < 16; length++) {
      assertEquals(WireFault.TOO_SHORT, view.wrap(packet, 0, length));
    }
  }

  /** [FC-03] every opcode with a bare BTH and with 32 bytes behind it. */
  @Test
  void everyOpcodeIsJudgedBeforeLengthArithmetic() {
    for (int opcode = 0; opcode < 256; opcode++) {
      UnsafeBuffer packet = new UnsafeBuffer(new byte[12 + 32]);
      packet.putByte(0, (byte) opcode);
      assertEquals(WireFault.TOO_SHORT, view.wrap(packet, 0, 12));
      int fault = view.wrap(packet, 0, 44);
      if (!Opcode.isDefined(opcode)) {
        assertEquals(WireFault.UNKNOWN_OPCODE, fault);
      } else if (Opcode.headerLength(opcode) > 40) {
        assertEquals(WireFault.TRUNCATED, fault);
      } else {
        assertEquals(WireFault.OK, fault);
        assertEquals(40 - Opcode.headerLength(opcode), view.payloadLength());
      }
    }
  }

  /** [FC-08] an ATOMIC Acknowledge that holds no original data. */
  @Test
  void atomicAcknowledgeWithOnlyAnAethIsTruncated() {
    UnsafeBuffer packet = hex("1200ffff 00000022 00000064 62000005 aae33cd5");
    assertEquals(WireFault.TRUNCATED, view.wrap(packet, 0, 20));
    packet.putByte(0, (byte) Opcode.RC_ACK);
    assertEquals(WireFault.OK, view.wrap(packet, 0, 20));
    assertEquals(Syndrome.NAK_REMOTE_ACCESS_ERROR, view.syndrome());
    assertEquals(5, view.msn());
    assertEquals(0x64, view.psn());
    assertEquals(0x22, view.destQp());
  }

  @Test
  void transportVersionOtherThanZeroIsRefused() {
    UnsafeBuffer packet = hex("0401ffff 00000011 80000064 7f22a389");
    assertEquals(WireFault.BAD_TRANSPORT_VERSION, view.wrap(packet, 0, 16));
  }

  @Test
  void refusedPacketLeavesTheViewWhereItWas() {
    UnsafeBuffer good = hex("0430ffff 00000011 80000064 41000000 5ef16a93");
    assertEquals(WireFault.OK, view.wrap(good, 0, 20));
    assertEquals(WireFault.TOO_SHORT, view.wrap(hex("00"), 0, 1));
    assertEquals(0x11, view.destQp());
    assertEquals(1, view.payloadLength());
    assertEquals(12, view.payloadOffset());
    assertEquals(16, view.icrcOffset());
    assertTrue(view.ackRequest());
    assertFalse(view.solicited());
  }

  /** Any bytes at the very end of a buffer: no accessor leaves the packet. */
  @Test
  void noAccessorFailsOnceWrapped() {
    SplittableRandom random = new SplittableRandom(SEED);
    int good = 0;
    long sum = 0;
    for (int i = 0; i < 100_000; i++) {
      byte[] bytes = new byte[random.nextInt(0, 120)];
      random.nextBytes(bytes);
      if (bytes.length > 1) {
        bytes[1] &= (byte) 0xF0;
      }
      if (view.wrap(new UnsafeBuffer(bytes), 0, bytes.length) == WireFault.OK) {
        good++;
        sum += touchAll();
        assertTrue(view.payloadLength() >= 0);
        assertEquals(bytes.length, view.icrcOffset() + 4);
      }
    }
    assertTrue(good > 10_000, "seed " + SEED + " wrapped only " + good);
    assertTrue(sum != 0);
  }

  private long touchAll() {
    long sum = view.rethVa() + view.rethRkey() + view.rethLength() + view.syndrome() + view.msn();
    sum += view.immediate() + view.invalidateRkey() + view.qkey() + view.sourceQp();
    sum += view.atomicVa() + view.atomicRkey() + view.atomicSwapOrAdd() + view.atomicCompare();
    sum += view.atomicOriginal() + view.xrcSrqNumber() + view.flushSelectivity();
    sum += view.flushPlacement() + view.pkey() + view.psn() + view.destQp();
    return sum + (view.becn() ? 1 : 0) + (view.migReq() ? 1 : 0);
  }

  @Test
  void writerAndViewAgreeOnEveryRequestForm() {
    UnsafeBuffer slot = new UnsafeBuffer(new byte[256]);
    slot.setMemory(0, 256, (byte) 0xEE);
    int length =
        PacketWriter.readRequest(slot, 3, 0xFFFF, 0x123456, 0xABCDEF, -2L, 0x8000_0001, 1L << 31);
    assertEquals(WireFault.OK, view.wrap(slot, 3, length));
    assertEquals(-2L, view.rethVa());
    assertEquals(0x8000_0001, view.rethRkey());
    assertEquals(1L << 31, view.rethLength());
    assertEquals(0x123456, view.destQp());
    assertEquals(0xABCDEF, view.psn());
    assertEquals(0, view.payloadLength());
    assertEquals(0xFFFF, view.pkey());
    assertTrue(view.migReq());

    length =
        PacketWriter.atomicRequest(
            slot, 3, Opcode.RC_CMP_SWAP, 0x7FFF, 1, 2, 3L, 4, 5L, Long.MIN_VALUE);
    assertEquals(WireFault.OK, view.wrap(slot, 3, length));
    assertEquals(3L, view.atomicVa());
    assertEquals(4, view.atomicRkey());
    assertEquals(5L, view.atomicSwapOrAdd());
    assertEquals(Long.MIN_VALUE, view.atomicCompare());

    length = PacketWriter.atomicAck(slot, 3, 0xFFFF, 1, 2, Syndrome.UNLIMITED_CREDITS, 9, -7L);
    assertEquals(WireFault.OK, view.wrap(slot, 3, length));
    assertEquals(-7L, view.atomicOriginal());
    assertEquals(9, view.msn());

    assertEquals(32, PacketWriter.cnp(slot, 3, 0xFFFF, 0x118));
    assertEquals(WireFault.OK, view.wrap(slot, 3, 32));
    assertTrue(view.becn());
    assertEquals(0, view.payloadLength());
  }

  @Test
  void padIsZeroedAndCounted() {
    UnsafeBuffer slot = new UnsafeBuffer(new byte[64]);
    for (int payload = 0; payload <= 9; payload++) {
      slot.setMemory(0, 64, (byte) 0xEE);
      int length =
          PacketWriter.begin(slot, 0, Opcode.RC_SEND_ONLY, payload, true, 0xFFFF, 1, true, 0);
      assertEquals(PacketWriter.packetLength(Opcode.RC_SEND_ONLY, payload), length);
      assertEquals(WireFault.OK, view.wrap(slot, 0, length));
      assertEquals(payload, view.payloadLength());
      assertEquals((4 - payload % 4) % 4, view.padCount());
      assertTrue(view.solicited());
      for (int i = 0; i < view.padCount(); i++) {
        assertEquals(0, slot.getByte(view.payloadOffset() + payload + i));
      }
    }
  }
}
