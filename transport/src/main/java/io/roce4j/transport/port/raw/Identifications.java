// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Tells the two kinds of coalesced batches apart. Linux merges packets whose identifications count
 * up (a train) and packets that all have the same one (senders of single packets with "do not
 * fragment"); what is seen of the headers is the first packet's either way. The second packet's
 * ICRC knows.
 */
final class Identifications {
  private static final int SHORTEST = 16;

  private final Icrc icrc = new Icrc();
  private final long[] saved = new long[Icrc.HEADROOM / Long.BYTES];

  /**
   * Whether the packets of a batch all have the identification of the first. The buffer is left as
   * it was.
   *
   * @param buffer holds the batch
   * @param at first byte of the first packet
   * @param segmentBytes length of the first packet
   * @param secondBytes length of the second packet
   * @param fields headers of the first packet
   */
  boolean areAlike(
      UnsafeBuffer buffer, int at, int segmentBytes, int secondBytes, IpUdpFields fields) {
    if (fields.encapsulation() != IpUdpFields.IPV4 || secondBytes < SHORTEST) {
      return false;
    }
    int second = at + segmentBytes;
    int scratch = second - Icrc.HEADROOM;
    for (int i = 0; i < saved.length; i++) {
      saved[i] = buffer.getLong(scratch + i * Long.BYTES);
    }
    boolean alike = icrc.check(buffer, second, secondBytes, fields);
    for (int i = 0; i < saved.length; i++) {
      buffer.putLong(scratch + i * Long.BYTES, saved[i]);
    }
    return alike;
  }
}
