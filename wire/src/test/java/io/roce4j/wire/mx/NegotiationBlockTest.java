// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class NegotiationBlockTest {
  private static final long SEED = 0x6d78_0004L;
  private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);

  private static NegotiationBlock draw(SplittableRandom random) {
    return new NegotiationBlock(
        1 + random.nextInt(255),
        random.nextInt(1 << 24),
        1 + random.nextInt(255),
        1 + random.nextInt(255),
        1 + random.nextInt(255),
        1 + random.nextInt(64),
        random.nextInt(1 << 16),
        random.nextInt(1 << 24),
        1 + random.nextInt(0xFFFF),
        random.nextInt(1 << 24),
        random.nextInt(1 << 24),
        random.nextInt(1 << 16));
  }

  @Test
  void everyBlockReturnsWhatWasWritten() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 20_000; round++) {
      NegotiationBlock block = draw(random);
      block.write(buffer, 5);
      assertEquals(MxFault.OK, NegotiationBlock.check(buffer, 5, NegotiationBlock.LENGTH));
      assertEquals(block, NegotiationBlock.read(buffer, 5), "seed " + SEED);
    }
  }

  @Test
  void layoutIsThatOfTheDiagram() {
    new NegotiationBlock(
            1, 0x0203_04, 5, 6, 7, 8, 0x090a, 0x0b0c0d, 0x0f10, 0x111213, 0x151617, 0x1819)
        .write(buffer, 0);
    assertEquals(
        "4d58503101020304" + "05060708090a0b0c" + "0d000f1011121300" + "1516171819000000",
        HexFormat.of().formatHex(buffer.byteArray(), 0, NegotiationBlock.LENGTH));
  }

  @Test
  void whatIsNoBlockIsRefusedWithItsReason() {
    draw(new SplittableRandom(SEED)).write(buffer, 0);
    assertEquals(MxFault.TRUNCATED, NegotiationBlock.check(buffer, 0, NegotiationBlock.LENGTH - 1));
    byte version = buffer.getByte(4);
    buffer.putByte(4, (byte) 0);
    assertEquals(MxFault.BAD_VERSION, NegotiationBlock.check(buffer, 0, NegotiationBlock.LENGTH));
    buffer.putByte(4, version);
    for (int zeroAt : new int[] {8, 9, 10, 11}) {
      byte old = buffer.getByte(zeroAt);
      buffer.putByte(zeroAt, (byte) 0);
      assertEquals(MxFault.BAD_LENGTH, NegotiationBlock.check(buffer, 0, 32), "zero at " + zeroAt);
      buffer.putByte(zeroAt, old);
    }
    buffer.putByte(11, (byte) 65);
    assertEquals(MxFault.BAD_LENGTH, NegotiationBlock.check(buffer, 0, 32));
    buffer.putByte(0, (byte) 'm');
    assertEquals(MxFault.BAD_MAGIC, NegotiationBlock.check(buffer, 0, 32));
  }

  @Test
  void whatPassesTheCheckCanBeReadWhateverTheBytes() {
    SplittableRandom random = new SplittableRandom(SEED);
    int good = 0;
    for (int round = 0; round < 50_000; round++) {
      for (int i = 0; i < NegotiationBlock.LENGTH; i++) {
        buffer.putByte(i, (byte) random.nextInt(256));
      }
      if (random.nextInt(8) != 0) {
        buffer.putInt(0, NegotiationBlock.MAGIC, java.nio.ByteOrder.BIG_ENDIAN);
      }
      if (NegotiationBlock.check(buffer, 0, NegotiationBlock.LENGTH) == MxFault.OK) {
        NegotiationBlock.read(buffer, 0);
        good++;
      }
    }
    assertTrue(good > 1000, "only " + good + " good blocks drawn: the test shows nothing");
  }

  @Test
  void commonGroundIsWhatBothCanDo() {
    NegotiationBlock mine = new NegotiationBlock(1, 0b1101, 16, 1, 16, 4, 50, 17, 4, 100, 0, 0);
    NegotiationBlock peer = new NegotiationBlock(3, 0b0111, 8, 2, 255, 8, 20, 18, 1, 200, 0, 0);
    NegotiationBlock common = mine.common(peer);
    assertEquals(new NegotiationBlock(1, 0b0101, 8, 1, 16, 4, 50, 18, 1, 200, 0, 0), common);
    assertTrue(common.has(NegotiationBlock.CAP_ATOMIC));
  }

  @Test
  void valuesOutOfRangeAreNamed() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new NegotiationBlock(1, 0, 16, 1, 16, 65, 50, 17, 1, 0, 0, 0));
    assertEquals("MX ackEvery 65 is outside 1..64", e.getMessage());
  }
}
