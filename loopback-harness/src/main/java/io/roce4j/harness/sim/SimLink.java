// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.LossModel;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.random.SeededStreams;
import java.util.function.IntFunction;

/**
 * A one-way link in virtual time: a bounded queue, serialisation at a rate, propagation, and the
 * impairments of its {@link PacketDice}.
 *
 * <p>A packet that enters is queued or dropped; it leaves the wire after those in front of it; its
 * fate is drawn as it enters, so that fates follow the order of sending. Lost packets occupy the
 * wire all the same. A link that is taken down loses what is in flight on it. Single-threaded.
 */
public final class SimLink implements PortUplink {
  private final Timeline timeline;
  private final PacketSlots slots;
  private final String name;
  private final LinkObserver observer;
  private final DepartureQueue departures = new DepartureQueue();
  private final ImpairmentCounts counts = new ImpairmentCounts();
  private final SeededStreams streams;
  private final SimWire wire;
  private LinkSettings settings;
  private long busyUntilPs;
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
    this.observer = observer;
    PacketDice dice = new PacketDice(settings.impairment(), this.streams);
    WireFates fates = new DiceFates(dice, settings.keepsOrder());
    this.wire = new SimWire(timeline, slots, name, fates, downstream, observer, counts);
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
    reconfigure(value, new PacketDice(value.impairment(), streams.child("from" + wire.carried())));
  }

  /**
   * Changes the link, with dice of the caller's.
   *
   * @param value the new settings
   * @param newDice draw the fates from now on
   */
  public void reconfigure(LinkSettings value, PacketDice newDice) {
    settings = value;
    wire.setFates(new DiceFates(newDice, value.keepsOrder()));
  }

  /**
   * Changes the link, with losses of its own for each source port.
   *
   * @param value the new settings
   * @param newDice draw the other fates from now on
   * @param lossOfPort makes the loss model of a source port when its first packet comes
   */
  public void reconfigure(
      LinkSettings value, PacketDice newDice, IntFunction<LossModel> lossOfPort) {
    settings = value;
    wire.setFates(new PathLossFates(newDice, value.keepsOrder(), lossOfPort));
  }

  /**
   * Takes the link down, which loses everything on it, or up again.
   *
   * @param up the new state
   */
  public void setUp(boolean up) {
    if (isUp && !up) {
      wire.cut();
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
    wire.carry(slot, busyUntilPs, settings.delayNs() * Timeline.PS_PER_NS);
  }

  private void discard(int slot, int reason) {
    counts.discarded++;
    observer.onDropped(name, slot, reason);
    slots.release(slot);
  }
}
