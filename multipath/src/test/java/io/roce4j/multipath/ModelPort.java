// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortCounters;
import io.roce4j.transport.port.PortTap;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One end of a model network: a transmitter of a given rate with room for a few packets, which
 * refuses when it is full, and a receiver of everything that arrives.
 */
final class ModelPort implements DatagramPort {
  /** Ethernet, IP and UDP headers, FCS, preamble and gap. */
  static final int OVERHEAD = 14 + 20 + 8 + 4 + 8 + 12;

  private static final int SLOT = 4480;
  private static final int HEADROOM = 64;

  private final ModelNet net;
  private final int index;
  private final long gidLo;
  private final int room;
  private final int pathSlots;
  private final PortCounters counters = new PortCounters();
  private final UnsafeBuffer transmit;
  private final UnsafeBuffer receive = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOT));
  private final DatagramMeta meta = new DatagramMeta();
  private final ArrayDeque<Long> departures = new ArrayDeque<>();
  final ArrayDeque<Packet> arrived = new ArrayDeque<>();
  private int pathSlot;
  private int tos;
  private int committed;
  private final int[] lengths;
  private final int[] slots;
  private final int[] classes;
  private long linkFreeNs;
  private boolean refused;

  ModelPort(ModelNet net, int index, long gidLo, int room, int pathSlots) {
    this.net = net;
    this.index = index;
    this.gidLo = gidLo;
    this.room = room;
    this.pathSlots = pathSlots;
    this.transmit = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOT * (room + 1)));
    this.lengths = new int[room + 1];
    this.slots = new int[room + 1];
    this.classes = new int[room + 1];
  }

  @Override
  public PortCapabilities capabilities() {
    return new PortCapabilities("model", true, true, true, true, pathSlots, 65_507, 64, 9000, "");
  }

  @Override
  public Destination destination(long hi, long lo, int port, int hopLimit, int flowLabel) {
    return new Destination(hi, lo, port, 64, 0, null);
  }

  @Override
  public int sourcePort(int slot) {
    return 49_152 + slot;
  }

  @Override
  public long localGidHi() {
    return 0;
  }

  @Override
  public long localGidLo() {
    return gidLo;
  }

  @Override
  public int localUdpPort() {
    return 4791;
  }

  private int waiting() {
    while (!departures.isEmpty() && departures.peekFirst() <= net.nowNs()) {
      departures.pollFirst();
    }
    return departures.size() + committed;
  }

  @Override
  public int open(int slot, Destination destination, int trafficClass, int segmentBytes) {
    int left = room - waiting();
    if (left <= 0) {
      refused = true;
      return BACK_PRESSURE;
    }
    pathSlot = slot;
    tos = trafficClass;
    return left;
  }

  @Override
  public UnsafeBuffer transmitBuffer() {
    return transmit;
  }

  @Override
  public int claim() {
    return committed * SLOT + HEADROOM;
  }

  @Override
  public void commit(int length) {
    lengths[committed] = length;
    slots[committed] = pathSlot;
    classes[committed] = tos;
    committed++;
  }

  @Override
  public void commitDamaged(int length, int bit) {
    commit(length);
  }

  @Override
  public int flush(long nowNs) {
    int sent = committed;
    for (int i = 0; i < sent; i++) {
      long start = Math.max(nowNs, linkFreeNs);
      linkFreeNs = start + (lengths[i] + OVERHEAD) * 8L * 1_000_000_000L / net.bitsPerSecond();
      departures.addLast(linkFreeNs);
      net.carry(index, slots[i], classes[i], transmit, i * SLOT + HEADROOM, lengths[i], linkFreeNs);
      counters.txPackets++;
      counters.txBytes += lengths[i];
    }
    committed = 0;
    return sent;
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    int taken = 0;
    while (taken < limitPackets && !arrived.isEmpty()) {
      Packet packet = arrived.pollFirst();
      receive.putBytes(HEADROOM, packet.bytes, 0, packet.length);
      meta.ip.addresses(0, net.gidLo(packet.from), 0, gidLo);
      meta.ip.ports(49_152 + packet.slot, 4791);
      meta.ecn = packet.marked ? 3 : packet.tos & 3;
      meta.tos = packet.tos;
      meta.idKnowledge = DatagramMeta.ID_KNOWN;
      handler.onDatagram(receive, HEADROOM, packet.length, packet.length, meta);
      net.recycle(packet);
      counters.rxPackets++;
      taken++;
    }
    return taken;
  }

  @Override
  public long nextDeadlineNs() {
    if (!refused || departures.isEmpty()) {
      return Long.MAX_VALUE;
    }
    return departures.peekFirst();
  }

  /** Whether a train was refused and there is still no room. */
  boolean isFull() {
    return refused && waiting() >= room;
  }

  /** The transmitter has room again. */
  void wake() {
    if (waiting() < room) {
      refused = false;
    }
  }

  @Override
  public void tap(PortTap tap) {
    throw new UnsupportedOperationException("a model port has no tap");
  }

  @Override
  public PortCounters counters() {
    return counters;
  }

  @Override
  public void close() {
    arrived.clear();
  }
}
