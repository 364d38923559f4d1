// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.route;

import io.roce4j.harness.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The next hops of all switches: every neighbour on a shortest path to the host, in the order of
 * the cables, unless a static route says otherwise.
 *
 * <p>Hosts do not forward. A neighbour is a port number of the switch, counted over its cables in
 * the order in which the topology lists them.
 */
public final class ForwardingTable {
  private static final int[] NOWHERE = new int[0];

  private final Topology topology;
  // For each node its cables in order: the cable's index and the node at the other end.
  private final int[][] cables;
  private final int[][] neighbours;
  private final int[][][] nextHops;

  /**
   * Computes the table of a topology with all cables up.
   *
   * @param topology the nodes and cables
   */
  public ForwardingTable(Topology topology) {
    this(topology, link -> true);
  }

  /**
   * Computes the table over some of the cables.
   *
   * @param topology the nodes and cables
   * @param usable tells by a cable's index whether it can be used
   */
  public ForwardingTable(Topology topology, IntPredicate usable) {
    this.topology = topology;
    int nodes = topology.hosts() + topology.switches().size();
    List<List<int[]>> ports = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      ports.add(new ArrayList<>());
    }
    for (int i = 0; i < topology.links().size(); i++) {
      Topology.Link link = topology.links().get(i);
      ports.get(link.from()).add(new int[] {i, link.to()});
      ports.get(link.to()).add(new int[] {i, link.from()});
    }
    cables = new int[nodes][];
    neighbours = new int[nodes][];
    for (int node = 0; node < nodes; node++) {
      cables[node] = ports.get(node).stream().mapToInt(port -> port[0]).toArray();
      neighbours[node] = ports.get(node).stream().mapToInt(port -> port[1]).toArray();
    }
    nextHops = new int[topology.switches().size()][topology.hosts()][];
    int[] distances = new int[nodes];
    int[] queue = new int[nodes];
    for (int host = 0; host < topology.hosts(); host++) {
      measure(host, usable, distances, queue);
      fill(host, usable, distances);
    }
    applyStaticRoutes();
  }

  /** Distances in hops from every node to a host; hosts are ends, not ways. */
  private void measure(int host, IntPredicate usable, int[] distances, int[] queue) {
    Arrays.fill(distances, Integer.MAX_VALUE);
    distances[host] = 0;
    int head = 0;
    int tail = 0;
    queue[tail++] = host;
    while (head < tail) {
      int node = queue[head++];
      for (int port = 0; port < neighbours[node].length; port++) {
        int next = neighbours[node][port];
        boolean isNew = distances[next] == Integer.MAX_VALUE && next >= topology.hosts();
        if (isNew && usable.test(cables[node][port])) {
          distances[next] = distances[node] + 1;
          queue[tail++] = next;
        }
      }
    }
  }

  private void fill(int host, IntPredicate usable, int[] distances) {
    int[] scratch = new int[64];
    for (int i = 0; i < nextHops.length; i++) {
      int node = topology.hosts() + i;
      if (distances[node] == Integer.MAX_VALUE) {
        nextHops[i][host] = NOWHERE;
        continue;
      }
      int count = 0;
      for (int port = 0; port < neighbours[node].length; port++) {
        if (distances[neighbours[node][port]] == distances[node] - 1
            && usable.test(cables[node][port])) {
          if (count == scratch.length) {
            scratch = Arrays.copyOf(scratch, count * 2);
          }
          scratch[count++] = port;
        }
      }
      // Hosts of one leaf have the same next hops elsewhere: share the array.
      int[] before = host == 0 ? NOWHERE : nextHops[i][host - 1];
      nextHops[i][host] =
          Arrays.equals(before, 0, before.length, scratch, 0, count)
              ? before
              : Arrays.copyOf(scratch, count);
    }
  }

  private void applyStaticRoutes() {
    for (Topology.StaticRoute route : topology.staticRoutes()) {
      int[] own = neighbours[route.atSwitch()];
      int[] ports =
          java.util.stream.IntStream.range(0, own.length)
              .filter(port -> route.nextHops().contains(own[port]))
              .toArray();
      if (ports.length < route.nextHops().size()) {
        throw new IllegalArgumentException(
            "route at "
                + topology.nodeName(route.atSwitch())
                + " to h"
                + route.host()
                + ": a next hop is not its neighbour");
      }
      nextHops[route.atSwitch() - topology.hosts()][route.host()] = ports;
    }
  }

  /**
   * The ports a switch may use.
   *
   * @param switchIndex its place in {@link Topology#switches()}
   * @return by host: port numbers, none when there is no way; not to be changed
   */
  public int[][] of(int switchIndex) {
    return nextHops[switchIndex];
  }

  /**
   * The cables of a node in the order of its port numbers.
   *
   * @param node its number
   * @return indexes into {@link Topology#links()}; not to be changed
   */
  public int[] cablesOf(int node) {
    return cables[node];
  }
}
