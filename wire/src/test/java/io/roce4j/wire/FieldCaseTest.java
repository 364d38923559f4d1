// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketRecord;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Syndrome;
import io.roce4j.wire.packet.WireFault;
import io.roce4j.wire.sequence.Psn;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Problems people reported with RoCE software, as packets: the wire ones, FC-01 to FC-10. */
class FieldCaseTest {
  private static final String HEAD_48 =
      "4502003000004000 4011b6b7c0000201c0000202 c00012b7001c0000";
  private static final String REPLY_HEAD =
      "4502003000004000 4011b6b7c0000202c0000201 c00012b7001c0000";

  private final FrameDissector frame = new FrameDissector();
  private final PacketView view = new PacketView();
  private final Icrc icrc = new Icrc();

  /** What a receiver does with an IP packet: find it, check it, check the ICRC. */
  private int receive(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    int fault = frame.dissect(buffer, 0, bytes.length, bytes.length, LinkType.RAW_IP);
    if (fault == WireFault.OK) {
      fault = view.wrap(buffer, frame.bthOffset(), frame.length());
    }
    if (fault != WireFault.OK) {
      return fault;
    }
    int computed = icrc.computeAside(buffer, frame.bthOffset(), frame.length(), frame.fields());
    return computed == Icrc.received(buffer, frame.bthOffset(), frame.length())
        ? WireFault.OK
        : WireFault.BAD_ICRC;
  }

  /** [FC-01] */
  @Test
  void padBytesBelongToTheIcrc() {
    assertEquals(WireFault.OK, receive(HEAD_48 + "0430ffff0000001180000064 41000000 5ef16a93"));
    assertEquals(1, view.payloadLength());
    assertEquals(3, view.padCount());
    assertEquals(
        WireFault.BAD_ICRC, receive(HEAD_48 + "0430ffff0000001180000064 41000000 33e9b89e"));
  }

  /** [FC-02] with a correct ICRC. */
  @Test
  void padCountLargerThanTheBytesThatAreThere() {
    String head = "4502002c00004000 4011b6bbc0000201c0000202 c00012b700180000";
    assertEquals(WireFault.TRUNCATED, receive(head + "0430ffff0000001180000064 7f22a389"));
  }

  /** [FC-02] UDP payloads of 0..15 bytes. */
  @Test
  void datagramsShorterThanBthAndIcrc() {
    String bth = "0430ffff0000001180000064 7f22a3";
    for (int bytes = 0; bytes <= 15; bytes++) {
      String head =
          String.format(
              "4502%04x00004000 40110000c0000201c0000202 c00012b7%04x0000", 28 + bytes, 8 + bytes);
      assertEquals(
          WireFault.TOO_SHORT, receive(head + bth.replace(" ", "").substring(0, 2 * bytes)));
    }
  }

  /** [FC-03] an undefined opcode to the multicast queue pair, ICRC correct. */
  @Test
  void undefinedOpcodeIsRefusedBeforeAnyArithmetic() {
    assertEquals(
        WireFault.UNKNOWN_OPCODE,
        receive(
            "4502004400004000 4011b6a3c0000201c0000202 c00012b700300000"
                + "ff00ffff00ffffff00000000 00000000000000000000000000000000"
                + "00000000000000008f4c83ea"));
    // A reserved operation of the RC class is for the responder to refuse: the table must say
    // which class it is of although it is undefined.
    assertFalse(Opcode.isDefined(0x15));
    assertEquals(Opcode.CLASS_RC, Opcode.transportClass(0x15));
  }

  /** [FC-04] the same bytes whatever the buffer's own byte order. */
  @Test
  void icrcGoesOutLeastSignificantByteFirst() {
    try (Arena arena = Arena.ofConfined()) {
      ByteBuffer[] storages = {
        ByteBuffer.allocateDirect(128).order(ByteOrder.BIG_ENDIAN),
        ByteBuffer.allocateDirect(128).order(ByteOrder.LITTLE_ENDIAN),
        ByteBuffer.allocate(128).order(ByteOrder.BIG_ENDIAN),
        arena.allocate(128, 8).asByteBuffer()
      };
      for (ByteBuffer storage : storages) {
        UnsafeBuffer slot = new UnsafeBuffer(storage);
        int length =
            PacketRecord.of(Opcode.RC_SEND_ONLY)
                .migReq(false)
                .destQp(0x11)
                .psn(0x64)
                .ackRequest(true)
                .payload((byte) 0x41)
                .build()
                .emit(slot, 64);
        icrc.seal(slot, 64, length, new IpUdpFields().ipv4(0xC0000201, 0xC0000202, 0xC000, 4791));
        assertEquals(0x5ef16a93, slot.getInt(80, ByteOrder.BIG_ENDIAN));
      }
    }
    assertEquals(
        WireFault.BAD_ICRC, receive(HEAD_48 + "0430ffff0000001180000064 41000000 936af15e"));
  }

  /** [FC-06] */
  @ParameterizedTest
  @ValueSource(strings = {"60212345001c1140", "6030abcd001c113c"})
  void ipv6FieldsThatRoutersChangeAreMasked(String firstWords) {
    String rest =
        "20010db8000000000000000000000001 20010db8000000000000000000000002 c00012b7001c0367"
            + "0430ffff0000001180000064 41000000";
    assertEquals(WireFault.OK, receive(firstWords + rest + "aafe5d7e"));
    assertEquals(WireFault.BAD_ICRC, receive(firstWords + rest + "f5315065"));
    assertEquals(WireFault.BAD_ICRC, receive(firstWords + rest + "cefd51ba"));
  }

  /** [FC-07] the bit is readable on UC and UD packets and is no reason to refuse them. */
  @ParameterizedTest
  @ValueSource(ints = {0x24, 0x2A, 0x64})
  void ackRequestOnUnacknowledgedServicesIsNoFault(int opcode) {
    UnsafeBuffer slot = new UnsafeBuffer(new byte[64]);
    int length = PacketWriter.begin(slot, 0, opcode, 0, false, 0xFFFF, 0x11, true, 1);
    assertEquals(WireFault.OK, view.wrap(slot, 0, length));
    assertTrue(view.ackRequest());
    length = PacketWriter.begin(slot, 0, opcode, 0, false, 0xFFFF, 0x11, false, 1);
    assertEquals(WireFault.OK, view.wrap(slot, 0, length));
    assertFalse(view.ackRequest());
  }

  /** [FC-08] */
  @Test
  void theNakOfAFailedAtomicIsAPlainAcknowledge() {
    assertEquals(WireFault.OK, receive(REPLY_HEAD + "1100ffff0000002200000064 62000005 aae33cd5"));
    assertEquals(Syndrome.NAK_REMOTE_ACCESS_ERROR, view.syndrome());
    assertEquals(0x64, view.psn());
    assertEquals(
        WireFault.TRUNCATED, receive(REPLY_HEAD + "1200ffff0000002200000064 62000005 aae33cd5"));
    UnsafeBuffer slot = new UnsafeBuffer(new byte[32]);
    PacketWriter.ack(slot, 0, 0xFFFF, 0x22, 0x64, Syndrome.NAK_REMOTE_ACCESS_ERROR, 5);
    assertEquals(Opcode.RC_ACK, Bth.opcode(slot, 0));
  }

  /** [FC-09] */
  @Test
  void migrationBitIsNoReasonToRefuse() {
    assertEquals(WireFault.OK, receive(REPLY_HEAD + "1100ffff0000002200000064 1f000001 f25f044b"));
    assertFalse(view.migReq());
    PacketRecord without = PacketRecord.parse(view);
    assertEquals(WireFault.OK, receive(REPLY_HEAD + "1140ffff0000002200000064 1f000001 8f24ff81"));
    assertTrue(view.migReq());
    PacketRecord with = PacketRecord.parse(view);
    assertEquals(without.headers(), with.headers());
    assertEquals(without.psn(), with.psn());
    UnsafeBuffer slot = new UnsafeBuffer(new byte[32]);
    PacketWriter.ack(slot, 0, 0xFFFF, 0x22, 0x64, 0x1F, 1);
    assertTrue(Bth.migReq(slot, 0));
  }

  /** [FC-10] values refuse numbers that do not fit; the raw writer cuts them and spills nothing. */
  @Test
  void numbersOf32BitsNeverReachNeighbouringFields() {
    assertFalse(Psn.isValid(0x01FFFFFF));
    assertThrows(
        IllegalArgumentException.class,
        () -> PacketRecord.of(Opcode.RC_SEND_ONLY).psn(0x01000000).build());
    UnsafeBuffer slot = new UnsafeBuffer(new byte[32]);
    PacketWriter.begin(slot, 0, Opcode.RC_SEND_ONLY, 0, false, 0xFFFF, 0xFF000011, false, -1);
    assertEquals(0, slot.getByte(4));
    assertEquals(0, slot.getByte(8));
    assertEquals(0x11, Bth.destQp(slot, 0));
    assertEquals(0xFFFFFF, Bth.psn(slot, 0));
  }
}
