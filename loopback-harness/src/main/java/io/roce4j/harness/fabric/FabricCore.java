// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.harness.sim.Timeline;

/**
 * What all nodes of a fabric share: time, packets and what is known of them, dice, and the books.
 */
final class FabricCore {
  static final int NONE = PacketSlots.NONE;

  private static final int IPV6_UDP_BYTES = 48;

  final Timeline timeline;
  final PacketSlots slots;
  final SeededStreams streams;
  final LinkObserver observer;
  final boolean isObserved;
  final int framingBytes;
  final FabricCounts counts = new FabricCounts();

  /** What wires do goes into the books first, then to the observer. */
  final LinkObserver books = new Books();

  /** Sees packets as they are sent, or null. */
  FabricCapture capture;

  /** Notes the ways of flows, or null. */
  PathUse pathUse;

  final PacketFacts facts;

  FabricCore(
      Timeline timeline,
      PacketSlots slots,
      SeededStreams streams,
      LinkObserver observer,
      int framingBytes,
      boolean ipv6) {
    this.timeline = timeline;
    this.slots = slots;
    this.streams = streams;
    this.observer = observer;
    this.isObserved = !observer.equals(LinkObserver.NONE);
    this.framingBytes = framingBytes;
    this.facts = new PacketFacts(slots, framingBytes, FabricHeader.addressPrefix(ipv6));
  }

  /** Bytes of the largest packet on the wire. */
  int maxWireBytes() {
    return slots.maxDatagramBytes() + IPV6_UDP_BYTES + framingBytes;
  }

  /** Ends a packet that will not arrive. */
  void drop(String where, int slot, int reason) {
    facts.settle(slot);
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
