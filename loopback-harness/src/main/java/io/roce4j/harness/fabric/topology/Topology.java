// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which hosts, switches and cables there are. Immutable; made by {@link Topologies}, or by hand
 * with a {@link Builder}.
 *
 * <p>Nodes are numbered: hosts from 0, then switches in the order in which they were added. A host
 * has one NIC port for each plane; planes are not connected with each other.
 */
public final class Topology {
  /** Most hosts: one address each in 10.0.0.0/8. */
  public static final int MAX_HOSTS = 65_536;

  private static final int MAX_PLANES = 16;

  private final String name;
  private final int hosts;
  private final int planes;
  private final List<SwitchNode> switches;
  private final List<Link> links;
  private final List<StaticRoute> routes;
  private final Map<String, Integer> numbers;

  /**
   * A switch.
   *
   * @param name unique
   * @param tier 0 next to the hosts, 1 above them, and so on: for tables and for presets that treat
   *     tiers differently
   * @param plane the plane it belongs to
   */
  public record SwitchNode(String name, int tier, int plane) {}

  /**
   * A cable between two nodes.
   *
   * @param from number of one node
   * @param to number of the other node
   * @param plane the plane it belongs to
   * @param cable rate and delay of each direction
   */
  public record Link(int from, int to, int plane, Cable cable) {}

  /**
   * A route by hand, instead of the shortest paths: for loops and other mistakes.
   *
   * @param atSwitch number of the switch
   * @param host destination
   * @param nextHops numbers of the nodes it sends to
   */
  public record StaticRoute(int atSwitch, int host, List<Integer> nextHops) {}

  private Topology(Builder builder) {
    name = builder.name;
    hosts = builder.hosts;
    planes = builder.planes;
    switches = List.copyOf(builder.switches);
    links = List.copyOf(builder.links);
    routes = List.copyOf(builder.routes);
    numbers = Map.copyOf(builder.numbers);
  }

  /**
   * Begins a topology.
   *
   * @param name for reports
   * @param hosts 1 to {@link #MAX_HOSTS}, named h0, h1, ...
   * @param planes 1 to 16
   * @return the builder
   */
  public static Builder builder(String name, int hosts, int planes) {
    return new Builder(name, hosts, planes);
  }

  /**
   * The topology's name.
   *
   * @return as given
   */
  public String name() {
    return name;
  }

  /**
   * Hosts.
   *
   * @return 1 or more
   */
  public int hosts() {
    return hosts;
  }

  /**
   * Planes; a host has a NIC port in each.
   *
   * @return 1 or more
   */
  public int planes() {
    return planes;
  }

  /**
   * The switches; the node number of switch i is {@link #hosts()} + i.
   *
   * @return in the order in which they were added
   */
  public List<SwitchNode> switches() {
    return switches;
  }

  /**
   * The cables.
   *
   * @return in the order in which they were added
   */
  public List<Link> links() {
    return links;
  }

  /**
   * Routes set by hand.
   *
   * @return often none
   */
  public List<StaticRoute> staticRoutes() {
    return routes;
  }

  /**
   * A node's name.
   *
   * @param node its number
   * @return h0, h1, ... or the switch's name
   */
  public String nodeName(int node) {
    return node < hosts ? "h" + node : switches.get(node - hosts).name();
  }

  /**
   * A node's number.
   *
   * @param nodeName h0, h1, ... or the switch's name
   * @return its number
   * @throws IllegalArgumentException when there is no such node
   */
  public int node(String nodeName) {
    Integer number = numbers.get(nodeName);
    if (number == null) {
      throw new IllegalArgumentException(
          "node "
              + nodeName
              + " is not in topology "
              + name
              + ": it has h0 to h"
              + (hosts - 1)
              + " and "
              + switches.stream().map(SwitchNode::name).limit(8).toList());
    }
    return number;
  }

  @Override
  public String toString() {
    return name
        + ": "
        + hosts
        + " hosts, "
        + switches.size()
        + " switches, "
        + links.size()
        + " cables"
        + (planes > 1 ? ", " + planes + " planes" : "");
  }

  /** Adds switches and cables, and checks each at once. */
  public static final class Builder {
    private final String name;
    private final int hosts;
    private final int planes;
    private final List<SwitchNode> switches = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final List<StaticRoute> routes = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();

    private Builder(String name, int hosts, int planes) {
      Limits.check("hosts", hosts, 1, MAX_HOSTS);
      Limits.check("planes", planes, 1, MAX_PLANES);
      this.name = name;
      this.hosts = hosts;
      this.planes = planes;
      for (int host = 0; host < hosts; host++) {
        numbers.put("h" + host, host);
      }
    }

    /**
     * Adds a switch to plane 0.
     *
     * @param switchName unique
     * @param tier 0 next to the hosts
     * @return this
     */
    public Builder addSwitch(String switchName, int tier) {
      return addSwitch(switchName, tier, 0);
    }

    /**
     * Adds a switch.
     *
     * @param switchName unique
     * @param tier 0 next to the hosts
     * @param plane 0 to the planes - 1
     * @return this
     */
    public Builder addSwitch(String switchName, int tier, int plane) {
      Limits.check("plane of switch " + switchName, plane, 0, planes - 1L);
      Limits.check("tier of switch " + switchName, tier, 0, 15);
      if (numbers.putIfAbsent(switchName, hosts + switches.size()) != null) {
        throw new IllegalArgumentException("switch " + switchName + ": the name is taken");
      }
      switches.add(new SwitchNode(switchName, tier, plane));
      return this;
    }

    /**
     * Connects two nodes.
     *
     * @param from h0, h1, ... or a switch added before
     * @param to a switch added before, or a host
     * @param cable between them
     * @return this
     */
    public Builder connect(String from, String to, Cable cable) {
      int a = number(from);
      int b = number(to);
      if (a == b || (a < hosts && b < hosts)) {
        throw new IllegalArgumentException(
            "cable from " + from + " to " + to + ": one end must be another node, a switch");
      }
      int planeA = planeOf(a, b);
      int planeB = planeOf(b, a);
      if (planeA != planeB) {
        throw new IllegalArgumentException(
            "cable from "
                + from
                + " to "
                + to
                + " would connect planes "
                + planeA
                + " and "
                + planeB);
      }
      links.add(new Link(a, b, planeA, cable));
      return this;
    }

    /**
     * Sets by hand where a switch sends the packets for a host.
     *
     * @param atSwitch the switch
     * @param host the destination, 0 to the hosts - 1
     * @param nextHops its neighbours, 1 or more
     * @return this
     */
    public Builder route(String atSwitch, int host, String... nextHops) {
      Limits.check("host of a route at " + atSwitch, host, 0, hosts - 1L);
      List<Integer> next = new ArrayList<>();
      for (String hop : nextHops) {
        next.add(number(hop));
      }
      if (next.isEmpty()) {
        throw new IllegalArgumentException("route at " + atSwitch + ": needs a next hop");
      }
      routes.add(new StaticRoute(number(atSwitch), host, List.copyOf(next)));
      return this;
    }

    /**
     * Ends the building.
     *
     * @return the topology
     * @throws IllegalArgumentException when a host has not exactly one cable in each plane
     */
    public Topology build() {
      int[] cables = new int[hosts * planes];
      for (Link link : links) {
        int host = Math.min(link.from(), link.to());
        if (host < hosts) {
          cables[host * planes + link.plane()]++;
        }
      }
      for (int i = 0; i < cables.length; i++) {
        if (cables[i] != 1) {
          throw new IllegalArgumentException(
              "host h"
                  + i / planes
                  + " has "
                  + cables[i]
                  + " cables in plane "
                  + i % planes
                  + ": needs 1");
        }
      }
      return new Topology(this);
    }

    private int number(String nodeName) {
      Integer number = numbers.get(nodeName);
      if (number == null) {
        throw new IllegalArgumentException("node " + nodeName + " was not added");
      }
      return number;
    }

    private int planeOf(int node, int other) {
      int ofSwitch = node < hosts ? other : node;
      return switches.get(ofSwitch - hosts).plane();
    }
  }
}
