// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.Timeline;
import java.util.Arrays;

/**
 * One direction of a cable, seen from where packets enter it: the output queues, one for each
 * class, the scheduler, the serialiser and the propagation. Counters are read by observers; the run
 * alone changes anything.
 *
 * <p>Queues are lists through the packets themselves, so that any number of packets waits without
 * memory of its own. A packet leaves its queue as its serialisation begins.
 */
public final class FabricPort implements Timeline.Occurrence {
  private static final int CLASSES = TrafficClasses.COUNT;
  private static final int LINE_IS_FREE = 0;
  private static final int ARRIVES = 1;

  private final FabricCore core;
  private final Timeline timeline;
  private final FabricNode node;
  private final int index;
  private final Cable cable;
  // Exact for all rates that divide 8e12: no division for each packet.
  private final long psPerByte;
  private final PortScheduler scheduler;
  private final int[] heads = new int[CLASSES];
  private final int[] tails = new int[CLASSES];
  private final int[] packets = new int[CLASSES];
  private final long[] bytes = new long[CLASSES];
  private String name;
  private FabricNode peer;
  private int peerPort;
  private long arrivalDelayPs;
  private int backlog;
  private long busyUntilPs;
  private long wakePs = Timeline.NEVER;
  private long queueBytes;
  private long maxQueueBytes;
  private long queueChangedPs;
  private double byteNsOfQueue;
  private long sentPackets;
  private long sentBytes;
  private long droppedPackets;

  FabricPort(FabricCore core, FabricNode node, int index, Cable cable, TrafficClasses classes) {
    this.core = core;
    this.timeline = core.timeline;
    this.node = node;
    this.index = index;
    this.cable = cable;
    this.scheduler = new PortScheduler(classes);
    long psBits = 8 * 1_000_000_000_000L;
    this.psPerByte = psBits % cable.bitsPerSecond() == 0 ? psBits / cable.bitsPerSecond() : 0;
    Arrays.fill(heads, FabricCore.NONE);
    Arrays.fill(tails, FabricCore.NONE);
  }

  void connect(FabricNode to, int toPort, long extraPs, String portName) {
    peer = to;
    peerPort = toPort;
    arrivalDelayPs = cable.delayNs() * Timeline.PS_PER_NS + extraPs;
    name = portName;
  }

  int index() {
    return index;
  }

  int packets(int trafficClass) {
    return packets[trafficClass];
  }

  /** Puts a packet at the end of its queue, and on the line when that is free. */
  void enqueue(int slot, int trafficClass, int frameBytes) {
    long nowPs = timeline.nowPs();
    core.next(slot, FabricCore.NONE);
    int tail = tails[trafficClass];
    if (tail == FabricCore.NONE) {
      heads[trafficClass] = slot;
      backlog |= 1 << trafficClass;
    } else {
      core.next(tail, slot);
    }
    tails[trafficClass] = slot;
    packets[trafficClass]++;
    bytes[trafficClass] += frameBytes;
    changeQueue(nowPs, frameBytes);
    if (wakePs == Timeline.NEVER) {
      if (nowPs >= busyUntilPs) {
        transmit(nowPs);
      } else {
        wakeAt(busyUntilPs);
      }
    }
  }

  private void changeQueue(long nowPs, int change) {
    byteNsOfQueue += queueBytes * ((nowPs - queueChangedPs) / (double) Timeline.PS_PER_NS);
    queueChangedPs = nowPs;
    queueBytes += change;
    if (queueBytes > maxQueueBytes) {
      maxQueueBytes = queueBytes;
    }
  }

  private void wakeAt(long atPs) {
    wakePs = atPs;
    timeline.schedule(atPs, this, LINE_IS_FREE, atPs);
  }

  @Override
  public void happen(int kind, long argument) {
    if (kind == ARRIVES) {
      peer.receive(peerPort, (int) argument);
    } else if (argument == wakePs) {
      wakePs = Timeline.NEVER;
      transmit(timeline.nowPs());
    }
  }

  /** Begins to serialise the next packet. The line is free. */
  private void transmit(long nowPs) {
    int trafficClass = scheduler.pick(backlog, nowPs, heads, core);
    if (trafficClass == PortScheduler.NOTHING) {
      if (backlog != 0) {
        wakeAt(scheduler.nextPickPs(backlog));
      }
      return;
    }
    int slot = heads[trafficClass];
    heads[trafficClass] = core.next(slot);
    if (heads[trafficClass] == FabricCore.NONE) {
      tails[trafficClass] = FabricCore.NONE;
      backlog &= ~(1 << trafficClass);
    }
    int wireBytes = core.wireBytes(slot);
    packets[trafficClass]--;
    bytes[trafficClass] -= wireBytes;
    changeQueue(nowPs, -wireBytes);
    node.onDequeued(this, trafficClass, slot);
    sentPackets++;
    sentBytes += wireBytes;
    core.counts.hops++;
    busyUntilPs = nowPs + serialisationPs(wireBytes);
    timeline.schedule(busyUntilPs + arrivalDelayPs, this, ARRIVES, slot);
    if (backlog != 0) {
      wakeAt(busyUntilPs);
    }
  }

  private long serialisationPs(int wireBytes) {
    return psPerByte != 0 ? wireBytes * psPerByte : cable.serialisationPs(wireBytes);
  }

  /** Ends a packet that this port has no room for. */
  void drop(int slot, int reason) {
    droppedPackets++;
    core.drop(name, slot, reason);
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
   * The cable of this port.
   *
   * @return rate and delay
   */
  public Cable cable() {
    return cable;
  }

  /**
   * What waits now.
   *
   * @return wire bytes in all queues, without the packet being serialised
   */
  public long queueBytes() {
    return queueBytes;
  }

  /**
   * What waits now in a class.
   *
   * @param trafficClass 0 to 7
   * @return wire bytes
   */
  public long queueBytes(int trafficClass) {
    return bytes[trafficClass];
  }

  /**
   * The longest the queues ever were, together.
   *
   * @return wire bytes
   */
  public long maxQueueBytes() {
    return maxQueueBytes;
  }

  /**
   * The mean length of the queues over time.
   *
   * @return wire bytes, from the start of the run until now
   */
  public double meanQueueBytes() {
    long nowPs = timeline.nowPs();
    double tail = queueBytes * ((nowPs - queueChangedPs) / (double) Timeline.PS_PER_NS);
    return nowPs == 0 ? 0 : (byteNsOfQueue + tail) * Timeline.PS_PER_NS / nowPs;
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
   * @return wire bytes, framing included
   */
  public long sentBytes() {
    return sentBytes;
  }

  /**
   * Packets that this port had no room for.
   *
   * @return 0 or more
   */
  public long droppedPackets() {
    return droppedPackets;
  }

  @Override
  public String toString() {
    return name;
  }
}
