// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.memory.JvmFlags;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** Opens ports of real networks by name. Control path; any thread. */
public final class Ports {
  /** Asks for the best port that works here. */
  public static final String AUTO = "auto";

  private Ports() {}

  /**
   * A port and why it was taken.
   *
   * @param port open; the caller closes it
   * @param reason one line, to be shown to the user: which port, and for {@code auto} why
   */
  public record Opened(DatagramPort port, String reason) {}

  /**
   * All kinds of ports, best first.
   *
   * @return at least the portable one
   */
  public static List<PortProvider> providers() {
    List<PortProvider> found = new ArrayList<>();
    ServiceLoader.load(PortProvider.class).forEach(found::add);
    found.sort(
        Comparator.comparingInt(PortProvider::preference)
            .reversed()
            .thenComparing(PortProvider::name));
    return found;
  }

  /**
   * Opens a port.
   *
   * @param name of a provider, or {@code auto}
   * @param settings address and sizes
   * @return the port and the reason
   * @throws IllegalArgumentException when there is no such kind of port, or a setting means nothing
   *     to it
   * @throws PortException when the machine does not allow it
   * @throws IllegalStateException when the JVM lacks a flag, naming it
   */
  public static Opened open(String name, PortSettings settings) {
    JvmFlags.check();
    if (name.equals(AUTO)) {
      return openBest(settings);
    }
    List<String> names = new ArrayList<>();
    for (PortProvider provider : providers()) {
      if (provider.name().equals(name)) {
        String reason = provider.unavailableReason();
        if (reason != null) {
          throw new PortException("port " + name + " cannot work here: " + reason);
        }
        return new Opened(provider.open(settings), name + ": as asked");
      }
      names.add(provider.name());
    }
    throw new IllegalArgumentException(
        "no port named " + name + "; there are auto, " + String.join(", ", names));
  }

  private static Opened openBest(PortSettings settings) {
    StringBuilder passed = new StringBuilder();
    for (PortProvider provider : providers()) {
      if (provider.preference() < 0) {
        continue;
      }
      String reason = provider.unavailableReason();
      if (reason == null) {
        String text = provider.name() + ": " + provider.description();
        return new Opened(
            provider.open(settings), passed.isEmpty() ? text : text + " (not " + passed + ")");
      }
      passed
          .append(passed.isEmpty() ? "" : ", ")
          .append(provider.name())
          .append(": ")
          .append(reason);
    }
    throw new PortException("no port works here: " + passed);
  }
}
