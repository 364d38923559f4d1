// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.BufferSettings;
import io.roce4j.harness.fabric.topology.PfcSettings;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.LinkObserver;

/**
 * The packet memory of one switch: who may still come in. Packets of lossy classes are accounted to
 * the output queue they wait in, packets of lossless classes to the port they came in by (their
 * ingress group), because that is whom a pause can stop.
 *
 * <p>A group that is over its threshold fills its headroom; what leaves empties the headroom first.
 */
final class SharedBuffer {
  static final int ADMITTED = -1;

  private static final int CLASSES = TrafficClasses.COUNT;

  private final BufferSettings settings;
  private final PfcSettings pfc;
  private final double[] alphas;
  private final long[] headroomLimits;
  private final long[] queueUse;
  private final long[] groupUse;
  private final long[] headroomUse;
  private final boolean[] hasReserve;
  private long sharedBytes;
  private long sharedUse;
  private long maxSharedUse;
  private long maxHeadroomUse;

  /**
   * Makes an empty memory.
   *
   * @param settings sizes and alpha
   * @param pfc thresholds of lossless groups
   * @param alphas of each port
   * @param headrooms of each port for each lossless class, 0 without lossless classes
   * @param losslessClasses how many there are
   * @throws IllegalArgumentException when the headrooms need more than there is
   */
  SharedBuffer(
      String name,
      BufferSettings settings,
      PfcSettings pfc,
      double[] alphas,
      long[] headrooms,
      int losslessClasses) {
    this.settings = settings;
    this.pfc = pfc;
    this.alphas = alphas;
    this.headroomLimits = headrooms;
    int ports = alphas.length;
    queueUse = new long[ports * CLASSES];
    groupUse = new long[ports * CLASSES];
    headroomUse = new long[ports * CLASSES];
    hasReserve = new boolean[2 * ports * CLASSES];
    long headroom = 0;
    for (long ofPort : headrooms) {
      headroom += ofPort * losslessClasses;
    }
    if (headroom >= settings.totalBytes()) {
      throw new IllegalArgumentException(
          "totalBytes "
              + settings.totalBytes()
              + " of switch "
              + name
              + ": its ports need "
              + headroom
              + " bytes of headroom alone");
    }
    sharedBytes = settings.totalBytes() - headroom;
  }

  private long cells(int wireBytes) {
    int cell = settings.cellBytes();
    return cell == 1 ? wireBytes : (long) Math.ceilDiv(wireBytes, cell) * cell;
  }

  /** Takes a packet of a lossy class into a queue, or says why not. */
  int admitToQueue(int port, int trafficClass, int wireBytes) {
    int queue = port * CLASSES + trafficClass;
    long size = cells(wireBytes);
    long use = queueUse[queue] + size;
    if (use > settings.queueBytes()) {
      return LinkObserver.QUEUE_FULL;
    }
    long more = shared(use, reserve(queue)) - shared(queueUse[queue], reserve(queue));
    boolean fits =
        sharedUse + more <= sharedBytes
            && (more == 0 || shared(use, reserve(queue)) <= dynamicThreshold(port));
    if (!fits) {
      return LinkObserver.QUEUE_FULL;
    }
    queueUse[queue] = use;
    changeShared(more);
    return ADMITTED;
  }

  /** Takes a packet of a lossless class in, if need be into headroom, or says why not. */
  int admitToGroup(int port, int trafficClass, int wireBytes) {
    int group = port * CLASSES + trafficClass;
    int reserveIndex = queueUse.length + group;
    long size = cells(wireBytes);
    long use = groupUse[group] + size;
    long more = shared(use, reserve(reserveIndex)) - shared(groupUse[group], reserve(reserveIndex));
    boolean fits =
        headroomUse[group] == 0
            && sharedUse + more <= sharedBytes
            && (more == 0 || shared(use, reserve(reserveIndex)) <= pauseThreshold(port));
    if (fits) {
      groupUse[group] = use;
      changeShared(more);
      return ADMITTED;
    }
    if (headroomUse[group] + size > headroomLimits[port]) {
      return LinkObserver.HEADROOM_FULL;
    }
    headroomUse[group] += size;
    maxHeadroomUse = Math.max(maxHeadroomUse, headroomUse[group]);
    return ADMITTED;
  }

  void releaseFromQueue(int port, int trafficClass, int wireBytes) {
    int queue = port * CLASSES + trafficClass;
    long use = queueUse[queue] - cells(wireBytes);
    changeShared(shared(use, reserve(queue)) - shared(queueUse[queue], reserve(queue)));
    queueUse[queue] = use;
  }

  void releaseFromGroup(int port, int trafficClass, int wireBytes) {
    int group = port * CLASSES + trafficClass;
    long size = cells(wireBytes);
    long fromHeadroom = Math.min(size, headroomUse[group]);
    headroomUse[group] -= fromHeadroom;
    long reserve = reserve(queueUse.length + group);
    long use = groupUse[group] - (size - fromHeadroom);
    changeShared(shared(use, reserve) - shared(groupUse[group], reserve));
    groupUse[group] = use;
  }

  private void changeShared(long change) {
    sharedUse += change;
    maxSharedUse = Math.max(maxSharedUse, sharedUse);
  }

  /** The reserved bytes of a queue or group, set aside at its first packet. */
  private long reserve(int index) {
    if (!hasReserve[index]) {
      hasReserve[index] = true;
      sharedBytes -= Math.min(sharedBytes, settings.reservedBytes());
    }
    return settings.reservedBytes();
  }

  private static long shared(long use, long reserve) {
    return Math.max(0, use - reserve);
  }

  private double dynamicThreshold(int port) {
    return alphas[port] * (sharedBytes - sharedUse);
  }

  private double pauseThreshold(int port) {
    return pfc.xoffBytes() == PfcSettings.DYNAMIC ? dynamicThreshold(port) : pfc.xoffBytes();
  }

  /** Whether an ingress group is over its threshold. */
  boolean mustPause(int port, int trafficClass) {
    int group = port * CLASSES + trafficClass;
    long use = shared(groupUse[group], settings.reservedBytes());
    return headroomUse[group] > 0 || (use > 0 && use >= pauseThreshold(port));
  }

  /** Whether an ingress group has fallen far enough below its threshold. */
  boolean mayResume(int port, int trafficClass) {
    int group = port * CLASSES + trafficClass;
    long use = shared(groupUse[group], settings.reservedBytes());
    return headroomUse[group] == 0
        && (use == 0 || use + pfc.xonOffsetBytes() <= pauseThreshold(port));
  }

  /** Bytes in the shared part, for marks by pool and for observers. */
  long sharedUse() {
    return sharedUse;
  }

  long sharedBytes() {
    return sharedBytes;
  }

  long maxSharedUse() {
    return maxSharedUse;
  }

  long maxHeadroomUse() {
    return maxHeadroomUse;
  }

  long groupUse(int port, int trafficClass) {
    return groupUse[port * CLASSES + trafficClass] + headroomUse[port * CLASSES + trafficClass];
  }
}
