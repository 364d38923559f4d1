// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * How a switch behaves. Immutable; {@link #defaults()} and the {@code with} methods.
 *
 * @param latencyNs from the last bit in to the queue, 0 to 10^6; from the headers on when it cuts
 *     through
 * @param buffer its packet memory
 * @param ecmp how one of several equal next hops is chosen
 * @param classes how packets are classified, served and marked
 * @param pfc when and how lossless classes are paused
 * @param watchdog against pauses without end, or null for none
 * @param isRouter true to count the time to live of each packet down, false for a bridge
 * @param isCutThrough true to forward a packet as soon as its headers are in; false to store it
 *     first, which shows damaged frames
 */
public record SwitchSettings(
    long latencyNs,
    BufferSettings buffer,
    EcmpSettings ecmp,
    TrafficClasses classes,
    PfcSettings pfc,
    WatchdogSettings watchdog,
    boolean isRouter,
    boolean isCutThrough) {
  private static final SwitchSettings DEFAULTS =
      new SwitchSettings(
          400,
          BufferSettings.perQueue(1 << 20),
          EcmpSettings.perFlow(),
          TrafficClasses.roce(),
          PfcSettings.defaults(),
          null,
          true,
          false);

  /**
   * Checks the ranges, and that no lossless class drops before it pauses [FC-44].
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public SwitchSettings {
    Limits.check("latencyNs", latencyNs, 0, 1_000_000);
    for (int number = 0; number < TrafficClasses.COUNT; number++) {
      TrafficClass served = classes.get(number);
      EcnSettings ecn = served.ecn();
      boolean dropsEarly = served.lossless() && ecn.isOn() && ecn.dropsNotEct();
      if (dropsEarly && (pfc.xoffBytes() == PfcSettings.DYNAMIC || ecn.kmin() < pfc.xoffBytes())) {
        throw new IllegalArgumentException(
            "early drop of the lossless class "
                + served.name()
                + " begins at kmin "
                + ecn.kmin()
                + ", below its pause threshold xoffBytes "
                + (pfc.xoffBytes() == PfcSettings.DYNAMIC ? "(dynamic)" : pfc.xoffBytes())
                + ": it would drop and never pause; let it mark only, or make the class lossy");
      }
    }
  }

  /**
   * Store and forward in 400 ns, 1 MiB a queue, ECMP by flow with a seed of each switch's own, no
   * marks, no PFC.
   *
   * @return the default settings
   */
  public static SwitchSettings defaults() {
    return DEFAULTS;
  }

  /**
   * What is allowed but hardly meant.
   *
   * @return one line each, often none
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    for (int number = 0; number < TrafficClasses.COUNT; number++) {
      TrafficClass served = classes.get(number);
      boolean isFixed = pfc.xoffBytes() != PfcSettings.DYNAMIC;
      if (served.lossless()
          && served.ecn().isOn()
          && isFixed
          && served.ecn().kmax() >= pfc.xoffBytes()) {
        warnings.add(
            "class "
                + served.name()
                + ": kmax "
                + served.ecn().kmax()
                + " is not below xoffBytes "
                + pfc.xoffBytes()
                + ": pauses come before marks");
      }
    }
    return warnings;
  }

  /**
   * This with another latency.
   *
   * @param ns from the last bit in to the queue
   * @return the changed copy
   */
  public SwitchSettings withLatencyNs(long ns) {
    return new SwitchSettings(ns, buffer, ecmp, classes, pfc, watchdog, isRouter, isCutThrough);
  }

  /**
   * This with a fixed room for each output queue.
   *
   * @param bytes most wire bytes in one
   * @return the changed copy
   */
  public SwitchSettings withQueueBytes(long bytes) {
    return withBuffer(buffer.withQueueBytes(bytes));
  }

  /**
   * The fixed room of an output queue.
   *
   * @return most wire bytes in one
   */
  public long queueBytes() {
    return buffer.queueBytes();
  }

  /**
   * This with another memory.
   *
   * @param value the packet memory
   * @return the changed copy
   */
  public SwitchSettings withBuffer(BufferSettings value) {
    return new SwitchSettings(
        latencyNs, value, ecmp, classes, pfc, watchdog, isRouter, isCutThrough);
  }

  /**
   * This with another choice of next hops.
   *
   * @param value how
   * @return the changed copy
   */
  public SwitchSettings withEcmp(EcmpSettings value) {
    return new SwitchSettings(
        latencyNs, buffer, value, classes, pfc, watchdog, isRouter, isCutThrough);
  }

  /**
   * This with other classes.
   *
   * @param value how packets are classified, served and marked
   * @return the changed copy
   */
  public SwitchSettings withClasses(TrafficClasses value) {
    return new SwitchSettings(
        latencyNs, buffer, ecmp, value, pfc, watchdog, isRouter, isCutThrough);
  }

  /**
   * This with another class.
   *
   * @param number 0 to 7
   * @param value how it is served
   * @return the changed copy
   */
  public SwitchSettings withClass(int number, TrafficClass value) {
    return withClasses(classes.with(number, value));
  }

  /**
   * This with another flow control.
   *
   * @param value when and how lossless classes are paused
   * @return the changed copy
   */
  public SwitchSettings withPfc(PfcSettings value) {
    return new SwitchSettings(
        latencyNs, buffer, ecmp, classes, value, watchdog, isRouter, isCutThrough);
  }

  /**
   * This with another watchdog.
   *
   * @param value against pauses without end, or null for none
   * @return the changed copy
   */
  public SwitchSettings withWatchdog(WatchdogSettings value) {
    return new SwitchSettings(latencyNs, buffer, ecmp, classes, pfc, value, isRouter, isCutThrough);
  }

  /**
   * This as a bridge, which leaves the time to live alone.
   *
   * @return the changed copy
   */
  public SwitchSettings bridging() {
    return new SwitchSettings(latencyNs, buffer, ecmp, classes, pfc, watchdog, false, isCutThrough);
  }

  /**
   * This forwarding packets before they are all in, or not.
   *
   * @param value true for cut-through, false for store-and-forward
   * @return the changed copy
   */
  public SwitchSettings withCutThrough(boolean value) {
    return new SwitchSettings(latencyNs, buffer, ecmp, classes, pfc, watchdog, isRouter, value);
  }
}
