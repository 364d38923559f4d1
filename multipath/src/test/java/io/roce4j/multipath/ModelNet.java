// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.engine.IcrcMode;
import io.roce4j.transport.verbs.ContextSettings;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Two endpoints and what lies between them, in virtual time: each sends at a link rate, the {@link
 * Weather} decides about delay and fate of each packet. Packets of one endpoint with equal delay
 * stay in order. The ICRC is left out here; it has tests of its own.
 */
final class ModelNet implements NanoClock, AutoCloseable {
  private final long bitsPerSecond;
  private final PriorityQueue<Packet> flying = new PriorityQueue<>();
  private final ArrayDeque<Packet> pool = new ArrayDeque<>();
  private final ModelPort[] ports = new ModelPort[2];
  private final EndpointAgent[] agents = new EndpointAgent[2];
  private Weather weather;
  private long nowNs = 1_000_000;
  private long order;
  private long wakeNs = Long.MAX_VALUE;
  private final boolean[] kicked = new boolean[2];
  private Runnable everyStep = () -> {};

  /** What passed, by packets. */
  long carried;

  long dropped;

  /** Two endpoints with a transmitter queue of {@code room} packets. */
  ModelNet(
      long bitsPerSecond, Weather weather, int room, int pathSlots, EndpointSettings settings) {
    this(bitsPerSecond, weather, room, pathSlots, settings, 256);
  }

  /** Two endpoints of that many queue pairs each. */
  ModelNet(
      long bitsPerSecond,
      Weather weather,
      int room,
      int pathSlots,
      EndpointSettings settings,
      int queuePairs) {
    this.bitsPerSecond = bitsPerSecond;
    this.weather = weather;
    for (int i = 0; i < 2; i++) {
      ports[i] = new ModelPort(this, i, gidLo(i), room, pathSlots);
      ContextSettings context =
          new ContextSettings()
              .seed(i + 1)
              .maxQueuePairs(Math.max(16, queuePairs))
              .activeMtuBytes(4096);
      agents[i] =
          EndpointAgent.open(
              context,
              settings
                  .withIcrcMode(IcrcMode.OFF)
                  .withLinkBitsPerSecond(bitsPerSecond)
                  .withTransmitTrains(1 << 20),
              ports[i],
              this);
    }
  }

  long gidLo(int index) {
    return 0xFFFF_0A00_0001L + index;
  }

  long nowNs() {
    return nowNs;
  }

  @Override
  public long nanoTime() {
    return nowNs;
  }

  long bitsPerSecond() {
    return bitsPerSecond;
  }

  EndpointAgent agent(int index) {
    return agents[index];
  }

  void weather(Weather next) {
    this.weather = next;
  }

  /** Something was posted on a side: its agent gets a cycle before time goes on. */
  void kick(int index) {
    kicked[index] = true;
  }

  /** The application wants to look again at a time; one such time is remembered. */
  void wakeAt(long ns) {
    wakeNs = Math.min(wakeNs, ns);
  }

  /** What is called after every step. */
  Runnable everyStep() {
    return everyStep;
  }

  /** Called after every step, for invariants that must hold always. */
  void everyStep(Runnable check) {
    this.everyStep = check;
  }

  void carry(
      int from, int slot, int tos, DirectBuffer bytes, int offset, int length, long departureNs) {
    Packet packet = pool.isEmpty() ? new Packet() : pool.pollFirst();
    packet.bytes.putBytes(0, bytes, offset, length);
    packet.length = length;
    packet.from = from;
    packet.slot = slot;
    packet.tos = tos;
    packet.sentNs = departureNs;
    int fate = weather.fate(packet);
    carried++;
    if ((fate & Weather.DROP) != 0) {
      dropped++;
      recycle(packet);
      return;
    }
    packet.marked = (fate & Weather.MARK) != 0;
    launch(packet);
    if ((fate & Weather.TWIN) != 0) {
      Packet twin = pool.isEmpty() ? new Packet() : pool.pollFirst();
      twin.bytes.putBytes(0, packet.bytes, 0, length);
      twin.length = length;
      twin.from = from;
      twin.slot = slot;
      twin.tos = tos;
      twin.sentNs = departureNs;
      twin.marked = packet.marked;
      launch(twin);
    }
  }

  private void launch(Packet packet) {
    packet.arrivalNs = packet.sentNs + weather.delayNs(packet);
    packet.order = order++;
    flying.add(packet);
  }

  void recycle(Packet packet) {
    pool.addLast(packet);
  }

  /** Goes on until the condition holds or so much time has passed. Returns whether it holds. */
  boolean run(long limitNs, BooleanSupplier until) {
    long endNs = nowNs + limitNs;
    work(0);
    work(1);
    while (!until.getAsBoolean()) {
      for (int i = 0; i < 2; i++) {
        if (kicked[i]) {
          kicked[i] = false;
          work(i);
        }
      }
      long next = flying.isEmpty() ? Long.MAX_VALUE : flying.peek().arrivalNs;
      next = Math.min(next, Math.max(wakeNs, nowNs));
      for (EndpointAgent agent : agents) {
        next = Math.min(next, agent.nextDeadlineNs());
      }
      if (next > endNs) {
        nowNs = Math.max(nowNs, endNs);
        return until.getAsBoolean();
      }
      nowNs = Math.max(nowNs, next);
      if (wakeNs <= nowNs) {
        wakeNs = Long.MAX_VALUE;
      }
      boolean touched0 = agents[0].nextDeadlineNs() <= nowNs;
      boolean touched1 = agents[1].nextDeadlineNs() <= nowNs;
      while (!flying.isEmpty() && flying.peek().arrivalNs <= nowNs) {
        Packet packet = flying.poll();
        int to = 1 - packet.from;
        ports[to].arrived.addLast(packet);
        touched0 |= to == 0;
        touched1 |= to == 1;
      }
      if (touched0) {
        work(0);
      }
      if (touched1) {
        work(1);
      }
      everyStep.run();
    }
    return true;
  }

  private void work(int index) {
    ports[index].wake();
    int rounds = 0;
    while (agents[index].doWork() > 0) {
      if (ports[index].isFull()) {
        return; // come back when the transmitter has room
      }
      if (++rounds > 20_000) {
        throw new IllegalStateException(
            "endpoint " + index + " never comes to rest at " + nowNs + " ns");
      }
    }
  }

  @Override
  public void close() {
    for (EndpointAgent agent : agents) {
      agent.close();
    }
  }
}
