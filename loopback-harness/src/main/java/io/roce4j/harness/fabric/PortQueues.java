// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.Timeline;

/**
 * The output queues of one port, one for each class: lists through the packets themselves, so that
 * any number of packets waits without memory of its own.
 */
final class PortQueues {
  private static final int CLASSES = TrafficClasses.COUNT;

  private static final int HEAD = 0;
  private static final int TAIL = 1;
  private static final int PACKETS = 2;
  private static final int BYTES = 3;
  private static final int MAX_BYTES = 4;
  private static final int FACTS = 5;

  private final PacketFacts packetFacts;

  // What is known of a class side by side: a packet touches one class.
  private final long[] facts = new long[FACTS * CLASSES];
  private int backlog;
  private int allPackets;
  private long allBytes;
  private long maxBytes;
  private long changedPs;
  private double byteNs;
  private long enqueued;

  PortQueues(FabricCore core) {
    this.packetFacts = core.facts;
    for (int i = 0; i < CLASSES; i++) {
      facts[FACTS * i + HEAD] = FabricCore.NONE;
      facts[FACTS * i + TAIL] = FabricCore.NONE;
    }
  }

  void add(int trafficClass, int slot, int wireBytes, long nowPs) {
    packetFacts.next(slot, FabricCore.NONE);
    int at = FACTS * trafficClass;
    int tail = (int) facts[at + TAIL];
    if (tail == FabricCore.NONE) {
      facts[at + HEAD] = slot;
      backlog |= 1 << trafficClass;
    } else {
      packetFacts.next(tail, slot);
    }
    facts[at + TAIL] = slot;
    enqueued++;
    facts[at + PACKETS]++;
    allPackets++;
    long bytes = facts[at + BYTES] + wireBytes;
    facts[at + BYTES] = bytes;
    if (bytes > facts[at + MAX_BYTES]) {
      facts[at + MAX_BYTES] = bytes;
    }
    change(nowPs, wireBytes);
  }

  int remove(int trafficClass, long nowPs) {
    int at = FACTS * trafficClass;
    int slot = (int) facts[at + HEAD];
    int next = packetFacts.next(slot);
    facts[at + HEAD] = next;
    if (next == FabricCore.NONE) {
      facts[at + TAIL] = FabricCore.NONE;
      backlog &= ~(1 << trafficClass);
    }
    int wireBytes = packetFacts.wireBytes(slot);
    facts[at + PACKETS]--;
    allPackets--;
    facts[at + BYTES] -= wireBytes;
    change(nowPs, -wireBytes);
    return slot;
  }

  private void change(long nowPs, int wireBytes) {
    byteNs += allBytes * ((nowPs - changedPs) / (double) Timeline.PS_PER_NS);
    changedPs = nowPs;
    allBytes += wireBytes;
    if (allBytes > maxBytes) {
      maxBytes = allBytes;
    }
  }

  /** Bit for each class in which packets wait. */
  int backlog() {
    return backlog;
  }

  int head(int trafficClass) {
    return (int) facts[FACTS * trafficClass + HEAD];
  }

  int packets(int trafficClass) {
    return (int) facts[FACTS * trafficClass + PACKETS];
  }

  int packets() {
    return allPackets;
  }

  long bytes(int trafficClass) {
    return facts[FACTS * trafficClass + BYTES];
  }

  long bytes() {
    return allBytes;
  }

  long maxBytes() {
    return maxBytes;
  }

  long maxBytes(int trafficClass) {
    return facts[FACTS * trafficClass + MAX_BYTES];
  }

  long enqueued() {
    return enqueued;
  }

  double meanBytes(long nowPs) {
    double tail = allBytes * ((nowPs - changedPs) / (double) Timeline.PS_PER_NS);
    return nowPs == 0 ? 0 : (byteNs + tail) * Timeline.PS_PER_NS / nowPs;
  }
}
