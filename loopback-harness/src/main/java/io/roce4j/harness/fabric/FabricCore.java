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

  final Timeline timeline;
  final PacketSlots slots;
  final SeededStreams streams;
  final LinkObserver observer;
  final int framingBytes;
  final FabricCounts counts = new FabricCounts();

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
    counts.dropped[reason]++;
    observer.onDropped(where, slot, reason);
    slots.release(slot);
  }
}
