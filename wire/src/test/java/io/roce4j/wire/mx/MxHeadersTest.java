// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Set and get of every field over random values, between guard bytes that must not change. */
class MxHeadersTest {
  private static final long SEED = 0x6d78_0002L;
  private static final int ROUNDS = 20_000;
  private static final int AT = 16;
  private static final byte GUARD = 0x5a;

  private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[128]);
  private final SplittableRandom random = new SplittableRandom(SEED);

  private int u8() {
    return random.nextInt(256);
  }

  private int u16() {
    return random.nextInt(1 << 16);
  }

  private int u24() {
    return random.nextInt(1 << 24);
  }

  private long u32() {
    return random.nextLong() & 0xFFFF_FFFFL;
  }

  private void guard() {
    Arrays.fill(buffer.byteArray(), GUARD);
  }

  private void guardsHold(int length) {
    for (int i = 0; i < buffer.capacity(); i++) {
      if (i < AT || i >= AT + length) {
        assertEquals(
            GUARD, buffer.getByte(i), "seed " + SEED + ", byte " + (i - AT) + " was touched");
      }
    }
  }

  @Test
  void transportHeaderReturnsWhatWasWritten() {
    for (int i = 0; i < ROUNDS; i++) {
      guard();
      int tflags = random.nextInt(16);
      int path = u8();
      int epoch = u8();
      int backlog = u8();
      int pseq = random.nextInt();
      int stamp = random.nextInt();
      int stream = u16();
      int weight = u8();
      Mxth.write(buffer, AT, tflags, path, epoch, backlog, pseq, stamp, stream, weight);
      guardsHold(Mxth.LENGTH);
      assertEquals(Mxth.VERSION, Mxth.version(buffer, AT));
      assertEquals(tflags, Mxth.tflags(buffer, AT));
      assertEquals(path, Mxth.pathId(buffer, AT));
      assertEquals(epoch, Mxth.epoch(buffer, AT));
      assertEquals(backlog, Mxth.backlogCode(buffer, AT));
      assertEquals(pseq, Mxth.pseq(buffer, AT));
      assertEquals(stamp, Mxth.txTimestamp(buffer, AT));
      assertEquals(stream, Mxth.streamId(buffer, AT));
      assertEquals(Math.max(1, weight), Mxth.weight(buffer, AT));
    }
  }

  @Test
  void messageAndBodyHeadersReturnWhatWasWritten() {
    for (int i = 0; i < ROUNDS; i++) {
      int flags = u8();
      int number = u24();
      long wide = u32();
      guard();
      Mxmh.write(buffer, AT, flags, number, wide);
      guardsHold(Mxmh.LENGTH);
      assertEquals(flags, Mxmh.mflags(buffer, AT));
      assertEquals(number, Mxmh.msn(buffer, AT));
      assertEquals(wide, Mxmh.messageOffset(buffer, AT));
      guard();
      Rqh.write(buffer, AT, number, wide);
      guardsHold(Rqh.LENGTH);
      assertEquals(Rqh.MATCH_INDEX, Rqh.matchType(buffer, AT));
      assertEquals(number, Rqh.rqMsn(buffer, AT));
      assertEquals(wide, Rqh.messageLength(buffer, AT));
      guard();
      Rrh.write(buffer, AT, flags, wide);
      guardsHold(Rrh.LENGTH);
      assertEquals(flags, Rrh.syndrome(buffer, AT));
      assertEquals(wide, Rrh.totalLength(buffer, AT));
      guard();
      Ath.write(buffer, AT, flags);
      guardsHold(Ath.LENGTH);
      assertEquals(flags, Ath.kind(buffer, AT));
    }
  }

  @Test
  void acknowledgementReturnsWhatWasWritten() {
    for (int i = 0; i < ROUNDS; i++) {
      guard();
      int[] b = {
        u8(), u8(), u16(), random.nextInt(), random.nextInt(), random.nextInt(), random.nextInt()
      };
      long delay = u32();
      Sackh.writePath(buffer, AT, b[0], b[1], b[2], b[3], b[4], b[5], b[6], delay);
      int[] l = {random.nextInt(), u16(), u8(), u8(), u24(), u24(), u16()};
      Sackh.writeLimits(buffer, AT, l[0], l[1], l[2], l[3], l[4], l[5], l[6]);
      long[] words = new long[Sackh.VECTOR_WORDS];
      for (int w = 0; w < words.length; w++) {
        words[w] = random.nextLong();
        Sackh.vectorWord(buffer, AT, w, words[w]);
      }
      guardsHold(Sackh.LENGTH);
      assertEquals(b[0], Sackh.pathId(buffer, AT));
      assertEquals(b[1], Sackh.epoch(buffer, AT));
      assertEquals(b[2], Sackh.sflags(buffer, AT));
      assertEquals(b[3], Sackh.hiPseq(buffer, AT));
      assertEquals(b[4], Sackh.rxPackets(buffer, AT));
      assertEquals(b[5], Sackh.cePackets(buffer, AT));
      assertEquals(b[6], Sackh.timestampEcho(buffer, AT));
      assertEquals(delay, Sackh.ackDelay(buffer, AT));
      assertEquals(l[0], Sackh.rxUnits(buffer, AT));
      assertEquals(l[1], Sackh.hint(buffer, AT));
      assertEquals(l[2], Sackh.hintGeneration(buffer, AT));
      assertEquals(l[3], Sackh.hostPenalty(buffer, AT));
      assertEquals(l[4], Sackh.cpsnLimit(buffer, AT));
      assertEquals(l[5], Sackh.rqLimit(buffer, AT));
      assertEquals(l[6], Sackh.rqStream(buffer, AT));
      int k = random.nextInt(Sackh.VECTOR_BITS);
      assertEquals(words[k / 64], Sackh.vectorWord(buffer, AT, k / 64));
      assertEquals((words[k / 64] >>> (63 - k % 64) & 1) == 1, Sackh.vectorBit(buffer, AT, k));
    }
  }

  @Test
  void negativeAcknowledgementProbeAndControlReturnWhatWasWritten() {
    for (int i = 0; i < ROUNDS; i++) {
      int[] b = {
        u8(),
        u8(),
        u8(),
        u8(),
        u16(),
        random.nextInt(),
        random.nextInt(),
        random.nextInt(),
        random.nextInt()
      };
      long aux = u32();
      guard();
      Nackh.write(buffer, AT, b[0], b[1], b[2], b[3], b[5], aux);
      guardsHold(Nackh.LENGTH);
      assertEquals(b[0], Nackh.reason(buffer, AT));
      assertEquals(b[1], Nackh.pathId(buffer, AT));
      assertEquals(b[2], Nackh.epoch(buffer, AT));
      assertEquals(b[3], Nackh.nflags(buffer, AT));
      assertEquals(b[5], Nackh.pseq(buffer, AT));
      assertEquals(aux, Nackh.aux(buffer, AT));
      guard();
      Probeh.write(buffer, AT, b[0], b[1], b[4], b[5], b[6], b[7], b[8]);
      guardsHold(Probeh.LENGTH);
      assertEquals(b[0], Probeh.pathId(buffer, AT));
      assertEquals(b[1], Probeh.epoch(buffer, AT));
      assertEquals(b[4], Probeh.pflags(buffer, AT));
      assertEquals(b[5], Probeh.probeId(buffer, AT));
      assertEquals(b[6], Probeh.txTimestamp(buffer, AT));
      assertEquals(b[7], Probeh.basePseq(buffer, AT));
      assertEquals(b[8], Probeh.lastPseq(buffer, AT));
      guard();
      Probeah.write(buffer, AT, b[5], b[6], b[7]);
      guardsHold(Probeah.LENGTH);
      assertEquals(b[5], Probeah.probeId(buffer, AT));
      assertEquals(b[6], Probeah.rxTimestamp(buffer, AT));
      assertEquals(b[7], Probeah.txTimestamp(buffer, AT));
      guard();
      Ctrlh.write(buffer, AT, b[4], b[4] ^ 0xFFFF);
      guardsHold(Ctrlh.LENGTH);
      assertEquals(b[4], Ctrlh.sequence(buffer, AT));
      assertEquals(b[4] ^ 0xFFFF, Ctrlh.cflags(buffer, AT));
    }
  }

  @Test
  void layoutsAreThoseOfTheDiagrams() {
    Mxth.write(
        buffer, AT, Mxth.RETRANSMISSION, 0x21, 0x32, 0x43, 0x54657687, 0x98a9bacb, 0xdced, 0xfe);
    assertEquals("1821324354657687" + "98a9bacbdcedfe00", hex(Mxth.LENGTH));
    Mxmh.write(buffer, AT, Mxmh.FIRST | Mxmh.LAST, 0x123456, 0x789abcdeL);
    assertEquals("c0123456789abcde", hex(Mxmh.LENGTH));
    Rqh.write(buffer, AT, 0x123456, 0x789abcdeL);
    assertEquals("00123456789abcde", hex(Rqh.LENGTH));
    Nackh.write(buffer, AT, 3, 4, 5, Nackh.RESPONSE_HALF, 0x01020304, 0x0a0b0c0dL);
    assertEquals("03040580010203040a0b0c0d", hex(Nackh.LENGTH));
    Sackh.writePath(
        buffer, AT, 1, 2, 0x0304, 0x05060708, 0x090a0b0c, 0x0d0e0f10, 0x11121314, 0x15161718L);
    Sackh.writeLimits(buffer, AT, 0x191a1b1c, 0x1d1e, 0x1f, 0x20, 0x212223, 0x242526, 0x2728);
    for (int word = 0; word < Sackh.VECTOR_WORDS; word++) {
      Sackh.vectorWord(buffer, AT, word, 0x292a2b2c2d2e2f30L + 0x0808080808080808L * word);
    }
    StringBuilder counting = new StringBuilder();
    for (int i = 1; i <= Sackh.LENGTH; i++) {
      counting.append(HexFormat.of().toHexDigits((byte) i));
    }
    assertEquals(counting.toString(), hex(Sackh.LENGTH));
  }

  @Test
  void vectorBitZeroIsTheTopBitOfTheFirstByte() {
    guard();
    for (int word = 0; word < Sackh.VECTOR_WORDS; word++) {
      Sackh.vectorWord(buffer, AT, word, 0);
    }
    Sackh.vectorWord(buffer, AT, 0, 1L << 63);
    Sackh.vectorWord(buffer, AT, 3, 1L);
    assertTrue(Sackh.vectorBit(buffer, AT, 0));
    assertFalse(Sackh.vectorBit(buffer, AT, 1));
    assertTrue(Sackh.vectorBit(buffer, AT, 255));
    assertEquals((byte) 0x80, buffer.getByte(AT + 40));
    assertEquals((byte) 0x01, buffer.getByte(AT + 71));
  }

  private String hex(int length) {
    return HexFormat.of().formatHex(buffer.byteArray(), AT, AT + length);
  }
}
