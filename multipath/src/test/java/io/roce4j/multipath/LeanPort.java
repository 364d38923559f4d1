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
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One end of a wire between two endpoints that allocates nothing: a ring of packets, each taken by
 * the other end in its next cycle, or dropped by a generator of its own.
 */
final class LeanPort implements DatagramPort {
  private static final int SLOT = 4480;
  private static final int SLOTS = 1024;
  private static final int HEADROOM = 64;

  private final long gidLo;
  private final UnsafeBuffer ring = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOT * SLOTS));
  private final int[] lengths = new int[SLOTS];
  private final int[] slots = new int[SLOTS];
  private final PortCounters counters = new PortCounters();
  private final DatagramMeta meta = new DatagramMeta();
  private LeanPort peer;
  private long head;
  private long flushed;
  private long tail;
  private int pathSlot;
  private int dropOneIn;
  private int random = 12_345;

  LeanPort(long gidLo) {
    this.gidLo = gidLo;
  }

  /** Joins two ends. */
  static void join(LeanPort a, LeanPort b) {
    a.peer = b;
    b.peer = a;
  }

  /** Drops one packet in so many, 0 for none. */
  void dropOneIn(int packets) {
    dropOneIn = packets;
  }

  @Override
  public PortCapabilities capabilities() {
    return new PortCapabilities("lean", true, true, true, true, 64, 65_507, 64, 9000, "");
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

  @Override
  public int open(int slot, Destination destination, int trafficClass, int segmentBytes) {
    int room = SLOTS - (int) (tail - head);
    pathSlot = slot;
    return room > 0 ? Math.min(room, 64) : BACK_PRESSURE;
  }

  @Override
  public UnsafeBuffer transmitBuffer() {
    return ring;
  }

  @Override
  public int claim() {
    return (int) (tail % SLOTS) * SLOT + HEADROOM;
  }

  @Override
  public void commit(int length) {
    int at = (int) (tail % SLOTS);
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    boolean dropped = dropOneIn > 0 && Integer.remainderUnsigned(random, dropOneIn) == 0;
    lengths[at] = dropped ? 0 : length;
    slots[at] = pathSlot;
    tail++;
    counters.txPackets++;
    counters.txBytes += length;
  }

  @Override
  public void commitDamaged(int length, int bit) {
    throw new UnsupportedOperationException("nothing damages packets here");
  }

  @Override
  public int flush(long nowNs) {
    int sent = (int) (tail - flushed);
    flushed = tail;
    return sent;
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    int taken = 0;
    for (; taken < limitPackets && peer.head < peer.flushed; taken++) {
      int at = (int) (peer.head % SLOTS);
      if (peer.lengths[at] > 0) {
        meta.ip.addresses(0, peer.gidLo, 0, gidLo);
        meta.ip.ports(49_152 + peer.slots[at], 4791);
        meta.ecn = 2;
        meta.tos = 2;
        meta.idKnowledge = DatagramMeta.ID_KNOWN;
        int length = peer.lengths[at];
        handler.onDatagram(peer.ring, at * SLOT + HEADROOM, length, length, meta);
      }
      peer.head++;
      counters.rxPackets++;
    }
    return taken;
  }

  @Override
  public long nextDeadlineNs() {
    return peer.head < peer.flushed ? 0 : Long.MAX_VALUE;
  }

  @Override
  public void tap(PortTap tap) {
    throw new UnsupportedOperationException("a lean port has no tap");
  }

  @Override
  public PortCounters counters() {
    return counters;
  }

  @Override
  public void close() {
    head = tail;
  }
}
