// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.EndpointLoop;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.PortUplink;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.PortTap;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.SourcePortEntropy;

/**
 * A host of a fabric: its address, its NIC with one port for each plane, and the endpoint on it.
 *
 * <p>The NIC takes a bounded number of packets of each plane and class; what is beyond waits in the
 * queue pairs, so that a paused class holds up no other. Path slot s leaves by plane s modulo the
 * planes.
 */
public final class FabricHost extends FabricNode implements PortUplink, Timeline.Occurrence {
  private static final int CLASSES = TrafficClasses.COUNT;

  private final FabricCore core;
  private final Fabric fabric;
  private final int number;
  private final Gid address;
  private final HostSettings settings;
  private final TrafficClasses classes;
  private final int[] committed;
  private SimPort port;
  private SimEndpoint endpoint;
  private boolean isStarved;
  private boolean isStalled;
  private long stormUntilPs;
  private long stormEveryPs;
  private int stormClasses;
  private int stormQuanta;
  private long storms;

  FabricHost(
      FabricCore core, Fabric fabric, int number, Gid address, int planes, HostSettings settings) {
    super("h" + number, planes);
    this.core = core;
    this.fabric = fabric;
    this.number = number;
    this.address = address;
    this.settings = settings;
    this.classes = settings.classes();
    this.committed = new int[planes * CLASSES];
  }

  /**
   * The host's number.
   *
   * @return 0 or more
   */
  public int number() {
    return number;
  }

  /**
   * The host's name.
   *
   * @return h and its number
   */
  public String name() {
    return name;
  }

  /**
   * The host's address, the same in all planes.
   *
   * @return 10.0.0.0 + number + 1, or fd00:: + number + 1
   */
  public Gid address() {
    return address;
  }

  /**
   * The NIC's port in a plane.
   *
   * @param plane 0 to the planes - 1
   * @return the port towards the switch
   */
  public FabricPort nic(int plane) {
    return ports[plane];
  }

  /**
   * Opens the host's port without an endpoint, for packets by hand.
   *
   * @return the one port of this host
   * @throws IllegalStateException when the host has one already
   */
  public SimPort openPort() {
    if (port != null) {
      throw new IllegalStateException("host " + name + " has its port open already");
    }
    port = new SimPort(fabric, name, address, IpUdpFields.ROCE_PORT, settings.port());
    return port;
  }

  /**
   * Opens the host's endpoint, driven by the fabric.
   *
   * @param engine how its engines behave
   * @param tap sees its packets, or null
   * @return the endpoint, running
   * @throws IllegalStateException when the host has its port open already
   */
  public SimEndpoint open(EndpointSettings engine, PortTap tap) {
    SimPort own = openPort();
    own.tap(tap);
    EndpointLoop loop = fabric.loop();
    ContextSettings context = new ContextSettings().seed(core.streams.derive("endpoint." + name));
    endpoint = loop.add(name, own, context, engine);
    endpoint.reactAfterNs(settings.reactNs());
    return endpoint;
  }

  private int planeOf(int pathSlot) {
    return ports.length == 1 ? 0 : pathSlot % ports.length;
  }

  @Override
  public int room(int pathSlot, int tos) {
    int plane = planeOf(pathSlot);
    int trafficClass = classes.classOf(tos);
    int room =
        settings.nicQueuePackets()
            - ports[plane].packets(trafficClass)
            - committed[plane * CLASSES + trafficClass];
    if (room <= 0) {
      isStarved = true;
      return 0;
    }
    return room;
  }

  @Override
  public void onCommitted(int pathSlot, int tos) {
    committed[planeOf(pathSlot) * CLASSES + classes.classOf(tos)]++;
  }

  @Override
  public boolean hasRoom(int wireBytes) {
    return true; // What was committed had room.
  }

  @Override
  public long nextRoomPs() {
    return Timeline.NEVER;
  }

  /** A packet from the endpoint's port. */
  @Override
  public void accept(int slot) {
    core.counts.injected++;
    core.facts.enter(slot);
    int plane = planeOf(core.slots.path(slot) - SourcePortEntropy.MIN_PORT);
    int trafficClass = classes.classOf(core.facts.tos(slot));
    committed[plane * CLASSES + trafficClass]--;
    ports[plane].enqueue(slot, trafficClass, core.facts.wireBytes(slot));
  }

  @Override
  void onDequeued(FabricPort nic, int trafficClass, int slot) {
    if (isStarved && nic.packets(trafficClass) <= settings.nicQueuePackets() / 2) {
      isStarved = false;
      if (endpoint != null) {
        endpoint.wake();
      }
    }
  }

  void setStalled(boolean value) {
    isStalled = value;
  }

  /** Pauses the switches again and again. The NIC's watchdog ends that before its time. */
  void storm(int pausedClasses, int quanta, long everyNs, long untilNs) {
    long nowPs = core.timeline.nowPs();
    long untilPs = untilNs == Long.MAX_VALUE ? Timeline.NEVER : untilNs * Timeline.PS_PER_NS;
    long watchdogNs = settings.nicWatchdogNs();
    stormUntilPs =
        watchdogNs == 0 ? untilPs : Math.min(untilPs, nowPs + watchdogNs * Timeline.PS_PER_NS);
    stormEveryPs = everyNs * Timeline.PS_PER_NS;
    stormClasses = pausedClasses;
    stormQuanta = quanta;
    storms++; // The frames of an earlier one end.
    happen(0, storms);
  }

  @Override
  public void happen(int kind, long argument) {
    long nowPs = core.timeline.nowPs();
    if (argument == storms && nowPs < stormUntilPs) {
      sendPause(stormClasses, stormQuanta);
      core.timeline.schedule(nowPs + stormEveryPs, this, 0, argument);
    }
  }

  /**
   * Sends one pause frame in each plane, as a NIC whose receive buffer is full.
   *
   * @param pausedClasses bit for each class, 0 to 255
   * @param quanta units of 512 bit times, 0 to go on, to 65535
   */
  public void sendPause(int pausedClasses, int quanta) {
    for (FabricPort nic : ports) {
      nic.sendPause(pausedClasses & 0xFF, quanta & 0xFFFF, 1, 0);
    }
  }

  /** A packet from the fabric. */
  @Override
  void receive(int plane, int slot) {
    if (isStalled) {
      core.drop(name, slot, LinkObserver.HOST_STALLED);
      return;
    }
    if (core.slots.isFrameDamaged(slot)) {
      core.drop(name, slot, LinkObserver.FRAME_ERROR);
      return;
    }
    if (port == null || core.facts.destinationHost(slot) != number) {
      core.drop(name, slot, LinkObserver.NO_ROUTE);
      return;
    }
    core.counts.delivered++;
    core.facts.settle(slot);
    port.accept(slot);
  }

  void close() {
    if (port != null) {
      port.close();
    }
  }
}
