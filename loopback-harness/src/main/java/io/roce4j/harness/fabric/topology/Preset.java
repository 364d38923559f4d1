// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import java.util.Arrays;
import java.util.Locale;

/**
 * Fabrics with names: rates, round-trip time, memory, marks and flow control that belong together.
 * Marks and flow control are those of the class {@link TrafficClasses#DATA}: send data with {@link
 * #DATA_TOS}.
 */
public enum Preset {
  /** 100G hosts, 400G spines, PFC, ECN 400/1600 KB 20%: the baseline of RC with DCQCN. */
  LOSSLESS_100G(100, 400, 10_000, 4_096),
  /** 100G everywhere, 5 BDP for each queue, tail drop, ECN 0.2/0.8 BDP: for MX. */
  LOSSY_100G(100, 100, 9_300, 4_096),
  /** 100G with 100 KB for each queue: stress. */
  SHALLOW(100, 100, 10_000, 4_096),
  /** 400G with 100 MB: deep buffers. */
  DEEP(400, 400, 20_000, 4_096),
  /** 10G over 5 ms with 8 MB. */
  LOSSY_WAN(10, 10, 5_000_000, 4_096),
  /** 1G with 64 KB, for comparisons with real sockets. */
  TINY_SW(1, 1, 200_000, 1_024);

  /** TOS of data packets: DSCP 26, ECN-capable. */
  public static final int DATA_TOS = 26 << 2 | 2;

  private static final long GBIT = 1_000_000_000;
  private static final int KB = 1_000;
  private static final int MB = 1_000_000;
  private static final int HOPS = 4;
  private static final int SWITCHES = 3;
  private static final int ACK_BYTES = 86;
  private static final int OVERHEAD_BYTES = 98;

  private final long hostGbit;
  private final long fabricGbit;
  private final long baseRttNs;
  private final int mtuBytes;

  Preset(long hostGbit, long fabricGbit, long baseRttNs, int mtuBytes) {
    this.hostGbit = hostGbit;
    this.fabricGbit = fabricGbit;
    this.baseRttNs = baseRttNs;
    this.mtuBytes = mtuBytes;
  }

  /**
   * A preset by its name.
   *
   * @param name such as {@code lossless-100g}
   * @return the preset
   * @throws IllegalArgumentException naming those there are
   */
  public static Preset of(String name) {
    for (Preset preset : values()) {
      if (preset.label().equals(name)) {
        return preset;
      }
    }
    throw new IllegalArgumentException(
        "preset " + name + ": there are " + Arrays.stream(values()).map(Preset::label).toList());
  }

  /**
   * The name users give.
   *
   * @return lower case with hyphens
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Rate of the hosts.
   *
   * @return bits per second
   */
  public long hostBitsPerSecond() {
    return hostGbit * GBIT;
  }

  /**
   * Round-trip time between hosts of different leaves with empty queues: propagation, latency of
   * the switches, one full packet there and one acknowledgement back on each hop.
   *
   * @return nanoseconds
   */
  public long baseRttNs() {
    return baseRttNs;
  }

  /**
   * Path MTU.
   *
   * @return 1024 or 4096
   */
  public int mtuBytes() {
    return mtuBytes;
  }

  /**
   * Bandwidth times delay of a host's cable.
   *
   * @return bytes
   */
  public long bdpBytes() {
    return hostBitsPerSecond() / 8 * baseRttNs / GBIT;
  }

  /**
   * A leaf-spine topology with the rates and the round-trip time of this preset.
   *
   * @param leaves 1 or more
   * @param hostsPerLeaf 1 or more
   * @param spines 1 or more
   * @return the topology
   */
  public Topology topology(int leaves, int hostsPerLeaf, int spines) {
    long latencyNs = 2 * SWITCHES * settings().switches().latencyNs();
    long bytes = (long) mtuBytes + OVERHEAD_BYTES + ACK_BYTES;
    long serialisationNs = HOPS / 2 * bytes * 8 * (fabricGbit + hostGbit) / (fabricGbit * hostGbit);
    long delayNs = (baseRttNs - latencyNs - serialisationNs) / (2 * HOPS);
    return Topologies.leafSpine(
        leaves,
        hostsPerLeaf,
        spines,
        new Cable(hostGbit * GBIT, delayNs),
        new Cable(fabricGbit * GBIT, delayNs));
  }

  /**
   * Switches and hosts of this preset.
   *
   * @return the settings
   */
  public FabricSettings settings() {
    long bdp = bdpBytes();
    return switch (this) {
      case LOSSLESS_100G -> lossless();
      case LOSSY_100G ->
          lossy(BufferSettings.perQueue(5 * bdp), EcnSettings.red(bdp / 5, bdp * 4 / 5, 1));
      case SHALLOW ->
          lossy(BufferSettings.perQueue(100 * KB), EcnSettings.red(20 * KB, 80 * KB, 1));
      case DEEP ->
          lossy(BufferSettings.dynamic(100L * MB, 1), EcnSettings.red(1L << 20, 2L << 20, 0.05));
      case LOSSY_WAN ->
          lossy(BufferSettings.perQueue(8L * MB), EcnSettings.red(1L * MB, 4L * MB, 1));
      case TINY_SW -> lossy(BufferSettings.perQueue(64 * KB), EcnSettings.red(8 * KB, 32 * KB, 1));
    };
  }

  private static FabricSettings lossy(BufferSettings buffer, EcnSettings ecn) {
    TrafficClass data = TrafficClass.weighted("data", 1).marking(ecn);
    SwitchSettings switches =
        SwitchSettings.defaults().withBuffer(buffer).withClass(TrafficClasses.DATA, data);
    return FabricSettings.defaults().withSwitches(switches);
  }

  private FabricSettings lossless() {
    EcnSettings ecn = EcnSettings.red(400 * KB, 1_600 * KB, 0.2);
    TrafficClass data = TrafficClass.weighted("data", 1).lossless(true).marking(ecn);
    BufferSettings buffer =
        BufferSettings.dynamic(32L << 20, 1.0 / 8).reserving(4_096).scalingAlphaByRate();
    SwitchSettings switches =
        SwitchSettings.defaults().withBuffer(buffer).withClass(TrafficClasses.DATA, data);
    TrafficClasses classes = TrafficClasses.roce().with(TrafficClasses.DATA, data);
    return FabricSettings.defaults()
        .withSwitches(switches)
        .withHosts(HostSettings.defaults().withClasses(classes));
  }
}
