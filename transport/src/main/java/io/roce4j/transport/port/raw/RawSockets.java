// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import static io.roce4j.transport.port.libc.SocketOptions.SOL_PACKET;

import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortHolder;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.libc.Errno;
import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeException;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The sockets of a raw port: one that receives through the ring, one that sends, and a UDP socket
 * that holds the UDP port. Control path.
 */
final class RawSockets implements AutoCloseable {
  private static final int SOCKADDR_LL = 20;
  private static final int MAX_RING = 1 << 30;

  // A frame of the ring has room for a whole batch; a socket buffer counts what is really there.
  private static final int RING_FACTOR = 8;

  // The port's own address first, then those of multicast groups.
  private final List<Gid> destinations = new ArrayList<>();
  private PortSettings settings;
  private LocalInterface local;
  private NativeSocket holder;
  private NativeSocket receiver;
  private NativeSocket sender;
  private PacketRing ring;

  private RawSockets() {}

  static RawSockets open(Libc libc, PortSettings settings, LocalInterface local) {
    RawSockets sockets = new RawSockets();
    try {
      sockets.openHolder(libc, settings);
      sockets.openReceiver(libc, settings, local);
      sockets.openSender(libc, settings);
      return sockets;
    } catch (NativeException e) {
      sockets.close();
      if (e.errno() == Errno.EPERM || e.errno() == Errno.EACCES) {
        throw new PortException(
            "port raw needs CAP_NET_RAW: run as root, or give java the capability", e);
      }
      throw new PortException("cannot set up port raw: " + e.getMessage(), e);
    } catch (PortException e) {
      sockets.close();
      throw e;
    }
  }

  /** Holds the UDP port, so that the kernel sends no ICMP and nobody else takes it. */
  private void openHolder(Libc libc, PortSettings settings) {
    boolean ipv6 = settings.bindAddress() instanceof Inet6Address;
    int family = ipv6 ? SocketOptions.AF_INET6 : SocketOptions.AF_INET;
    holder = NativeSocket.open(libc, family, SocketOptions.SOCK_DGRAM, 0);
    if (settings.roceV1()) {
      return;
    }
    // Coalesced batches would otherwise be cut up for this socket only to be dropped.
    holder.set(SocketOptions.SOL_UDP, SocketOptions.UDP_GRO, 1);
    SocketFilter.nothing().attach(holder);
    int bound = holder.bind(settings.bindAddress(), settings.udpPort());
    if (bound == -Errno.EADDRINUSE) {
      throw PortHolder.inUse(settings.bindAddress(), settings.udpPort());
    }
    if (bound < 0) {
      throw new NativeException("bind", -bound);
    }
  }

  private void openReceiver(Libc libc, PortSettings settings, LocalInterface local) {
    Gid gid = Gid.ofAddress(settings.bindAddress().getAddress());
    receiver = NativeSocket.open(libc, SocketOptions.AF_PACKET, SocketOptions.SOCK_RAW, 0);
    int etherType = settings.roceV1() ? 0x8915 : gid.isIpv4() ? 0x0800 : 0x86DD;
    this.settings = settings;
    this.local = local;
    destinations.add(gid);
    // Filter and ring first, then the binding: nothing that does not belong here can slip in.
    filter().attach(receiver);
    receiver.require(
        SOL_PACKET, SocketOptions.PACKET_IGNORE_OUTGOING, 1, "PACKET_IGNORE_OUTGOING (Linux 4.20)");
    long wanted = Math.min((long) settings.receiveBufferBytes() * RING_FACTOR, MAX_RING);
    ring = new PacketRing(libc, receiver, (int) wanted);
    UnsafeBuffer address = NativeMemory.allocate("port-socket", SOCKADDR_LL, 8);
    try {
      address.putShort(0, (short) SocketOptions.AF_PACKET);
      address.putShort(2, (short) etherType, ByteOrder.BIG_ENDIAN);
      address.putInt(4, local.index());
      int bound = receiver.bind(address, SOCKADDR_LL);
      if (bound < 0) {
        throw new NativeException("bind to interface " + local.name(), -bound);
      }
    } finally {
      NativeMemory.release(address);
    }
  }

  private SocketFilter filter() {
    if (settings.roceV1()) {
      return SocketFilter.roceV1(destinations);
    }
    return destinations.getFirst().isIpv4()
        ? SocketFilter.ipv4(destinations, settings.udpPort())
        : SocketFilter.ipv6(destinations, settings.udpPort());
  }

  /**
   * Lets frames to a group arrive: through the adapter, the kernel and the filter. The UDP socket
   * joins too, so that switches are told.
   *
   * @param group multicast GID
   * @param address the same as sockets take it
   * @throws IllegalArgumentException when the system refuses
   */
  void join(Gid group, InetAddress address) {
    destinations.add(group);
    try {
      filter().attach(receiver);
    } catch (IllegalArgumentException e) {
      destinations.remove(group);
      throw e;
    }
    int result =
        receiver.frameMembership(Gid.multicastMac(group.high(), group.low()), local.index(), true);
    if (result == 0 && !settings.roceV1()) {
      result = holder.membership(address, local.index(), true);
    }
    if (result < 0) {
      leave(group, address);
      throw new IllegalArgumentException(
          "group " + group + " cannot be joined on " + local.name() + ": " + Errno.name(-result));
    }
  }

  /** Undoes {@link #join}; what was not done is not there to be undone. */
  void leave(Gid group, InetAddress address) {
    destinations.remove(group);
    filter().attach(receiver);
    receiver.frameMembership(Gid.multicastMac(group.high(), group.low()), local.index(), false);
    if (!settings.roceV1()) {
      holder.membership(address, local.index(), false);
    }
  }

  private void openSender(Libc libc, PortSettings settings) {
    sender = NativeSocket.open(libc, SocketOptions.AF_PACKET, SocketOptions.SOCK_RAW, 0);
    sender.require(SOL_PACKET, SocketOptions.PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
    sender.bufferBytes(false, settings.sendBufferBytes());
  }

  PacketRing ring() {
    return ring;
  }

  NativeSocket sender() {
    return sender;
  }

  /** The UDP socket: for questions to the kernel and for waking its neighbour table up. */
  NativeSocket control() {
    return holder;
  }

  @Override
  public void close() {
    if (ring != null) {
      ring.close();
    }
    if (receiver != null) {
      receiver.close();
    }
    if (sender != null) {
      sender.close();
    }
    if (holder != null) {
      holder.close();
    }
  }
}
