// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import io.roce4j.harness.fabric.FabricPort;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The round trip without queues between two hosts: propagation and switches both ways, a full
 * packet serialised at each hop forward, an acknowledgement at each hop back; where switches cut
 * through, their headers only, but for the last hop or a faster one.
 */
public final class BaseRtt {
  private static final int ACK_BYTES = 20 + 8 + 12 + 4 + 4;
  private static final int DATA_HEADERS = 20 + 8 + 12 + 16 + 4;
  private static final long PS_PER_NS = 1_000;

  private BaseRtt() {}

  /**
   * The round trip between two hosts by a shortest way.
   *
   * @param topology of the fabric
   * @param settings of its switches
   * @param from a host
   * @param to another host
   * @param mtuBytes payload of a full packet
   * @return ns, rounded up; 0 when there is no way
   */
  public static long between(
      Topology topology, FabricSettings settings, int from, int to, int mtuBytes) {
    List<Topology.Link> way = shortestWay(topology, from, to);
    long ps = 0;
    int data = mtuBytes + DATA_HEADERS + settings.framingBytes();
    int ack = ACK_BYTES + settings.framingBytes();
    boolean cutsThrough = settings.switches().isCutThrough();
    for (int i = 0; i < way.size(); i++) {
      Cable cable = way.get(i).cable();
      // The way is listed from its end.
      Cable behind = i == 0 ? null : way.get(i - 1).cable();
      Cable inFront = i == way.size() - 1 ? null : way.get(i + 1).cable();
      ps += 2 * cable.delayNs() * PS_PER_NS;
      ps += cable.serialisationPs(cutsThrough ? bytesUntilGoingOn(cable, behind, data) : data);
      ps += cable.serialisationPs(cutsThrough ? bytesUntilGoingOn(cable, inFront, ack) : ack);
    }
    ps += 2L * Math.max(0, way.size() - 1) * settings.switches().latencyNs() * PS_PER_NS;
    return Math.ceilDiv(ps, PS_PER_NS);
  }

  /** How much of a packet must have come over a cable before it goes on over the next. */
  private static int bytesUntilGoingOn(Cable in, Cable out, int bytes) {
    boolean isStored = out == null || out.bitsPerSecond() > in.bitsPerSecond();
    return isStored ? bytes : Math.min(FabricPort.HEADERS_BYTES, bytes);
  }

  private static List<Topology.Link> shortestWay(Topology topology, int from, int to) {
    int nodes = topology.hosts() + topology.switches().size();
    List<List<Topology.Link>> at = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      at.add(new ArrayList<>());
    }
    for (Topology.Link link : topology.links()) {
      at.get(link.from()).add(link);
      at.get(link.to()).add(link);
    }
    Topology.Link[] cameBy = new Topology.Link[nodes];
    int[] cameFrom = new int[nodes];
    Arrays.fill(cameFrom, -1);
    cameFrom[from] = from;
    ArrayDeque<Integer> open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty() && cameFrom[to] < 0) {
      int node = open.poll();
      for (Topology.Link link : at.get(node)) {
        int other = link.from() == node ? link.to() : link.from();
        if (cameFrom[other] < 0) {
          cameFrom[other] = node;
          cameBy[other] = link;
          open.add(other);
        }
      }
    }
    List<Topology.Link> way = new ArrayList<>();
    for (int node = to; node != from && cameFrom[node] >= 0; node = cameFrom[node]) {
      way.add(cameBy[node]);
    }
    return way;
  }
}
