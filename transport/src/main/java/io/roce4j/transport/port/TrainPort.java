// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What the ports of real networks share: the {@link TrainQueue}, destinations, addresses, counters
 * and the tap. Subclasses add the flush and the receive.
 *
 * <p>A destination that cannot be reached just now (interface down, no route, no permission) is put
 * on hold: its trains stay queued, nothing more is taken for it, and other destinations go on.
 * After {@link #GIVE_UP_NS} its trains are given up and counted, so that a dead peer cannot fill
 * the queue.
 */
public abstract class TrainPort implements DatagramPort {
  /** Most UDP payload bytes in one segmented datagram over IPv4, where the limit is tightest. */
  public static final int MAX_TRAIN_BYTES = 65507;

  /** How long a held destination is left alone before the next try. */
  public static final long HOLD_NS = 1_000_000;

  /** How long trains of an unreachable destination are kept. */
  public static final long GIVE_UP_NS = 1_000_000_000;

  private static final long MTU_CHECK_NS = 1_000_000;
  private static final int IPV4_OVERHEAD = 28;
  private static final int IPV6_OVERHEAD = 48;
  private static final int GRH_OVERHEAD = 40;
  private static final int DEFAULT_HOP_LIMIT = 64;
  private static final int MAX_FLOW_LABEL = 0xF_FFFF;

  /** The transmit side. */
  protected final TrainQueue trains;

  /** Live counters. */
  protected final PortCounters counters = new PortCounters();

  /** How the port was opened. */
  protected final PortSettings settings;

  /** The interface of the bound address. */
  protected final LocalInterface local;

  /** The bound address. */
  protected final Gid localGid;

  /** The observer, or null. */
  protected PortTap tap;

  private final List<Gid> joined = new ArrayList<>();
  private final int encapsulation;
  private final DatagramMeta transmitMeta = new DatagramMeta();
  private int mtuBytes;
  private int maxDatagram;
  private long lastMtuCheckNs;

  /**
   * Makes the shared part.
   *
   * @param settings how the port is opened
   * @param local interface of the bound address
   */
  protected TrainPort(PortSettings settings, LocalInterface local) {
    this.settings = settings;
    this.local = local;
    this.localGid = Gid.ofAddress(settings.bindAddress().getAddress());
    if (settings.roceV1()) {
      this.encapsulation = IpUdpFields.GRH;
    } else {
      this.encapsulation = localGid.isIpv4() ? IpUdpFields.IPV4 : IpUdpFields.IPV6;
    }
    this.trains =
        new TrainQueue(settings.transmitRingBytes(), MAX_TRAIN_BYTES, settings.maxTrainSegments());
    mtuBytes(local.mtuBytes());
  }

  /**
   * Whether packets go over IPv6.
   *
   * @return false for IPv4
   */
  protected final boolean isIpv6() {
    return !localGid.isIpv4();
  }

  /**
   * The interface's MTU as last seen.
   *
   * @return bytes of an IP packet
   */
  protected final int mtuBytes() {
    return mtuBytes;
  }

  /**
   * Takes over another MTU: from now on {@link #open} refuses packets that do not fit.
   *
   * @param bytes of an IP packet; negative when the interface is gone, which changes nothing
   */
  protected final void mtuBytes(int bytes) {
    if (bytes >= 0) {
      mtuBytes = bytes;
      maxDatagram = Math.min(MAX_TRAIN_BYTES, bytes - overheadBytes());
    }
  }

  /**
   * Longest packet that fits the interface now.
   *
   * @return bytes of UDP payload
   */
  protected final int maxDatagram() {
    return maxDatagram;
  }

  /**
   * Asks the system for the interface's MTU.
   *
   * @return bytes of an IP packet, or negative when the interface is gone
   */
  protected int currentMtuBytes() {
    return local.currentMtuBytes();
  }

  /**
   * After packets were too long: reads the MTU again, about every millisecond, until it is back to
   * what it was.
   *
   * @param nowNs the endpoint's clock
   */
  protected final void followMtu(long nowNs) {
    if (mtuBytes < local.mtuBytes() && nowNs - lastMtuCheckNs >= MTU_CHECK_NS) {
      lastMtuCheckNs = nowNs;
      mtuBytes(currentMtuBytes());
    }
  }

  private int overheadBytes() {
    return switch (encapsulation) {
      case IpUdpFields.IPV4 -> IPV4_OVERHEAD;
      case IpUdpFields.IPV6 -> IPV6_OVERHEAD;
      default -> GRH_OVERHEAD;
    };
  }

  @Override
  public final int open(int pathSlot, Destination destination, int tos, int segmentBytes) {
    if (segmentBytes > maxDatagram) {
      trains.end();
      return TOO_LARGE;
    }
    if (((Route) destination.portState()).isHeld()) {
      trains.end();
      return BACK_PRESSURE;
    }
    return trains.open(pathSlot, destination, tos, segmentBytes);
  }

  @Override
  public final UnsafeBuffer transmitBuffer() {
    return trains.buffer();
  }

  @Override
  public final int claim() {
    return trains.claim();
  }

  @Override
  public final void commit(int length) {
    trains.commit(length);
  }

  @Override
  public final void commitDamaged(int length, int bit) {
    trains.commitDamaged(length, bit);
  }

  @Override
  public final Destination destination(
      long gidHi, long gidLo, int udpPort, int hopLimit, int flowLabel) {
    Gid gid = new Gid(gidHi, gidLo);
    if (udpPort < 1 || udpPort > 65535) {
      throw new IllegalArgumentException("UDP port " + udpPort + " is outside 1..65535");
    }
    if (hopLimit < 0 || hopLimit > 255) {
      throw new IllegalArgumentException("hop limit " + hopLimit + " is outside 0..255");
    }
    if (flowLabel < 0 || flowLabel > MAX_FLOW_LABEL) {
      throw new IllegalArgumentException("flow label " + flowLabel + " is outside 0..0xfffff");
    }
    if (!settings.roceV1() && gid.isIpv4() != localGid.isIpv4()) {
      throw new IllegalArgumentException(
          "destination " + gid + " and the port's address " + localGid + " are not of one family");
    }
    if (gid.equals(Gid.ZERO) || gid.equals(Gid.ofIpv4(0))) {
      throw new IllegalArgumentException("destination " + gid + " is the unspecified address");
    }
    int hops = hopLimit == 0 ? DEFAULT_HOP_LIMIT : hopLimit;
    Route route = route(gid, udpPort, hops, flowLabel);
    return new Destination(gidHi, gidLo, udpPort, hops, flowLabel, route);
  }

  @Override
  public final void joinMulticast(long gidHi, long gidLo) {
    Gid group = new Gid(gidHi, gidLo);
    if (!Gid.isMulticast(gidHi, gidLo)) {
      throw new IllegalArgumentException("group " + group + " is no multicast address");
    }
    if (!settings.roceV1() && group.isIpv4() != localGid.isIpv4()) {
      throw new IllegalArgumentException(
          "group " + group + " and the port's address " + localGid + " are not of one family");
    }
    if (!joined.contains(group)) {
      join(group);
      joined.add(group);
    }
  }

  @Override
  public final void leaveMulticast(long gidHi, long gidLo) {
    Gid group = new Gid(gidHi, gidLo);
    if (joined.remove(group)) {
      leave(group);
    }
  }

  /**
   * Lets datagrams to a group arrive.
   *
   * @param group not joined yet, of the port's address family
   * @throws IllegalArgumentException when the system or the port cannot, with the reason
   */
  protected abstract void join(Gid group);

  /**
   * Ends what {@link #join} began.
   *
   * @param group joined before
   */
  protected abstract void leave(Gid group);

  /**
   * Prepares what the port keeps of a destination.
   *
   * @param gid of the port's address family
   * @param udpPort 1..65535
   * @param hopLimit 1..255
   * @param flowLabel 0..0xfffff
   * @return the port's own kind of route
   * @throws IllegalArgumentException when it cannot be reached, with the address and the reason
   */
  protected abstract Route route(Gid gid, int udpPort, int hopLimit, int flowLabel);

  /**
   * The address of a GID as sockets take it; a link-local one gets the scope of the port's
   * interface.
   *
   * @param gid IPv4 or IPv6
   * @return an address
   */
  protected final InetAddress addressOf(Gid gid) {
    byte[] bytes = gid.toAddress();
    try {
      boolean linkLocal =
          bytes.length == Gid.LENGTH
              && (gid.high() >>> 54 == 0xFE80 >>> 6 || gid.high() >>> 56 == 0xFF);
      return linkLocal
          ? java.net.Inet6Address.getByAddress(null, bytes, local.index())
          : InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("destination " + gid + " is no address", e);
    }
  }

  @Override
  public final long localGidHi() {
    return localGid.high();
  }

  @Override
  public final long localGidLo() {
    return localGid.low();
  }

  @Override
  public final int localUdpPort() {
    return settings.udpPort();
  }

  @Override
  public long nextDeadlineNs() {
    return Long.MAX_VALUE;
  }

  @Override
  public final void tap(PortTap observer) {
    tap = observer;
  }

  @Override
  public final PortCounters counters() {
    return counters;
  }

  /**
   * Describes the headers in front of the packets of a train, for sealing and for the tap.
   *
   * @param train absolute index
   * @return fields with identification 0, valid until the next call
   */
  protected final IpUdpFields headers(long train) {
    Destination to = trains.destination(train);
    IpUdpFields ip = transmitMeta.ip;
    int sourcePort = sourcePort(trains.pathSlot(train));
    switch (encapsulation) {
      case IpUdpFields.IPV4 ->
          ip.ipv4((int) localGid.low(), (int) to.gidLo(), sourcePort, to.udpPort());
      case IpUdpFields.IPV6 ->
          ip.ipv6(
              localGid.high(), localGid.low(), to.gidHi(), to.gidLo(), sourcePort, to.udpPort());
      default -> ip.grh(localGid.high(), localGid.low(), to.gidHi(), to.gidLo());
    }
    return ip;
  }

  /**
   * Until when a train waits because its destination is on hold.
   *
   * @param train absolute index
   * @param nowNs the endpoint's clock
   * @return time of the next try, or {@link Long#MAX_VALUE} when it can be tried now
   */
  protected final long waitingUntilNs(long train, long nowNs) {
    Route route = (Route) trains.destination(train).portState();
    return route.isWaiting(nowNs) ? route.retryAtNs() : Long.MAX_VALUE;
  }

  /**
   * Notes that the network has taken a run of packets.
   *
   * @param train absolute index
   * @param packets how many, from the first unsent on
   * @param nowNs the endpoint's clock
   */
  protected final void sent(long train, int packets, long nowNs) {
    int from = trains.sent(train);
    if (tap != null) {
      tapSent(train, from, packets, nowNs);
    }
    counters.txPackets += packets;
    counters.txTrains++;
    counters.txBytes += trains.pieceBytes(train, from, packets);
    ((Route) trains.destination(train).portState()).reached();
    trains.accept(train, packets);
  }

  private void tapSent(long train, int from, int packets, long nowNs) {
    IpUdpFields ip = headers(train);
    transmitMeta.tos = trains.tos(train);
    transmitMeta.ecn = trains.tos(train) & 3;
    transmitMeta.hopLimit = trains.destination(train).hopLimit();
    transmitMeta.idKnowledge = DatagramMeta.ID_KNOWN;
    for (int i = 0; i < packets; i++) {
      ip.identification(i);
      int at = trains.packetOffset(train, from + i);
      tap.onTransmit(
          nowNs, trains.buffer(), at, trains.packetLength(train, from + i), transmitMeta);
    }
  }

  /**
   * Gives up packets that can never leave.
   *
   * @param train absolute index
   * @param packets how many, from the first unsent on
   */
  protected final void giveUp(long train, int packets) {
    counters.txErrors += packets;
    trains.accept(train, packets);
  }

  /**
   * Deals with a piece that was refused because of its size: cuts the train into smaller pieces, or
   * gives up a packet that is too long by itself.
   *
   * @param train absolute index
   * @param packets in the refused piece
   */
  protected final void refusedForSize(long train, int packets) {
    if (packets > 1) {
      counters.recutTrains++;
      trains.pieceLimit(train, packets / 2);
      return;
    }
    counters.txTooLong++;
    giveUp(train, 1);
    mtuBytes(currentMtuBytes());
  }

  /**
   * Deals with a train whose destination cannot be reached now.
   *
   * @param train absolute index
   * @param nowNs the endpoint's clock
   */
  protected final void unreachable(long train, long nowNs) {
    Route route = (Route) trains.destination(train).portState();
    counters.refusedTrains++;
    if (!route.hold(nowNs)) {
      return;
    }
    for (long each = train; each < trains.tail(); each++) {
      if (!trains.isDone(each) && trains.destination(each).portState().equals(route)) {
        giveUpUnreachable(each);
      }
    }
  }

  /**
   * Gives up what is left of a train that reaches nobody.
   *
   * @param train absolute index
   */
  protected final void giveUpUnreachable(long train) {
    int rest = trains.count(train) - trains.sent(train);
    counters.txUnreachable += rest;
    giveUp(train, rest);
  }

  /**
   * Hands over what has arrived for multicast groups.
   *
   * @param groups of this port
   * @param handler takes it
   * @param limit most packets
   * @param nowNs the endpoint's clock
   * @return packets handed over
   */
  protected final int receiveGroups(
      MulticastChannels groups, DatagramHandler handler, int limit, long nowNs) {
    if (joined.isEmpty()) {
      return 0;
    }
    int taken =
        groups.receive(
            (buffer, offset, length, meta) ->
                deliver(handler, buffer, offset, length, length, meta, nowNs),
            limit);
    if (taken < 0) {
      counters.rxErrors++;
      return 0;
    }
    return taken;
  }

  /**
   * Hands a received batch over.
   *
   * @param handler takes it
   * @param buffer memory of the port
   * @param offset first byte, with headroom in front
   * @param length bytes
   * @param segmentBytes size of each packet but perhaps the last; 1 to length
   * @param meta what is known of it
   * @param nowNs the endpoint's clock
   * @return packets handed over
   */
  protected final int deliver(
      DatagramHandler handler,
      UnsafeBuffer buffer,
      int offset,
      int length,
      int segmentBytes,
      DatagramMeta meta,
      long nowNs) {
    int packets = (length + segmentBytes - 1) / segmentBytes;
    counters.rxBatches++;
    counters.rxPackets += packets;
    counters.rxBytes += length;
    if (tap != null) {
      tapReceived(buffer, offset, length, segmentBytes, meta, nowNs);
    }
    handler.onDatagram(buffer, offset, length, segmentBytes, meta);
    return packets;
  }

  private void tapReceived(
      UnsafeBuffer buffer,
      int offset,
      int length,
      int segmentBytes,
      DatagramMeta meta,
      long nowNs) {
    int first = meta.ip.identification();
    int index = 0;
    for (int at = 0; at < length; at += segmentBytes) {
      meta.ip.identification((first + index++) & 0xFFFF);
      int bytes = Math.min(segmentBytes, length - at);
      tap.onReceive(nowNs, buffer, offset + at, bytes, meta);
    }
    meta.ip.identification(first);
  }
}
