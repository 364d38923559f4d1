// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/** The usual shapes. Hosts are numbered switch by switch. */
public final class Topologies {
  private Topologies() {}

  /**
   * Hosts around one switch {@code s0}: for incast and fairness.
   *
   * @param hosts 1 or more
   * @param cable to each host
   * @return the topology
   */
  public static Topology single(int hosts, Cable cable) {
    Topology.Builder builder = Topology.builder("single", hosts, 1).addSwitch("s0", 0);
    for (int host = 0; host < hosts; host++) {
      builder.connect("h" + host, "s0", cable);
    }
    return builder.build();
  }

  /**
   * Hosts on both sides of one cable between the switches {@code left} and {@code right}; hosts 0
   * to n - 1 are on the left.
   *
   * @param hostsPerSide 1 or more
   * @param edge to each host
   * @param middle between the switches
   * @return the topology
   */
  public static Topology dumbbell(int hostsPerSide, Cable edge, Cable middle) {
    Topology.Builder builder =
        Topology.builder("dumbbell", 2 * hostsPerSide, 1)
            .addSwitch("left", 0)
            .addSwitch("right", 0);
    for (int host = 0; host < 2 * hostsPerSide; host++) {
      builder.connect("h" + host, host < hostsPerSide ? "left" : "right", edge);
    }
    return builder.connect("left", "right", middle).build();
  }

  /**
   * Two sites and a long way between them: a dumbbell whose middle has a delay of milliseconds.
   *
   * @param hostsPerSite 1 or more
   * @param edge to each host
   * @param bitsPerSecond rate of the way between the sites
   * @param delayNs its propagation
   * @return the topology
   */
  public static Topology longHaul(int hostsPerSite, Cable edge, long bitsPerSecond, long delayNs) {
    return dumbbell(hostsPerSite, edge, new Cable(bitsPerSecond, delayNs));
  }

  /**
   * Leaves {@code leaf0}, ... with hosts, each connected to each of the switches above them, called
   * spine0, ...
   *
   * @param leaves 1 or more
   * @param hostsPerLeaf 1 or more
   * @param spines 1 or more
   * @param edge to each host
   * @param up between leaf and spine
   * @return the topology; its oversubscription is hostsPerLeaf x edge rate / (spines x up rate)
   */
  public static Topology leafSpine(int leaves, int hostsPerLeaf, int spines, Cable edge, Cable up) {
    return multiPlane(1, leaves, hostsPerLeaf, spines, edge, up);
  }

  /**
   * Independent leaf-spine fabrics side by side; each host has a NIC port in each. With one plane
   * the names are leaf0 and spine0, with more p0.leaf0 and so on.
   *
   * @param planes 1 or more
   * @param leaves of each plane
   * @param hostsPerLeaf 1 or more
   * @param spines of each plane
   * @param edge to each host in each plane
   * @param up between leaf and spine
   * @return the topology
   */
  public static Topology multiPlane(
      int planes, int leaves, int hostsPerLeaf, int spines, Cable edge, Cable up) {
    Limits.check("leaves", leaves, 1, 4_096);
    Limits.check("hostsPerLeaf", hostsPerLeaf, 1, 4_096);
    Limits.check("spines", spines, 1, 4_096);
    String name = planes == 1 ? "leafSpine" : "multiPlane";
    Topology.Builder builder = Topology.builder(name, leaves * hostsPerLeaf, planes);
    for (int plane = 0; plane < planes; plane++) {
      String prefix = planes == 1 ? "" : "p" + plane + ".";
      for (int leaf = 0; leaf < leaves; leaf++) {
        builder.addSwitch(prefix + "leaf" + leaf, 0, plane);
        for (int i = 0; i < hostsPerLeaf; i++) {
          builder.connect("h" + (leaf * hostsPerLeaf + i), prefix + "leaf" + leaf, edge);
        }
      }
      for (int spine = 0; spine < spines; spine++) {
        builder.addSwitch(prefix + "spine" + spine, 1, plane);
        for (int leaf = 0; leaf < leaves; leaf++) {
          builder.connect(prefix + "leaf" + leaf, prefix + "spine" + spine, up);
        }
      }
    }
    return builder.build();
  }

  /**
   * A three-tier fat tree of k-port switches: k pods of k/2 edge and k/2 aggregation switches, and
   * (k/2)^2 core switches; k^3/4 hosts and (k/2)^2 paths between pods. Names: {@code edge0}, {@code
   * agg0}, {@code core0}, ...
   *
   * @param k ports of a switch, even, 2 to 32
   * @param cable everywhere
   * @return the topology
   */
  public static Topology fatTree(int k, Cable cable) {
    Limits.check("k", k, 2, 32);
    if (k % 2 != 0) {
      throw new IllegalArgumentException("k " + k + ": must be even");
    }
    int half = k / 2;
    Topology.Builder builder = Topology.builder("fatTree", k * half * half, 1);
    for (int core = 0; core < half * half; core++) {
      builder.addSwitch("core" + core, 2);
    }
    for (int pod = 0; pod < k; pod++) {
      for (int i = 0; i < half; i++) {
        builder.addSwitch("agg" + (pod * half + i), 1);
        for (int j = 0; j < half; j++) {
          builder.connect("agg" + (pod * half + i), "core" + (i * half + j), cable);
        }
      }
      for (int i = 0; i < half; i++) {
        int edge = pod * half + i;
        builder.addSwitch("edge" + edge, 0);
        for (int j = 0; j < half; j++) {
          builder.connect("h" + (edge * half + j), "edge" + edge, cable);
          builder.connect("edge" + edge, "agg" + (pod * half + j), cable);
        }
      }
    }
    return builder.build();
  }
}
