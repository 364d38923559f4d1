// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * The PFC watchdog of a switch: a queue that is paused and sends nothing for the detection time is
 * in a storm, until no pause was seen for the restoration time. Times are multiplied by the number
 * of ports over 32, rounded up; polling never takes longer than a second. Immutable.
 *
 * @param detectNs how long a queue must stand still
 * @param restoreNs how long no pause must come
 * @param pollNs how often is looked
 * @param action what happens to a queue in a storm
 */
public record WatchdogSettings(long detectNs, long restoreNs, long pollNs, Action action) {
  private static final long MS = 1_000_000;
  private static final long MAX_NS = 60_000 * MS;
  private static final long MAX_POLL_NS = 1_000 * MS;
  private static final int PORTS_PER_STEP = 32;
  private static final WatchdogSettings DEFAULTS =
      new WatchdogSettings(200 * MS, 200 * MS, 200 * MS, Action.DROP);

  /** What a watchdog does to a queue in a storm. */
  public enum Action {
    /** Its packets are dropped, and those that come. */
    DROP,
    /** Its packets are sent as if there were no pause. */
    FORWARD,
    /** Nothing, but the storm is counted and told. */
    ALERT
  }

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public WatchdogSettings {
    Limits.check("detectNs", detectNs, 1_000, MAX_NS);
    Limits.check("restoreNs", restoreNs, 1_000, MAX_NS);
    Limits.check("pollNs", pollNs, 1_000, MAX_NS);
  }

  /**
   * 200 ms for detection, restoration and polling; drops: the defaults of SONiC.
   *
   * @return the default settings
   */
  public static WatchdogSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Another watchdog.
   *
   * @param ns for detection and restoration; looked at ten times as often
   * @param action what happens to a queue in a storm
   * @return the settings
   */
  public static WatchdogSettings of(long ns, Action action) {
    return new WatchdogSettings(ns, ns, Math.max(1_000, ns / 10), action);
  }

  /**
   * The times of a switch with many ports.
   *
   * @param ports of the switch
   * @return the changed copy
   */
  public WatchdogSettings forPorts(int ports) {
    long factor = Math.ceilDiv(ports, PORTS_PER_STEP);
    return new WatchdogSettings(
        Math.min(MAX_NS, detectNs * factor),
        Math.min(MAX_NS, restoreNs * factor),
        Math.min(MAX_POLL_NS, pollNs * factor),
        action);
  }
}
