// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.icrc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IcrcTest {
  private static final long SEED = 0x5EED_0003L;
  private static final String ONE_BYTE_SEND =
      "45020030 00004000 4011b6b7 c0000201 c0000202 c00012b7 001c0000"
          + " 0430ffff 00000011 80000064 41000000 5ef16a93";
  private static final int FC_SOURCE = 0xC000_0201;
  private static final int FC_DESTINATION = 0xC000_0202;

  private final Icrc icrc = new Icrc();
  private final IpUdpFields fields = new IpUdpFields();
  private UnsafeBuffer buffer;
  private int bthOffset;
  private int length;

  /** Loads a packet that starts with its IP header (or GRH) behind enough headroom. */
  private void load(String hex) {
    byte[] packet = HexFormat.of().parseHex(hex.replace(" ", ""));
    buffer = new UnsafeBuffer(new byte[Icrc.HEADROOM + packet.length]);
    buffer.putBytes(Icrc.HEADROOM, packet);
    int ip = Icrc.HEADROOM;
    if (packet[0] >>> 4 == 4) {
      fields.ipv4(word(ip + 12), word(ip + 16), half(ip + 20), half(ip + 22));
      fields.identification(half(ip + 4)).fragmentWord(half(ip + 6));
      bthOffset = ip + 28;
    } else if (packet[6] == 0x1B) {
      fields.grh(wide(ip + 8), wide(ip + 16), wide(ip + 24), wide(ip + 32));
      bthOffset = ip + 40;
    } else {
      fields.ipv6(
          wide(ip + 8), wide(ip + 16), wide(ip + 24), wide(ip + 32), half(ip + 40), half(ip + 42));
      bthOffset = ip + 48;
    }
    length = buffer.capacity() - bthOffset;
  }

  private int half(int at) {
    return buffer.getShort(at, java.nio.ByteOrder.BIG_ENDIAN) & 0xFFFF;
  }

  private int word(int at) {
    return buffer.getInt(at, java.nio.ByteOrder.BIG_ENDIAN);
  }

  private long wide(int at) {
    return buffer.getLong(at, java.nio.ByteOrder.BIG_ENDIAN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // A ConnectX congestion notification over IPv4.
        "45c2003c718c40004011 91610a0011010a001201 000012b700280000 8100ffff4000011800000000"
            + "00000000000000000000000000000000 82fd002a",
        // UC SEND Only over IPv4, MigReq 1, pad 2.
        "45010040047840004011b4d5c0a80007c0a80007 c00012b7002ccaa2 2460ffff000000d300cf1710"
            + "4630818be28935d90e9a95505401be885e500000 78f353f3",
        // The same over IPv6.
        "6e21face002c11ff 20220000000000000000000000001023 20230000000000000000000000001024"
            + "c00012b7002ce7c5 2460ffff000000d300cf1710"
            + "4630818be28935d90e9a95505401be885e500000 3e5b743b",
        // RoCEv1 WRITE Only of a ConnectX, pad 3.
        "6020000000281b40 0000000000000000 0000ffff0f000002 0000000000000000 0000ffff0f000002"
            + "0a70ffff0000010a80a788bc 000055d4c0726000 000047b3 00000005 0000000001000000"
            + "e3d856bb",
        // RoCEv1 ACK of a ConnectX.
        "6020000000141b40 0000000000000000 0000ffff0f000002 0000000000000000 0000ffff0f000002"
            + "1140ffff0000010900a788c0 00000005 25f0c038",
        ONE_BYTE_SEND
      })
  void publishedFramesVerify(String packet) {
    load(packet);
    byte masked = buffer.getByte(bthOffset + 4);
    assertTrue(icrc.check(buffer, bthOffset, length, fields));
    assertEquals(masked, buffer.getByte(bthOffset + 4));
    buffer.putInt(bthOffset + length - 4, 0);
    icrc.seal(buffer, bthOffset, length, fields);
    String digits = packet.replace(" ", "");
    byte[] tail = new byte[4];
    buffer.getBytes(bthOffset + length - 4, tail);
    assertEquals(digits.substring(digits.length() - 8), HexFormat.of().formatHex(tail));
  }

  /** [FC-01] the faulty sender's value, which leaves the pad out, is refused. */
  @Test
  void padLeftOutOfTheIcrcIsRefused() {
    load(ONE_BYTE_SEND.replace("5ef16a93", "33e9b89e"));
    assertFalse(icrc.check(buffer, bthOffset, length, fields));
  }

  /** [FC-01] encoder for payloads of 1..9 bytes. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void encodedPacketsOfEveryPadCountVerify(int payload) {
    UnsafeBuffer slot = new UnsafeBuffer(ByteBuffer.allocateDirect(256));
    slot.setMemory(0, 256, (byte) 0xEE);
    int total =
        PacketWriter.begin(slot, 64, Opcode.RC_SEND_ONLY, payload, false, 0xFFFF, 0x11, true, 0x64);
    slot.setMemory(76, payload, (byte) 0x41);
    fields.ipv4(FC_SOURCE, FC_DESTINATION, 0xC000, 4791);
    icrc.seal(slot, 64, total, fields);
    assertTrue(icrc.check(slot, 64, total, fields));
    assertEquals(64 + 12 + payload + (4 - payload % 4) % 4 + 4, 64 + total);
    assertEquals(0, icrc.solveIdentification(slot, 64, total, fields));
  }

  /** [FC-04] the value is stored least significant byte first whatever the buffer is made of. */
  @Test
  void everyKindOfBufferGivesTheSameBytes() {
    UnsafeBuffer allocated = NativeMemory.allocate("icrc-test", 256, 64);
    try (NativeRegion region = NativeRegion.allocate("icrc-test", 4096)) {
      UnsafeBuffer window = new UnsafeBuffer();
      region.window(window, 100, 256);
      UnsafeBuffer[] slots = {
        new UnsafeBuffer(new byte[300], 7, 256),
        new UnsafeBuffer(ByteBuffer.allocate(300), 9, 256),
        new UnsafeBuffer(ByteBuffer.allocateDirect(300), 11, 256),
        allocated,
        window
      };
      for (UnsafeBuffer slot : slots) {
        PacketWriter.begin(slot, 60, Opcode.RC_SEND_ONLY, 1, false, 0xFFFF, 0x11, true, 0x64);
        io.roce4j.wire.packet.Bth.migReq(slot, 60, false);
        slot.putByte(72, (byte) 0x41);
        fields.ipv4(FC_SOURCE, FC_DESTINATION, 0xC000, 4791);
        icrc.seal(slot, 60, 20, fields);
        byte[] packet = new byte[20];
        slot.getBytes(60, packet);
        assertEquals("0430ffff0000001180000064410000005ef16a93", HexFormat.of().formatHex(packet));
      }
    }
    NativeMemory.release(allocated);
    assertEquals(0, NativeMemory.liveBytes("icrc-test"));
  }

  @ParameterizedTest
  @CsvSource({"d724c6e2", "3b8073a5", "552dc23c", "a10e956c", "936af15e", "33e9b89e"})
  void plausibleButWrongValuesAreRefused(String word) {
    load(ONE_BYTE_SEND.replace("5ef16a93", word));
    assertFalse(icrc.check(buffer, bthOffset, length, fields));
  }

  /** [FC-06] traffic class, flow label and hop limit do not count. */
  @Test
  void ipv6MasksTrafficClassFlowLabelAndHopLimit() {
    String tail =
        "20010db8000000000000000000000001 20010db8000000000000000000000002 c00012b7001c0367"
            + "0430ffff0000001180000064 41000000";
    for (String head : new String[] {"60212345001c1140", "6030abcd001c113c"}) {
      load(head + tail + "aafe5d7e");
      assertTrue(icrc.check(buffer, bthOffset, length, fields));
      load(head + tail + "f5315065");
      assertFalse(icrc.check(buffer, bthOffset, length, fields));
      load(head + tail + "cefd51ba");
      assertFalse(icrc.check(buffer, bthOffset, length, fields));
    }
  }

  @Test
  void identificationIsRecoveredExactly() {
    SplittableRandom random = new SplittableRandom(SEED);
    UnsafeBuffer slot = new UnsafeBuffer(ByteBuffer.allocateDirect(70_000));
    for (int i = 0; i < 2_000; i++) {
      int total = 16 + 4 * random.nextInt(i % 10 == 0 ? 16_000 : 1_050);
      for (int at = 64; at < 64 + total; at += 4) {
        slot.putInt(at, random.nextInt());
      }
      int id = i < 3 ? i : random.nextInt(65_536);
      fields.ipv4(random.nextInt(), random.nextInt(), random.nextInt(65_536), 4791);
      fields.identification(id);
      icrc.seal(slot, 64, total, fields);
      fields.identification(0x1234);
      String at = "seed " + SEED + " round " + i;
      assertEquals(id, icrc.solveIdentification(slot, 64, total, fields), at);
      assertEquals(0x1234, fields.identification(), at);
    }
  }

  @Test
  void oneWrongBitIsNeverSolvedByAnIdentificationExceptByChance() {
    SplittableRandom random = new SplittableRandom(SEED);
    UnsafeBuffer slot = new UnsafeBuffer(ByteBuffer.allocateDirect(2_048));
    int solved = 0;
    for (int i = 0; i < 20_000; i++) {
      for (int at = 64; at < 64 + 1_044; at += 4) {
        slot.putInt(at, random.nextInt());
      }
      fields.ipv4(1, 2, 3, 4791).identification(random.nextInt(65_536));
      icrc.seal(slot, 64, 1_044, fields);
      int bit = random.nextInt(1_044 * 8);
      // Byte 4 of the BTH is not covered: a flip there is rightly not seen.
      if (bit / 8 != 4) {
        slot.putByte(64 + bit / 8, (byte) (slot.getByte(64 + bit / 8) ^ (1 << (bit % 8))));
        assertFalse(icrc.check(slot, 64, 1_044, fields));
        solved += icrc.solveIdentification(slot, 64, 1_044, fields) >= 0 ? 1 : 0;
      }
    }
    assertTrue(solved <= 5, "seed " + SEED + " solved " + solved);
  }

  @Test
  void theCrcOfTwoPiecesComesFromThatOfEach() {
    UnsafeBuffer bytes = new UnsafeBuffer(new byte[9_000]);
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < bytes.capacity(); i++) {
      bytes.putByte(i, (byte) random.nextInt());
    }
    for (int second : new int[] {0, 1, 3, 64, 1_024, 4_096, 8_191}) {
      int first = 9_000 - second;
      CRC32 crc = new CRC32();
      crc.update(bytes.byteArray(), 0, first);
      int ofFirst = (int) crc.getValue();
      crc.update(bytes.byteArray(), first, second);
      int registerOfSecond = Icrc.register(0, bytes, first, second);
      assertEquals((int) crc.getValue(), Icrc.append(ofFirst, registerOfSecond, second));
      int both = Icrc.register(0, bytes, 0, 9_000);
      int registerOfFirst = Icrc.register(0, bytes, 0, first);
      assertEquals(registerOfSecond, Icrc.registerOfSecond(both, registerOfFirst, second));
    }
  }
}
