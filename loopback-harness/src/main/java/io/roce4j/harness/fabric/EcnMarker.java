// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.EcnSettings;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import java.util.SplittableRandom;

/** Decides at one port which packets are marked: RED over each class, see {@link EcnSettings}. */
final class EcnMarker {
  static final int PASS = 0;
  static final int MARK = 1;
  static final int DROP = 2;

  private final EcnSettings[] settings = new EcnSettings[TrafficClasses.COUNT];
  private final double[] averages = new double[TrafficClasses.COUNT];
  private final SplittableRandom random;

  /**
   * Makes the marker of a port.
   *
   * @param classes their settings
   * @param leadsToHost whether this is the last hop
   * @param random the dice of the port
   */
  EcnMarker(TrafficClasses classes, boolean leadsToHost, SplittableRandom random) {
    this.random = random;
    for (int number = 0; number < settings.length; number++) {
      EcnSettings ecn = classes.get(number).ecn();
      settings[number] = ecn.isOn() && (ecn.lastHop() || !leadsToHost) ? ecn : EcnSettings.OFF;
    }
  }

  /** Whether some class of this port is marked at all. */
  boolean isOn() {
    for (EcnSettings ecn : settings) {
      if (ecn.isOn()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a class of this port is marked. */
  boolean isOn(int trafficClass) {
    return settings[trafficClass].isOn();
  }

  /**
   * Decides about a packet that enters or leaves its queue.
   *
   * @param atDequeue true as it leaves
   * @param capable whether the packet is ECN-capable
   * @param poolBytes use of the shared buffer
   */
  int decide(
      FabricPort port, int trafficClass, boolean atDequeue, boolean capable, long poolBytes) {
    EcnSettings ecn = settings[trafficClass];
    if (!ecn.isOn() || ecn.atDequeue() != atDequeue) {
      return PASS;
    }
    double measure = average(ecn, trafficClass, measure(ecn, port, trafficClass, poolBytes));
    if (!hits(ecn, measure)) {
      return PASS;
    }
    if (capable) {
      return MARK;
    }
    return ecn.dropsNotEct() && !atDequeue ? DROP : PASS;
  }

  private static long measure(EcnSettings ecn, FabricPort port, int trafficClass, long poolBytes) {
    return switch (ecn.scope()) {
      case QUEUE -> ecn.inPackets() ? port.packets(trafficClass) : port.queueBytes(trafficClass);
      case PORT -> ecn.inPackets() ? port.queuedPackets() : port.queueBytes();
      case POOL -> poolBytes;
    };
  }

  private double average(EcnSettings ecn, int trafficClass, long measure) {
    if (ecn.averagingShift() == 0) {
      return measure;
    }
    averages[trafficClass] += (measure - averages[trafficClass]) / (1 << ecn.averagingShift());
    return averages[trafficClass];
  }

  private boolean hits(EcnSettings ecn, double measure) {
    if (measure <= ecn.kmin()) {
      return false;
    }
    if (measure > ecn.kmax()) {
      return true;
    }
    double share = (measure - ecn.kmin()) / (ecn.kmax() - ecn.kmin());
    return random.nextDouble() < share * ecn.pmax();
  }
}
