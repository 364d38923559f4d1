// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortCounters;
import io.roce4j.transport.port.PortTap;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/** A port between two packet queues in virtual time, with a say in each packet's fate. */
final class MemoryPort implements DatagramPort {
  /** What happens to a packet that leaves. */
  interface Fate {
    int DELIVER = 0;
    int DROP = 1;
    int DUPLICATE = 2;
    int SWAP = 3;
    int CORRUPT = 4;
    int MARK = 5;

    int of(UnsafeBuffer buffer, int offset, int length);
  }

  static final long V4 = 0x0000_FFFF_0000_0000L;
  static final int TRAIN = 64;

  final PacketQueue out;
  final PacketQueue in;

  /** First half of the addresses of an IPv6 port. */
  static final long V6 = 0xFD77_0000_0000_0000L;

  int peerAddress;

  /** Destination address of what arrives. */
  int ownAddress;

  final boolean ipv6;
  private final int address;
  private final UnsafeBuffer transmit =
      NativeMemory.allocate("test-transmit", TRAIN * PacketQueue.SLOT_BYTES, 64);
  private final int[] committed = new int[TRAIN];
  private final Icrc icrc = new Icrc();
  private final IpUdpFields ip = new IpUdpFields();
  private final DatagramMeta meta = new DatagramMeta();
  private final PortCounters counters = new PortCounters();
  Fate fate = (buffer, offset, length) -> Fate.DELIVER;
  long delayNs;
  int roomLimit = TRAIN;
  boolean refuses;

  /** What open answers, when negative. */
  int openResult;

  boolean identificationSeen = true;
  long sentPackets;
  private long nowNs;
  private int count;
  private int slot;
  private int tos;
  private Destination destination;
  private boolean closed;

  MemoryPort(int address, PacketQueue out, PacketQueue in, long delayNs) {
    this(address, out, in, delayNs, false);
  }

  MemoryPort(int address, PacketQueue out, PacketQueue in, long delayNs, boolean ipv6) {
    this.address = address;
    this.ownAddress = address;
    this.ipv6 = ipv6;
    this.out = out;
    this.in = in;
    this.delayNs = delayNs;
  }

  static long gidHi(boolean ipv6) {
    return ipv6 ? V6 : 0;
  }

  static long gidLo(boolean ipv6, int address) {
    return (ipv6 ? 0 : V4) | (address & 0xFFFF_FFFFL);
  }

  /** Fills in what carries a packet from one test address to another. */
  static void carry(IpUdpFields fields, boolean ipv6, int source, int destination, int port) {
    if (ipv6) {
      fields.ipv6(
          V6, gidLo(true, source), V6, gidLo(true, destination), port, IpUdpFields.ROCE_PORT);
    } else {
      fields.ipv4(source, destination, port, IpUdpFields.ROCE_PORT);
    }
  }

  @Override
  public PortCapabilities capabilities() {
    return new PortCapabilities(
        "memory", true, true, identificationSeen, true, 16_384, 65_507, TRAIN, 9_000, "");
  }

  @Override
  public Destination destination(long hi, long lo, int udpPort, int hopLimit, int flowLabel) {
    return new Destination(hi, lo, udpPort, hopLimit, flowLabel, null);
  }

  @Override
  public int sourcePort(int pathSlot) {
    return EngineContext.FIRST_SOURCE_PORT + pathSlot;
  }

  @Override
  public long localGidHi() {
    return gidHi(ipv6);
  }

  @Override
  public long localGidLo() {
    return gidLo(ipv6, address);
  }

  @Override
  public int localUdpPort() {
    return IpUdpFields.ROCE_PORT;
  }

  @Override
  public int open(int pathSlot, Destination to, int typeOfService, int segmentBytes) {
    send();
    if (openResult < 0) {
      return openResult;
    }
    if (refuses) {
      return BACK_PRESSURE;
    }
    slot = pathSlot;
    destination = to;
    tos = typeOfService;
    return Math.min(roomLimit, TRAIN);
  }

  @Override
  public UnsafeBuffer transmitBuffer() {
    return transmit;
  }

  @Override
  public int claim() {
    return count * PacketQueue.SLOT_BYTES + Icrc.HEADROOM + 8;
  }

  @Override
  public void commit(int length) {
    committed[count++] = length;
  }

  @Override
  public void commitDamaged(int length, int bit) {
    throw new UnsupportedOperationException();
  }

  private void send() {
    for (int i = 0; i < count; i++) {
      int offset = i * PacketQueue.SLOT_BYTES + Icrc.HEADROOM + 8;
      int length = committed[i];
      carry(ip, ipv6, address, (int) destination.gidLo(), sourcePort(slot));
      ip.identification(i);
      icrc.seal(transmit, offset, length, ip);
      sentPackets++;
      deliver(offset, length, i);
    }
    count = 0;
  }

  private void deliver(int offset, int length, int identification) {
    int what = fate.of(transmit, offset, length);
    if (what == Fate.DROP) {
      return;
    }
    int mark = what == Fate.MARK ? 3 : 0;
    int index = out.push(nowNs + delayNs, length, sourcePort(slot), tos | mark, identification);
    out.buffer.putBytes(out.offset(index), transmit, offset, length);
    if (what == Fate.DUPLICATE) {
      int copy = out.push(nowNs + delayNs, length, sourcePort(slot), tos, identification);
      out.buffer.putBytes(out.offset(copy), transmit, offset, length);
    } else if (what == Fate.SWAP && out.size() > 1) {
      out.swapLastTwo();
    } else if (what == Fate.CORRUPT) {
      int at = out.offset(index) + length - 5;
      out.buffer.putByte(at, (byte) (out.buffer.getByte(at) ^ 4));
    }
  }

  @Override
  public int flush(long now) {
    nowNs = now;
    int flushed = count;
    send();
    return flushed;
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long now) {
    nowNs = now;
    int received = 0;
    while (received < limitPackets && !in.isEmpty() && in.arrivalNs[in.index(in.head)] <= now) {
      int index = in.index(in.head++);
      carry(meta.ip, ipv6, peerAddress, ownAddress, in.sourcePort[index]);
      meta.ip.identification(identificationSeen ? in.identification[index] : 0);
      meta.idKnowledge = identificationSeen ? DatagramMeta.ID_KNOWN : DatagramMeta.ID_UNKNOWN;
      meta.tos = in.tos[index];
      meta.ecn = meta.tos & 3;
      meta.hopLimit = 64;
      int length = in.length[index];
      handler.onDatagram(in.buffer, in.offset(index), length, in.segmentBytes[index], meta);
      received++;
    }
    return received;
  }

  @Override
  public long nextDeadlineNs() {
    return in.isEmpty() ? Long.MAX_VALUE : in.arrivalNs[in.index(in.head)];
  }

  /** Groups joined and not left. */
  int joined;

  @Override
  public void joinMulticast(long hi, long lo) {
    joined++;
  }

  @Override
  public void leaveMulticast(long hi, long lo) {
    joined--;
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
    }
  }
}
