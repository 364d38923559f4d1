// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.packet.AtomicAckEth;
import io.roce4j.wire.packet.AtomicEth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.ImmDt;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.Reth;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MxPacketViewTest {
  private static final long SEED = 0x6d78_0005L;
  private static final int BODY = Bth.LENGTH + Mxth.LENGTH + Mxmh.LENGTH;
  private static final int ICRC = 4;

  private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[512]);
  private final MxPacketView view = new MxPacketView();

  /** Writes a good packet with 10 bytes of payload where one is allowed; returns its length. */
  private int write(int opcode, int mflags) {
    int payload = 0;
    int at = BODY;
    int half = opcode == Opcode.MX_READ_RESP || opcode == Opcode.MX_ATOMIC_RESP ? 1 : 0;
    Mxth.write(buffer, Bth.LENGTH, half, 3, 4, 0, 77, 88, 5, 1);
    Mxmh.write(buffer, Bth.LENGTH + Mxth.LENGTH, mflags, 0x1234, 4096);
    switch (opcode) {
      case Opcode.MX_WRITE -> {
        Reth.write(buffer, at, 0x1000, 0x55, 9000);
        at += Reth.LENGTH;
        if ((mflags & Mxmh.IMMEDIATE) != 0) {
          ImmDt.immediate(buffer, at, 0xabcd);
          Rqh.write(buffer, at + 4, 42, 9000);
          at += 4 + Rqh.LENGTH;
        }
        payload = 10;
      }
      case Opcode.MX_SEND -> {
        Rqh.write(buffer, at, 42, 9000);
        at += Rqh.LENGTH;
        if ((mflags & (Mxmh.IMMEDIATE | Mxmh.INVALIDATE)) != 0) {
          ImmDt.immediate(buffer, at, 0xabcd);
          at += 4;
        }
        payload = 10;
      }
      case Opcode.MX_READ_REQUEST -> {
        Reth.write(buffer, at, 0x1000, 0x55, 9000);
        at += Reth.LENGTH;
      }
      case Opcode.MX_READ_RESP -> {
        Rrh.write(buffer, at, 0, 9000);
        at += Rrh.LENGTH;
        payload = 10;
      }
      case Opcode.MX_ATOMIC_REQUEST -> {
        AtomicEth.write(buffer, at, 0x1000, 0x55, 6, 7);
        Ath.write(buffer, at + AtomicEth.LENGTH, Ath.FETCH_ADD);
        at += AtomicEth.LENGTH + Ath.LENGTH;
      }
      case Opcode.MX_ATOMIC_RESP -> at += AtomicAckEth.LENGTH;
      case Opcode.MX_VOID -> at = Bth.LENGTH + Mxth.LENGTH;
      default -> at = control(opcode);
    }
    int pad = (4 - payload % 4) % 4;
    Bth.write(buffer, 0, opcode, false, true, pad, 0xffff, 0x11, true, 0x654321);
    return at + payload + pad + ICRC;
  }

  private int control(int opcode) {
    return switch (opcode) {
      case Opcode.MX_SACK, Opcode.MX_PROBE_ACK -> {
        Sackh.writePath(buffer, Bth.LENGTH, 3, 4, 0, 5, 6, 7, 8, 9);
        yield Bth.LENGTH + Sackh.LENGTH + (opcode == Opcode.MX_SACK ? 0 : Probeah.LENGTH);
      }
      case Opcode.MX_NACK -> {
        Nackh.write(buffer, Bth.LENGTH, 3, 3, 4, 0, 5, 6);
        yield Bth.LENGTH + Nackh.LENGTH;
      }
      case Opcode.MX_PROBE -> {
        Probeh.write(buffer, Bth.LENGTH, 3, 4, 0, 5, 6, 7, 8);
        yield Bth.LENGTH + Probeh.LENGTH;
      }
      default -> {
        Ctrlh.write(buffer, Bth.LENGTH, 9, 0);
        yield ControlTlv.writeStreamOpen(buffer, Bth.LENGTH + Ctrlh.LENGTH, 1, 2, 3, 4) + 2;
      }
    };
  }

  private static int whole(int opcode) {
    return opcode == Opcode.MX_VOID || opcode > Opcode.MX_VOID ? 0 : Mxmh.FIRST | Mxmh.LAST;
  }

  @Test
  void aWriteShowsItsFields() {
    int length = write(Opcode.MX_WRITE, Mxmh.LAST | Mxmh.IMMEDIATE);
    assertEquals(MxFault.OK, view.wrap(buffer, 0, length));
    assertEquals(0x654321, view.psn());
    assertEquals(0x1234, view.msn());
    assertEquals(4096, view.messageOffset());
    assertEquals(0x1000, view.va());
    assertEquals(0x55, view.rkey());
    assertEquals(9000, view.messageLength());
    assertEquals(10, view.payloadLength());
    assertEquals(0xabcd, view.immediateOrKey());
    assertTrue(view.hasReceiveIndex());
    assertEquals(42, view.rqMsn());
    assertEquals(9000, view.receiveLength());
    assertTrue(view.isLast());
    assertFalse(view.isFirst());
    assertFalse(view.responseHalf());
  }

  @Test
  void aSendNamesItsReceiveRequestInEveryPacket() {
    int length = write(Opcode.MX_SEND, 0);
    assertEquals(MxFault.OK, view.wrap(buffer, 0, length));
    assertTrue(view.hasReceiveIndex());
    assertEquals(42, view.rqMsn());
    assertEquals(9000, view.messageLength());
    assertEquals(BODY + Rqh.LENGTH, view.payloadOffset());
  }

  @Test
  void anAtomicShowsItsOperands() {
    int length = write(Opcode.MX_ATOMIC_REQUEST, Mxmh.FIRST | Mxmh.LAST);
    assertEquals(MxFault.OK, view.wrap(buffer, 0, length));
    assertEquals(Ath.FETCH_ADD, view.atomicKind());
    assertEquals(6, view.atomicSwapOrAdd());
    assertEquals(7, view.atomicCompare());
    Ath.write(buffer, BODY + AtomicEth.LENGTH, 3);
    assertEquals(MxFault.BAD_KIND, view.wrap(buffer, 0, length));
  }

  @ParameterizedTest
  @ValueSource(ints = {0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE8, 0xE9, 0xEA, 0xEB})
  void everyShorterLengthIsRefused(int opcode) {
    int length = write(opcode, whole(opcode));
    assertEquals(MxFault.OK, view.wrap(buffer, 0, length), Opcode.name(opcode));
    int floor =
        opcode == Opcode.MX_WRITE || opcode == Opcode.MX_SEND || opcode == Opcode.MX_READ_RESP
            ? 10
            : 0;
    for (int shorter = 0; shorter < length - floor; shorter++) {
      assertNotEquals(
          MxFault.OK, view.wrap(buffer, 0, shorter), Opcode.name(opcode) + " " + shorter);
    }
  }

  @Test
  void reservedOpcodesAreRefused() {
    for (int opcode : new int[] {0xE7, 0xED, 0xEE, 0xEF, 0x04, 0xFF}) {
      write(Opcode.MX_SACK, 0);
      Bth.opcode(buffer, 0, opcode);
      assertEquals(MxFault.NOT_MX, view.wrap(buffer, 0, 400), "opcode " + opcode);
    }
  }

  @Test
  void bytesBehindAHeaderWithoutPayloadAreRefused() {
    for (int opcode : new int[] {0xE2, 0xE4, 0xE5, 0xE6, 0xE8, 0xE9, 0xEA, 0xEB}) {
      int length = write(opcode, whole(opcode));
      assertEquals(MxFault.EXCESS_BYTES, view.wrap(buffer, 0, length + 4), Opcode.name(opcode));
    }
  }

  @Test
  void anotherVersionPathOrHalfIsRefused() {
    int length = write(Opcode.MX_VOID, 0);
    buffer.putByte(Bth.LENGTH, (byte) 0x20);
    assertEquals(MxFault.BAD_VERSION, view.wrap(buffer, 0, length));
    length = write(Opcode.MX_SACK, 0);
    buffer.putByte(Bth.LENGTH, (byte) 255);
    assertEquals(MxFault.BAD_PATH, view.wrap(buffer, 0, length));
    length = write(Opcode.MX_NACK, 0);
    buffer.putByte(Bth.LENGTH + 1, (byte) 255);
    assertEquals(MxFault.BAD_PATH, view.wrap(buffer, 0, length));
    length = write(Opcode.MX_WRITE, Mxmh.FIRST);
    buffer.putByte(Bth.LENGTH, (byte) (0x10 | Mxth.RESPONSE_HALF));
    assertEquals(MxFault.WRONG_HALF, view.wrap(buffer, 0, length));
    length = write(Opcode.MX_READ_RESP, Mxmh.FIRST);
    buffer.putByte(Bth.LENGTH, (byte) 0x10);
    assertEquals(MxFault.WRONG_HALF, view.wrap(buffer, 0, length));
    length = write(Opcode.MX_VOID, 0);
    buffer.putByte(Bth.LENGTH, (byte) (0x10 | Mxth.RESPONSE_HALF));
    assertEquals(MxFault.OK, view.wrap(buffer, 0, length));
    assertTrue(view.responseHalf());
  }

  @Test
  void flagsThatContradictTheOpcodeAreRefused() {
    int imm = Mxmh.IMMEDIATE;
    int inv = Mxmh.INVALIDATE;
    int[][] bad = {
      {Opcode.MX_WRITE, imm},
      {Opcode.MX_WRITE, Mxmh.LAST | inv},
      {Opcode.MX_SEND, inv},
      {Opcode.MX_SEND, Mxmh.LAST | imm | inv},
      {Opcode.MX_READ_REQUEST, Mxmh.FIRST},
      {Opcode.MX_ATOMIC_REQUEST, Mxmh.LAST},
      {Opcode.MX_READ_RESP, Mxmh.LAST | imm},
      {Opcode.MX_ATOMIC_RESP, 0},
    };
    for (int[] pair : bad) {
      int length = write(pair[0], pair[1]);
      assertEquals(MxFault.BAD_FLAGS, view.wrap(buffer, 0, length + 20), Opcode.name(pair[0]));
    }
  }

  @Test
  void messagesAboveTwoGibibytesAreRefused() {
    int length = write(Opcode.MX_WRITE, Mxmh.FIRST);
    Reth.dmaLength(buffer, BODY, Mxmh.MESSAGE_LENGTH_MAX);
    assertEquals(MxFault.OK, view.wrap(buffer, 0, length));
    Reth.dmaLength(buffer, BODY, Mxmh.MESSAGE_LENGTH_MAX + 1);
    assertEquals(MxFault.BAD_LENGTH, view.wrap(buffer, 0, length));
    length = write(Opcode.MX_SEND, Mxmh.FIRST);
    Mxmh.write(buffer, Bth.LENGTH + Mxth.LENGTH, Mxmh.FIRST, 1, Mxmh.MESSAGE_LENGTH_MAX - 9);
    assertEquals(MxFault.BAD_LENGTH, view.wrap(buffer, 0, length));
    Mxmh.write(buffer, Bth.LENGTH + Mxth.LENGTH, Mxmh.FIRST, 1, Mxmh.MESSAGE_LENGTH_MAX - 10);
    assertEquals(MxFault.OK, view.wrap(buffer, 0, length));
  }

  @Test
  void aRefusedReadHasNoPayload() {
    int length = write(Opcode.MX_READ_RESP, Mxmh.FIRST | Mxmh.LAST);
    Rrh.write(buffer, BODY, NackReason.REMOTE_ACCESS, 0);
    assertEquals(MxFault.EXCESS_BYTES, view.wrap(buffer, 0, length));
    Bth.padCount(buffer, 0, 0);
    assertEquals(MxFault.OK, view.wrap(buffer, 0, BODY + Rrh.LENGTH + ICRC));
    assertEquals(NackReason.REMOTE_ACCESS, view.readSyndrome());
  }

  @Test
  void whateverTheBytesAreNothingIsReadOutsideThem() {
    SplittableRandom random = new SplittableRandom(SEED);
    int good = 0;
    for (int round = 0; round < 300_000; round++) {
      int length = random.nextInt(140);
      UnsafeBuffer exact = new UnsafeBuffer(new byte[length]);
      for (int i = 0; i < length; i++) {
        exact.putByte(i, (byte) (random.nextInt(3) == 0 ? 0 : random.nextInt(256)));
      }
      if (length > 12) {
        exact.putByte(0, (byte) (0xE0 + random.nextInt(16)));
        exact.putByte(12, (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : 0x10));
      }
      if (view.wrap(exact, 0, length) != MxFault.OK) {
        continue;
      }
      good++;
      assertTrue(view.payloadLength() >= 0);
      assertTrue(view.payloadOffset() + view.payloadLength() + ICRC <= length);
      if (view.hasReceiveIndex()) {
        view.rqMsn();
      }
      if (view.hasImmediate() || view.hasInvalidate()) {
        view.immediateOrKey();
      }
    }
    assertTrue(good > 1000, "only " + good + " good packets drawn: the test shows nothing");
  }
}
