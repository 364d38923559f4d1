// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How the nodes of a fabric behave. Immutable; {@link #defaults()} and the {@code with} methods.
 *
 * @param switches every switch, unless it has settings of its own
 * @param ownSwitches settings of single switches by name
 * @param hosts every host
 * @param framingBytes bytes around an IP packet on the wire: 38 on Ethernet (header 14, FCS 4,
 *     preamble 8, gap 12); 0 to 100. Set it to compare with simulators that count fewer
 * @param ipv6 true for IPv6 addresses
 */
public record FabricSettings(
    SwitchSettings switches,
    Map<String, SwitchSettings> ownSwitches,
    HostSettings hosts,
    int framingBytes,
    boolean ipv6) {
  /** Bytes around an IP packet on Ethernet. */
  public static final int ETHERNET_FRAMING = 38;

  private static final FabricSettings DEFAULTS =
      new FabricSettings(
          SwitchSettings.defaults(), Map.of(), HostSettings.defaults(), ETHERNET_FRAMING, false);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public FabricSettings {
    Limits.check("framingBytes", framingBytes, 0, 100);
    ownSwitches = Map.copyOf(ownSwitches);
  }

  /**
   * Default switches and hosts, Ethernet framing, IPv4.
   *
   * @return the default settings
   */
  public static FabricSettings defaults() {
    return DEFAULTS;
  }

  /**
   * This with other switches.
   *
   * @param value for all switches without settings of their own
   * @return the changed copy
   */
  public FabricSettings withSwitches(SwitchSettings value) {
    return new FabricSettings(value, ownSwitches, hosts, framingBytes, ipv6);
  }

  /**
   * This with other settings for one switch.
   *
   * @param name of the switch
   * @param value its settings
   * @return the changed copy
   */
  public FabricSettings withSwitch(String name, SwitchSettings value) {
    Map<String, SwitchSettings> own = new LinkedHashMap<>(ownSwitches);
    own.put(name, value);
    return new FabricSettings(switches, own, hosts, framingBytes, ipv6);
  }

  /**
   * This with other hosts.
   *
   * @param value for all hosts
   * @return the changed copy
   */
  public FabricSettings withHosts(HostSettings value) {
    return new FabricSettings(switches, ownSwitches, value, framingBytes, ipv6);
  }

  /**
   * This with other bytes around each packet.
   *
   * @param bytes 0 to 100
   * @return the changed copy
   */
  public FabricSettings withFramingBytes(int bytes) {
    return new FabricSettings(switches, ownSwitches, hosts, bytes, ipv6);
  }

  /**
   * This with the other IP version.
   *
   * @param value true for IPv6
   * @return the changed copy
   */
  public FabricSettings withIpv6(boolean value) {
    return new FabricSettings(switches, ownSwitches, hosts, framingBytes, value);
  }

  /**
   * The settings of a switch.
   *
   * @param name of the switch
   * @return its own or those of all
   */
  public SwitchSettings of(String name) {
    return ownSwitches.getOrDefault(name, switches);
  }
}
