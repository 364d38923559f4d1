// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.congestion.VisibleSignals;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.Scheme;
import io.roce4j.harness.lab.scenario.TrafficPlan;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.port.DatagramPort;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** All runs of a scenario in real time, one after the other. */
public final class RealTimeLab {
  /** More packets a second than one thread carries through four sockets anywhere. */
  static final long MOST_PACKETS_PER_SECOND = 1_000_000;

  private static final long LONGEST_NS = 3_600_000_000_000L;
  private static final int HEADER_BYTES = 98;

  private final Scenario scenario;
  private final long firstSeed;
  private final RealTimeSettings settings;

  /**
   * Checks whether a scenario can run in real time at all.
   *
   * @param scenario what runs
   * @param firstSeed the seeds go on from here
   * @param settings of real time
   * @throws ToolException naming the value, the limit and the cure
   */
  public RealTimeLab(Scenario scenario, long firstSeed, RealTimeSettings settings) {
    this.scenario = scenario;
    this.firstSeed = firstSeed;
    this.settings = settings;
    Set<Integer> hosts = new HashSet<>();
    flows().forEach(flow -> hosts.addAll(List.of(flow.from(), flow.to())));
    if (hosts.size() > LiveHost.MOST) {
      throw ToolException.usage(
          "--real-time: the scenario has "
              + hosts.size()
              + " hosts with traffic, and "
              + LiveHost.MOST
              + " are allowed");
    }
    if (scenario.limitNs() > LONGEST_NS / settings.slower()) {
      throw ToolException.usage(
          "--real-time: the limit of "
              + TimeSpan.format((double) scenario.limitNs())
              + " would last "
              + TimeSpan.format((double) scenario.limitNs() * settings.slower())
              + ", and "
              + TimeSpan.format((double) LONGEST_NS)
              + " are allowed");
    }
    long packets = packetsPerSecond();
    if (packets > MOST_PACKETS_PER_SECOND) {
      throw ToolException.usage(
          "--real-time: the hosts may send "
              + packets
              + " packets a second, and no machine carries more than "
              + MOST_PACKETS_PER_SECOND
              + " here: give --slower "
              + Math.ceilDiv(packets, MOST_PACKETS_PER_SECOND) * settings.slower()
              + " or more, or a scenario with lower rates");
    }
  }

  /**
   * Which signals reach a controller in real time.
   *
   * @param settings name the port
   * @param scheme that is to run
   * @return those of a port of this machine
   * @throws ToolException when there is no such port
   */
  public static VisibleSignals signals(RealTimeSettings settings, Scheme scheme) {
    try (DatagramPort port = LiveHost.port(0, settings.io(), settings.udpPort(), 1)) {
      return VisibleSignals.on(port.capabilities(), scheme.transport());
    }
  }

  private List<TrafficPlan.Flow> flows() {
    return scenario
        .traffic()
        .flows(scenario.topology().hosts(), new SeededStreams(firstSeed).stream("lab.traffic"));
  }

  /**
   * The full packets that the lines of the hosts let through, in real time.
   *
   * @return a second, in all; acknowledgements not counted
   */
  public long packetsPerSecond() {
    Set<Integer> senders = new HashSet<>();
    Set<Integer> receivers = new HashSet<>();
    for (TrafficPlan.Flow flow : flows()) {
      senders.add(flow.from());
      receivers.add(flow.to());
    }
    int mtu = scenario.schemes().stream().mapToInt(Scheme::pathMtuBytes).min().orElseThrow();
    double lines = Math.min(senders.size(), receivers.size());
    double bits = lines * scenario.hostBitsPerSecond() / settings.slower();
    return (long) (bits / 8 / (mtu + HEADER_BYTES));
  }

  /**
   * Runs all.
   *
   * @param cancelled asked all the time; true ends the run as it stands, and no other begins
   * @param onResult told of each run as it ends
   * @return the runs, seed by seed
   */
  public List<RealTimeResult> run(BooleanSupplier cancelled, Consumer<RealTimeResult> onResult) {
    List<RealTimeResult> results = new ArrayList<>();
    for (int i = 0; i < scenario.seeds(); i++) {
      for (Scheme scheme : scenario.schemes()) {
        if (cancelled.getAsBoolean()) {
          return results;
        }
        try (RealTimeRun run =
            new RealTimeRun(scenario, scheme, firstSeed + i, settings, cancelled)) {
          RealTimeResult result = run.run();
          results.add(result);
          onResult.accept(result);
        }
      }
    }
    return results;
  }
}
