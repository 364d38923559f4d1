// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.engine.EngineContext;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortCounters;
import io.roce4j.transport.port.PortTap;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A port without a wire: what leaves is handed to whoever asked for it, what arrives lies in a
 * queue. ICRCs are neither made nor checked, so a packet is its bytes.
 */
final class MadPort implements DatagramPort {
  private static final int SLOT_BYTES = 4_352;
  private static final int TRAIN = 32;

  /** A packet on its way. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Packet(Gid from, Gid to, int tos, byte[] bytes) {}

  /** Takes what leaves. */
  interface Wire {
    void carry(Packet packet);
  }

  final Queue<Packet> in = new ArrayDeque<>();

  /** Addresses no way leads to. */
  final Set<Gid> unreachable = new HashSet<>();

  boolean refuses;
  private final Gid address;
  private final Wire wire;
  private final int mtuBytes;
  private final UnsafeBuffer transmit = NativeMemory.allocate("test-mad", TRAIN * SLOT_BYTES, 64);
  private final UnsafeBuffer receive = NativeMemory.allocate("test-mad", SLOT_BYTES, 64);
  private final DatagramMeta meta = new DatagramMeta();
  private final PortCounters counters = new PortCounters();
  private final int[] lengths = new int[TRAIN];
  private int count;
  private Destination destination;
  private int tos;
  private boolean closed;

  MadPort(Gid address, int mtuBytes, Wire wire) {
    this.address = address;
    this.mtuBytes = mtuBytes;
    this.wire = wire;
  }

  @Override
  public PortCapabilities capabilities() {
    return new PortCapabilities("mad", true, true, true, true, 16_384, 65_507, TRAIN, mtuBytes, "");
  }

  @Override
  public Destination destination(long hi, long lo, int udpPort, int hopLimit, int flowLabel) {
    if (unreachable.contains(new Gid(hi, lo))) {
      throw new IllegalArgumentException("no route to " + new Gid(hi, lo));
    }
    return new Destination(hi, lo, udpPort, hopLimit, flowLabel, null);
  }

  @Override
  public int sourcePort(int pathSlot) {
    return EngineContext.FIRST_SOURCE_PORT + pathSlot;
  }

  @Override
  public long localGidHi() {
    return address.high();
  }

  @Override
  public long localGidLo() {
    return address.low();
  }

  @Override
  public int localUdpPort() {
    return IpUdpFields.ROCE_PORT;
  }

  @Override
  public int open(int pathSlot, Destination to, int typeOfService, int segmentBytes) {
    send();
    if (refuses) {
      return BACK_PRESSURE;
    }
    destination = to;
    tos = typeOfService;
    return TRAIN;
  }

  @Override
  public UnsafeBuffer transmitBuffer() {
    return transmit;
  }

  @Override
  public int claim() {
    return count * SLOT_BYTES + 64;
  }

  @Override
  public void commit(int length) {
    lengths[count++] = length;
  }

  @Override
  public void commitDamaged(int length, int bit) {
    throw new UnsupportedOperationException();
  }

  private void send() {
    for (int i = 0; i < count; i++) {
      byte[] bytes = new byte[lengths[i]];
      transmit.getBytes(i * SLOT_BYTES + 64, bytes);
      Gid to = new Gid(destination.gidHi(), destination.gidLo());
      wire.carry(new Packet(address, to, tos, bytes));
    }
    count = 0;
  }

  @Override
  public int flush(long nowNs) {
    int flushed = count;
    send();
    return flushed;
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    int received = 0;
    while (received < limitPackets && !in.isEmpty()) {
      Packet packet = in.remove();
      if (address.isIpv4()) {
        meta.ip.ipv4(packet.from.ipv4(), packet.to.ipv4(), 0xD872, IpUdpFields.ROCE_PORT);
      } else {
        meta.ip.ipv6(
            packet.from.high(),
            packet.from.low(),
            packet.to.high(),
            packet.to.low(),
            0xD872,
            IpUdpFields.ROCE_PORT);
      }
      meta.tos = packet.tos;
      meta.ecn = packet.tos & 3;
      meta.hopLimit = 61;
      receive.putBytes(64, packet.bytes);
      handler.onDatagram(receive, 64, packet.bytes.length, packet.bytes.length, meta);
      received++;
    }
    return received;
  }

  @Override
  public long nextDeadlineNs() {
    return Long.MAX_VALUE;
  }

  @Override
  public void tap(PortTap tap) {
    throw new UnsupportedOperationException();
  }

  @Override
  public PortCounters counters() {
    return counters;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      NativeMemory.release(transmit);
      NativeMemory.release(receive);
    }
  }
}
