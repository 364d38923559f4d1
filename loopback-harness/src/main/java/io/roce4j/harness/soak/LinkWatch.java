// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.PortTap;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import java.util.BitSet;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Watches what arrives at one end of a link: tells the packets of the other end from those of
 * strangers, and sees which were overtaken [FC-56].
 *
 * <p>A packet is overtaken when one that the other end's engines gave later, on whatever path,
 * arrives before it. That is seen at the receiving port, and owes nothing to the impairments: the
 * order of sending is noted as the engines give the packets, and an arriving packet is found again
 * by its first bytes. A packet sent again has the same bytes: of several, the one nearest to what
 * arrived before is meant. Copies, and packets damaged in those bytes, are not looked at.
 *
 * <p>One thread drives both ends. Allocates nothing after construction.
 */
final class LinkWatch implements PortTap {
  private static final int REMEMBERED = 1 << 16;
  private static final int MASK = REMEMBERED - 1;
  private static final int MOST_ALIKE = 64;
  private static final int ICRC_BYTES = 4;
  private static final int PRINT_BYTES = 48;
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private final PortTap capture;
  private final BitSet sourcePorts = new BitSet(1 << 16);
  private long sourceHigh;
  private long sourceLow;

  // Sent packets by number, newest REMEMBERED of them: their print, the one before in the same
  // bucket, whether they have arrived. Numbers begin at 1.
  private final long[] prints = new long[REMEMBERED];
  private final long[] previous = new long[REMEMBERED];
  private final boolean[] hasArrived = new boolean[REMEMBERED];
  private final long[] newestOfBucket = new long[REMEMBERED];
  private long newest;
  private long highest;

  private long strangers;
  private long arrived;
  private long overtaken;

  /**
   * Watches one end.
   *
   * @param capture sees everything too, or null
   */
  LinkWatch(PortTap capture) {
    this.capture = capture;
  }

  /**
   * Names the other end of the link; until then everybody is a stranger.
   *
   * @param address of the other end
   * @param ports it sends from
   */
  void expect(Gid address, BitSet ports) {
    sourceHigh = address.high();
    sourceLow = address.low();
    sourcePorts.clear();
    sourcePorts.or(ports);
  }

  /** The engines of the other end have given a packet to send. */
  void onSent(UnsafeBuffer buffer, int offset, int length) {
    long print = print(buffer, offset, length);
    int bucket = bucket(print);
    int slot = (int) ++newest & MASK;
    prints[slot] = print;
    hasArrived[slot] = false;
    previous[slot] = newestOfBucket[bucket];
    newestOfBucket[bucket] = newest;
  }

  @Override
  public void onTransmit(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    if (capture != null) {
      capture.onTransmit(nowNs, buffer, offset, length, meta);
    }
  }

  @Override
  public void onReceive(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    if (capture != null) {
      capture.onReceive(nowNs, buffer, offset, length, meta);
    }
    if (!isOfOtherEnd(meta.ip)) {
      strangers++;
      return;
    }
    long number = find(print(buffer, offset, length));
    if (number == 0 || hasArrived[(int) number & MASK]) {
      return;
    }
    hasArrived[(int) number & MASK] = true;
    arrived++;
    if (number < highest) {
      overtaken++;
    } else {
      highest = number;
    }
  }

  private boolean isOfOtherEnd(IpUdpFields ip) {
    return ip.sourceHigh() == sourceHigh
        && ip.sourceLow() == sourceLow
        && (ip.encapsulation() == IpUdpFields.GRH || sourcePorts.get(ip.sourcePort()));
  }

  /** The number of the packet with this print that is nearest to the highest seen, 0 when none. */
  private long find(long print) {
    long found = 0;
    long nearest = Long.MAX_VALUE;
    long number = newestOfBucket[bucket(print)];
    for (int i = 0; i < MOST_ALIKE && number > Math.max(0, newest - REMEMBERED); i++) {
      int slot = (int) number & MASK;
      if (prints[slot] == print) {
        // Of two as near, one that is still to come.
        long distance = 2 * Math.abs(number - highest) + (hasArrived[slot] ? 1 : 0);
        if (distance < nearest) {
          nearest = distance;
          found = number;
        }
      }
      number = previous[slot];
    }
    return found;
  }

  private static int bucket(long print) {
    return (int) (print >>> 40) & MASK;
  }

  private static long print(UnsafeBuffer buffer, int offset, int length) {
    int end = Math.min(Math.max(0, length - ICRC_BYTES), PRINT_BYTES);
    long print = length;
    int at = 0;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      print = mix(print, buffer.getLong(offset + at));
    }
    for (; at < end; at++) {
      print = mix(print, buffer.getByte(offset + at));
    }
    return print;
  }

  private static long mix(long print, long value) {
    long mixed = (print ^ value) * MIX;
    return mixed ^ (mixed >>> 29);
  }

  /** Packets that came from elsewhere. */
  long strangers() {
    return strangers;
  }

  /** Which of the packets that arrived were overtaken. */
  LinkOrder order() {
    return new LinkOrder(arrived, overtaken);
  }
}
