// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import io.roce4j.harness.sim.SimPortSettings;

/**
 * How hosts and their NICs behave. Immutable; {@link #defaults()} and the {@code with} methods.
 *
 * @param nicQueuePackets packets of one plane and class that wait in the NIC, 1 to 4096: the rest
 *     waits in the queue pairs. More costs less time per packet and shows as round-trip time at a
 *     sender faster than its line
 * @param reactNs from a packet's arrival to the endpoint's cycle, 0 or more: above 0 packets are
 *     taken in bursts, and acknowledged so
 * @param port slots and limits of the endpoint's port
 * @param classes how the NIC classifies and serves packets
 * @param nicWatchdogNs after how long a NIC that pauses its switch without end gives up, or 0 for
 *     never; 0 to 10^10
 */
public record HostSettings(
    int nicQueuePackets,
    long reactNs,
    SimPortSettings port,
    TrafficClasses classes,
    long nicWatchdogNs) {
  private static final HostSettings DEFAULTS =
      new HostSettings(16, 0, SimPortSettings.defaults().staging(64), TrafficClasses.roce(), 0);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public HostSettings {
    Limits.check("nicQueuePackets", nicQueuePackets, 1, 4_096);
    Limits.check("reactNs", reactNs, 0, 1_000_000_000);
    Limits.check("nicWatchdogNs", nicWatchdogNs, 0, 10_000_000_000L);
  }

  /**
   * 16 packets in the NIC, cycles at once, 64 slots in the port.
   *
   * @return the default settings
   */
  public static HostSettings defaults() {
    return DEFAULTS;
  }

  /**
   * This with another NIC queue.
   *
   * @param packets 1 to 4096
   * @return the changed copy
   */
  public HostSettings withNicQueuePackets(int packets) {
    return new HostSettings(packets, reactNs, port, classes, nicWatchdogNs);
  }

  /**
   * This with another reaction.
   *
   * @param ns from arrival to cycle
   * @return the changed copy
   */
  public HostSettings withReactNs(long ns) {
    return new HostSettings(nicQueuePackets, ns, port, classes, nicWatchdogNs);
  }

  /**
   * This with another port.
   *
   * @param value slots and limits
   * @return the changed copy
   */
  public HostSettings withPort(SimPortSettings value) {
    return new HostSettings(nicQueuePackets, reactNs, value, classes, nicWatchdogNs);
  }

  /**
   * This with other classes.
   *
   * @param value how the NIC classifies and serves packets
   * @return the changed copy
   */
  public HostSettings withClasses(TrafficClasses value) {
    return new HostSettings(nicQueuePackets, reactNs, port, value, nicWatchdogNs);
  }

  /**
   * This with a watchdog in the NIC.
   *
   * @param ns after how long it stops to pause the switch, or 0 for never
   * @return the changed copy
   */
  public HostSettings withNicWatchdogNs(long ns) {
    return new HostSettings(nicQueuePackets, reactNs, port, classes, ns);
  }
}
