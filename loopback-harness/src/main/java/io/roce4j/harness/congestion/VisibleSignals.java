// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.congestion;

import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionSignal;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.transport.port.PortCapabilities;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which signals reach a controller where it is to run. A controller without its signal is a name
 * without an effect; a comparison with it would say something false.
 */
public final class VisibleSignals {
  private final String where;
  private final Set<CongestionSignal> signals;

  private VisibleSignals(String where, Set<CongestionSignal> signals) {
    this.where = where;
    this.signals = signals;
  }

  /**
   * In the emulated fabric: switches mark, and time is exact. No switch there cuts payloads off or
   * tells its queue in packets.
   *
   * @param transport {@code rc} or {@code mx}: only MX carries hints
   * @return the signals
   */
  public static VisibleSignals inFabric(String transport) {
    return new VisibleSignals("the fabric, over " + transport, with(transport, true, true));
  }

  /**
   * On a port of this machine. Round trips are taken by threads that wait for their turn of a
   * processor, which is longer than the queues that delay-based control is about.
   *
   * @param port what the port can do
   * @param transport {@code rc} or {@code mx}: only MX carries hints
   * @return the signals
   */
  public static VisibleSignals on(PortCapabilities port, String transport) {
    return new VisibleSignals(
        "port " + port.name() + ", over " + transport, with(transport, port.ecnReceive(), false));
  }

  private static Set<CongestionSignal> with(String transport, boolean ecn, boolean exactTime) {
    Set<CongestionSignal> signals = EnumSet.of(CongestionSignal.LOSS);
    if (ecn) {
      signals.add(CongestionSignal.ECN);
    }
    if (exactTime) {
      signals.add(CongestionSignal.RTT);
    }
    if (transport.equals("mx")) {
      signals.add(CongestionSignal.HINT);
    }
    return signals;
  }

  /**
   * The controllers that make no sense here.
   *
   * @return their names, sorted
   */
  public List<String> meaningless() {
    List<String> names = new ArrayList<>();
    for (String name : CongestionControllers.names()) {
      if (!CongestionControllers.missingSignals(name, signals).isEmpty()) {
        names.add(name);
      }
    }
    return names;
  }

  /**
   * Refuses a controller that would run blind.
   *
   * @param controller registry name
   * @throws ToolException naming the missing signal, what else is meaningless here, and the cure
   */
  public void require(String controller) {
    Set<CongestionSignal> missing = CongestionControllers.missingSignals(controller, signals);
    if (!missing.isEmpty()) {
      throw ToolException.machine(
          "congestion controller "
              + controller
              + " reacts to "
              + words(missing)
              + ", which cannot be seen on "
              + where
              + " (meaningless there: "
              + String.join(", ", meaningless())
              + "): choose another, or run it all the same with --force");
    }
  }

  private static String words(Set<CongestionSignal> signals) {
    List<String> words = new ArrayList<>();
    for (CongestionSignal signal : signals) {
      words.add(
          switch (signal) {
            case ECN -> "ECN marks";
            case RTT -> "exact round trip times";
            case HINT -> "hints of an MX receiver";
            default -> signal.name().toLowerCase(Locale.ROOT);
          });
    }
    return String.join(" and ", words);
  }
}
