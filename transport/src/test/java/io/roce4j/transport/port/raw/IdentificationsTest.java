// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Trains and single packets that were coalesced look the same but for the second ICRC. */
class IdentificationsTest {
  private static final int LENGTH = 48;

  private final IpUdpFields fields = new IpUdpFields().ipv4(0x0A000001, 0x0A000002, 50000, 4791);
  private final Identifications identifications = new Identifications();
  private final Icrc icrc = new Icrc();

  @Test
  void trainCountsUp() {
    UnsafeBuffer batch = batch(7, 8);
    fields.identification(7);
    assertFalse(identifications.areAlike(batch, Icrc.HEADROOM, LENGTH, LENGTH, fields));
  }

  @Test
  void singlePacketsAreAlike() {
    UnsafeBuffer batch = batch(7, 7);
    fields.identification(7);
    assertTrue(identifications.areAlike(batch, Icrc.HEADROOM, LENGTH, LENGTH, fields));
  }

  @Test
  void nothingOfTheBatchIsChanged() {
    UnsafeBuffer batch = batch(0, 0);
    byte[] before = batch.byteArray().clone();
    fields.identification(0);
    assertTrue(identifications.areAlike(batch, Icrc.HEADROOM, LENGTH, LENGTH, fields));
    assertArrayEquals(before, batch.byteArray());
  }

  private UnsafeBuffer batch(int first, int second) {
    UnsafeBuffer batch = new UnsafeBuffer(new byte[Icrc.HEADROOM + 2 * LENGTH]);
    for (int i = 0; i < 2 * LENGTH; i++) {
      batch.putByte(Icrc.HEADROOM + i, (byte) (i * 13));
    }
    UnsafeBuffer one = new UnsafeBuffer(new byte[Icrc.HEADROOM + LENGTH]);
    for (int i = 0; i < 2; i++) {
      int at = Icrc.HEADROOM + i * LENGTH;
      one.putBytes(Icrc.HEADROOM, batch, at, LENGTH);
      fields.identification(i == 0 ? first : second);
      icrc.seal(one, Icrc.HEADROOM, LENGTH, fields);
      batch.putBytes(at, one, Icrc.HEADROOM, LENGTH);
    }
    return batch;
  }
}
