// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.wire.ip.Gid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Ports in virtual time and a link of its own from each to each. Single-threaded.
 *
 * <p>The order of everything is the order of creation: the same calls and the same seed give the
 * same run.
 */
public final class SimNetwork implements PortNetwork, AutoCloseable {
  private static final int PACKET_LIMIT = 1 << 18;

  private final Timeline timeline;
  private final SeededStreams streams;
  private final LinkObserver observer;
  private final PacketSlots slots;
  private final Map<Gid, SimPort> ports = new LinkedHashMap<>();
  private final Map<String, SimLink> links = new LinkedHashMap<>();
  private LinkSettings defaultLink;

  /**
   * Makes a network without ports.
   *
   * @param timeline its time
   * @param streams the streams of the run
   * @param maxDatagramBytes largest UDP payload any port sends
   * @param defaultLink how links are unless {@link #link} says otherwise
   * @param observer is told what links do to packets
   */
  public SimNetwork(
      Timeline timeline,
      SeededStreams streams,
      int maxDatagramBytes,
      LinkSettings defaultLink,
      LinkObserver observer) {
    this(timeline, streams, maxDatagramBytes, defaultLink, (time, packets) -> observer);
  }

  /**
   * Makes a network without ports.
   *
   * @param timeline its time
   * @param streams the streams of the run
   * @param maxDatagramBytes largest UDP payload any port sends
   * @param defaultLink how links are unless {@link #link} says otherwise
   * @param observers makes who is told what links do to packets
   */
  public SimNetwork(
      Timeline timeline,
      SeededStreams streams,
      int maxDatagramBytes,
      LinkSettings defaultLink,
      LinkObserver.Maker observers) {
    this.timeline = timeline;
    this.streams = streams;
    this.defaultLink = defaultLink;
    this.slots = new PacketSlots(maxDatagramBytes, PACKET_LIMIT);
    this.observer = observers.observe(timeline, slots);
  }

  /**
   * Adds a port with an address.
   *
   * @param name unique, for links and journals
   * @param address its GID, IPv4 as {@code ::ffff:a.b.c.d}
   * @param udpPort where it listens
   * @param settings how it behaves
   * @return the open port
   * @throws IllegalArgumentException when the address is taken
   */
  public SimPort addPort(String name, Gid address, int udpPort, SimPortSettings settings) {
    if (ports.containsKey(address)) {
      throw new IllegalArgumentException("address " + address + " is taken in this network");
    }
    SimPort port = new SimPort(this, name, address, udpPort, settings);
    ports.put(address, port);
    return port;
  }

  /**
   * The link from one port to another, made at the first call.
   *
   * @param from the sender
   * @param to the receiver
   * @return the one link of that direction
   */
  public SimLink link(SimPort from, SimPort to) {
    String name = from.name() + "-" + to.name();
    SimLink link = links.get(name);
    if (link == null) {
      link = new SimLink(timeline, slots, name, defaultLink, streams, to, observer);
      links.put(name, link);
    }
    return link;
  }

  /**
   * All links so far.
   *
   * @return in the order of creation
   */
  public List<SimLink> links() {
    return Collections.unmodifiableList(new ArrayList<>(links.values()));
  }

  /**
   * What all links did together.
   *
   * @return the sum of their counts
   */
  public ImpairmentCounts counts() {
    ImpairmentCounts sum = new ImpairmentCounts();
    for (SimLink link : links.values()) {
      sum.add(link.counts());
    }
    return sum;
  }

  /**
   * The time of this network.
   *
   * @return its timeline
   */
  public Timeline timeline() {
    return timeline;
  }

  /**
   * Packets inside the network: on links and in receive queues.
   *
   * @return 0 or more
   */
  public int packetsInside() {
    return slots.live();
  }

  @Override
  public PortUplink uplink(SimPort from, Gid to) {
    SimPort peer = ports.get(to);
    if (peer == null) {
      throw new IllegalArgumentException("address " + to + " is not in the simulated network");
    }
    return link(from, peer);
  }

  @Override
  public PacketSlots slots() {
    return slots;
  }

  @Override
  public LinkObserver observer() {
    return observer;
  }

  /** Closes all ports and frees the packets. */
  @Override
  public void close() {
    ports.values().forEach(SimPort::close);
    slots.close();
  }
}
