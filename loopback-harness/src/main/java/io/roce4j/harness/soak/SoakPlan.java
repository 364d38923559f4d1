// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.Fraction;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.port.PortSettings;

/**
 * What every run of a soak has in common.
 *
 * @param seed decides messages, sizes and dice
 * @param portName kind of port, or auto
 * @param first how the first endpoint's port is opened
 * @param second how the second endpoint's port is opened
 * @param connection how the queue pairs are set up
 * @param isForced true when a congestion controller may run without its signal
 * @param load of each direction of each connection
 * @param queuePairs connections, 1 or more
 * @param trainPackets most packets in one train, 1 to 64
 * @param windowPackets most request packets unacknowledged on one connection, 2 or more
 * @param warmUpNs time before counting starts
 * @param durationNs time counted
 */
record SoakPlan(
    long seed,
    String portName,
    PortSettings first,
    PortSettings second,
    ConnectionSettings connection,
    boolean isForced,
    FlowSettings load,
    int queuePairs,
    int trainPackets,
    int windowPackets,
    long warmUpNs,
    long durationNs) {

  /**
   * Paths of each connection.
   *
   * @return 1 for rc
   */
  int paths() {
    return connection.profileParameters() instanceof MxSettings mx ? mx.paths() : 1;
  }

  /**
   * What is about to run, in one line.
   *
   * @param transports in words
   * @return transports, addresses, ports, sizes, seed
   */
  String title(String transports) {
    int one = first.udpPort();
    int other = second.udpPort();
    return "soak: "
        + transports
        + " between "
        + first.bindAddress().getHostAddress()
        + " and "
        + second.bindAddress().getHostAddress()
        + ", UDP "
        + (one == other ? one : one + " and " + other)
        + ", message bytes "
        + load.sizes()
        + ", seed "
        + seed;
  }

  /**
   * The impairments as words for tables.
   *
   * @param impairment of a run
   * @return for instance {@code loss 1% reorder 1%}, or {@code none}
   */
  static String describe(Impairment impairment) {
    if (impairment.isNone()) {
      return "none";
    }
    StringBuilder text = new StringBuilder();
    append(text, "loss", impairment.loss());
    append(text, "reorder", impairment.reorder());
    append(text, "duplicate", impairment.duplicate());
    append(text, "corrupt", impairment.corrupt());
    if (impairment.delayNs() > 0) {
      text.append("delay ").append(TimeSpan.format((double) impairment.delayNs()));
    }
    return text.toString().trim();
  }

  private static void append(StringBuilder text, String name, double share) {
    if (share > 0) {
      text.append(name).append(' ').append(Fraction.format(share));
      text.append(' ');
    }
  }
}
