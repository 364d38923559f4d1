// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.sim.PacketSlots;
import java.util.Arrays;

/**
 * What nodes read and change of packets, by slot number and side by side: a packet's bytes stay
 * untouched from its sender to its receiver, which at many hosts are no longer in any cache. Who
 * shows the bytes to somebody calls {@link #settle} first; who lets somebody change them calls
 * {@link #enter} afterwards.
 *
 * <p>Two words a packet. The first: destination and source, each host number + 1 in 24 bits, time
 * to live and TOS in 8. The second: the next packet in its queue + 1 in 24 bits, the port of the
 * node it came in by in 20, and its bytes on the wire in 20.
 */
final class PacketFacts {
  private static final int WORDS = 2;
  private static final int DESTINATION_SHIFT = 40;
  private static final int SOURCE_SHIFT = 16;
  private static final int TIME_TO_LIVE_SHIFT = 8;
  private static final long TIME_TO_LIVE_ONE = 1L << TIME_TO_LIVE_SHIFT;
  private static final int BYTE = 0xFF;
  private static final int HOST = 0xFF_FFFF;
  private static final int NEXT_SHIFT = 40;
  private static final int INGRESS_SHIFT = 20;
  private static final int FIELD = 0xF_FFFF;

  private final PacketSlots slots;
  private final int framingBytes;
  private final int addressPrefix;
  private long[] words = new long[WORDS << 10];
  private int[] ports = new int[1 << 10];

  /**
   * Facts of no packet yet.
   *
   * @param slots the packets
   * @param framingBytes around an IP packet on the wire
   * @param addressPrefix what the last word of an address has besides the host's number + 1
   */
  PacketFacts(PacketSlots slots, int framingBytes, int addressPrefix) {
    this.slots = slots;
    this.framingBytes = framingBytes;
    this.addressPrefix = addressPrefix;
  }

  /** Notes what the bytes of a packet say. The port it came in by stays. */
  void enter(int slot) {
    if (slot >= ports.length) {
      int capacity = Math.max(slot + 1, ports.length * 2);
      words = Arrays.copyOf(words, WORDS * capacity);
      ports = Arrays.copyOf(ports, capacity);
    }
    int at = WORDS * slot;
    long destination = FabricHeader.destinationWord(slots, slot) & HOST;
    long source = FabricHeader.sourceWord(slots, slot) & HOST;
    words[at] =
        (destination << DESTINATION_SHIFT)
            | (source << SOURCE_SHIFT)
            | ((long) FabricHeader.timeToLive(slots, slot) << TIME_TO_LIVE_SHIFT)
            | FabricHeader.tos(slots, slot);
    int wireBytes = slots.length(slot) + slots.headerBytes(slot) + framingBytes;
    words[at + 1] = (words[at + 1] & ~(long) FIELD) | wireBytes;
    ports[slot] = FabricHeader.ports(slots, slot);
  }

  /** Brings the bytes of a packet up to date: whoever looks at them next sees what happened. */
  void settle(int slot) {
    long word = words[WORDS * slot];
    FabricHeader.update(slots, slot, (int) (word >>> TIME_TO_LIVE_SHIFT) & BYTE, (int) word & BYTE);
  }

  int destinationHost(int slot) {
    return (int) (words[WORDS * slot] >>> DESTINATION_SHIFT) - 1;
  }

  int sourceHost(int slot) {
    return ((int) (words[WORDS * slot] >>> SOURCE_SHIFT) & HOST) - 1;
  }

  /** The last word of the source's address. */
  int sourceWord(int slot) {
    return addressPrefix | (sourceHost(slot) + 1);
  }

  /** The last word of the destination's address. */
  int destinationWord(int slot) {
    return addressPrefix | (destinationHost(slot) + 1);
  }

  /** Source and destination port of UDP. */
  int ports(int slot) {
    return ports[slot];
  }

  int tos(int slot) {
    return (int) words[WORDS * slot] & BYTE;
  }

  /** Marks a packet as having met congestion (RFC 3168). */
  void markCongestion(int slot) {
    words[WORDS * slot] |= FabricHeader.CE;
  }

  /**
   * One router less to live.
   *
   * @return false when the packet must not be forwarded: its time to live is used up
   */
  boolean decrementTimeToLive(int slot) {
    int at = WORDS * slot;
    if (((int) (words[at] >>> TIME_TO_LIVE_SHIFT) & BYTE) <= 1) {
      return false;
    }
    words[at] -= TIME_TO_LIVE_ONE;
    return true;
  }

  /** Bytes a packet occupies on the wire. */
  int wireBytes(int slot) {
    return (int) words[WORDS * slot + 1] & FIELD;
  }

  /** The packet behind in the queue a packet stands in, or {@link PacketSlots#NONE}. */
  int next(int slot) {
    return (int) (words[WORDS * slot + 1] >>> NEXT_SHIFT) - 1;
  }

  void next(int slot, int value) {
    int at = WORDS * slot + 1;
    words[at] = (words[at] & ((1L << NEXT_SHIFT) - 1)) | ((value + 1L) << NEXT_SHIFT);
  }

  /** The port a packet came in by, at the node it stands at. */
  int ingress(int slot) {
    return (int) (words[WORDS * slot + 1] >>> INGRESS_SHIFT) & FIELD;
  }

  void ingress(int slot, int port) {
    int at = WORDS * slot + 1;
    words[at] = (words[at] & ~((long) FIELD << INGRESS_SHIFT)) | ((long) port << INGRESS_SHIFT);
  }
}
