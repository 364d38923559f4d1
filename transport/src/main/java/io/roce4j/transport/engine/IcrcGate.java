// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import org.agrona.MutableDirectBuffer;

/**
 * Accepts or refuses the ICRC of received packets [wire 16.9] [wire 11.4], whatever the port knows
 * of the IPv4 identification.
 *
 * <p>A port that does not see the identification gets the cheap guess first: the index in the batch
 * plus what the batch began with, one CRC for each packet. Only when that fails is the
 * identification solved from the mismatch and judged by the mode. One thread; allocates nothing.
 */
final class IcrcGate {

  /** Identifications a plausible sender starts from: trains of at most 64 packets. */
  private static final int SMALL_IDENTIFICATION_MAX = 63;

  /** How far a counting sender may be ahead of or behind its last packet we saw. */
  private static final int NEAR = 1024;

  private final Icrc icrc = new Icrc();
  private final IcrcMode mode;
  private final Counters counters;
  private int batchBase;
  private boolean known;

  IcrcGate(IcrcMode mode, Counters counters) {
    this.mode = mode;
    this.counters = counters;
  }

  /**
   * A new batch begins. Its packets were one train: identifications count up from the first, which
   * is known or guessed to be 0.
   */
  void beginBatch(DatagramMeta meta) {
    known = meta.idKnowledge == DatagramMeta.ID_KNOWN;
    batchBase = known ? meta.ip.identification() : 0;
  }

  /**
   * Whether the packet's ICRC is right. Overwrites {@link Icrc#HEADROOM} bytes in front of the
   * packet.
   *
   * @param slot the queue pair, whose last identification is remembered.
   * @param indexInBatch 0 for the first packet of a batch.
   */
  boolean accept(
      ConnectionSlot slot,
      MutableDirectBuffer buffer,
      int bthOffset,
      int length,
      DatagramMeta meta,
      int indexInBatch) {
    IpUdpFields ip = meta.ip;
    if (mode == IcrcMode.OFF) {
      counters.increment(CounterId.ICRC_UNCHECKED);
      return true;
    }
    if (ip.encapsulation() != IpUdpFields.IPV4) {
      return icrc.check(buffer, bthOffset, length, ip);
    }
    int guess = (batchBase + indexInBatch) & 0xFFFF;
    ip.identification(guess);
    if (icrc.check(buffer, bthOffset, length, ip)) {
      slot.lastIdentification = guess;
      return true;
    }
    return !known
        && mode != IcrcMode.STRICT
        && acceptSolved(slot, buffer, bthOffset, length, ip, indexInBatch);
  }

  private boolean acceptSolved(
      ConnectionSlot slot,
      MutableDirectBuffer buffer,
      int bthOffset,
      int length,
      IpUdpFields ip,
      int indexInBatch) {
    int identification = icrc.solveIdentification(buffer, bthOffset, length, ip);
    if (identification < 0) {
      return false;
    }
    // A flow whose identifications we do not know yet is learned from the packet that is refused:
    // the next one, near it, passes. Two damaged packets in a row that solve to neighbours are less
    // likely than one CRC collision.
    boolean plausible =
        mode == IcrcMode.SOLVE
            || identification <= SMALL_IDENTIFICATION_MAX
            || isNear(identification, slot.lastIdentification);
    slot.lastIdentification = identification;
    if (plausible) {
      batchBase = identification - indexInBatch;
      counters.increment(CounterId.ICRC_SOLVED);
    }
    return plausible;
  }

  private static boolean isNear(int identification, int last) {
    int distance = (short) (identification - last);
    return last >= 0 && distance >= -NEAR && distance <= NEAR;
  }
}
