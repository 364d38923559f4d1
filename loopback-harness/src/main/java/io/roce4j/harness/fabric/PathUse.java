// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2IntCounterMap;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Which ways the packets of each flow took, where switches had a choice. A flow is source host,
 * destination host and UDP source port.
 */
public final class PathUse {
  private static final int HOST_BITS = 24;
  private static final int PORT_BITS = 16;

  private final Long2ObjectHashMap<Int2IntCounterMap> flows = new Long2ObjectHashMap<>();
  private final List<FabricPort> ports = new ArrayList<>();

  PathUse(List<FabricPort> ports) {
    for (FabricPort port : ports) {
      port.number(this.ports.size());
      this.ports.add(port);
    }
  }

  private static long key(int source, int destination, int sourcePort) {
    return ((long) source << HOST_BITS | destination) << PORT_BITS | sourcePort;
  }

  void count(int source, int destination, int sourcePort, FabricPort out) {
    long key = key(source, destination, sourcePort);
    Int2IntCounterMap counts = flows.get(key);
    if (counts == null) {
      counts = new Int2IntCounterMap(0);
      flows.put(key, counts);
    }
    counts.incrementAndGet(out.number());
  }

  /**
   * A share of a flow.
   *
   * @param port a port that a switch has chosen
   * @param packets packets of the flow that it sent there
   */
  public record Share(FabricPort port, int packets) {}

  /**
   * Flows seen.
   *
   * @return 0 or more
   */
  public int flows() {
    return flows.size();
  }

  /**
   * The ways of a flow.
   *
   * @param source number of the sending host
   * @param destination number of the receiving host
   * @param sourcePort UDP source port
   * @return what switches chose, in the order of the ports; none for an unknown flow
   */
  public List<Share> of(int source, int destination, int sourcePort) {
    List<Share> shares = new ArrayList<>();
    Int2IntCounterMap counts = flows.get(key(source, destination, sourcePort));
    for (int i = 0; counts != null && i < ports.size(); i++) {
      if (counts.get(i) > 0) {
        shares.add(new Share(ports.get(i), counts.get(i)));
      }
    }
    return shares;
  }
}
