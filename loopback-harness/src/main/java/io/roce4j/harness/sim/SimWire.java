// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.impair.HoldQueue;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.PacketFate;

/**
 * The part of a one-way link behind its serialiser: propagation, and what goes wrong on the way.
 *
 * <p>A packet's fate is drawn as it is handed over, so that fates follow the order of sending. A
 * wire that is taken down loses what is in flight on it. Single-threaded; nothing is allocated per
 * packet.
 */
public final class SimWire implements Timeline.Occurrence {
  private static final int ARRIVES = 0;
  private static final int RELEASES_HELD = 1;
  private static final int HOLD_CAPACITY = 256;
  private static final int EPOCH_SHIFT = 32;
  private static final int PATHS = 1 << 14;
  private static final int NO_BIT = -1;

  private final Timeline timeline;
  private final PacketSlots slots;
  private final String name;
  private final PacketSink downstream;
  private final LinkObserver observer;
  private final ImpairmentCounts counts;
  private final HoldQueue held = new HoldQueue(HOLD_CAPACITY);
  private WireFates fates;
  private long[] lastArrivalOfPathPs = new long[0];
  private long lastArrivalPs;
  private long nextNumber;
  private long highestDelivered = -1;
  private int epoch;

  /**
   * Makes an empty wire.
   *
   * @param timeline its time
   * @param slots holds the packets
   * @param name for observers
   * @param fates decide about its packets
   * @param downstream gets the packets that arrive
   * @param observer is told of every packet's fate
   * @param counts are told too
   */
  public SimWire(
      Timeline timeline,
      PacketSlots slots,
      String name,
      WireFates fates,
      PacketSink downstream,
      LinkObserver observer,
      ImpairmentCounts counts) {
    this.timeline = timeline;
    this.slots = slots;
    this.name = name;
    this.downstream = downstream;
    this.observer = observer;
    this.counts = counts;
    setFates(fates);
  }

  /**
   * Changes what happens to the packets handed over from now on.
   *
   * @param value decides about them
   */
  public void setFates(WireFates value) {
    fates = value;
    if (value.order() == WireFates.Order.PER_PATH && lastArrivalOfPathPs.length == 0) {
      lastArrivalOfPathPs = new long[PATHS];
    }
  }

  /** Loses everything in flight. */
  public void cut() {
    epoch++; // What is in flight belongs to the old epoch and is lost as it arrives.
  }

  /**
   * Packets handed over so far.
   *
   * @return 0 or more
   */
  public long carried() {
    return nextNumber;
  }

  /**
   * Takes a packet over.
   *
   * @param slot the packet, the wire's from now on
   * @param departurePs when its last bit leaves the serialiser
   * @param delayPs propagation
   */
  public void carry(int slot, long departurePs, long delayPs) {
    slots.number(slot, nextNumber++);
    int fate = fates.nextFate(slots, slot, timeline.nowPs());
    long extraPs = fates.nextDelayPs();
    if (PacketFate.isLost(fate)) {
      counts.lost++;
      observer.onDropped(name, slot, fates.lossReason());
      slots.release(slot);
      return;
    }
    if (extraPs > 0) {
      counts.delayed++;
      counts.delayNsSum += extraPs / Timeline.PS_PER_NS;
    }
    if (PacketFate.isCorrupted(fate)) {
      corrupt(slot);
    }
    if (PacketFate.isFrameError(fate)) {
      counts.corrupted++;
      int bit = fates.nextFrameErrorBit(slots.length(slot));
      slots.flipBit(slot, bit);
      slots.damageFrame(slot);
      observer.onCorrupted(name, slot, bit);
    }
    long arrivalPs = ordered(slot, departurePs + delayPs + extraPs);
    if (PacketFate.isDuplicated(fate)) {
      int twin = slots.copy(slot);
      counts.duplicated++;
      counts.corrupted += PacketFate.isCorrupted(fate) ? 1 : 0;
      observer.onDuplicated(name, slot);
      scheduleArrival(arrivalPs, slot, PacketFate.isHeld(fate));
      scheduleArrival(arrivalPs + fates.duplicateDelayPs(), twin, false);
    } else {
      scheduleArrival(arrivalPs, slot, PacketFate.isHeld(fate));
    }
  }

  private long ordered(int slot, long wishedPs) {
    return switch (fates.order()) {
      case KEPT -> {
        lastArrivalPs = Math.max(wishedPs, lastArrivalPs);
        yield lastArrivalPs;
      }
      case PER_PATH -> {
        int path = slots.path(slot) & (PATHS - 1);
        lastArrivalOfPathPs[path] = Math.max(wishedPs, lastArrivalOfPathPs[path]);
        yield lastArrivalOfPathPs[path];
      }
      case FREE -> wishedPs;
    };
  }

  private void corrupt(int slot) {
    counts.corrupted++;
    int before = NO_BIT;
    for (int i = fates.corruptBits(); i > 0; i--) {
      int bit = fates.nextBit(slots.length(slot));
      // Flipping one bit twice would heal it.
      before = bit == before ? (bit ^ 1) : bit;
      slots.flipBit(slot, before);
      observer.onCorrupted(name, slot, before);
    }
  }

  private void scheduleArrival(long atPs, int slot, boolean hold) {
    long argument = ((long) epoch << EPOCH_SHIFT) | ((long) slot << 1) | (hold ? 1 : 0);
    timeline.schedule(atPs, this, ARRIVES, argument);
  }

  @Override
  public void happen(int kind, long argument) {
    if (kind == RELEASES_HELD) {
      releaseHeld();
      return;
    }
    int slot = (int) (argument & 0xFFFF_FFFFL) >>> 1;
    if ((int) (argument >>> EPOCH_SHIFT) != epoch) {
      counts.discarded++;
      observer.onDropped(name, slot, LinkObserver.LINK_DOWN);
      slots.release(slot);
      return;
    }
    boolean hold = (argument & 1) != 0;
    if (hold && hold(slot)) {
      return;
    }
    held.onPassed();
    deliver(slot);
    releaseHeld();
  }

  private boolean hold(int slot) {
    long deadlinePs = timeline.nowPs() + fates.reorderHoldPs();
    if (!held.offer(slot, fates.nextReorderGap(), deadlinePs)) {
      return false;
    }
    counts.held++;
    observer.onHeld(name, slot);
    timeline.schedule(deadlinePs, this, RELEASES_HELD, 0);
    return true;
  }

  private void releaseHeld() {
    int slot = held.poll(timeline.nowPs());
    while (slot != HoldQueue.NONE) {
      deliver(slot);
      slot = held.poll(timeline.nowPs());
    }
  }

  private void deliver(int slot) {
    counts.delivered++;
    if (!slots.isCopy(slot)) {
      if (slots.number(slot) < highestDelivered) {
        counts.displaced++;
      }
      highestDelivered = Math.max(highestDelivered, slots.number(slot));
    }
    downstream.accept(slot);
  }
}
