// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.verbs.AddressHandle;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.ip.SourcePortEntropy;
import java.util.Arrays;
import java.util.function.Function;
import org.agrona.collections.Object2ObjectHashMap;

/**
 * What all engines of one endpoint share: memory keys, completions, events, counters, settings, and
 * the way to destinations. Agent thread only.
 */
public final class EngineContext {

  /** First source port of the pool; a path slot is a source port minus this. */
  public static final int FIRST_SOURCE_PORT = 49_152;

  /** The controller name that stands for no congestion control. */
  public static final String NO_CONGESTION_CONTROL = "none";

  private final Endpoint endpoint;
  private final RdmaContext verbs;
  private final DatagramPort port;
  private final EndpointSettings settings;
  private final CompletionWriter completions;
  private final int pathSlots;
  private final Object2ObjectHashMap<String, Object> shared = new Object2ObjectHashMap<>();
  private AddressHandle[] routedHandles = {};
  private DatagramRoute[] routes = {};

  EngineContext(
      Endpoint endpoint, RdmaContext verbs, DatagramPort port, EndpointSettings settings) {
    this.endpoint = endpoint;
    this.verbs = verbs;
    this.port = port;
    this.settings = settings;
    this.completions = new CompletionWriter(settings.events());
    this.pathSlots = port.capabilities().pathSlots();
  }

  /**
   * The keys of all registered memory.
   *
   * @return the table.
   */
  public MemoryTable memory() {
    return verbs.memoryTable();
  }

  /**
   * The verbs objects of the endpoint.
   *
   * @return the context.
   */
  public RdmaContext verbs() {
    return verbs;
  }

  /**
   * How engines behave.
   *
   * @return the settings.
   */
  public EndpointSettings settings() {
    return settings;
  }

  /**
   * Where completions are written.
   *
   * @return the one writer of the endpoint.
   */
  public CompletionWriter completions() {
    return completions;
  }

  /**
   * The endpoint's counters; engines count in those of their slot.
   *
   * @return the counters.
   */
  public Counters counters() {
    return endpoint.counters();
  }

  /**
   * Number of source-port slots of the port.
   *
   * @return 1 or more.
   */
  public int pathSlots() {
    return pathSlots;
  }

  /**
   * An object that all engines of one kind share on this endpoint, made when the first asks for it.
   * Control path.
   *
   * @param kind class of the object, and its key.
   * @param maker makes it.
   * @param <T> its type.
   * @return the same object for every caller.
   */
  public <T> T shared(Class<T> kind, Function<EngineContext, T> maker) {
    Object there = shared.get(kind.getName());
    if (there == null) {
      there = maker.apply(this);
      shared.put(kind.getName(), there);
    }
    return kind.cast(there);
  }

  /**
   * The present: the time of the cycle that runs, or of the last one.
   *
   * @return time of the endpoint, ns.
   */
  public long nowNs() {
    return endpoint.nowNs();
  }

  /**
   * Raises an asynchronous event.
   *
   * @param type libibverbs' event number.
   * @param number number of the element the event is about.
   */
  public void raise(int type, int number) {
    verbs.asyncEvents().raise(type, number);
  }

  /**
   * The engine behind a queue pair number, for engines that share a connection.
   *
   * @param qpn 24 bits.
   * @return the engine, or null when no queue pair has the number.
   */
  public ConnectionEngine engineOf(int qpn) {
    ConnectionSlot slot = endpoint.slotOf(qpn);
    return slot == null ? null : slot.engine();
  }

  /**
   * Takes a queue pair to ERR and has its engine flush. Does nothing when it is there already.
   *
   * @param slot the queue pair.
   * @param nowNs time of the endpoint, ns.
   */
  public void enterError(ConnectionSlot slot, long nowNs) {
    endpoint.enterError(slot, nowNs);
  }

  /**
   * Stops the send queue of a queue pair (SQE); receiving goes on.
   *
   * @param slot the queue pair.
   * @param nowNs time of the endpoint, ns.
   * @return false when it is in ERR, which is worse.
   */
  public boolean enterSendQueueError(ConnectionSlot slot, long nowNs) {
    return endpoint.enterSendQueueError(slot, nowNs);
  }

  /**
   * Where the datagrams of an address handle go. Prepared at the first use of the handle, found
   * again without a look-up.
   *
   * @param number of the address handle.
   * @param localQpn local queue pair number.
   * @return the route, or null when the handle is gone or its address cannot be reached.
   */
  DatagramRoute route(int number, int localQpn) {
    AddressHandle handle = verbs.addressHandle(number);
    if (handle == null) {
      return null;
    }
    if (number < routedHandles.length && routedHandles[number] == handle) {
      return routes[number];
    }
    if (number >= routedHandles.length) {
      int capacity = Integer.highestOneBit(number) * 2;
      routedHandles = Arrays.copyOf(routedHandles, Math.max(capacity, 16));
      routes = Arrays.copyOf(routes, routedHandles.length);
    }
    routedHandles[number] = handle;
    routes[number] = newRoute(handle.address(), localQpn);
    return routes[number];
  }

  private DatagramRoute newRoute(AddressVector address, int localQpn) {
    try {
      int slot =
          address.udpSourcePort() == AddressVector.ANY_SOURCE_PORT
              ? (SourcePortEntropy.datagram(localQpn) - FIRST_SOURCE_PORT) % pathSlots
              : pathSlot(address, localQpn, 0);
      return new DatagramRoute(destination(address), slot, address.trafficClass());
    } catch (VerbsException e) {
      // The send that named the handle completes in error; the reason is the address itself.
      return null;
    }
  }

  /**
   * Prepares a destination. Control path.
   *
   * @param address where to.
   * @return the destination, valid as long as the port is open.
   * @throws VerbsException EINVAL naming the address when it cannot be reached.
   */
  public Destination destination(AddressVector address) {
    try {
      return port.destination(
          address.gidHi(),
          address.gidLo(),
          address.udpPort(),
          address.hopLimit(),
          address.flowLabel());
    } catch (IllegalArgumentException e) {
      throw new VerbsException("EINVAL", e.getMessage());
    }
  }

  /**
   * The source-port slot of a connection: constant for its life, so that equal-cost paths do not
   * reorder it [wire 13] [rc 21-2] [FC-41].
   *
   * @param address with a wished source port, or with a flow label to derive it from.
   * @param localQpn local queue pair number.
   * @param remoteQpn remote queue pair number.
   * @return 0 to {@link #pathSlots()} - 1.
   * @throws VerbsException EINVAL when the wished source port is not one of the port's.
   */
  public int pathSlot(AddressVector address, int localQpn, int remoteQpn) {
    int wished = address.udpSourcePort();
    if (wished == AddressVector.ANY_SOURCE_PORT) {
      int sourcePort = SourcePortEntropy.connected(address.flowLabel(), localQpn, remoteQpn);
      return (sourcePort - FIRST_SOURCE_PORT) % pathSlots;
    }
    return pathSlotOf(wished);
  }

  /**
   * The slot of a source port.
   *
   * @param sourcePort one of the port's.
   * @return 0 to {@link #pathSlots()} - 1; beyond, on a port that sends from any.
   * @throws VerbsException EINVAL naming the port's when it is none of them.
   */
  public int pathSlotOf(int sourcePort) {
    int slot = port.pathSlotOf(sourcePort);
    if (slot >= 0) {
      return slot;
    }
    throw new VerbsException(
        "EINVAL",
        "udpSport "
            + sourcePort
            + ": this port sends from "
            + port.sourcePort(0)
            + " to "
            + port.sourcePort(pathSlots - 1));
  }

  /**
   * The source port of a slot.
   *
   * @param pathSlot 0 to {@link #pathSlots()} - 1.
   * @return the UDP port.
   */
  public int sourcePort(int pathSlot) {
    return port.sourcePort(pathSlot);
  }

  /** Makes the congestion side of a connection as the queue pair's settings say. */
  RcPacing newPacing(QueuePair queuePair, int pathMtu, long nowNs) {
    String name = queuePair.congestion();
    if (NO_CONGESTION_CONTROL.equals(name)) {
      return RcPacing.unlimited();
    }
    return new RcPacing(
        CongestionControllers.create(name, congestion(queuePair, pathMtu)),
        pathMtu,
        settings.trainPackets(),
        settings.pacerCatchUpNs(),
        nowNs);
  }

  private CongestionSettings congestion(QueuePair queuePair, int pathMtu) {
    return CongestionSettings.of(settings.linkBitsPerSecond(), pathMtu, settings.baseRttNs())
        .withAll(queuePair.congestionParameters());
  }

  /** Least time between two notifications to the peer of a queue pair, ns [wire 12]. */
  long notificationIntervalNs(QueuePair queuePair, int pathMtu) {
    long set = settings.cnpIntervalNs();
    return set != EndpointSettings.AS_THE_CONTROLLER_ASKS
        ? set
        : CongestionControllers.provider(queuePair.congestion())
            .notificationIntervalNs(congestion(queuePair, pathMtu));
  }
}
