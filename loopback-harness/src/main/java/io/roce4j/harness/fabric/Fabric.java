// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.route.ForwardingTable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.EndpointLoop;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.harness.sim.PortNetwork;
import io.roce4j.harness.sim.PortUplink;
import io.roce4j.harness.sim.SimApplication;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.wire.ip.Gid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;

/**
 * A fabric in virtual time: switches, cables and hosts of a {@link Topology}, under the very same
 * endpoints as on real ports.
 *
 * <pre>{@code
 * Topology topology = Topologies.leafSpine(4, 4, 4, Cable.gbit(100, 100), Cable.gbit(100, 100));
 * try (Fabric fabric = new Fabric(topology, FabricSettings.defaults(), seed, LinkObserver.NONE)) {
 *   SimEndpoint endpoint = fabric.host(0).open(EndpointSettings.defaults(), null);
 *   // make queue pairs, add applications
 *   fabric.start();
 *   fabric.run(() -> allFlowsAreDone(), 10_000_000);
 * }
 * }</pre>
 *
 * <p>Single-threaded; the topology, the settings, the seed and the calls made decide everything.
 */
public final class Fabric implements PortNetwork, AutoCloseable {
  private static final int PACKET_LIMIT = 1 << 20;

  private final Topology topology;
  private final FabricSettings settings;
  private final Timeline timeline = new Timeline();
  private final EndpointLoop loop = new EndpointLoop(timeline);
  private final FabricCore core;
  private final FabricHost[] hosts;
  private final FabricSwitch[] switches;
  private final Map<String, FabricPort> ports = new LinkedHashMap<>();

  /**
   * Builds a fabric in which nothing has happened yet.
   *
   * @param topology hosts, switches and cables
   * @param settings how they behave
   * @param seed of all dice
   * @param observer is told of drops and other fates of packets; called inside the run
   */
  public Fabric(Topology topology, FabricSettings settings, long seed, LinkObserver observer) {
    this.topology = topology;
    this.settings = settings;
    int maxDatagram = settings.hosts().port().maxDatagramBytes();
    this.core =
        new FabricCore(
            timeline,
            new PacketSlots(maxDatagram, PACKET_LIMIT),
            new SeededStreams(seed),
            observer,
            settings.framingBytes());
    settings.ownSwitches().keySet().forEach(topology::node);
    ForwardingTable table = new ForwardingTable(topology);
    hosts = new FabricHost[topology.hosts()];
    for (int i = 0; i < hosts.length; i++) {
      Gid address = FabricHeader.address(i, settings.ipv6());
      hosts[i] = new FabricHost(core, this, i, address, topology.planes(), settings.hosts());
    }
    switches = new FabricSwitch[topology.switches().size()];
    for (int i = 0; i < switches.length; i++) {
      String name = topology.switches().get(i).name();
      int portCount = table.cablesOf(hosts.length + i).length;
      switches[i] = new FabricSwitch(core, name, portCount, settings.of(name));
      switches[i].routes(table.of(i));
    }
    lay();
  }

  /** Lays the cables: a port at each end. */
  private void lay() {
    int[] used = new int[hosts.length + switches.length];
    List<Topology.Link> links = topology.links();
    for (int i = 0; i < links.size(); i++) {
      Topology.Link link = links.get(i);
      int fromPort = portNumber(link.from(), link, used);
      int toPort = portNumber(link.to(), link, used);
      add(link, link.from(), fromPort, link.to(), toPort);
      add(link, link.to(), toPort, link.from(), fromPort);
    }
  }

  private int portNumber(int node, Topology.Link link, int[] used) {
    return node < hosts.length ? link.plane() : used[node]++;
  }

  private void add(Topology.Link link, int from, int fromPort, int to, int toPort) {
    FabricNode node = node(from);
    boolean isHost = from < hosts.length;
    FabricPort port =
        new FabricPort(
            core,
            node,
            fromPort,
            link.cable(),
            isHost ? settings.hosts().classes() : settings.of(node.name).classes());
    long latencyNs = to < hosts.length ? 0 : settings.of(node(to).name).latencyNs();
    String name = uniqueName(node.name + ">" + node(to).name);
    port.connect(node(to), toPort, latencyNs * Timeline.PS_PER_NS, name);
    node.ports[fromPort] = port;
    ports.put(name, port);
  }

  private String uniqueName(String wanted) {
    String name = wanted;
    for (int i = 2; ports.containsKey(name); i++) {
      name = wanted + "#" + i;
    }
    return name;
  }

  private FabricNode node(int number) {
    return number < hosts.length ? hosts[number] : switches[number - hosts.length];
  }

  EndpointLoop loop() {
    return loop;
  }

  /**
   * What this fabric was built from.
   *
   * @return as given
   */
  public Topology topology() {
    return topology;
  }

  /**
   * Virtual time, on which changes can be scheduled.
   *
   * @return the timeline
   */
  public Timeline timeline() {
    return timeline;
  }

  /**
   * Virtual time as endpoints and applications read it.
   *
   * @return the clock
   */
  public NanoClock clock() {
    return loop.clock();
  }

  /**
   * The dice of the run, by name.
   *
   * @return the streams of the seed
   */
  public SeededStreams streams() {
    return core.streams;
  }

  /**
   * A host.
   *
   * @param number 0 to the hosts - 1
   * @return the host
   * @throws IllegalArgumentException when there is no such host
   */
  public FabricHost host(int number) {
    if (number < 0 || number >= hosts.length) {
      throw new IllegalArgumentException("host " + number + ": allowed 0 to " + (hosts.length - 1));
    }
    return hosts[number];
  }

  /**
   * A port by its name.
   *
   * @param name such as {@code leaf0>spine1}
   * @return the port
   * @throws IllegalArgumentException when there is no such port
   */
  public FabricPort port(String name) {
    FabricPort port = ports.get(name);
    if (port == null) {
      throw new IllegalArgumentException(
          "port "
              + name
              + " is not in the fabric: ports are named "
              + ports.keySet().iterator().next()
              + " and so on");
    }
    return port;
  }

  /**
   * All ports, of hosts and switches.
   *
   * @return in the order of the cables
   */
  public List<FabricPort> ports() {
    return Collections.unmodifiableList(new ArrayList<>(ports.values()));
  }

  /**
   * Adds an application that runs on endpoints of this fabric.
   *
   * @param application has its turn when one of its endpoints did something, and when it asked to
   * @param own its endpoints; none for all opened so far
   */
  public void addApplication(SimApplication application, SimEndpoint... own) {
    loop.addApplication(application, own);
  }

  /** Lets the applications post what they have to post at the start. */
  public void start() {
    loop.start();
  }

  /**
   * Goes to the next event and lets everything that follows from it at that instant happen.
   *
   * @return false when nothing is to come
   */
  public boolean step() {
    return loop.step();
  }

  /**
   * Runs until a time.
   *
   * @param untilNs virtual time; everything up to it happens
   */
  public void runUntilNs(long untilNs) {
    long untilPs = untilNs * Timeline.PS_PER_NS;
    while (timeline.nextPs() <= untilPs && loop.step()) {}
    timeline.runUntil(untilPs);
  }

  /**
   * Runs until something is reached, nothing is to come, or a time is over.
   *
   * @param done asked after each event
   * @param limitNs virtual time at which to give up
   * @return whether it was reached
   */
  public boolean run(BooleanSupplier done, long limitNs) {
    long limitPs = limitNs * Timeline.PS_PER_NS;
    while (!done.getAsBoolean()) {
      if (timeline.nextPs() > limitPs || !loop.step()) {
        return false;
      }
    }
    return true;
  }

  /**
   * The books of this fabric.
   *
   * @return live counts
   */
  public FabricCounts counts() {
    return core.counts;
  }

  @Override
  public PortUplink uplink(SimPort from, Gid to) {
    int host = FabricHeader.hostOf(to, settings.ipv6());
    if (host < 0 || host >= hosts.length) {
      throw new IllegalArgumentException("address " + to + " is not in the fabric");
    }
    return hosts[FabricHeader.hostOf(from.address(), settings.ipv6())];
  }

  @Override
  public PacketSlots slots() {
    return core.slots;
  }

  @Override
  public LinkObserver observer() {
    return core.observer;
  }

  /** Closes all endpoints and ports and frees the packets. */
  @Override
  public void close() {
    loop.close();
    for (FabricHost host : hosts) {
      host.close();
    }
    core.slots.close();
  }
}
