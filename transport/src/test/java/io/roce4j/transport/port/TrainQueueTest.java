// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The transmit side alone: room, order, sealing for the way a train is cut. */
class TrainQueueTest {
  private static final Destination ANYWHERE = new Destination(0, 0, 4791, 64, 0, null);

  private final TrainQueue queue = new TrainQueue(256 << 10, TrainPort.MAX_TRAIN_BYTES, 64);
  private final IpUdpFields fields = new IpUdpFields().ipv4(0x7F000001, 0x7F000002, 49152, 4791);
  private final Icrc icrc = new Icrc();

  @AfterEach
  void close() {
    queue.close();
  }

  @ParameterizedTest
  @CsvSource({"60, 64", "507, 64", "1056, 62", "1320, 49", "4112, 15"})
  void roomObeysTheSegmentAndTheByteLimit(int packetBytes, int expected) { // [FC-50]
    assertEquals(expected, queue.open(0, ANYWHERE, 0, packetBytes));
  }

  @Test
  void packetKOfATrainIsSealedWithIdentificationK() {
    fill(5, 300);
    queue.seal(0, 0, 5, fields);
    for (int i = 0; i < 5; i++) {
      assertTrue(isSealed(0, i, i));
    }
  }

  @Test
  void cutTrainIsSealedAnewForEachPiece() {
    fill(7, 100);
    queue.seal(0, 0, 7, fields);
    queue.seal(0, 0, 3, fields);
    queue.seal(0, 3, 3, fields);
    queue.seal(0, 6, 1, fields);
    int[] identifications = {0, 1, 2, 0, 1, 2, 0};
    for (int i = 0; i < 7; i++) {
      assertTrue(isSealed(0, i, identifications[i]), "packet " + i);
    }
  }

  @Test
  void sealingChangesNothingButTheIcrcs() {
    fill(40, 16);
    byte[] before = new byte[40 * 16];
    queue.buffer().getBytes(queue.packetOffset(0, 0), before);
    queue.seal(0, 0, 40, fields);
    byte[] after = new byte[40 * 16];
    queue.buffer().getBytes(queue.packetOffset(0, 0), after);
    for (int i = 0; i < before.length; i++) {
      if (i % 16 < 12) {
        assertEquals(before[i], after[i], "byte " + i);
      }
    }
  }

  @Test
  void damagedBitIsFlippedOnceHoweverOftenTheTrainIsSealed() {
    assertTrue(queue.open(0, ANYWHERE, 0, 200) > 2);
    put(0, 200);
    int at = queue.claim();
    write(queue.buffer(), at, 1, 200);
    queue.commitDamaged(200, 8 * 150 + 5);
    put(2, 200);
    queue.seal(0, 0, 3, fields);
    queue.seal(0, 0, 2, fields);
    queue.seal(0, 1, 2, fields);
    queue.seal(0, 0, 3, fields);
    assertTrue(isSealed(0, 0, 0));
    assertFalse(isSealed(0, 1, 1));
    assertTrue(isSealed(0, 2, 2));
    int index = queue.packetOffset(0, 1) + 150;
    queue.buffer().putByte(index, (byte) (queue.buffer().getByte(index) ^ 1 << 5));
    assertTrue(isSealed(0, 1, 1));
  }

  @Test
  void shorterPacketEndsATrainAndALongerOneOpensAnother() {
    assertTrue(queue.open(3, ANYWHERE, 2, 500) >= 7);
    int[] lengths = {100, 100, 60, 60, 500, 500, 16};
    for (int i = 0; i < lengths.length; i++) {
      put(i, lengths[i]);
    }
    assertEquals(3, queue.tail());
    assertEquals(3, queue.count(0));
    assertEquals(1, queue.count(1));
    assertEquals(3, queue.count(2));
    assertEquals(500, queue.packetLength(2, 1));
    assertEquals(16, queue.packetLength(2, 2));
    assertEquals(1016, queue.pieceBytes(2, 0, 3));
  }

  @Test
  void packetLongerThanOpenedForIsTheCallersMistake() {
    assertTrue(queue.open(0, ANYWHERE, 0, 100) > 0);
    queue.claim();
    assertThrows(IllegalArgumentException.class, () -> queue.commit(101));
  }

  @Test
  void commitWithoutClaimIsTheCallersMistake() {
    assertTrue(queue.open(0, ANYWHERE, 0, 100) > 0);
    assertThrows(IllegalStateException.class, () -> queue.commit(100));
  }

  /** Any order of opening, committing and sending: what is sent is what was written, in order. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void bytesComeOutAsTheyWentIn(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ArrayDeque<byte[]> model = new ArrayDeque<>();
    int number = 0;
    for (int step = 0; step < 4000; step++) {
      if (random.nextInt(3) > 0) {
        int segment = 16 + random.nextInt(4100);
        int room = queue.open(0, ANYWHERE, 0, segment);
        int commits = room < 1 ? 0 : random.nextInt(room + 1);
        for (int i = 0; i < commits; i++) {
          int length = random.nextInt(4) == 0 ? 16 + random.nextInt(segment - 15) : segment;
          put(number, length);
          byte[] copy = new byte[length - 4];
          write(new UnsafeBuffer(copy), 0, number++, length);
          model.add(copy);
        }
        queue.end();
      } else {
        send(random, model, seed);
      }
    }
  }

  private void send(SplittableRandom random, ArrayDeque<byte[]> model, long seed) {
    for (int trains = random.nextInt(30); trains > 0 && queue.head() < queue.tail(); trains--) {
      long train = queue.head();
      int from = queue.sent(train);
      int run = 1 + random.nextInt(queue.count(train) - from);
      queue.seal(train, from, run, fields);
      for (int i = 0; i < run; i++) {
        byte[] expected = model.poll();
        byte[] actual = new byte[queue.packetLength(train, from + i) - 4];
        queue.buffer().getBytes(queue.packetOffset(train, from + i), actual);
        assertArrayEquals(expected, actual, "seed " + seed);
        assertTrue(isSealed(train, from + i, i), "seed " + seed);
      }
      queue.accept(train, run);
    }
  }

  private void fill(int packets, int length) {
    assertTrue(queue.open(0, ANYWHERE, 0, length) >= packets);
    for (int i = 0; i < packets; i++) {
      put(i, length);
    }
  }

  private void put(int number, int length) {
    int at = queue.claim();
    assertTrue(at >= Icrc.HEADROOM);
    write(queue.buffer(), at, number, length);
    queue.commit(length);
  }

  private static void write(UnsafeBuffer buffer, int at, int number, int length) {
    for (int i = 0; i < length - 4; i++) {
      buffer.putByte(at + i, (byte) (number * 37 + i * 7));
    }
  }

  private boolean isSealed(long train, int packet, int identification) {
    int length = queue.packetLength(train, packet);
    UnsafeBuffer copy = new UnsafeBuffer(new byte[Icrc.HEADROOM + length]);
    copy.putBytes(Icrc.HEADROOM, queue.buffer(), queue.packetOffset(train, packet), length);
    fields.identification(identification);
    return icrc.check(copy, Icrc.HEADROOM, length, fields);
  }
}
