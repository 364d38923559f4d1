// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.Timeline;
import java.util.Arrays;

/**
 * The output queues of one port, one for each class: lists through the packets themselves, so that
 * any number of packets waits without memory of its own.
 */
final class PortQueues {
  private static final int CLASSES = TrafficClasses.COUNT;

  private final FabricCore core;
  private final int[] heads = new int[CLASSES];
  private final int[] tails = new int[CLASSES];
  private final int[] packets = new int[CLASSES];
  private final long[] bytes = new long[CLASSES];
  private final long[] maxBytesOfClass = new long[CLASSES];
  private int backlog;
  private int allPackets;
  private long allBytes;
  private long maxBytes;
  private long changedPs;
  private double byteNs;
  private long enqueued;

  PortQueues(FabricCore core) {
    this.core = core;
    Arrays.fill(heads, FabricCore.NONE);
    Arrays.fill(tails, FabricCore.NONE);
  }

  void add(int trafficClass, int slot, int wireBytes, long nowPs) {
    core.next(slot, FabricCore.NONE);
    int tail = tails[trafficClass];
    if (tail == FabricCore.NONE) {
      heads[trafficClass] = slot;
      backlog |= 1 << trafficClass;
    } else {
      core.next(tail, slot);
    }
    tails[trafficClass] = slot;
    enqueued++;
    packets[trafficClass]++;
    allPackets++;
    bytes[trafficClass] += wireBytes;
    if (bytes[trafficClass] > maxBytesOfClass[trafficClass]) {
      maxBytesOfClass[trafficClass] = bytes[trafficClass];
    }
    change(nowPs, wireBytes);
  }

  int remove(int trafficClass, long nowPs) {
    int slot = heads[trafficClass];
    heads[trafficClass] = core.next(slot);
    if (heads[trafficClass] == FabricCore.NONE) {
      tails[trafficClass] = FabricCore.NONE;
      backlog &= ~(1 << trafficClass);
    }
    int wireBytes = core.wireBytes(slot);
    packets[trafficClass]--;
    allPackets--;
    bytes[trafficClass] -= wireBytes;
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
    return heads[trafficClass];
  }

  int packets(int trafficClass) {
    return packets[trafficClass];
  }

  int packets() {
    return allPackets;
  }

  long bytes(int trafficClass) {
    return bytes[trafficClass];
  }

  long bytes() {
    return allBytes;
  }

  long maxBytes() {
    return maxBytes;
  }

  long maxBytes(int trafficClass) {
    return maxBytesOfClass[trafficClass];
  }

  long enqueued() {
    return enqueued;
  }

  double meanBytes(long nowPs) {
    double tail = allBytes * ((nowPs - changedPs) / (double) Timeline.PS_PER_NS);
    return nowPs == 0 ? 0 : (byteNs + tail) * Timeline.PS_PER_NS / nowPs;
  }
}
