// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.transport.port.BatchedTrainPort;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Route;
import io.roce4j.transport.port.SendRefusal;
import io.roce4j.transport.port.libc.Errno;
import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.LinkState;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.ip.Gid;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * RoCEv2, or RoCEv1, in whole frames over AF_PACKET.
 *
 * <p>One {@code sendmmsg} carries trains of many source ports and destinations, each segmented by
 * the kernel or the adapter. What arrives is read in place from a ring that the kernel fills, with
 * a filter in front. The whole IP header is known on both sides, so that the ICRC check is strict.
 *
 * <p>A bound UDP socket holds the UDP port, so that the kernel neither answers our packets with
 * ICMP nor lets another endpoint take it; it drops everything. Next hops come from the kernel's
 * routing and neighbour tables and are looked up again every so often. Nothing is allocated per
 * packet.
 *
 * <p>Packets to a neighbour whose Ethernet address the kernel still looks for are kept for up to a
 * second, as long as half of the transmit ring is free; else, and when nobody answers, they are
 * given up and counted as unreachable. Others do not wait for them.
 *
 * <p>Two such ports on one host need network namespaces, or addresses of the loopback interface.
 */
public final class RawPort extends BatchedTrainPort {
  /** Name in command lines. */
  public static final String NAME = "raw";

  private static final int FIRST_SOURCE_PORT = 49152;
  private static final int PATH_SLOTS = 16384;
  private static final int SEND_MESSAGES = 64;
  private static final long DROPS_NS = 20_000_000;
  private static final int IPV4 = 20;
  private static final int IPV6 = 40;
  private static final int UDP = 8;

  private final Libc libc;
  private final RawSockets sockets;
  private final PacketRing ring;
  private final FrameBatch frames;
  private final LinkState link;
  private final NextHops nextHops;
  private final PortCapabilities capabilities;
  private final DatagramMeta meta = new DatagramMeta();
  private final Identifications identifications = new Identifications();
  private final long transmitAddress;
  private final boolean roceV1;

  private int segmentLimit;
  private int stagedPackets;
  private long lastDropsNs;
  private boolean closed;

  private RawPort(PortSettings settings, LocalInterface local, Libc libc, RawSockets sockets) {
    super(settings, local, SEND_MESSAGES);
    this.libc = libc;
    this.sockets = sockets;
    ring = sockets.ring();
    roceV1 = settings.roceV1();
    segmentLimit = roceV1 ? 1 : settings.maxTrainSegments();
    frames = new FrameBatch(SEND_MESSAGES, local.index());
    link = new LinkState(libc, sockets.control().fd(), local.name());
    nextHops = new NextHops(libc, settings, local);
    transmitAddress = trains.buffer().addressOffset();
    meta.idKnowledge = DatagramMeta.ID_KNOWN;
    capabilities =
        new PortCapabilities(
            NAME,
            true,
            true,
            true,
            true,
            PATH_SLOTS,
            MAX_TRAIN_BYTES,
            settings.maxTrainSegments(),
            local.mtuBytes(),
            "CAP_NET_RAW");
  }

  /**
   * Opens the port.
   *
   * @param settings address and sizes; the pool of source ports is not used
   * @return an open port
   * @throws PortException when the right is missing, the UDP port is taken or the address not local
   */
  public static RawPort open(PortSettings settings) {
    LocalInterface local = LocalInterface.of(settings.bindAddress());
    Libc libc = new Libc();
    RawSockets sockets = null;
    try {
      sockets = RawSockets.open(libc, settings, local);
      return new RawPort(settings, local, libc, sockets);
    } catch (RuntimeException | OutOfMemoryError e) {
      if (sockets != null) {
        sockets.close();
      }
      libc.close();
      throw e;
    }
  }

  @Override
  public PortCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public int sourcePort(int pathSlot) {
    return FIRST_SOURCE_PORT + pathSlot;
  }

  @Override
  protected Route route(Gid gid, int udpPort, int hopLimit, int flowLabel) {
    Neighbour neighbour = nextHops.neighbour(gid);
    return new RawRoute(
        localGid, local.mac(), gid, neighbour, udpPort, hopLimit, flowLabel, roceV1);
  }

  @Override
  protected void join(Gid group) {
    sockets.join(group, addressOf(group));
  }

  @Override
  protected void leave(Gid group) {
    sockets.leave(group, addressOf(group));
  }

  @Override
  protected int segmentLimit() {
    return segmentLimit;
  }

  @Override
  protected boolean mixesPathSlots() {
    return true;
  }

  @Override
  protected int addressState(long train) {
    Neighbour neighbour = neighbour(train);
    if (neighbour.isKnown()) {
      return ADDRESS_KNOWN;
    }
    if (!nextHops.seek(neighbour)) {
      return ADDRESS_UNKNOWN;
    }
    return neighbour.isKnown() ? ADDRESS_KNOWN : ADDRESS_SOUGHT;
  }

  private Neighbour neighbour(long train) {
    return ((RawRoute) trains.destination(train).portState()).neighbour();
  }

  @Override
  protected void stage(int message, long train, int from, int packets) {
    RawRoute route = (RawRoute) trains.destination(train).portState();
    int bytes = trains.pieceBytes(train, from, packets);
    nextHops.used(route.neighbour());
    route.write(
        frames.memory(),
        frames.headerOffset(message),
        sourcePort(trains.pathSlot(train)),
        trains.tos(train),
        bytes);
    frames.stage(
        message,
        route.headerBytes(),
        route.udpOffset(),
        transmitAddress + trains.packetOffset(train, from),
        bytes,
        packets > 1 ? trains.segmentBytes(train) : 0);
    if (message == 0) {
      stagedPackets = packets;
    }
  }

  @Override
  protected int submit(int pathSlot, int count) {
    int result =
        libc.sendmmsg(sockets.sender().fd(), frames.address(), count, SocketOptions.MSG_DONTWAIT);
    return result > 0 ? result : refusal(-result);
  }

  private int refusal(int errno) {
    counters.lastTxErrno = errno;
    if (errno == Errno.EINVAL && stagedPackets > 1) {
      // Kernels before 6.2 do not segment UDP from a virtio header.
      segmentLimit = 1;
    }
    return SendRefusal.of(errno, stagedPackets);
  }

  @Override
  protected int currentMtuBytes() {
    return link.mtuBytes();
  }

  /** Follows the interface's MTU, as the kernel does not check segments against it here. */
  @Override
  protected void housekeeping(long nowNs) {
    mtuBytes(link.mtuBytes());
    nextHops.poll(nowNs);
    if (nowNs - lastDropsNs >= DROPS_NS) {
      lastDropsNs = nowNs;
      counters.rxSocketOverflow += ring.takeDrops();
    }
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    int packets = 0;
    while (packets < limitPackets && ring.hasFrame()) {
      if (ring.isLosing()) {
        counters.rxSocketOverflow += ring.takeDrops();
      }
      if (ring.isTruncated()) {
        counters.rxTruncated++;
      } else {
        packets += handOver(handler, nowNs);
      }
      ring.release();
    }
    return packets;
  }

  private int handOver(DatagramHandler handler, long nowNs) {
    UnsafeBuffer buffer = ring.memory();
    int network = ring.networkOffset();
    int captured = ring.capturedBytes() - (network - ring.ethernetOffset());
    int payload;
    int bytes;
    if (roceV1) {
      payload = network + IPV6;
      bytes = captured < IPV6 ? -1 : describeGrh(buffer, network);
    } else if (isIpv6()) {
      payload = network + IPV6 + UDP;
      bytes = captured < IPV6 + UDP ? -1 : describeIpv6(buffer, network);
    } else {
      payload = network + IPV4 + UDP;
      bytes = captured < IPV4 + UDP ? -1 : describeIpv4(buffer, network);
    }
    // Behind a short packet comes the padding of the frame; a long one must be there in full.
    if (bytes < 1 || bytes > captured - (payload - network)) {
      counters.rxTruncated++;
      return 0;
    }
    int segmentBytes = ring.segmentBytes();
    if (segmentBytes == 0 || segmentBytes > bytes) {
      segmentBytes = bytes;
    }
    int second = Math.min(segmentBytes, bytes - segmentBytes);
    if (second > 0 && identifications.areAlike(buffer, payload, segmentBytes, second, meta.ip)) {
      return deliverOneByOne(handler, buffer, payload, bytes, segmentBytes, nowNs);
    }
    return deliver(handler, buffer, payload, bytes, segmentBytes, meta, nowNs);
  }

  /**
   * A batch has identifications that count up; packets that all have the same are no such batch.
   */
  private int deliverOneByOne(
      DatagramHandler handler,
      UnsafeBuffer buffer,
      int payload,
      int bytes,
      int segmentBytes,
      long nowNs) {
    int packets = 0;
    for (int at = 0; at < bytes; at += segmentBytes) {
      int length = Math.min(segmentBytes, bytes - at);
      packets += deliver(handler, buffer, payload + at, length, length, meta, nowNs);
    }
    return packets;
  }

  private int describeIpv4(UnsafeBuffer buffer, int at) {
    meta.tos = buffer.getByte(at + 1) & 0xFF;
    meta.ecn = meta.tos & 3;
    meta.hopLimit = buffer.getByte(at + 8) & 0xFF;
    meta.ip.ipv4(
        buffer.getInt(at + 12, ByteOrder.BIG_ENDIAN),
        buffer.getInt(at + 16, ByteOrder.BIG_ENDIAN),
        port(buffer, at + IPV4),
        port(buffer, at + IPV4 + 2));
    meta.ip.identification(port(buffer, at + 4));
    meta.ip.fragmentWord(port(buffer, at + 6));
    return Math.min(port(buffer, at + 2) - IPV4, port(buffer, at + IPV4 + 4)) - UDP;
  }

  private int describeIpv6(UnsafeBuffer buffer, int at) {
    describeTrafficClass(buffer, at);
    meta.ip.ipv6(
        buffer.getLong(at + 8, ByteOrder.BIG_ENDIAN),
        buffer.getLong(at + 16, ByteOrder.BIG_ENDIAN),
        buffer.getLong(at + 24, ByteOrder.BIG_ENDIAN),
        buffer.getLong(at + 32, ByteOrder.BIG_ENDIAN),
        port(buffer, at + IPV6),
        port(buffer, at + IPV6 + 2));
    return Math.min(port(buffer, at + 4), port(buffer, at + IPV6 + 4)) - UDP;
  }

  private int describeGrh(UnsafeBuffer buffer, int at) {
    describeTrafficClass(buffer, at);
    meta.ip.grh(
        buffer.getLong(at + 8, ByteOrder.BIG_ENDIAN),
        buffer.getLong(at + 16, ByteOrder.BIG_ENDIAN),
        buffer.getLong(at + 24, ByteOrder.BIG_ENDIAN),
        buffer.getLong(at + 32, ByteOrder.BIG_ENDIAN));
    return port(buffer, at + 4);
  }

  private void describeTrafficClass(UnsafeBuffer buffer, int at) {
    meta.tos = (buffer.getInt(at, ByteOrder.BIG_ENDIAN) >>> 20) & 0xFF;
    meta.ecn = meta.tos & 3;
    meta.hopLimit = buffer.getByte(at + 7) & 0xFF;
  }

  private static int port(UnsafeBuffer buffer, int at) {
    return buffer.getShort(at, ByteOrder.BIG_ENDIAN) & 0xFFFF;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    sockets.close();
    nextHops.close();
    link.close();
    frames.close();
    trains.close();
    libc.close();
  }
}
