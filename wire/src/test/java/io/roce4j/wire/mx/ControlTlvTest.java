// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class ControlTlvTest {
  private static final long SEED = 0x6d78_0003L;
  private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
  private final ControlTlv tlv = new ControlTlv();

  @Test
  void everyItemReturnsWhatWasWritten() {
    int end = ControlTlv.writePathMove(buffer, 3, 7, 200, 5);
    end = ControlTlv.writePathClose(buffer, end, 254);
    end = ControlTlv.writePortStatus(buffer, end, 0x8000_0001);
    end = ControlTlv.writeStreamOpen(buffer, end, 0xfedc, 0xabcdef, 0x123456, 0xF000_0001L);
    end = ControlTlv.writeStreamClose(buffer, end, 513);
    end = ControlTlv.writeHintUpdate(buffer, end, 9, 0xbeef, 255);
    end = ControlTlv.writeRqCredit(buffer, end, 4660, 0xfffffe);
    end = ControlTlv.writeConnClose(buffer, end, 77);
    assertEquals(MxFault.OK, tlv.wrap(buffer, 3, end - 3));
    nextIs(ControlTlv.PATH_MOVE);
    assertEquals(7, tlv.path());
    assertEquals(200, tlv.epoch());
    assertEquals(5, tlv.plane());
    nextIs(ControlTlv.PATH_CLOSE);
    assertEquals(254, tlv.path());
    nextIs(ControlTlv.PORT_STATUS);
    assertEquals(0x8000_0001, tlv.portMask());
    nextIs(ControlTlv.STREAM_OPEN);
    assertEquals(0xfedc, tlv.stream());
    assertEquals(0xabcdef, tlv.rqLimit());
    assertEquals(0x123456, tlv.verbsQpn());
    assertEquals(0xF000_0001L, tlv.rnrWaitUs());
    nextIs(ControlTlv.STREAM_CLOSE);
    assertEquals(513, tlv.stream());
    nextIs(ControlTlv.HINT_UPDATE);
    assertEquals(9, tlv.path());
    assertEquals(0xbeef, tlv.hint());
    assertEquals(255, tlv.hintGeneration());
    nextIs(ControlTlv.RQ_CREDIT);
    assertEquals(4660, tlv.stream());
    assertEquals(0xfffffe, tlv.rqLimit());
    nextIs(ControlTlv.CONN_CLOSE);
    assertEquals(77, tlv.reason());
    assertFalse(tlv.next());
  }

  @Test
  void unknownItemsAreSkipped() {
    buffer.putByte(0, (byte) 200);
    buffer.putByte(1, (byte) 4);
    int end = ControlTlv.writePathClose(buffer, 6, 3);
    assertEquals(MxFault.OK, tlv.wrap(buffer, 0, end));
    nextIs(ControlTlv.PATH_CLOSE);
    assertFalse(tlv.next());
  }

  @Test
  void aLengthThatLiesRefusesTheWholeMessage() {
    int end = ControlTlv.writePathClose(buffer, 0, 3);
    int last = end;
    end = ControlTlv.writeRqCredit(buffer, end, 1, 2);
    for (int cut = 1; cut < end - last; cut++) {
      assertEquals(MxFault.BAD_TLV, tlv.wrap(buffer, 0, end - cut), "cut by " + cut);
      assertFalse(tlv.next());
    }
    buffer.putByte(1, (byte) 2);
    assertEquals(MxFault.BAD_TLV, tlv.wrap(buffer, 0, end));
  }

  @Test
  void noBytesAreReadOutsideTheMessageWhateverTheyAre() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 50_000; round++) {
      int length = random.nextInt(40);
      UnsafeBuffer exact = new UnsafeBuffer(new byte[length]);
      for (int i = 0; i < length; i++) {
        exact.putByte(i, (byte) (random.nextBoolean() ? random.nextInt(10) : random.nextInt(256)));
      }
      int items = 0;
      if (tlv.wrap(exact, 0, length) == MxFault.OK) {
        while (tlv.next()) {
          items++;
        }
      }
      assertTrue(items <= length / 3, "seed " + SEED + " round " + round);
    }
  }

  private void nextIs(int type) {
    assertTrue(tlv.next());
    assertEquals(type, tlv.type());
  }
}
