// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.harness.sim.Timeline;
import java.util.Arrays;

/**
 * What all nodes of a fabric share: time, packets, dice, and the books. What a packet is to the
 * node it stands at is kept beside the slots, in arrays by slot number.
 */
final class FabricCore {
  static final int NONE = PacketSlots.NONE;

  private static final int IPV6_UDP_BYTES = 48;

  final Timeline timeline;
  final PacketSlots slots;
  final SeededStreams streams;
  final LinkObserver observer;
  final int framingBytes;
  final FabricCounts counts = new FabricCounts();

  /** What wires do goes into the books first, then to the observer. */
  final LinkObserver books = new Books();

  /** Sees packets as they are sent, or null. */
  FabricCapture capture;

  /** Notes the ways of flows, or null. */
  PathUse pathUse;

  // The next packet in the queue it stands in.
  private int[] next = new int[1 << 10];
  // The port it came in by, at the node it stands at.
  private int[] ingress = new int[1 << 10];

  FabricCore(
      Timeline timeline,
      PacketSlots slots,
      SeededStreams streams,
      LinkObserver observer,
      int framingBytes) {
    this.timeline = timeline;
    this.slots = slots;
    this.streams = streams;
    this.observer = observer;
    this.framingBytes = framingBytes;
  }

  /** Bytes of the largest packet on the wire. */
  int maxWireBytes() {
    return slots.maxDatagramBytes() + IPV6_UDP_BYTES + framingBytes;
  }

  /** Bytes a packet occupies on the wire. */
  int wireBytes(int slot) {
    return slots.length(slot) + slots.headerBytes(slot) + framingBytes;
  }

  int next(int slot) {
    return next[slot];
  }

  void next(int slot, int value) {
    if (slot >= next.length) {
      grow(slot);
    }
    next[slot] = value;
  }

  int ingress(int slot) {
    return ingress[slot];
  }

  void ingress(int slot, int port) {
    if (slot >= ingress.length) {
      grow(slot);
    }
    ingress[slot] = port;
  }

  private void grow(int slot) {
    int capacity = Math.max(slot + 1, next.length * 2);
    next = Arrays.copyOf(next, capacity);
    ingress = Arrays.copyOf(ingress, capacity);
  }

  /** Ends a packet that will not arrive. */
  void drop(String where, int slot, int reason) {
    books.onDropped(where, slot, reason);
    slots.release(slot);
  }

  /** Counts what happens to packets and passes it on. */
  private final class Books implements LinkObserver {
    @Override
    public void onDropped(String link, int slot, int reason) {
      counts.dropped[reason]++;
      note(link, slot, LinkObserver.reasonName(reason));
      observer.onDropped(link, slot, reason);
    }

    private void note(String link, int slot, String what) {
      if (capture != null) {
        capture.onNote(link, slot, what);
      }
    }

    @Override
    public void onDuplicated(String link, int slot) {
      counts.duplicated++;
      note(link, slot, "duplicated");
      observer.onDuplicated(link, slot);
    }

    @Override
    public void onCorrupted(String link, int slot, int bit) {
      note(link, slot, "bit flipped");
      observer.onCorrupted(link, slot, bit);
    }

    @Override
    public void onHeld(String link, int slot) {
      note(link, slot, "held back");
      observer.onHeld(link, slot);
    }
  }
}
