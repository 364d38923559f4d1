// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.impair.HoldQueue;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.impair.PacketFate;
import io.roce4j.harness.random.SeededStreams;

/**
 * A one-way link in virtual time: a bounded queue, serialisation at a rate, propagation, and the
 * impairments of its {@link PacketDice}.
 *
 * <p>A packet that enters is queued or dropped; it leaves the wire after those in front of it; its
 * fate is drawn as it enters, so that fates follow the order of sending. Lost packets occupy the
 * wire all the same. A link that is taken down loses what is in flight on it. Single-threaded.
 */
public final class SimLink implements PortUplink, Timeline.Occurrence {
  private static final int ARRIVES = 0;
  private static final int RELEASES_HELD = 1;
  private static final int HOLD_CAPACITY = 256;
  private static final int EPOCH_SHIFT = 32;

  private final Timeline timeline;
  private final PacketSlots slots;
  private final String name;
  private final PacketSink downstream;
  private final LinkObserver observer;
  private final DepartureQueue departures = new DepartureQueue();
  private final HoldQueue held = new HoldQueue(HOLD_CAPACITY);
  private final ImpairmentCounts counts = new ImpairmentCounts();
  private final SeededStreams streams;
  private LinkSettings settings;
  private PacketDice dice;
  private long busyUntilPs;
  private long lastArrivalPs;
  private long nextNumber;
  private long highestDelivered = -1;
  private int epoch;
  private boolean isUp = true;

  /**
   * Makes a link that is up and empty.
   *
   * @param timeline its time
   * @param slots holds the packets
   * @param name for the journal and the dice
   * @param settings rate, delay, queue, impairments
   * @param streams the streams of the run; the link derives its own by name
   * @param downstream gets the packets that arrive
   * @param observer is told of every packet's fate
   */
  public SimLink(
      Timeline timeline,
      PacketSlots slots,
      String name,
      LinkSettings settings,
      SeededStreams streams,
      PacketSink downstream,
      LinkObserver observer) {
    this.timeline = timeline;
    this.slots = slots;
    this.name = name;
    this.settings = settings;
    this.streams = streams.child("link." + name);
    this.dice = new PacketDice(settings.impairment(), this.streams);
    this.downstream = downstream;
    this.observer = observer;
  }

  /**
   * The link's name.
   *
   * @return as given
   */
  public String name() {
    return name;
  }

  /**
   * What the link did to its packets.
   *
   * @return live counts
   */
  public ImpairmentCounts counts() {
    return counts;
  }

  /**
   * Changes rate, delay, queue or impairments for the packets that enter from now on.
   *
   * @param value the new settings; the dice go on where a link of these impairments begins
   */
  public void reconfigure(LinkSettings value) {
    reconfigure(value, new PacketDice(value.impairment(), streams.child("from" + nextNumber)));
  }

  /**
   * Changes the link, with dice of the caller's.
   *
   * @param value the new settings
   * @param newDice draw the fates from now on
   */
  public void reconfigure(LinkSettings value, PacketDice newDice) {
    settings = value;
    dice = newDice;
  }

  /**
   * Takes the link down, which loses everything on it, or up again.
   *
   * @param up the new state
   */
  public void setUp(boolean up) {
    if (isUp && !up) {
      epoch++; // What is in flight belongs to the old epoch and is lost as it arrives.
      busyUntilPs = timeline.nowPs();
      departures.clear();
    }
    isUp = up;
  }

  /**
   * Whether packets can pass.
   *
   * @return false while taken down
   */
  public boolean isUp() {
    return isUp;
  }

  /**
   * Whether a packet would find room now, for a sender that waits instead of being dropped. An
   * empty queue takes any packet, and a dead link refuses nobody.
   *
   * @param wireBytes of the packet
   * @return true when {@link #accept} would not drop it for want of room
   */
  @Override
  public boolean hasRoom(int wireBytes) {
    departures.drain(timeline.nowPs());
    return !isUp || departures.fits(wireBytes, settings.queueBytes());
  }

  /**
   * When the next queued packet leaves and makes room.
   *
   * @return picoseconds, {@link Timeline#NEVER} when nothing is queued
   */
  @Override
  public long nextRoomPs() {
    departures.drain(timeline.nowPs());
    return departures.nextPs();
  }

  @Override
  public void accept(int slot) {
    counts.offered++;
    slots.number(slot, nextNumber++);
    if (!isUp) {
      discard(slot, LinkObserver.LINK_DOWN);
      return;
    }
    long nowPs = timeline.nowPs();
    departures.drain(nowPs);
    int wireBytes = slots.wireBytes(slot);
    if (!departures.fits(wireBytes, settings.queueBytes())) {
      discard(slot, LinkObserver.QUEUE_FULL);
      return;
    }
    busyUntilPs = Math.max(nowPs, busyUntilPs) + settings.serialisationPs(wireBytes);
    departures.add(busyUntilPs, wireBytes);
    applyFate(slot, dice.nextFate());
  }

  private void applyFate(int slot, int fate) {
    long extraNs = dice.nextDelayNs();
    if (PacketFate.isLost(fate)) {
      counts.lost++;
      observer.onDropped(name, slot, LinkObserver.LOST);
      slots.release(slot);
      return;
    }
    if (extraNs > 0) {
      counts.delayed++;
      counts.delayNsSum += extraNs;
    }
    if (PacketFate.isCorrupted(fate)) {
      flipBit(slot);
    }
    long arrivalPs = busyUntilPs + (settings.delayNs() + extraNs) * Timeline.PS_PER_NS;
    if (settings.keepsOrder()) {
      arrivalPs = Math.max(arrivalPs, lastArrivalPs);
      lastArrivalPs = arrivalPs;
    }
    if (PacketFate.isDuplicated(fate)) {
      int twin = slots.copy(slot);
      counts.duplicated++;
      counts.corrupted += PacketFate.isCorrupted(fate) ? 1 : 0;
      observer.onDuplicated(name, slot);
      scheduleArrival(arrivalPs, slot, PacketFate.isHeld(fate));
      scheduleArrival(arrivalPs, twin, false);
    } else {
      scheduleArrival(arrivalPs, slot, PacketFate.isHeld(fate));
    }
  }

  private void flipBit(int slot) {
    int bit = dice.nextBit(slots.length(slot));
    int at = slots.bth(slot) + (bit >> 3);
    int flipped = slots.buffer(slot).getByte(at) ^ (0x80 >> (bit & 7));
    slots.buffer(slot).putByte(at, (byte) flipped);
    counts.corrupted++;
    observer.onCorrupted(name, slot, bit);
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
      discard(slot, LinkObserver.LINK_DOWN);
      return;
    }
    boolean hold = (argument & 1) != 0;
    if (hold && hold(slot)) {
      return;
    }
    held.onPassed(slots.path(slot));
    deliver(slot);
    releaseHeld();
  }

  private boolean hold(int slot) {
    long deadlinePs = timeline.nowPs() + settings.impairment().reorderHoldNs() * Timeline.PS_PER_NS;
    int gap = settings.impairment().reorderGap();
    if (!held.offer(slot, slots.path(slot), gap, deadlinePs)) {
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
      counts.unfollowed += held.lastWasFollowed() ? 0 : 1;
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

  private void discard(int slot, int reason) {
    counts.discarded++;
    observer.onDropped(name, slot, reason);
    slots.release(slot);
  }
}
