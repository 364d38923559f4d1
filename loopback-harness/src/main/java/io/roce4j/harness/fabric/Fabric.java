// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.fabric.route.ForwardingTable;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.EcmpSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.impair.ImpairmentVerdict;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.EndpointLoop;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.harness.sim.PatternPayload;
import io.roce4j.harness.sim.PortNetwork;
import io.roce4j.harness.sim.PortUplink;
import io.roce4j.harness.sim.SimApplication;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.wire.ip.Gid;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
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
public final class Fabric implements PortNetwork, Timeline.Occurrence, AutoCloseable {
  private static final int PACKET_LIMIT = 1 << 20;

  private final Topology topology;
  private final FabricSettings settings;
  private final Timeline timeline = new Timeline();
  private final EndpointLoop loop = new EndpointLoop(timeline);
  private final FabricCore core;
  private final FabricHost[] hosts;
  private final FabricSwitch[] switches;
  private final Map<String, FabricPort> ports = new LinkedHashMap<>();
  private final LinkObserver refusals;
  private final FabricFaults faults = new FabricFaults(this);
  private final Map<String, String> reverse = new HashMap<>();
  private final Map<String, Integer> cables = new HashMap<>();
  private final boolean[] cableUp;
  private final List<AppliedImpairment> impairments = new ArrayList<>();
  private ForwardingTable table;
  private boolean isTableOld;

  /**
   * Builds a fabric in which nothing has happened yet.
   *
   * @param topology hosts, switches and cables
   * @param settings how they behave
   * @param seed of all dice
   * @param observer is told of drops and other fates of packets; called inside the run
   */
  public Fabric(Topology topology, FabricSettings settings, long seed, LinkObserver observer) {
    this(topology, settings, seed, (timeline, slots) -> observer);
  }

  /**
   * Builds a fabric in which nothing has happened yet.
   *
   * @param topology hosts, switches and cables
   * @param settings how they behave
   * @param seed of all dice
   * @param observers makes the observer once there is a time
   */
  public Fabric(
      Topology topology, FabricSettings settings, long seed, LinkObserver.Maker observers) {
    this(topology, settings, seed, observers, null);
  }

  /**
   * Builds a fabric whose packets may leave their payload out, which costs less time and memory.
   *
   * @param topology hosts, switches and cables
   * @param settings how they behave
   * @param seed of all dice
   * @param observers makes the observer once there is a time
   * @param pattern every longer payload that hosts send is a piece of it; headers and ICRC are
   *     carried, the ICRC is that of the whole packet, and receivers get the whole packet; null to
   *     carry everything
   */
  public Fabric(
      Topology topology,
      FabricSettings settings,
      long seed,
      LinkObserver.Maker observers,
      MessagePattern pattern) {
    this.topology = topology;
    this.settings = settings;
    int maxDatagram = settings.hosts().port().maxDatagramBytes();
    PacketSlots slots =
        new PacketSlots(
            maxDatagram, PACKET_LIMIT, pattern == null ? null : new PatternPayload(pattern));
    this.core =
        new FabricCore(
            timeline,
            slots,
            new SeededStreams(seed),
            observers.observe(timeline, slots),
            settings.framingBytes(),
            settings.ipv6());
    settings.ownSwitches().keySet().forEach(topology::node);
    table = new ForwardingTable(topology);
    cableUp = new boolean[topology.links().size()];
    Arrays.fill(cableUp, true);
    refusals = new PortRefusals(core);
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
    for (FabricSwitch each : switches) {
      each.complete();
    }
  }

  /** Lays the cables: a port at each end. */
  private void lay() {
    int[] used = new int[hosts.length + switches.length];
    List<Topology.Link> links = topology.links();
    for (int i = 0; i < links.size(); i++) {
      Topology.Link link = links.get(i);
      int fromPort = portNumber(link.from(), link, used);
      int toPort = portNumber(link.to(), link, used);
      String forth = add(link, link.from(), fromPort, link.to(), toPort);
      String back = add(link, link.to(), toPort, link.from(), fromPort);
      reverse.put(forth, back);
      reverse.put(back, forth);
      cables.put(forth, i);
      cables.put(back, i);
    }
  }

  private int portNumber(int node, Topology.Link link, int[] used) {
    return node < hosts.length ? link.plane() : used[node]++;
  }

  private String add(Topology.Link link, int from, int fromPort, int to, int toPort) {
    FabricNode node = node(from);
    boolean isHost = from < hosts.length;
    FabricPort port =
        new FabricPort(
            core,
            node,
            fromPort,
            link.cable(),
            isHost ? settings.hosts().classes() : settings.of(node.name).classes());
    boolean leadsToHost = to < hosts.length;
    long latencyNs = leadsToHost ? 0 : settings.of(node(to).name).latencyNs();
    boolean cutsThrough = !leadsToHost && settings.of(node(to).name).isCutThrough();
    String name = uniqueName(node.name + ">" + node(to).name);
    port.connect(node(to), toPort, latencyNs * Timeline.PS_PER_NS, cutsThrough, name);
    node.ports[fromPort] = port;
    ports.put(name, port);
    return name;
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

  FabricSwitch switchOf(String name) {
    int node = topology.node(name);
    if (node < hosts.length) {
      throw new IllegalArgumentException(name + " is a host: expected a switch");
    }
    return switches[node - hosts.length];
  }

  FabricSwitch[] switches() {
    return switches;
  }

  FabricCore core() {
    return core;
  }

  /**
   * Gives a switch more than this package does.
   *
   * @param name of the switch
   * @param extension trims, or writes telemetry; null for none
   */
  public void extend(String name, SwitchExtension extension) {
    switchOf(name).extend(extension);
  }

  /**
   * Where faults are put on the timeline.
   *
   * @return the faults of this fabric
   */
  public FabricFaults faults() {
    return faults;
  }

  /**
   * Takes both directions of a cable down, which loses what is on them, or up. Switches route
   * around it after their reconvergence time.
   *
   * @param port one direction
   * @param up the new state
   */
  public void setCableUp(String port, boolean up) {
    FabricPort forth = port(port);
    FabricPort back = port(reverse.get(port));
    if (forth.isUp() == up) {
      return;
    }
    forth.setUp(up);
    back.setUp(up);
    cableUp[cables.get(port)] = up;
    isTableOld = true;
    for (int i = 0; i < switches.length; i++) {
      long ns = switches[i].settings().ecmp().reconvergenceNs();
      if (ns != EcmpSettings.NEVER) {
        timeline.schedule(timeline.nowPs() + ns * Timeline.PS_PER_NS, this, 0, i);
      }
    }
  }

  /** A switch has learned which cables are up. */
  @Override
  public void happen(int kind, long argument) {
    if (isTableOld) {
      isTableOld = false;
      table = new ForwardingTable(topology, cable -> cableUp[cable]);
    }
    switches[(int) argument].reroute(table.of((int) argument));
  }

  /**
   * Gives a cable another rate or delay, both directions, for packets sent from now on.
   *
   * @param port one direction
   * @param cable the new rate and delay
   */
  public void setCable(String port, Cable cable) {
    port(port).setCable(cable);
    port(reverse.get(port)).setCable(cable);
  }

  /**
   * Changes what happens to the packets of one direction of a cable from now on.
   *
   * @param port the direction
   * @param impairment what happens; dice begin anew with each change
   */
  public void impair(String port, PortImpairment impairment) {
    FabricPort impaired = port(port);
    if (impairment.isNone()) {
      impaired.impair(null);
      return;
    }
    long before = impairments.stream().filter(other -> other.port().equals(port)).count();
    String purpose = "link." + port + (before == 0 ? "" : "." + before);
    ImpairmentFates fates =
        new ImpairmentFates(
            impairment,
            core.framingBytes,
            impaired.passesFrameErrors(),
            core.streams.child(purpose));
    impairments.add(new AppliedImpairment(port, fates));
    impaired.impair(fates);
  }

  /** An impairment and where it acted. */
  private record AppliedImpairment(String port, ImpairmentFates fates) {}

  /**
   * Judges whether the impairments of this run have done what was configured.
   *
   * @return the verdict; a run that is not valid proves nothing
   */
  public ImpairmentVerdict judgeImpairments() {
    ImpairmentVerdict verdict = new ImpairmentVerdict();
    for (AppliedImpairment impairment : impairments) {
      impairment.fates().judge(impairment.port(), verdict);
    }
    return verdict;
  }

  /**
   * Looks at ports at fixed intervals from now on.
   *
   * @param ports which
   * @param intervalNs between samples, 1 or more
   * @param untilNs when it ends
   * @return what is seen
   */
  public FabricSampler sample(List<FabricPort> ports, long intervalNs, long untilNs) {
    return new FabricSampler(timeline, ports, intervalNs, untilNs);
  }

  /**
   * Writes what ports send into a capture from now on, instead of any capture before.
   *
   * @param ports which
   * @param sink gets a pcapng file
   * @return to be closed at the end
   */
  public FabricCapture capture(List<FabricPort> ports, OutputStream sink) {
    core.capture = new FabricCapture(core, ports, sink);
    return core.capture;
  }

  /**
   * Notes from now on which ways flows take.
   *
   * @return what is seen
   */
  public PathUse recordPaths() {
    core.pathUse = new PathUse(ports());
    return core.pathUse;
  }

  /**
   * Whether nothing is to come: no packet on a cable, no deadline of an endpoint, no fault.
   *
   * @return true when {@link #step} would return false
   */
  public boolean isAtRest() {
    return timeline.pending() == 0;
  }

  /**
   * Why nothing moves.
   *
   * @return who waits for whom now
   */
  public Diagnosis diagnose() {
    return Diagnosis.of(ports());
  }

  /**
   * Packets in queues, on cables and half in a switch, counted where they are: what {@link
   * FabricCounts#inFlight} must say.
   *
   * @return 0 at rest
   */
  public long packetsInside() {
    long inside = 0;
    for (FabricPort port : ports.values()) {
      inside += port.queuedPackets() + port.onCable();
    }
    for (FabricSwitch each : switches) {
      inside += each.packetsBeingStored();
    }
    return inside;
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
    return refusals;
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
