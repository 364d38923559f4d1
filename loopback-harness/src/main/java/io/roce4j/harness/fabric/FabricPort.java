// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.PfcSettings;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.fabric.topology.WatchdogSettings;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimWire;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.harness.sim.WireFates;

/**
 * One direction of a cable, seen from where packets enter it: the output queues, one for each
 * class, the scheduler, the serialiser and the propagation. Counters are read by observers; the run
 * alone changes anything.
 *
 * <p>A packet leaves its queue as its serialisation begins. A pause stops the next packet, never
 * the one that has begun.
 */
public final class FabricPort implements Timeline.Occurrence {
  /** Bytes that a switch needs to forward: preamble, Ethernet, IPv6, UDP and base transport. */
  public static final int HEADERS_BYTES = 8 + 14 + 40 + 8 + 12;

  private static final int LINE_IS_FREE = 0;
  private static final int ARRIVES = 1;
  private static final int PAUSE_ARRIVES = 2;
  private static final int EPOCH_SHIFT = 32;
  private static final int SLOT_MASK = 0x7FFF_FFFF;
  private static final int QUANTA_SHIFT = 8;
  private static final int DEPTH_SHIFT = 24;
  private static final int MAX_DEPTH = 0x7F;

  private final FabricCore core;
  private final Timeline timeline;
  private final FabricNode node;
  private final int index;
  private final PortScheduler scheduler;
  private final PortQueues queues;
  private final PauseState pauses = new PauseState();
  private final int losslessMask;
  private final ImpairmentCounts wireCounts = new ImpairmentCounts();
  private String name;
  private FabricNode peer;
  private int peerPort;
  private Cable cable;
  // Exact for all rates that divide 8e12: no division for each packet.
  private long psPerByte;
  private long propagationPs;
  private long latencyPs;
  private boolean isCutThrough;
  private PauseWatchdog watchdog;
  private SimWire wire;
  private boolean isImpaired;
  private boolean isUp = true;
  private int epoch;
  private int wireEnds;
  private long busyUntilPs;
  private long wakePs = Timeline.NEVER;
  private boolean isHeldBack;
  private final long[] lastSentPs = new long[TrafficClasses.COUNT];
  private long sentPackets;
  private long sentBytes;
  private long pauseFramesSent;
  private long droppedPackets;
  private long marks;
  private int inFlight;
  private int number;

  FabricPort(FabricCore core, FabricNode node, int index, Cable cable, TrafficClasses classes) {
    this.core = core;
    this.timeline = core.timeline;
    this.node = node;
    this.index = index;
    this.scheduler = new PortScheduler(classes);
    this.queues = new PortQueues(core);
    this.losslessMask = classes.losslessMask();
    setCable(cable);
  }

  /**
   * Leads the port to its peer.
   *
   * @param to the peer
   * @param toPort its port at the other end
   * @param extraPs latency of the peer
   * @param cutsThrough whether the peer takes a packet when its headers are in, not all of it
   * @param portName of this port
   */
  void connect(FabricNode to, int toPort, long extraPs, boolean cutsThrough, String portName) {
    peer = to;
    peerPort = toPort;
    latencyPs = extraPs;
    isCutThrough = cutsThrough;
    name = portName;
  }

  void watch(WatchdogSettings settings) {
    watchdog = new PauseWatchdog(core, this, settings);
  }

  /** Changes rate and delay for the packets that are serialised from now on. */
  void setCable(Cable value) {
    cable = value;
    long psBits = 8 * 1_000_000_000_000L;
    psPerByte = psBits % value.bitsPerSecond() == 0 ? psBits / value.bitsPerSecond() : 0;
    propagationPs = value.delayNs() * Timeline.PS_PER_NS;
  }

  /** Changes what happens on the cable to the packets sent from now on; null for nothing. */
  void impair(WireFates fates) {
    isImpaired = fates != null;
    if (fates == null) {
      return;
    }
    if (wire == null) {
      wire =
          new SimWire(
              timeline, core.slots, name, fates, this::arriveFromWire, core.books, wireCounts);
    } else {
      wire.setFates(fates);
    }
  }

  /** Takes this direction down, which loses what is on it and in its queues, or up. */
  void setUp(boolean up) {
    if (up == isUp) {
      return;
    }
    isUp = up;
    core.observer.onLinkState(name, up);
    if (!up) {
      epoch++;
      if (wire != null) {
        wire.cut();
      }
      pauses.clear(timeline.nowPs());
      for (int rest = queues.backlog(); rest != 0; rest &= rest - 1) {
        flush(Integer.numberOfTrailingZeros(rest), LinkObserver.LINK_DOWN);
      }
    }
  }

  /** Drops what waits in a class. */
  void flush(int trafficClass, int reason) {
    while (queues.packets(trafficClass) > 0) {
      int slot = queues.remove(trafficClass, timeline.nowPs());
      node.onDequeued(this, trafficClass, slot);
      drop(slot, reason);
    }
  }

  int index() {
    return index;
  }

  FabricNode node() {
    return node;
  }

  FabricNode peer() {
    return peer;
  }

  int peerPort() {
    return peerPort;
  }

  long latencyPs() {
    return latencyPs;
  }

  int number() {
    return number;
  }

  void number(int value) {
    number = value;
  }

  /** Whether everything that waits is paused or shaped. */
  boolean isHeldBack() {
    return isHeldBack;
  }

  PauseState pauses() {
    return pauses;
  }

  PortQueues queues() {
    return queues;
  }

  /** When the last packet of a class was sent, for the watchdog. */
  long lastSentPs(int trafficClass) {
    return lastSentPs[trafficClass];
  }

  int packets(int trafficClass) {
    return queues.packets(trafficClass);
  }

  /** Puts a packet at the end of its queue, and on the line when that is free. */
  void enqueue(int slot, int trafficClass, int wireBytes) {
    long nowPs = timeline.nowPs();
    if (!isUp) {
      node.onDequeued(this, trafficClass, slot);
      drop(slot, LinkObserver.LINK_DOWN);
      return;
    }
    queues.add(trafficClass, slot, wireBytes, nowPs);
    if (wakePs == Timeline.NEVER || isHeldBack) {
      kick(nowPs);
    }
  }

  /** Sends when the line is free, or makes sure that it will be asked as soon as it is. */
  private void kick(long nowPs) {
    if (nowPs >= busyUntilPs) {
      transmit(nowPs);
    } else {
      wakeAt(busyUntilPs);
    }
  }

  private void wakeAt(long atPs) {
    if (atPs != wakePs) {
      wakePs = atPs;
      timeline.schedule(atPs, this, LINE_IS_FREE, atPs);
    }
  }

  @Override
  public void happen(int kind, long argument) {
    switch (kind) {
      case ARRIVES -> arrive(argument);
      case PAUSE_ARRIVES -> arriveAtPeer(argument);
      default -> {
        if (argument == wakePs) {
          wakePs = Timeline.NEVER;
          kick(timeline.nowPs());
        }
      }
    }
  }

  private void arrive(long argument) {
    int slot = (int) argument & SLOT_MASK;
    inFlight--;
    if ((int) (argument >>> EPOCH_SHIFT) != epoch) {
      core.drop(name, slot, LinkObserver.LINK_DOWN);
      return;
    }
    peer.receive(peerPort, slot);
  }

  private void arriveFromWire(int slot) {
    wireEnds++;
    core.facts.enter(slot); // It may be a copy.
    peer.receive(peerPort, slot);
  }

  /** Begins to serialise the next packet. The line is free. */
  private void transmit(long nowPs) {
    wakePs = Timeline.NEVER;
    isHeldBack = false;
    int backlog = queues.backlog();
    if (backlog == 0) {
      return;
    }
    int free = backlog & ~obeyedPauses(nowPs);
    int trafficClass = scheduler.pick(backlog, scheduler.unshaped(free, nowPs), queues, core);
    if (trafficClass == PortScheduler.NOTHING) {
      waitForTurn(backlog, free);
      return;
    }
    int slot = queues.remove(trafficClass, nowPs);
    node.onDequeued(this, trafficClass, slot);
    node.onDeparture(this, trafficClass, slot);
    int wireBytes = core.facts.wireBytes(slot);
    sentPackets++;
    sentBytes += wireBytes;
    lastSentPs[trafficClass] = nowPs;
    core.counts.hops++;
    busyUntilPs = nowPs + serialisationPs(wireBytes);
    send(slot, isCutThrough ? busyUntilPs - tailPs(wireBytes) : busyUntilPs);
    if (queues.backlog() != 0) {
      wakeAt(busyUntilPs);
    }
  }

  private int obeyedPauses(long nowPs) {
    int paused = pauses.pausedNow(nowPs);
    return watchdog == null ? paused : paused & ~watchdog.ignoredPauses();
  }

  /** All that wait are paused or shaped: asks again when the first of them may go on. */
  private void waitForTurn(int backlog, int free) {
    isHeldBack = true;
    long next = pauses.nextEndPs(backlog & ~free);
    for (int rest = free; rest != 0; rest &= rest - 1) {
      next = Math.min(next, scheduler.notBeforePs(Integer.numberOfTrailingZeros(rest)));
    }
    if (next != Timeline.NEVER) {
      wakeAt(next);
    }
  }

  /** How much later than its headers the last bit of a packet leaves. */
  long tailPs(int wireBytes) {
    return serialisationPs(wireBytes) - serialisationPs(Math.min(HEADERS_BYTES, wireBytes));
  }

  /** Whether the peer forwards damaged frames: it has begun before it can know. */
  boolean passesFrameErrors() {
    return isCutThrough;
  }

  private void send(int slot, long leavesPs) {
    if (core.capture != null) {
      core.facts.settle(slot);
      core.capture.onSent(name, slot);
    }
    if (isImpaired) {
      core.facts.settle(slot);
      wireCounts.offered++;
      wire.carry(slot, leavesPs, propagationPs + latencyPs);
    } else {
      inFlight++;
      long argument = ((long) epoch << EPOCH_SHIFT) | slot;
      timeline.schedule(leavesPs + propagationPs + latencyPs, this, ARRIVES, argument);
    }
  }

  private long serialisationPs(int wireBytes) {
    return psPerByte != 0 ? wireBytes * psPerByte : cable.serialisationPs(wireBytes);
  }

  /**
   * Sends a pause frame: it waits for the packet that is being serialised and for no other.
   *
   * @param classes bit for each class
   * @param quanta 0 to go on
   * @param depth of the cascade
   * @param responsePs how long the peer takes to obey
   */
  void sendPause(int classes, int quanta, int depth, long responsePs) {
    if (!isUp) {
      return;
    }
    long nowPs = timeline.nowPs();
    busyUntilPs = Math.max(nowPs, busyUntilPs) + serialisationPs(PfcSettings.FRAME_BYTES);
    pauseFramesSent++;
    core.counts.pauseFrames++;
    if (core.capture != null) {
      core.capture.onPause(name, classes, quanta, depth);
    }
    core.observer.onPauseSent(name, classes, quanta, depth);
    long frame =
        ((long) epoch << EPOCH_SHIFT)
            | ((long) Math.min(depth, MAX_DEPTH) << DEPTH_SHIFT)
            | ((long) quanta << QUANTA_SHIFT)
            | classes;
    timeline.schedule(busyUntilPs + propagationPs + responsePs, this, PAUSE_ARRIVES, frame);
    if (queues.backlog() != 0) {
      wakeAt(busyUntilPs);
    }
  }

  private void arriveAtPeer(long frame) {
    if ((int) (frame >>> EPOCH_SHIFT) == epoch) {
      int quanta = (int) (frame >>> QUANTA_SHIFT) & 0xFFFF;
      int depth = (int) (frame >>> DEPTH_SHIFT) & MAX_DEPTH;
      peer.ports[peerPort].onPause((int) frame & 0xFF, quanta, depth);
    }
  }

  /** A pause frame from the peer. Classes that are not lossless here do not obey. */
  private void onPause(int classes, int quanta, int depth) {
    long nowPs = timeline.nowPs();
    long untilPs = nowPs + PfcSettings.quantaPs(quanta, cable.bitsPerSecond());
    for (int rest = classes & losslessMask; rest != 0; rest &= rest - 1) {
      int trafficClass = Integer.numberOfTrailingZeros(rest);
      if (quanta == 0) {
        pauses.resume(trafficClass, nowPs);
      } else {
        pauses.pause(trafficClass, nowPs, untilPs, depth);
      }
    }
    if (watchdog != null && quanta != 0) {
      watchdog.onPaused();
    }
    if (queues.backlog() != 0) {
      kick(nowPs);
    }
  }

  /** Goes on although nothing has changed in the queues: the watchdog has decided something. */
  void goOn() {
    if (queues.backlog() != 0) {
      kick(timeline.nowPs());
    }
  }

  /** Whether the watchdog has closed a class, so that its packets are to be dropped. */
  boolean isClosed(int trafficClass) {
    return watchdog != null && watchdog.isClosed(trafficClass);
  }

  /** Ends a packet that this port does not take. */
  void drop(int slot, int reason) {
    droppedPackets++;
    core.drop(name, slot, reason);
  }

  void countMark(int slot) {
    marks++;
    core.counts.marked++;
    if (core.isObserved) {
      core.facts.settle(slot);
    }
    core.observer.onMarked(name, slot);
  }

  /** Packets on the cable, for the books. */
  long onCable() {
    long onWire =
        wireCounts.offered
            + wireCounts.duplicated
            - wireCounts.lost
            - wireCounts.discarded
            - wireEnds;
    return inFlight + onWire;
  }

  /**
   * The port's name: where it is and where it leads.
   *
   * @return such as {@code leaf0>spine1}
   */
  public String name() {
    return name;
  }

  /**
   * The cable of this port as it is now.
   *
   * @return rate and delay
   */
  public Cable cable() {
    return cable;
  }

  /**
   * The rate of the port as it is now.
   *
   * @return bits per second
   */
  public long bitsPerSecond() {
    return cable.bitsPerSecond();
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
   * What waits now.
   *
   * @return wire bytes in all queues, without the packet being serialised
   */
  public long queueBytes() {
    return queues.bytes();
  }

  /**
   * What waits now in a class.
   *
   * @param trafficClass 0 to 7
   * @return wire bytes
   */
  public long queueBytes(int trafficClass) {
    return queues.bytes(trafficClass);
  }

  /**
   * Packets that wait now.
   *
   * @return in all queues
   */
  public int queuedPackets() {
    return queues.packets();
  }

  /**
   * The longest the queues ever were, together.
   *
   * @return wire bytes
   */
  public long maxQueueBytes() {
    return queues.maxBytes();
  }

  /**
   * The longest the queue of a class ever was.
   *
   * @param trafficClass 0 to 7
   * @return wire bytes
   */
  public long maxQueueBytes(int trafficClass) {
    return queues.maxBytes(trafficClass);
  }

  /**
   * The mean length of the queues over time.
   *
   * @return wire bytes, from the start of the run until now
   */
  public double meanQueueBytes() {
    return queues.meanBytes(timeline.nowPs());
  }

  /**
   * Packets that entered a queue.
   *
   * @return 0 or more
   */
  public long enqueuedPackets() {
    return queues.enqueued();
  }

  /**
   * Packets put on the cable.
   *
   * @return 0 or more
   */
  public long sentPackets() {
    return sentPackets;
  }

  /**
   * Bytes put on the cable.
   *
   * @return wire bytes, framing included, without pause frames
   */
  public long sentBytes() {
    return sentBytes;
  }

  /**
   * Packets that this port did not take, or lost from its queues.
   *
   * @return 0 or more
   */
  public long droppedPackets() {
    return droppedPackets;
  }

  /**
   * Packets marked at this port.
   *
   * @return 0 or more
   */
  public long markedPackets() {
    return marks;
  }

  /**
   * Pause frames this port sent, those that end a pause included: its node cannot take more from
   * the peer.
   *
   * @return 0 or more
   */
  public long pauseFramesSent() {
    return pauseFramesSent;
  }

  /**
   * Pause frames for classes of this port that it received and obeyed.
   *
   * @return 0 or more
   */
  public long pauseFramesObeyed() {
    return pauses.frames();
  }

  /**
   * How long a class was paused by the peer.
   *
   * @param trafficClass 0 to 7
   * @return nanoseconds until now
   */
  public long pausedNs(int trafficClass) {
    return pauses.pausedPs(trafficClass, timeline.nowPs()) / Timeline.PS_PER_NS;
  }

  /**
   * How long classes were paused by the peer, all together.
   *
   * @return nanoseconds until now, several at once counted each
   */
  public long pausedNs() {
    long sum = 0;
    for (int trafficClass = 0; trafficClass < TrafficClasses.COUNT; trafficClass++) {
      sum += pausedNs(trafficClass);
    }
    return sum;
  }

  /**
   * Whether a class is paused by the peer now.
   *
   * @param trafficClass 0 to 7
   * @return true until the pause ends or is ended
   */
  public boolean isPaused(int trafficClass) {
    return pauses.isPaused(trafficClass, timeline.nowPs());
  }

  /**
   * The deepest cascade that has paused this port: 1 for a peer that was full itself, one more for
   * each switch that passed a pause on.
   *
   * @return 0 when it was never paused
   */
  public int maxCascadeDepth() {
    return pauses.maxDepth();
  }

  /**
   * Storms the watchdog of this port has found.
   *
   * @return 0 or more
   */
  public long storms() {
    return watchdog == null ? 0 : watchdog.storms();
  }

  /**
   * What impairments did to the packets of this direction, if there are any.
   *
   * @return live counts
   */
  public ImpairmentCounts impairmentCounts() {
    return wireCounts;
  }

  @Override
  public String toString() {
    return name;
  }
}
