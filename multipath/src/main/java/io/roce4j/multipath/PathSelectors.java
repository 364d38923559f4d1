// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import java.util.ServiceLoader;

/** Path selectors by name: ours, then those of providers on the class path. Control path. */
public final class PathSelectors {
  /** The name of the default. */
  public static final String DEFAULT = "least-of-two";

  private static final String[][] OWN = {
    {DEFAULT, "the less loaded of two random paths"},
    {"round-robin", "one path after the other"},
    {"weighted", "in proportion to window over round trip time"},
    {"ecn-delay", "round robin past marked and queueing paths"},
    {"burst", "one path for all that leaves in a duty cycle: few system calls and answers"},
    {"flowlet", "one path until a pause of half a round trip"},
    {"fastest-rtx", "least-of-two; retransmissions over the fastest path"},
    {"single", "the lowest active path only"},
  };

  private PathSelectors() {}

  /**
   * Makes a selector.
   *
   * @param name as users give it
   * @param paths largest number of paths, 1..255
   * @return a new selector
   * @throws IllegalArgumentException when no selector has that name, with the names there are
   */
  public static PathSelector create(String name, int paths) {
    PathSelector own =
        switch (name) {
          case DEFAULT -> new LeastLoadedOfTwo();
          case "round-robin" -> new RoundRobin();
          case "weighted" -> new WeightedByRate(paths);
          case "ecn-delay" -> new EcnDelayAware();
          case "burst" -> new OnePathABurst();
          case "flowlet" -> new Flowlet();
          case "fastest-rtx" -> new FastestRetransmission();
          case "single" -> new SinglePathOnly();
          default -> null;
        };
    if (own != null) {
      return own;
    }
    for (PathSelectorProvider provider : ServiceLoader.load(PathSelectorProvider.class)) {
      if (provider.name().equals(name)) {
        return provider.create(paths);
      }
    }
    throw new IllegalArgumentException(
        "path selector '" + name + "' is unknown; there are " + names());
  }

  /**
   * All names, ours first, separated by commas.
   *
   * @return for messages and help
   */
  public static String names() {
    StringBuilder names = new StringBuilder();
    for (String[] own : OWN) {
      names.append(names.isEmpty() ? "" : ", ").append(own[0]);
    }
    for (PathSelectorProvider provider : ServiceLoader.load(PathSelectorProvider.class)) {
      names.append(", ").append(provider.name());
    }
    return names.toString();
  }

  /**
   * What a selector of ours does.
   *
   * @param name as users give it
   * @return a phrase, empty for names that are not ours
   */
  public static String description(String name) {
    for (String[] own : OWN) {
      if (own[0].equals(name)) {
        return own[1];
      }
    }
    return "";
  }
}
