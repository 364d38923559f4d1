// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Who sends what to whom: groups of flows, each with a pattern.
 *
 * @param groups 1 or more
 */
public record TrafficPlan(List<Group> groups) {
  /** Message count that means "until the time is over". */
  public static final long FOREVER = Long.MAX_VALUE;

  /** Copies the list. */
  public TrafficPlan {
    groups = List.copyOf(groups);
  }

  /** Who is paired with whom. */
  public enum Pattern {
    /** Each host writes to one other, drawn by the seed, nobody to itself. */
    PERMUTATION,
    /** Many hosts write to one. */
    INCAST,
    /** Each host writes to the one a fixed number further. */
    SHIFT,
    /** The pairs that are listed. */
    PAIRS
  }

  /**
   * Flows that are alike.
   *
   * @param name for tables
   * @param pattern who with whom
   * @param pairs for {@link Pattern#PAIRS}: sources and destinations in turn
   * @param to for {@link Pattern#INCAST}: the host that is written to
   * @param senders for {@link Pattern#INCAST}: how many hosts write, the next ones after it
   * @param by for {@link Pattern#SHIFT}: how much further
   * @param messageBytes of each WRITE
   * @param messages of each flow; {@link #FOREVER} for the whole time
   * @param depth WRITEs in flight
   * @param flowsPerPair queue pairs side by side for each pair
   * @param startNs when the first flow starts
   * @param staggerNs how much later each next flow starts
   * @param tos TOS byte of the packets, -1 for that of the scheme
   */
  public record Group(
      String name,
      Pattern pattern,
      List<Integer> pairs,
      int to,
      int senders,
      int by,
      int messageBytes,
      long messages,
      int depth,
      int flowsPerPair,
      long startNs,
      long staggerNs,
      int tos) {}

  /**
   * One flow.
   *
   * @param group it belongs to
   * @param from host that writes
   * @param to host that is written to
   * @param startNs its start
   */
  public record Flow(Group group, int from, int to, long startNs) {}

  /**
   * The longest message of all groups.
   *
   * @return bytes
   */
  public int maxMessageBytes() {
    return groups.stream().mapToInt(Group::messageBytes).max().orElse(1);
  }

  /**
   * Whether some flow goes on for the whole time.
   *
   * @return true when a run ends by its time and not by its flows
   */
  public boolean isEndless() {
    return groups.stream().anyMatch(group -> group.messages() == FOREVER);
  }

  /**
   * The flows of a run.
   *
   * @param hosts of the topology
   * @param dice draws permutations
   * @return in a fixed order
   */
  public List<Flow> flows(int hosts, SplittableRandom dice) {
    List<Flow> flows = new ArrayList<>();
    for (Group group : groups) {
      List<int[]> pairs = pairsOf(group, hosts, dice);
      int number = 0;
      for (int[] pair : pairs) {
        for (int i = 0; i < group.flowsPerPair(); i++) {
          long start = group.startNs() + number++ * group.staggerNs();
          flows.add(new Flow(group, pair[0], pair[1], start));
        }
      }
    }
    return flows;
  }

  private static List<int[]> pairsOf(Group group, int hosts, SplittableRandom dice) {
    List<int[]> pairs = new ArrayList<>();
    switch (group.pattern()) {
      case PERMUTATION -> {
        int[] target = derangement(hosts, dice);
        for (int host = 0; host < hosts; host++) {
          pairs.add(new int[] {host, target[host]});
        }
      }
      case INCAST -> {
        for (int i = 1; i <= group.senders(); i++) {
          pairs.add(new int[] {(group.to() + i) % hosts, group.to()});
        }
      }
      case SHIFT -> {
        for (int host = 0; host < hosts; host++) {
          pairs.add(new int[] {host, (host + group.by()) % hosts});
        }
      }
      case PAIRS -> {
        for (int i = 0; i < group.pairs().size(); i += 2) {
          pairs.add(new int[] {group.pairs().get(i), group.pairs().get(i + 1)});
        }
      }
    }
    return pairs;
  }

  /** A permutation without fixed points, uniform among the cyclic ones (Sattolo). */
  private static int[] derangement(int hosts, SplittableRandom dice) {
    int[] target = new int[hosts];
    for (int i = 0; i < hosts; i++) {
      target[i] = i;
    }
    for (int i = hosts - 1; i > 0; i--) {
      int j = dice.nextInt(i);
      int other = target[j];
      target[j] = target[i];
      target[i] = other;
    }
    return target;
  }
}
